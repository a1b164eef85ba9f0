"""Whether and where the words of a quotation stand in a text."""

import unicodedata
from functools import lru_cache

from sparring_plugins.language.text import plain

_QUOTES = str.maketrans(
    "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014\u2212", '\'\'\'"""""---'
)
_AROUND = " \"'`*_.\u2026"


def find_words(quotation: str, said: str) -> tuple[int, int] | None:
    """Return the span of the words of a quotation in a text; None if they do not stand there.

    Case, white space, markup, the shape of quotation marks, and marks around the quotation do not
    count; a part of a word or number is not found ("2.50" does not stand in "12.50").

    Args:
        quotation: The words, as somebody quotes them.
        said: The text in which they are looked for.
    """
    wanted, _ = _normal(plain(quotation))
    for words in dict.fromkeys((wanted.strip(), wanted.strip(_AROUND))):
        if any(char.isalnum() for char in words):
            span = _span(words, said)
            if span is not None:
                return span
    return None


def _span(words: str, said: str) -> tuple[int, int] | None:
    """The place of normalised words in a text, not in the middle of other words."""
    text, places = _normal(said)
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not (_are_joined(text[at - 1 : at + 1]) or _are_joined(text[end - 1 : end + 1])):
            return places[at], places[end - 1] + 1
        at = text.find(words, at + 1)
    return None


def _are_joined(pair: str) -> bool:
    """Whether two neighbours belong to one word or number."""
    return len(pair) == 2 and pair.isascii() and pair.isalnum()


@lru_cache(maxsize=256)
def _normal(text: str) -> tuple[str, tuple[int, ...]]:
    """A text for comparison, and for each of its characters where it stands in the original."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plainer = unicodedata.normalize("NFKC", char).casefold().translate(_QUOTES)
        for letter in plainer:
            if letter.isspace() and (not chars or chars[-1] == " "):
                continue
            chars.append(" " if letter.isspace() else letter)
            places.append(place)
    return "".join(chars), tuple(places)
