"""Likeness of values: the share of features in which two cases agree."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from zlib import crc32

from sparring.errors import MissingExtra
from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring_plugins.likeness.vectors import VectorIndex

_WIDTH = 1_024


class Values(Likeness):
    """Compares the values of two cases, for players that cannot say what they would say."""

    of = "values"

    def index(self) -> LikenessIndex:
        if find_spec("numpy") is None:
            raise MissingExtra("refusing duplicates needs numpy: pip install 'sparring[search]'")
        return VectorIndex(_vectors)


def _vectors(texts: Sequence[str]) -> list[Any]:
    import numpy as np

    made: list[Any] = []
    for text in texts:
        vector = np.zeros(_WIDTH, np.float32)
        for line in text.split("\n"):
            vector[crc32(line.encode("utf-8", "surrogatepass")) % _WIDTH] = 1
        made.append(vector / np.linalg.norm(vector))
    return made


VALUES = Values()
