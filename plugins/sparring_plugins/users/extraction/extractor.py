"""The extractor without a language model: declared outputs looked up in a conversation."""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import ClassVar

from pydantic import JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Extraction, ExtractTask, OutputSpec
from sparring.model.talk import Output
from sparring_plugins.language.candidates import (
    ValueCandidate,
    date_spans,
    day_first,
    find_durations,
    find_emails,
    find_identifiers,
    find_phones,
    find_times,
    find_urls,
    parse_date,
)
from sparring_plugins.language.numbers import find_money, find_number_words, find_numbers, number
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue, overlap, starts_with_cue
from sparring_plugins.users.extraction.candidates import (
    RankedCandidate,
    admitted,
    by_unit,
    ranked,
    without_rivals,
)
from sparring_plugins.users.extraction.exchanges import Exchange, exchanges, has_content, statements
from sparring_plugins.users.extraction.output_form import OutputForm, ValueForm, output_form
from sparring_plugins.users.extraction.text_outputs import (
    as_texts,
    best_statement,
    chosen_values,
    echoed_value,
)

_LESS_CERTAIN = 0.2
"""The certainty of a value of another form than the one that is looked for."""


def find_outputs(task: ExtractTask) -> tuple[Output, ...]:
    """One output per specification, in order; its value is None if it was not found."""
    search = _OutputSearch(task)
    forms = [output_form(spec) for spec in task.outputs]
    return tuple(
        search.find(form, [other for other in forms if other is not form]) for form in forms
    )


def readings(
    spec: OutputSpec, exchange: Exchange, task: ExtractTask
) -> list[tuple[ValueCandidate, JsonValue | date]]:
    """Everything in one reply that can be read as a value of an output's declared type.

    Whether it is the one that is meant is not asked. Texts and truth values are not read so.
    """
    form = output_form(spec)
    if form.form in ("statement", "bool"):
        return []
    search = _OutputSearch(task)
    candidates = list(_candidates(form.form, exchange.said, task.language))
    if form.form == "money":  # of a range the ends, too
        candidates += find_money(exchange.said, ranges=False)
    values = [(candidate, search.typed_value(form, candidate)) for candidate in candidates]
    return [(candidate, value) for candidate, value in values if value is not None]


