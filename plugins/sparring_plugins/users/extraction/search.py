"""Declared outputs looked up in a conversation."""

from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from pydantic import JsonValue

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Output
from sparring_plugins.language.candidate import Candidate
from sparring_plugins.language.contacts import find_emails, find_phones, find_urls
from sparring_plugins.language.dates import (
    date_spans,
    day_first,
    find_durations,
    find_times,
    parse_date,
)
from sparring_plugins.language.identifiers import find_identifiers
from sparring_plugins.language.money import find_money
from sparring_plugins.language.numbers import find_number_words, find_numbers, number
from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue, starts_with_cue
from sparring_plugins.users.extraction.candidate_checks import admitted, by_unit, without_rivals
from sparring_plugins.users.extraction.echoes import as_texts, chosen_values, echoed_value
from sparring_plugins.users.extraction.exchanges import Exchange, exchanges, statements, tells
from sparring_plugins.users.extraction.output_form import Form, Sought, sought
from sparring_plugins.users.extraction.ranking import Found, ranked
from sparring_plugins.users.extraction.statements import best_statement

_SURE_BY_FORM: frozenset[Form] = frozenset(
    {"money", "date", "time", "duration", "email", "phone", "id", "url"}
)


def find_outputs(task: ExtractTask) -> tuple[Output, ...]:
    """One output per specification, in order; its value is None where it was not found."""
    said = exchanges(task.turns)
    telling = [one for one in said if one.informative]
    forms = [sought(spec) for spec in task.outputs]
    return tuple(
        _output(one, telling, task, [other for other in forms if other is not one]) for one in forms
    )


def readings(
    spec: OutputSpec, exchange: Exchange, task: ExtractTask
) -> list[tuple[Candidate, JsonValue | date]]:
    """Everything in one answer that can be read as a value of an output's declared type.

    Whether it is the one that is meant is not asked. Texts and truth values are not read so.
    """
    one = sought(spec)
    if one.form in ("statement", "bool"):
        return []
    said = [each for each in exchanges(task.turns) if each.informative]
    candidates = list(_candidates(one.form, exchange.said, task.language))
    if one.form == "money":  # of a range the ends, too
        candidates += find_money(exchange.said, ranges=False)
    found = [
        (candidate, _typed(one, Found(candidate, exchange, 0.0), said, task))
        for candidate in candidates
    ]
    return [(candidate, value) for candidate, value in found if value is not None]


def _output(
    one: Sought, said: Sequence[Exchange], task: ExtractTask, others: Sequence[Sought]
) -> Output:
    value: JsonValue | date = None
    turn: int | None = None
    if one.form == "statement":
        value, turn = _statement(one, said, task)
    elif one.form == "bool":
        value, turn = _truth(one, said)
    else:
        best = _best(one, said, task, others)
        if best is not None:
            value, turn = _typed(one, best, said, task), best.exchange.index
    spec = one.spec
    return Output(
        name=spec.name,
        value=value,
        type=spec.type,
        description=spec.description,
        turn=turn if value is not None else None,
    )


def _statement(
    one: Sought, said: Sequence[Exchange], task: ExtractTask
) -> tuple[JsonValue, int | None]:
    echo = echoed_value(one, said, task.inputs, task.domains)
    chosen = chosen_values(one, task.inputs) if one.confirmed else []
    found = echo or best_statement(one, said, chosen)
    if found is None and chosen:  # a confirmation that the app gave again and again
        every = [each for each in exchanges(task.turns) if tells(each.said)]
        found = best_statement(one, every, chosen)
    return (found[0], found[1].index) if found else (None, None)


def _truth(one: Sought, said: Sequence[Exchange]) -> tuple[JsonValue, int | None]:
    """Whether the app affirms or denies what the description says; None where it says neither."""
    for exchange in reversed(said):
        asked = overlap(one.specific, exchange.asked_concepts)
        for sentence in statements(exchange.said):
            words = folded(sentence)
            if asked >= 0.5 and starts_with_cue(words, "deny"):
                return False, exchange.index
            if asked >= 0.5 and starts_with_cue(words, "affirm"):
                return True, exchange.index
            if overlap(one.specific, concepts(sentence)) >= 0.5:
                return not has_cue(words, "deny"), exchange.index
    return None, None


