"""The similarity of two texts by four measures, and an app's fallback phrases by similarity."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import Match, SequenceMatcher
from functools import lru_cache
from math import log, sqrt

from sparring_plugins.language.text import folded, plain, sentences

Measure = Callable[[str, str], float]

MAX_STEPS = 10_000_000
"""Pairs of equal characters that one comparison of a conversation's answers may look at."""

_WORD = re.compile(r"\b\w\w+\b")
_OWN = 1 + log(1.5)


class NoWords(ValueError):
    """Neither of two texts holds a word that can be weighed."""


@lru_cache(maxsize=512)
def word_counts(text: str) -> tuple[dict[str, int], int]:
    """The words of two or more letters or digits, in lower case, with the sum of squares."""
    counts: dict[str, int] = {}
    squares = 0
    for word in _WORD.findall(text.lower()):
        number = counts.get(word, 0)
        counts[word] = number + 1
        squares += 2 * number + 1
    return counts, squares


def tf_idf(first: str, second: str) -> float:
    """Cosine of the tf-idf vectors of two texts, weighed on these two alone.

    The closed form of smoothed idf over two documents: a word of both weighs 1, any other
    1 + ln 1.5. Raises NoWords if neither has a word; one without words is unlike any other.
    """
    (counts_first, squares_first), (counts_second, squares_second) = map(
        word_counts, (first, second)
    )
    if not counts_first and not counts_second:
        raise NoWords("neither text holds a word of two or more letters")
    if not counts_first or not counts_second:
        return 0.0
    product = shared_first = shared_second = 0
    for word in counts_first.keys() & counts_second.keys():
        number, other = counts_first[word], counts_second[word]
        product += number * other
        shared_first += number * number
        shared_second += other * other
    if not product:
        return 0.0
    own = _OWN * _OWN
    norm_first = shared_first + own * (squares_first - shared_first)
    norm_second = shared_second + own * (squares_second - shared_second)
    return product / (sqrt(norm_first) * sqrt(norm_second))


def exact(first: str, second: str) -> float:
    """1 for equal texts, else 0."""
    return 1.0 if first == second else 0.0


def jaccard(first: str, second: str) -> float:
    """Shared words by all words, lower case, separated by blanks; ZeroDivisionError if none."""
    words_of_first, words_of_second = set(first.lower().split()), set(second.lower().split())
    return len(words_of_first & words_of_second) / len(words_of_first | words_of_second)


class TooAlike(ValueError):
    """Texts are too long and too similar to be compared character by character."""


class _Counted(SequenceMatcher[str]):
    """Counts the pairs of equal characters that are looked at; raises TooAlike at the limit."""

    left = MAX_STEPS
    a: str
    b2j: dict[str, list[int]]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        part = self.a[alo:ahi]
        self.left -= len(part) + sum(len(self.b2j.get(character, ())) for character in part)
        if self.left < 0:
            raise TooAlike("the texts are too long to be compared with sequence-matcher")
        return super().find_longest_match(alo, ahi, blo, bhi)


def sequence_matcher() -> Measure:
    """The ratio of matching characters (`difflib`), within `MAX_STEPS` for all its calls.

    How long matching takes depends on the texts more than on their lengths, so that it is
    counted while it goes on; the measure raises TooAlike when too much is needed.
    """
    left = MAX_STEPS

    def measure(first: str, second: str) -> float:
        nonlocal left
        left -= len(first) + len(second)
        matcher = _Counted(None, first, second)
        matcher.left = left
        try:
            return matcher.ratio()
        finally:
            left = matcher.left

    return measure


MEASURES: dict[str, Callable[[], Measure]] = {
    "exact": lambda: exact,
    "tf-idf": lambda: tf_idf,
    "jaccard": lambda: jaccard,
    "sequence-matcher": sequence_matcher,
}
"""What makes the measure of each method."""


# An app's fallback phrases, recognised by similarity.

LOOKED_AT = 2_000
"""Characters of an answer that are compared with fallback phrases."""

_LEAST_WORDS = 4


@dataclass(slots=True)
class Fallbacks:
    """Recognises an app's fallback phrases.

    An answer is a fallback if it, without markup, case and punctuation, is at least
    `threshold` similar (0 to 1, rapidfuzz's ratio) to one of `phrases`, or has a whole phrase
    or a sentence as similar as 0.9 to the phrase's first one in it.
    """

    phrases: Sequence[str]
    threshold: float
    _known: list[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        texts = [plain(phrase) for phrase in self.phrases]
        self._known = [
            (folded(text), folded(next(iter(sentences(text)), "")))
            for text in texts
            if folded(text)
        ]

    def similarity(self, text: str) -> float:
        """The similarity of an answer to the nearest phrase, from 0 to 1."""
        from rapidfuzz import fuzz

        plain_text = plain(text[: 2 * LOOKED_AT])[:LOOKED_AT]
        answer = folded(plain_text)
        if not answer:
            return 0.0
        parts = [folded(sentence) for sentence in sentences(plain_text)]
        best = 0.0
        for phrase, opening in self._known:
            best = max(best, fuzz.ratio(answer, phrase) / 100)
            # A short phrase such as "I see" stands in many answers that are no fallback.
            if len(phrase.split()) >= _LEAST_WORDS and f" {phrase} " in f" {answer} ":
                return 1.0
            # apps vary what follows the first sentence; an opening of few words begins others, too
            if len(opening.split()) >= _LEAST_WORDS:
                near = max((fuzz.ratio(part, opening) / 100 for part in parts), default=0.0)
                best = max(best, near if near >= 0.9 else 0.0)
        return best

    def match(self, text: str) -> bool:
        """Whether an answer is a fallback."""
        return bool(self._known) and self.similarity(text) >= self.threshold


def overlap(part: frozenset[str], whole: frozenset[str]) -> float:
    """The share of `part` that is in `whole`, 0 if `part` is empty."""
    return len(part & whole) / len(part) if part else 0.0
