"""From what was said to words: contractions opened, numbers as digits, spelling mended."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_CONTRACTED = (
    (re.compile(r"\bcan't\b|\bcant\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\b(do|does|did|is|are|must|need|would|should|could|have|has)n't\b"), r"\1 not"),
    (re.compile(r"\bdont\b"), "do not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(it|that|there|what|when|here|let)'s\b"), r"\1 is"),
    (re.compile(r"\b(i|we|you|they)'(?:d)\b"), r"\1 would"),
    (re.compile(r"\b(i|we|you|they)'(?:ll)\b"), r"\1 will"),
    (re.compile(r"\b(i|we|you|they)'(?:ve)\b"), r"\1 have"),
    (re.compile(r"\b(we|you|they)'re\b"), r"\1 are"),
    (re.compile(r"\bwanna\b"), "want to"),
    (re.compile(r"\bgotta\b"), "have to"),
    (re.compile(r"\bgonna\b"), "going to"),
    (re.compile(r"\bgimme\b"), "give me"),
    (re.compile(r"\blemme\b"), "let me"),
    (re.compile(r"n'(?=\s|$)"), "ng"),
)
_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
NUMBER_WORDS = frozenset({*_UNITS, *_TENS, "hundred"})


def plain(text: str) -> str:
    """A text in small letters without accents, its contractions opened."""
    flat = unicodedata.normalize("NFKD", text.casefold()).replace("\u2019", "'")
    flat = "".join(c for c in flat if not unicodedata.combining(c))
    for pattern, full in _CONTRACTED:
        flat = pattern.sub(full, flat)
    return flat


def with_digits(words: Sequence[str]) -> list[str]:
    """Words with numbers as digits: ``twenty five`` is ``25``, ``one hundred`` is ``100``."""
    found: list[str] = []
    at = 0
    while at < len(words):
        word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
        if word in _TENS:
            unit = _UNITS.get(after, 0)
            joined = 1 <= unit <= 9
            found.append(str(_TENS[word] + (unit if joined else 0)))
            at += 1 + joined
        elif word in _UNITS:
            hundred = after == "hundred"
            found.append(str(_UNITS[word] * (100 if hundred else 1)))
            at += 1 + hundred
        else:
            found.append(word)
            at += 1
    return found


class Mending:
    """Takes a word that nobody knows for the known one that is a slip away.

    A slip is a letter too many, too few, wrong, or swapped with the next; shorter words than
    `least` and `common` ones are left alone. Where several are a slip away the word is left alone,
    or, with `shortest`, taken for the shortest of them.
    """

    def __init__(
        self,
        vocabulary: Collection[str],
        common: Collection[str] = (),
        *,
        least: int = 4,
        shortest: bool = False,
    ) -> None:
        self._vocabulary = frozenset(vocabulary)
        self._left = self._vocabulary | frozenset(common)
        self._least = least
        self._shortest = shortest
        self.mend = lru_cache(4096)(self._mend)

    def _mend(self, word: str) -> str:
        if not self._least <= len(word) <= 20 or not word.isalpha() or word in self._left:
            return word
        near = _neighbours(word) & self._vocabulary
        if len(near) == 1 or (near and self._shortest):
            return min(near, key=lambda one: (len(one), one))
        return word


def _neighbours(word: str) -> set[str]:
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(a + b[1:] for a, b in parts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1),
        *(a + c + b[1:] for a, b in parts if b for c in _ALPHABET),
        *(a + c + b for a, b in parts for c in _ALPHABET),
    }
