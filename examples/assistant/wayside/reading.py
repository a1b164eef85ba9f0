"""From what was said to words: hesitation left out, numbers written as digits, spelling mended."""

import re
import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache

_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[a-z]+|[.,!?;:]")
_CONTRACTED = (
    (re.compile(r"\bcan't\b"), "cannot"),
    (re.compile(r"\b(do|does|did|is|are|must|need|would|should|could|have|has)n't\b"), r"\1 not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(i|we|you|they)'d\b"), r"\1 would"),
    (re.compile(r"\b(i|we|you|they)'ll\b"), r"\1 will"),
    (re.compile(r"\b(wanna)\b"), "want to"),
    (re.compile(r"\b(gotta)\b"), "have to"),
    (re.compile(r"\b(gimme)\b"), "give me"),
    (re.compile(r"\b(lemme)\b"), "let me"),
    (re.compile(r"n'(?=\s|$)"), "ng"),
)  # fmt: skip
_HESITATION = frozenset({"um", "uh", "er", "erm", "hmm", "ah", "oh", "well"})
_UNITS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_AND_A_HALF = re.compile(r"\b(\d+) and (?:a|one) half\b")
_POINT = re.compile(r"\b(\d+) point (\d+)\b")


def words_of(text: str, mend: Callable[[str], str] = str) -> str:
    """The words of an utterance in small letters, separated by blanks; ``|`` ends a sentence.

    Each word goes through `mend`.
    """
    flat = unicodedata.normalize("NFKD", text.casefold()).replace("\u2019", "'")
    flat = "".join(c for c in flat if not unicodedata.combining(c))
    for pattern, full in _CONTRACTED:
        flat = pattern.sub(full, flat)
    tokens = (_token(one, mend) for one in _TOKEN.findall(flat))
    joined = " ".join(one for one in tokens if one)
    return _POINT.sub(r"\1.\2", _AND_A_HALF.sub(r"\1.5", joined))


def _token(token: str, mend: Callable[[str], str]) -> str:
    if token in ".!?;":
        return "|"
    if token in ",:" or token in _HESITATION:
        return ""
    if token in _UNITS:
        return str(_UNITS[token])
    return token.replace(",", ".") if token[0].isdigit() else mend(token)


class Mending:
    """Takes a word that nobody knows for the only word of a vocabulary that is a letter away."""

    def __init__(self, vocabulary: Collection[str], common: Collection[str]) -> None:
        self._vocabulary = frozenset(vocabulary)
        self._common = frozenset(common)
        self.mend = lru_cache(4096)(self._mend)

    def _mend(self, word: str) -> str:
        if not 4 <= len(word) <= 20 or word in self._common or word in self._vocabulary:
            return word
        near = _neighbours(word) & self._vocabulary
        return near.pop() if len(near) == 1 else word


def _neighbours(word: str) -> set[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(a + b[1:] for a, b in parts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1),
        *(a + c + b[1:] for a, b in parts if b for c in letters),
        *(a + c + b for a, b in parts for c in letters),
    }
