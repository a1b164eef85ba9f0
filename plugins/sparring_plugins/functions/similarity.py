"""How alike two texts are: the four measures of `repeated_answers`."""

import re
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache
from math import log, sqrt

Measure = Callable[[str, str], float]

_WORD = re.compile(r"\b\w\w+\b")
_OWN = 1 + log(1.5)


class NoWords(ValueError):
    """Neither of two texts holds a word that can be weighed."""


@lru_cache(maxsize=512)
def word_counts(text: str) -> tuple[Counter[str], int]:
    """The words of two or more letters or digits, in lower case, with the sum of squares."""
    counts = Counter(_WORD.findall(text.lower()))
    return counts, sum(number * number for number in counts.values())


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
    small, large = (one, two) if len(one) <= len(two) else (two, one)
    product = shared_one = shared_two = 0
    for word, number in small.items():
        other = large.get(word)
        if other:
            product += number * other
            shared_one += number * number
            shared_two += other * other
    if not product:
        return 0.0
    if small is two:
        shared_one, shared_two = shared_two, shared_one
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


def sequence_matcher(first: str, second: str) -> float:
    """The ratio of matching characters (`difflib`)."""
    return SequenceMatcher(None, first, second).ratio()


MEASURES: dict[str, Measure] = {
    "exact": exact,
    "tf-idf": tf_idf,
    "jaccard": jaccard,
    "sequence-matcher": sequence_matcher,
}
