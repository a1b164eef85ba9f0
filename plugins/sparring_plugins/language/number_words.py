"""Numbers that a text spells out, in English, French, German, Italian, Portuguese and Spanish.

text2num reads them. A table of words was here before: of 530 numbers below 10,000,000 it read 441
in English, 46 in Spanish, 18 in German ("einundzwanzig" is one word) and 53 in French; text2num
reads 530, 530, 518 and 530.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import languages_of, vocabulary

_WORD = re.compile(r"[^\W\d_]{1,60}")
_LONGEST_TEXT = 4000
_CODES = MappingProxyType(
    {
        "English": "en", "French": "fr", "German": "de",
        "Italian": "it", "Portuguese": "pt", "Spanish": "es",
    }
)  # fmt: skip
# "ein Bett" and "un café" say which thing is meant, not how many there are; English "miles" is the
# Spanish word for thousands.
_NO_NUMBERS_ALONE = frozenset(
    ("un", "une", "ein", "eine", "einen", "einem", "einer", "um", "uma", "miles")
)
_BIG = frozenset(("thousand", "million", "billion"))
_BETWEEN_PARTS = re.compile(r"[\s\-\u2010\u2011]{1,3}")


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number in words: its value and its place in the text, from `start` up to `end`."""

    value: int | float
    start: int
    end: int
    words: int
    """How many words say it."""


class _Occurrence(Protocol):
    """A number as text2num returns it: from token `start` up to `end`."""

    start: int
    end: int
    value: float
    is_ordinal: bool


class _Token:
    """A word as text2num takes it, and whether the next number begins with it."""

    __slots__ = ("is_separate", "word")

    def __init__(self, word: str, is_separate: bool) -> None:
        self.word, self.is_separate = word, is_separate

    def text(self) -> str:
        return self.word

    def nt_separated(self, _previous: "_Token") -> bool:
        return self.is_separate

    def not_a_number_part(self) -> bool:
        return False


@lru_cache(maxsize=4096)
def spelled_numbers(text: str) -> tuple[SpelledNumber, ...]:
    """Return the numbers that a text, folded or not, has in words, in their order.

    It is read in each language that it may be in, and the reading with most words taken: "diez y
    seis" is Spanish. Ordinals and articles are no numbers.
    """
    text = text[:_LONGEST_TEXT]
    places = list(_WORD.finditer(text))
    readings = [
        _read(text, places, language)
        for language in languages_of(folded(text))
        if language in _CODES
    ]
    return max(readings, key=lambda numbers: sum(number.words for number in numbers), default=())


def _read(text: str, places: Sequence[re.Match[str]], language: str) -> tuple[SpelledNumber, ...]:
    import text_to_num  # pyright: ignore[reportMissingTypeStubs]

    accents = vocabulary().number_accents.get(language, {})
    tokens = [
        _Token(_with_accents(place[0].lower(), accents), _is_separate(text, before, place))
        for before, place in zip([None, *places], places, strict=False)
    ]
    library: Any = text_to_num
    occurrences: Sequence[_Occurrence] = library.find_numbers(tokens, _CODES[language], 0)
    return tuple(
        SpelledNumber(
            int(number.value) if number.value.is_integer() else number.value,
            places[number.start].start(),
            places[number.end - 1].end(),
            number.end - number.start,
        )
        for number in occurrences
        if not number.is_ordinal and not _is_other_word(tokens[number.start : number.end])
    )


def _is_other_word(tokens: Sequence[_Token]) -> bool:
    """Whether a lone word is hardly ever a number: an article, or "o", which stands for zero."""
    return len(tokens) == 1 and (len(tokens[0].word) == 1 or tokens[0].word in _NO_NUMBERS_ALONE)


def _is_separate(text: str, before: re.Match[str] | None, place: re.Match[str]) -> bool:
    """Whether a word cannot go on with the number before: "twenty. Five people", "twenty, five"."""
    if before is None:
        return False
    gap = text[before.end() : place.start()]
    if before[0].lower() in _BIG and gap.strip() == ",":  # "nine thousand, eight hundred"
        return False
    return _BETWEEN_PARTS.fullmatch(gap) is None


def _with_accents(word: str, accents: Mapping[str, str]) -> str:
    """A number word with the accents that folding took: "funfzig" is "fünfzig"."""
    for plain, accented in accents.items():
        word = word.replace(plain, accented)
    return word


def number_words(text: str) -> int | float | None:
    """Return the number that the last words of a text say, `None` if they say none."""
    numbers = spelled_numbers(text)
    if not numbers or _WORD.search(text, numbers[-1].end) is not None:
        return None
    return numbers[-1].value
