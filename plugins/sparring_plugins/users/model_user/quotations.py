"""Whether what a model quotes was really said by the app, and where."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring.model.talk import Turn
from sparring_plugins.language.text import plain
from sparring_plugins.users.model_user.transcript import said_by_app

_QUOTES = str.maketrans(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u2212", '\'\'\'"""""---'
)
_AROUND = " \"'`*_.\u2026"

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
    """Where the app said the words of a quotation; None where it did not.

    Case, white space, markup, the shape of quotation marks, and marks around the quotation do not
    count. Where the words were said in several turns, `turn` (0-based) goes first, then later
    ones.
    """
    for index in _order(len(turns), turn):
        said = said_by_app(turns[index].observation)
        span = span_of(quotation, said)
        if span is not None:
            return Place(index, said, *span)
    return None


def span_of(quotation: str, said: str) -> tuple[int, int] | None:
    """Where the words of a quotation stand in a text, as `find_quotation` compares them."""
    wanted, _ = _normal(plain(quotation))
    for words in dict.fromkeys((wanted.strip(), wanted.strip(_AROUND))):
        if any(char.isalnum() for char in words):
            span = _span(words, said)
            if span is not None:
                return span
    return None


def _order(count: int, first: int | None) -> Iterator[int]:
    if first is not None and 0 <= first < count:
        yield first
    yield from (index for index in reversed(range(count)) if index != first)


def _span(words: str, said: str) -> tuple[int, int] | None:
    """The place of normalised words in a text, not in the middle of other words."""
    text, places = _normal(said)
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not (_joined(text[at - 1 : at + 1]) or _joined(text[end - 1 : end + 1])):
            return places[at], places[end - 1] + 1
        at = text.find(words, at + 1)
    return None


def _joined(pair: str) -> bool:
    """Whether two neighbours belong to one word or number."""
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


@lru_cache(maxsize=256)
def _normal(text: str) -> tuple[str, tuple[int, ...]]:
    """A text for comparison, and for each of its characters where it stands in the original."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plainer = unicodedata.normalize("NFKC", char).casefold().translate(_QUOTES)
        for one in plainer:
            if one.isspace() and (not chars or chars[-1] == " "):
                continue
            chars.append(" " if one.isspace() else one)
            places.append(place)
    return "".join(chars), tuple(places)
