"""What a model quotes: whether and where the app said it, and the typed value it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import JsonValue

from sparring.interfaces.roles import ExtractTask, OutputSpec
from sparring.model.talk import Turn
from sparring_plugins.language.candidates import ValueCandidate, find_times, parse_date
from sparring_plugins.language.numbers import amount, find_money, number
from sparring_plugins.language.quoted_words import find_words
from sparring_plugins.language.text import folded, plain
from sparring_plugins.users.agenda.state.value_matching import mentions
from sparring_plugins.users.extraction.exchanges import Exchange
from sparring_plugins.users.extraction.extractor import readings
from sparring_plugins.users.model_user.prompt_data import said_by_app

LONGEST = 600
"""Characters of a quotation that are kept."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the app said something: the 0-based turn, and the span in `said`, all it said then."""

    turn: int
    said: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words as the app said them, on one line."""
        return " ".join(self.said[self.start : self.end].split())[:LONGEST]


def find_quotation(quotation: str, turns: Sequence[Turn], turn: int | None = None) -> Place | None:
    """Where the app said the words of a quotation; None if it did not.

    Case, white space, markup, the shape of quotation marks, and marks around the quotation do not
    count. Where the words were said in several turns, `turn` (0-based) goes first, then later
    ones.
    """
    for index in _order(len(turns), turn):
        said = said_by_app(turns[index].observation)
        span = find_words(quotation, said)
        if span is not None:
            return Place(index, said, *span)
    return None


def _order(count: int, first: int | None) -> Iterator[int]:
    if first is not None and 0 <= first < count:
        yield first
    yield from (index for index in reversed(range(count)) if index != first)


# --- Typed values in the words quoted

_PARSED = frozenset({"money", "date", "time", "int", "float", "email", "phone", "url"})
_LONGEST = 60
_TRUTH = {"true": True, "yes": True, "false": False, "no": False}


class Unreadable(ValueError):
    """The words quoted do not show a value of the declared type."""


def read_value(spec: OutputSpec, value: str, place: Place, task: ExtractTask) -> JsonValue | date:
    """The value of an output in words that the app said, as the extractor `patterns` reads it.

    A value of a parsed type is one that the parser finds in the quoted words (of several, the one
    that the model names); a text is the model's if it stands in them word for word. Raises
    Unreadable, which says what is wrong.
    """
    kind = spec.type.strip().casefold()
    if kind == "bool":
        return _truth(value)
    if kind not in _PARSED:
        return _text(value, place)
    overlapping = _overlapping(readings(spec, _exchange(place), task), place)
    # a model may quote the right sentence for a value that is not in it
    if not overlapping:
        raise Unreadable(f"the words quoted hold no value of the type {kind}")
    meant = [read for candidate, read in overlapping if _same(value, candidate, read, task)]
    if not meant:
        seen = ", ".join(dict.fromkeys(candidate.text for candidate, _ in overlapping))
        raise Unreadable(f"the words quoted say {seen}, which is not the value given")
    # of a value that was named twice the later place, which may correct the first
    return meant[-1]


def _exchange(place: Place) -> Exchange:
    return Exchange(index=place.turn, asked="", said=place.said, informative=True)


def _overlapping(
    typed: Sequence[tuple[ValueCandidate, JsonValue | date]], place: Place
) -> list[tuple[ValueCandidate, JsonValue | date]]:
    """The readings whose words are quoted, at least in part."""
    return [
        (candidate, value)
        for candidate, value in typed
        if candidate.start < place.end
        and place.start < candidate.end
        and not _is_cut(candidate, value)
    ]


def _is_cut(candidate: ValueCandidate, value: JsonValue | date) -> bool:
    """Whether a whole number was made of one that is none."""
    read = candidate.value
    return isinstance(value, int) and isinstance(read, float) and not read.is_integer()


def _same(value: str, candidate: ValueCandidate, read: JsonValue | date, task: ExtractTask) -> bool:
    """Whether what the model gives for a value and what was read are one and the same."""
    claimed = plain(value)[:_LONGEST]
    if folded(claimed) in (folded(candidate.text), folded(str(read))):
        return True
    if isinstance(read, date):
        orders = (True, False)
        return read in [parse_date(claimed, task.today, task.language, first) for first in orders]
    if isinstance(read, (int, float)):
        return number(claimed) == read
    # "15:00" for "3 pm": the same time in other signs
    if find_times(claimed):
        return mentions(folded(candidate.text), claimed)
    if find_money(candidate.text) or find_money(claimed):
        return amount(claimed) == amount(candidate.text)
    return _letters(claimed) == _letters(candidate.text) != ""


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _truth(value: str) -> bool:
    truth = _TRUTH.get(folded(value))
    if truth is None:
        raise Unreadable("a bool is true or false")
    return truth


def _text(value: str, place: Place) -> str:
    """The model's words if the app said them in what is quoted, as the app wrote them."""
    quoted = place.said[place.start : place.end]
    span = find_words(value, quoted)
    if span is None:
        raise Unreadable("the value does not stand in the words quoted word for word")
    return " ".join(quoted[span[0] : span[1]].split())
