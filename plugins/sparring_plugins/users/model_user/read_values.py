"""From what a model claims to have read to a typed value that the app really said."""

from collections.abc import Sequence
from datetime import date

from pydantic import JsonValue

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring_plugins.language.candidate import Candidate
from sparring_plugins.language.dates import find_times, parse_date
from sparring_plugins.language.money import amount, find_money
from sparring_plugins.language.numbers import number
from sparring_plugins.language.text import folded, plain
from sparring_plugins.users.agenda.value_matching import mentions
from sparring_plugins.users.extraction.exchanges import Exchange
from sparring_plugins.users.extraction.search import readings
from sparring_plugins.users.model_user.quotations import Place, span_of

_PARSED = frozenset({"money", "date", "time", "int", "float", "email", "phone", "url"})
_LONGEST = 60
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


class Unreadable(ValueError):
    """The words quoted do not show a value of the declared type."""


def read_value(spec: OutputSpec, value: str, place: Place, task: ExtractTask) -> JsonValue | date:
    """The value of an output in words that the app said, as the extractor `patterns` reads it.

    A value of a parsed type is one that the parser finds in the quoted words (of several, the one
    that the model names); a text is the model's where it stands in them word for word. Raises
    Unreadable, which says what is wrong.
    """
    kind = spec.type.strip().casefold()
    if kind == "bool":
        return _truth(value)
    if kind not in _PARSED:
        return _text(value, place)
    read = _overlapping(readings(spec, _exchange(place), task), place)
    if not read:
        raise Unreadable(f"the words quoted hold no value of the type {kind}")
    meant = [found for candidate, found in read if _same(value, candidate, found, task)]
    if not meant:
        seen = ", ".join(dict.fromkeys(candidate.text for candidate, _ in read))
        raise Unreadable(f"the words quoted say {seen}, which is not the value given")
    return meant[-1]


def _exchange(place: Place) -> Exchange:
    return Exchange(index=place.turn, asked="", said=place.said, informative=True)


def _overlapping(
    found: Sequence[tuple[Candidate, JsonValue | date]], place: Place
) -> list[tuple[Candidate, JsonValue | date]]:
    """The readings whose words are quoted, at least in part."""
    return [
        (one, value)
        for one, value in found
        if one.start < place.end and place.start < one.end and not _cut(one, value)
    ]


def _cut(candidate: Candidate, value: JsonValue | date) -> bool:
    """Whether a whole number was made of one that is none."""
    read = candidate.value
    return isinstance(value, int) and isinstance(read, float) and not read.is_integer()


def _same(value: str, candidate: Candidate, found: JsonValue | date, task: ExtractTask) -> bool:
    """Whether what the model gives for a value and what was read are one and the same."""
    given = plain(value)[:_LONGEST]
    if folded(given) in (folded(candidate.text), folded(str(found))):
        return True
    if isinstance(found, date):
        orders = (True, False)
        return found in [parse_date(given, task.today, task.language, first) for first in orders]
    if isinstance(found, (int, float)):
        return number(given) == found
    if find_times(given):
        return mentions(folded(candidate.text), given)
    if find_money(candidate.text) or find_money(given):
        return amount(given) == amount(candidate.text)
    return _letters(given) == _letters(candidate.text) != ""


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _truth(value: str) -> bool:
    found = _TRUTH.get(folded(value))
    if found is None:
        raise Unreadable("a bool is true or false")
    return found


def _text(value: str, place: Place) -> str:
    """The model's words where the app said them in what is quoted, as the app wrote them."""
    quoted = place.said[place.start : place.end]
    span = span_of(value, quoted)
    if span is None:
        raise Unreadable("the value does not stand in the words quoted word for word")
    return " ".join(quoted[span[0] : span[1]].split())
