"""What a case would say, as numbers."""

import re
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]

_TEXT = 2_048
_BAG = 256
_LENGTHS = (4, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 50, 60)
_WORD = re.compile(r"\w+(?:['.]\w+)*|[?!]")
_LONGEST = 4_000
_NEIGHBOURS = 0.7

WIDTH = _TEXT + len(_LENGTHS)


@lru_cache(maxsize=4_096)
def words(text: str) -> Numbers:
    """Its words and pairs of neighbours, which share places by a checksum, and its length."""
    made = np.zeros(WIDTH, np.float32)
    found = _WORD.findall(text[:_LONGEST].casefold())
    for pair in pairwise(found):
        made[_place(" ".join(pair))] = _NEIGHBOURS
    for token in found:
        made[_place(token)] = 1
    for at, length in enumerate(_LENGTHS):
        made[_TEXT + at] = len(found) >= length
    return made


@lru_cache(maxsize=8_192)
def bag(text: str) -> Numbers:
    """Its words alone, as a vector of length 1: the likeness of two texts is their product."""
    made = np.zeros(_BAG, np.float32)
    for token in _WORD.findall(text[:_LONGEST].casefold()) or [text]:
        made[crc32(token.encode("utf-8", "surrogatepass")) % _BAG] += 1
    found: Numbers = np.sqrt(made)
    return (found / np.linalg.norm(found)).astype(np.float32)


def _place(token: str) -> int:
    return crc32(token.encode("utf-8", "surrogatepass")) % _TEXT