class _OutputSearch:
    """Looks up outputs in one conversation."""

    def __init__(self, task: ExtractTask) -> None:
        self._task = task
        self._exchanges = exchanges(task.turns)
        self._informative = [exchange for exchange in self._exchanges if exchange.informative]
        self._own_texts = [text for value in task.inputs.values() for text in as_texts(value)]

    def find(self, form: OutputForm, others: Sequence[OutputForm]) -> Output:
        """An output with its value, and the turn of the reply that has it; `others` compete."""
        value: JsonValue | date = None
        turn: int | None = None
        if form.form == "statement":
            value, turn = self._statement(form)
        elif form.form == "bool":
            value, turn = self._truth(form)
        else:
            best = self._best(form, others)
            if best is not None:
                value, turn = self.typed_value(form, best.candidate), best.exchange.index
        spec = form.spec
        return Output(
            name=spec.name,
            value=value,
            type=spec.type,
            description=spec.description,
            turn=turn if value is not None else None,
        )

    def _statement(self, form: OutputForm) -> tuple[JsonValue, int | None]:
        """A value of the user that the app said back, else the statement that fits best."""
        task = self._task
        chosen = chosen_values(form, task.inputs) if form.confirmed else []
        best = echoed_value(form, self._informative, task.inputs, task.domains)
        best = best or best_statement(form, self._informative, chosen)
        if best is None and chosen:  # a confirmation that the app gave again and again
            repeated = [exchange for exchange in self._exchanges if has_content(exchange.said)]
            best = best_statement(form, repeated, chosen)
        return (best[0], best[1].index) if best else (None, None)

    def _truth(self, form: OutputForm) -> tuple[JsonValue, int | None]:
        """Whether the app affirms or denies what the description says; None if it says neither."""
        for exchange in reversed(self._informative):
            asked = overlap(form.specific, exchange.asked_concepts)
            for sentence in statements(exchange.said):
                words = folded(sentence)
                if asked >= 0.5 and starts_with_cue(words, "deny"):
                    return False, exchange.index
                if asked >= 0.5 and starts_with_cue(words, "affirm"):
                    return True, exchange.index
                if overlap(form.specific, concepts(sentence)) >= 0.5:
                    return not has_cue(words, "deny"), exchange.index
        return None, None

    def _best(self, form: OutputForm, others: Sequence[OutputForm]) -> RankedCandidate | None:
        """The candidate that fits an output best; None if none is about it."""
        said = self._informative
        pairs = [
            (exchange, candidate)
            for exchange in said
            for candidate in _candidates(form.form, exchange.said, self._task.language)
        ]
        has_rivals = any(other.form == form.form for other in others)
        last = max((exchange.index for exchange in said), default=0)
        candidates = ranked(form, pairs, rivals=has_rivals, last=last)
        candidates = without_rivals(form, admitted(form, candidates, self._exchanges), others)
        if form.form in ("int", "float"):
            candidates = by_unit(form, candidates)
            candidates = [numeric for numeric in candidates if self._is_about(form, numeric)]
        return candidates[0] if candidates else None

    def _is_about(self, form: OutputForm, ranked_candidate: RankedCandidate) -> bool:
        """Whether a bare number is about the output, and not one of the user's own."""
        exchange = ranked_candidate.exchange
        if ranked_candidate.candidate.value in {number(text) for text in self._own_texts}:
            return False
        if not form.specific:
            return bool(find_numbers(exchange.asked))
        return bool(form.specific & (exchange.asked_concepts | concepts(exchange.said)))

    def typed_value(self, form: OutputForm, candidate: ValueCandidate) -> JsonValue | date:
        """The value of a candidate in the declared type; None if it can have none."""
        if form.form == "date":
            return self._date(candidate.text)
        if form.form == "phone" and form.spec.type.strip().lower() in ("int", "integer"):
            return int("".join(char for char in candidate.text if char.isdigit()))
        value = candidate.value
        if form.form not in ("int", "float"):
            return value
        if not isinstance(value, (int, float)):
            return None
        return int(value) if form.form == "int" else float(value)

    def _date(self, written: str) -> date | None:
        """The day meant by a date; an ambiguous one is the user's own date, if it may be."""
        task = self._task
        texts = [exchange.said for exchange in self._informative]
        first = day_first(texts, task.language)
        days = [
            parse_date(written, task.today, task.language, order) for order in (first, not first)
        ]
        named = [
            span
            for text in texts
            for span in date_spans(text)
            if span.text != written and not span.text[:1].isdigit()
        ]
        own = [span for text in self._own_texts for span in date_spans(text)]
        likely = {
            parse_date(span.text, task.today, task.language, first)
            for span in (*own, *(one for n in named for one in date_spans(n.text)))
            if span.certainty == 1
        } - {None}
        return next((day for day in days if day in likely), days[0])


@lru_cache(maxsize=1024)
def _candidates(form: ValueForm, text: str, language: str) -> tuple[ValueCandidate, ...]:
    """The candidates for a value of a form in a text.

    A length of time may be meant by a time of day and the other way round, less certainly.
    """
    match form:
        case "money":
            candidates = find_money(text)
        case "date":
            candidates = date_spans(text)
        case "time":
            candidates = [*find_times(text), *_less_certain(find_durations(text))]
        case "duration":
            candidates = [*find_durations(text), *_less_certain(find_times(text))]
        case "email":
            candidates = find_emails(text)
        case "phone":
            candidates = find_phones(text, language)
        case "url":
            candidates = find_urls(text)
        case "id":
            candidates = find_identifiers(text)
        case _:
            candidates = [*find_numbers(text), *find_number_words(text)]
    return tuple(candidates)


def _less_certain(candidates: Sequence[ValueCandidate]) -> list[ValueCandidate]:
    return [
        ValueCandidate(
            candidate.value, candidate.text, candidate.start, candidate.end, _LESS_CERTAIN
        )
        for candidate in candidates
    ]


class PatternExtractor(Agent[ExtractTask, Extraction, PluginConfig]):
    """Role ``extractor``: finds declared outputs by their type and description.

    Values of a declared type are read with parsers (price-parser, dateparser, phonenumbers) from
    what the app said, never from the user's own words; of several the one whose surroundings, and
    the user's question before it, share most words with the output's name and description.
    A money value is the text as said (``$10.50``), a date a `datetime.date`, an int or float a
    number, everything else text. Values that are not there stay None.
    """

    role: ClassVar[str] = "extractor"

    async def act(self, task: ExtractTask) -> Extraction:
        return Extraction(outputs=find_outputs(task))
