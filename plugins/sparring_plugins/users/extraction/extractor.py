"""The extractor without a language model: declared outputs looked up in a conversation."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cached_property, lru_cache
from typing import ClassVar

from pydantic import JsonValue

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Extraction, ExtractTask, OutputSpec
from sparring.model.talk import Output
from sparring_plugins.language.candidates import (
    ValueCandidate,
    date_spans,
    find_durations,
    find_emails,
    find_phones,
    find_times,
    find_urls,
    parse_date,
)
from sparring_plugins.language.loose_values import (
    day_first_by_evidence,
    find_codes,
    find_spoken_times,
    loose_date,
    loose_dates,
)
from sparring_plugins.language.numbers import find_money, find_number_words, find_numbers, number
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import as_texts, folded
from sparring_plugins.language.vocabulary import concepts, has_cue, starts_with_cue
from sparring_plugins.users.extraction.exchanges import Exchange, exchanges, has_content, statements
from sparring_plugins.users.extraction.features import (
    Context,
    Passage,
    asks_for,
    assign,
    features,
    foreign_labels,
    is_rival,
    passages,
    score,
    weights,
)
from sparring_plugins.users.extraction.output_form import OutputForm, ValueForm, output_form
from sparring_plugins.users.extraction.text_outputs import (
    best_statement,
    chosen_values,
    echoed_value,
)

_LESS_CERTAIN = 0.2
"""The certainty of a value of another form than the one that is looked for."""


def find_outputs(task: ExtractTask) -> tuple[Output, ...]:
    """Return one output per specification, in order; its value is None if it was not found."""
    return _OutputSearch(task).find_all([output_form(spec) for spec in task.outputs])


def readings(
    spec: OutputSpec, exchange: Exchange, task: ExtractTask
) -> list[tuple[ValueCandidate, JsonValue | date]]:
    """Return everything in one reply that can be read as a value of an output's declared type.

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

    def find_all(self, forms: Sequence[OutputForm]) -> tuple[Output, ...]:
        """The outputs in order, each with its value and the turn of the reply that has it."""
        # two prices compete for the amounts of a reply; texts and truth values share none
        typed = [form for form in forms if form.form not in ("statement", "bool")]
        chosen = dict(zip(map(id, typed), self._choose(typed, forms), strict=True))
        return tuple(self._output(form, chosen.get(id(form))) for form in forms)

    def _output(self, form: OutputForm, passage: Passage | None) -> Output:
        value: JsonValue | date = None
        turn: int | None = None
        if form.form == "statement":
            value, turn = self._statement(form)
        elif form.form == "bool":
            value, turn = self._truth(form)
        elif passage is not None:
            value, turn = self.typed_value(form, passage.candidate), passage.exchange.index
        spec = form.spec
        return Output(
            name=spec.name,
            value=value,
            type=spec.type,
            description=spec.description,
            turn=turn if value is not None else None,
        )

    def _choose(
        self, forms: Sequence[OutputForm], all_forms: Sequence[OutputForm]
    ) -> list[Passage | None]:
        """The best candidate of each typed output, those of one form chosen together."""
        table = weights()
        groups: dict[str, list[int]] = {}
        for place, form in enumerate(forms):
            groups.setdefault(form.form, []).append(place)
        chosen: list[Passage | None] = [None] * len(forms)
        for places in groups.values():
            scored = [
                [
                    (passage, score(values, table.trained or table.prior))
                    for passage, values in self.described(forms[place], all_forms)
                ]
                for place in places
            ]
            for place, passage in zip(places, assign(scored, table.nothing), strict=True):
                chosen[place] = passage
        return chosen

    def described(
        self, form: OutputForm, forms: Sequence[OutputForm]
    ) -> list[tuple[Passage, dict[str, float]]]:
        """Every candidate for an output in the conversation, with its features."""
        located = self._locate_candidates(form)
        # an offer before the booking may have been turned down, what comes after it holds
        closed = (e.index for e in self._exchanges if has_cue(folded(e.said), "done"))
        others = (other for other in forms if other.spec is not form.spec)
        context = Context(
            rivals=tuple(other for other in others if is_rival(form, other)),
            last=max((exchange.index for exchange in self._exchanges), default=0),
            done_until=max(closed, default=-1),
            own_values=frozenset(str(number(text)) for text in self._own_texts),
            user_values=self._user_values(form),
            distinct=len({key for _, key, _ in located}),
            asked_for=any(asks_for(form, exchange) for exchange in self._exchanges),
        )
        return [
            (passage, {**features(form, passage, context, key), "foreign_labels": float(foreign)})
            for passage, key, foreign in located
        ]

    def _user_values(self, form: OutputForm) -> frozenset[str]:
        """The keys of all values of a form that the user said."""
        values = (
            self.typed_value(form, candidate)
            for exchange in self._exchanges
            for candidate in self._candidates_in(form, exchange.asked)
        )
        return frozenset(_value_key(value) for value in values if value is not None)

    def _locate_candidates(self, form: OutputForm) -> list[tuple[Passage, str, bool]]:
        """Every candidate with its key, and whether its reply lists other things."""
        located: list[tuple[Passage, str, bool]] = []
        for exchange in self._exchanges:
            group = passages(exchange, self._candidates_in(form, exchange.said))
            foreign = foreign_labels(form, group)
            for passage in group:
                value = self.typed_value(form, passage.candidate)
                if value is not None and not self._is_own_code(form, passage):
                    located.append((passage, _value_key(value), foreign))
        return located

    def _is_own_code(self, form: OutputForm, passage: Passage) -> bool:
        """Whether a code is one of the user's own, in a reply without a word of what is wanted.

        "KT-40 leaves on 9 March." has no code of the gate.
        """
        things = {name for name in form.specific if not name.startswith("~")}
        if form.form != "id" or not things:
            return False
        named = concepts(passage.exchange.said) | passage.exchange.asked_concepts
        own = {folded(text) for text in self._own_texts}
        return folded(passage.candidate.text) in own and not things & named

    def _candidates_in(self, form: OutputForm, text: str) -> tuple[ValueCandidate, ...]:
        return _candidates(form.form, text, self._task.language)

    def _statement(self, form: OutputForm) -> tuple[JsonValue, int | None]:
        """A value of the user that the app said back, else the statement that fits best."""
        task = self._task
        chosen = chosen_values(form, task.inputs) if form.confirmed else []
        best = echoed_value(form, self._informative, task.inputs, task.domains)
        # a value that the app repeated is surer than a sentence on the same subject
        best = best or best_statement(form, self._informative, chosen)
        if best is None and chosen:  # a confirmation that the app gave again and again
            repeated = [exchange for exchange in self._exchanges if has_content(exchange.said)]
            best = best_statement(form, repeated, chosen)
        return (best[0], best[1].index) if best else (None, None)

    def _truth(self, form: OutputForm) -> tuple[JsonValue, int | None]:
        """Whether the app affirms or denies what the description says; None if it says neither."""
        # the last word counts: "Dogs are welcome" may become "but not in June"
        for exchange in reversed(self._informative):
            asked = overlap(form.specific, exchange.asked_concepts)
            for sentence in statements(exchange.said):
                words = folded(sentence)
                if asked >= 0.5 and starts_with_cue(words, "deny"):
                    return False, exchange.index
                if asked >= 0.5 and starts_with_cue(words, "affirm"):
                    return True, exchange.index
                # "Breakfast is not included." without having been asked for it
                if overlap(form.specific, concepts(sentence)) >= 0.5:
                    return not has_cue(words, "deny"), exchange.index
        return None, None

    def typed_value(self, form: OutputForm, candidate: ValueCandidate) -> JsonValue | date:
        """The value of a candidate in the declared type; None if it can have none."""
        if form.form == "date":
            return self._date(candidate.text)
        # the declared type can hold neither a leading zero nor a plus sign
        if form.form == "phone" and form.spec.type.strip().lower() in ("int", "integer"):
            return int("".join(char for char in candidate.text if char.isdigit()))
        value = candidate.value
        if form.form not in ("int", "float"):
            return value
        if not isinstance(value, (int, float)):
            return None
        return int(value) if form.form == "int" else float(value)

    @cached_property
    def _day_first(self) -> bool:
        app = [exchange.said for exchange in self._exchanges]
        user = [exchange.asked for exchange in self._exchanges]
        return day_first_by_evidence(app, user, self._task.today, self._task.language)

    def _date(self, written: str) -> date | None:
        """The day meant by a date; an ambiguous one is the user's own date, if it may be."""
        task = self._task
        first = self._day_first
        # "04/05/2027" is 4 May or 5 April, whichever the user spoke of
        days = [
            loose_date(written, task.today, task.language, order) for order in (first, not first)
        ]
        own = {
            parse_date(span.text, task.today, task.language, first)
            for text in self._own_texts
            for span in date_spans(text)
            if span.certainty == 1
        }
        return next((day for day in days if day is not None and day in own), days[0])


