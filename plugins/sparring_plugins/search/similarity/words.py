"""Likeness of words: cosine of how often they come, without any model."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any
from zlib import crc32

from sparring.errors import MissingExtra
from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring_plugins.search.similarity.vectors import SparseIndex

WIDTH = 512
"""Numbers of a vector."""

_WORD = re.compile(r"\w+")
_LONGEST = 5_000


class Words(Likeness):
    """Compares the words of two utterances, in any order and case of letters.

    Words share `WIDTH` places by a checksum (feature hashing, Weinberger et al. 2009), and a word
    that comes n times weighs 1 + log n. A text without words is like no other but the same.
    """

    preference = 1

    def index(self) -> LikenessIndex:
        if find_spec("numpy") is None:
            raise MissingExtra("refusing duplicates needs numpy: pip install 'sparring[search]'")
        return SparseIndex(_places)


def vectors(texts: Sequence[str]) -> list[Any]:
    """A vector of length 1 for each text."""
    return [_vector(text[:_LONGEST]) for text in texts]


@lru_cache(maxsize=4_096)
def _places(text: str) -> tuple[list[int], list[float]]:
    """The places of its vector that are not zero, and what is there."""
    vector = _made(text[:_LONGEST])
    places = vector.nonzero()[0]
    return places.tolist(), vector[places].tolist()


@lru_cache(maxsize=4_096)
def _vector(text: str) -> Any:
    return _made(text)


def _made(text: str) -> Any:
    import numpy as np

    counts = Counter(_WORD.findall(text.casefold())) or Counter([text])
    vector = np.zeros(WIDTH, np.float32)
    for word, number in counts.items():
        vector[crc32(word.encode("utf-8", "surrogatepass")) % WIDTH] += 1 + np.log(number)
    return vector / np.linalg.norm(vector)


WORDS = Words()
