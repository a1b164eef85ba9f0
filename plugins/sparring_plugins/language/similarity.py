"""How alike two texts are: the four measures of `repeated_answers`."""

import re
from collections.abc import Callable
from difflib import Match, SequenceMatcher
from functools import lru_cache
from math import log, sqrt

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
    1 + ln 1.5. Raises NoWords where neither has a word; one without words is unlike any other.
    """
    (one, squares_one), (two, squares_two) = word_counts(first), word_counts(second)
    if not one and not two:
        raise NoWords("neither text holds a word of two or more letters")
    if not one or not two:
        return 0.0
    product = shared_one = shared_two = 0
    for word in one.keys() & two.keys():
        number, other = one[word], two[word]
        product += number * other
        shared_one += number * number
        shared_two += other * other
    if not product:
        return 0.0
    own = _OWN * _OWN
    norm_one = shared_one + own * (squares_one - shared_one)
    norm_two = shared_two + own * (squares_two - shared_two)
    return product / (sqrt(norm_one) * sqrt(norm_two))


def exact(first: str, second: str) -> float:
    """1 for equal texts, else 0."""
    return 1.0 if first == second else 0.0


def jaccard(first: str, second: str) -> float:
    """Shared words by all words, lower case, separated by blanks; ZeroDivisionError if none."""
    one, two = set(first.lower().split()), set(second.lower().split())
    return len(one & two) / len(one | two)


class TooAlike(ValueError):
    """Texts are too long and too much alike to be compared character by character."""


class _Counted(SequenceMatcher[str]):
    """Counts the pairs of equal characters that are looked at; raises TooAlike at the limit."""

    left = MAX_STEPS
    a: str
    b2j: dict[str, list[int]]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        part = self.a[alo:ahi]
        self.left -= len(part) + sum(len(self.b2j.get(one, ())) for one in part)
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