_CLOCK = re.compile(
    r"(\d{1,2})(?:\s?[:.h]\s?(\d\d))?(?::\d\d)?\s?(?:([ap])\.?\s?m\b)?", re.IGNORECASE
)


def _value_key(value: JsonValue | date) -> str:
    """A value as a text that is the same for "3pm" and "15:00", and for "$5" and "5.00 dollars"."""
    text = str(value).strip().casefold()
    if match := _CLOCK.match(text):
        hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
        # "3" alone is a number; "3 pm" and "3:00" are times of day
        if half or match[2]:
            return f"{hour % 12 + 12 * (half == 'p') if half else hour}:{minute:02}"
    return re.sub(r"[^\w.]", "", text)


@lru_cache(maxsize=1024)
def _candidates(form: ValueForm, text: str, language: str) -> tuple[ValueCandidate, ...]:
    """The candidates for a value of a form in a text.

    A length of time may be meant by a time of day and the other way round, less certainly.
    """
    match form:
        case "money":
            candidates = find_money(text)
        case "date":
            candidates = list(loose_dates(text))
        case "time":
            candidates = [*find_spoken_times(text), *_less_certain(find_durations(text))]
        case "duration":
            candidates = [*find_durations(text), *_less_certain(find_times(text))]
        case "email":
            candidates = find_emails(text)
        case "phone":
            candidates = find_phones(text, language)
        case "url":
            candidates = find_urls(text)
        case "id":
            candidates = find_codes(text)
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