def _best(
    one: Sought, said: Sequence[Exchange], task: ExtractTask, others: Sequence[Sought]
) -> Found | None:
    pairs = [
        (exchange, candidate)
        for exchange in said
        for candidate in _candidates(one.form, exchange.said, task.language)
    ]
    rivals = any(other.form == one.form for other in others)
    found = ranked(one, pairs, rivals=rivals, last=max((e.index for e in said), default=0))
    found = without_rivals(one, admitted(one, found, exchanges(task.turns)), others)
    if one.form in ("int", "float"):
        found = by_unit(one, found)
        found = [each for each in found if _is_told(one, each, task)]
    return found[0] if found else None


@lru_cache(maxsize=1024)
def _candidates(form: Form, text: str, language: str) -> tuple[Candidate, ...]:
    match form:
        case "money":
            found = find_money(text)
        case "date":
            found = date_spans(text)
        case "time":
            found = [*find_times(text), *_less(find_durations(text))]
        case "duration":
            found = [*find_durations(text), *_less(find_times(text))]
        case "email":
            found = find_emails(text)
        case "phone":
            found = find_phones(text, language)
        case "url":
            found = find_urls(text)
        case "id":
            found = find_identifiers(text)
        case _:
            found = [*find_numbers(text), *find_number_words(text)]
    return tuple(found)


def _less(found: list[Candidate]) -> list[Candidate]:
    return [Candidate(one.value, one.text, one.start, one.end, 0.2) for one in found]


def _is_told(one: Sought, found: Found, task: ExtractTask) -> bool:
    """Whether a bare number is about the output, and not one of the user's own."""
    own = {number(text) for value in task.inputs.values() for text in as_texts(value)}
    asked = found.exchange.asked_concepts
    near = concepts(found.exchange.said)
    if found.candidate.value in own:
        return False
    if not one.specific:
        return bool(find_numbers(found.exchange.asked))
    return bool(one.specific & (asked | near))


def _typed(
    one: Sought, found: Found, said: Sequence[Exchange], task: ExtractTask
) -> JsonValue | date:
    candidate = found.candidate
    if one.form == "date":
        return _date(candidate.text, said, task)
    if one.form == "phone" and one.spec.type.strip().lower() in ("int", "integer"):
        return int("".join(char for char in candidate.text if char.isdigit()))
    if one.form == "int":
        value = candidate.value
        return int(value) if isinstance(value, (int, float)) else None
    if one.form == "float":
        return float(candidate.value) if isinstance(candidate.value, (int, float)) else None
    return candidate.value


def _date(written: str, said: Sequence[Exchange], task: ExtractTask) -> date | None:
    """The day meant by a date: an ambiguous one is read as the user's own date, if it fits."""
    texts = [one.said for one in said]
    named = [
        span.text
        for text in texts
        for span in date_spans(text)
        if span.text != written and not span.text[:1].isdigit()
    ]
    own = [text for value in task.inputs.values() for text in as_texts(value)]
    first = day_first(texts, task.language)
    readings = [
        parse_date(written, task.today, task.language, order) for order in (first, not first)
    ]
    wanted = {
        parse_date(span.text, task.today, task.language, first)
        for text in (*own, *named)
        for span in date_spans(text)
        if span.certainty == 1
    } - {None}
    matching = [day for day in readings if day in wanted]
    return matching[0] if matching else readings[0]


def specs_found(task: ExtractTask) -> list[OutputSpec]:
    """The outputs that the conversation has a value for."""
    return [
        spec
        for spec, output in zip(task.outputs, find_outputs(task), strict=True)
        if output.value is not None
    ]
