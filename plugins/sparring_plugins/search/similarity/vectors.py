"""Indexes of vectors of length 1, whose likeness is their product (the cosine)."""

# numpy is optional, and known by name only when an index is made.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from abc import abstractmethod
from array import array
from collections.abc import Callable, Collection, Sequence
from typing import Any

from sparring.interfaces.likeness import LikenessIndex

Embed = Callable[[Sequence[str]], Sequence[Any]]
Places = Callable[[str], tuple[Sequence[int], Sequence[float]]]

_BLOCK = 1_024
"""Vectors of a table: a further one is begun when it is full, so that none is ever copied."""


class _Index(LikenessIndex):
    """Keys in the order in which they were added."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._places: dict[str, int] = {}

    @abstractmethod
    def _alike(self, text: str) -> Any:
        """How alike a text is to each of those kept, in their order."""

    def _new(self, key: str) -> bool:
        if key in self._places:
            return False
        self._places[key] = len(self._keys)
        self._keys.append(key)
        return True

    def nearest(self, text: str, among: Collection[str] | None = None) -> tuple[str, float] | None:
        import numpy as np

        if not self._keys:
            return None
        alike = self._alike(text)
        if among is not None:
            places = sorted(self._places[key] for key in among if key in self._places)
            if not places:
                return None
            best = places[int(np.argmax(alike[places]))]
        else:
            best = int(np.argmax(alike))
        return self._keys[best], round(float(alike[best]), 4)


class VectorIndex(_Index):
    """Texts by their vectors: four bytes for each number, and nothing else is kept of them."""

    def __init__(self, embed: Embed) -> None:
        super().__init__()
        self._embed = embed
        self._tables: list[Any] = []

    def prepare(self, texts: Sequence[str]) -> None:
        self._embed(texts)

    def add(self, key: str, text: str) -> None:
        import numpy as np

        if not self._new(key):
            return
        (vector,) = self._embed([text])
        at = (len(self._keys) - 1) % _BLOCK
        if at == 0:
            self._tables.append(np.zeros((_BLOCK, len(vector)), np.float32))
        self._tables[-1][at] = vector

    def _alike(self, text: str) -> Any:
        import numpy as np

        (vector,) = self._embed([text])
        found = np.concatenate([table @ vector for table in self._tables])
        return found[: len(self._keys)]


class SparseIndex(_Index):
    """Texts by the few places of their vectors that are not zero: eight bytes for each.

    What a place weighs is kept by place, so that a text is compared with those that share one.
    """

    def __init__(self, of: Places) -> None:
        super().__init__()
        self._of = of
        self._rows: dict[int, array[int]] = {}
        self._weights: dict[int, array[float]] = {}

    def add(self, key: str, text: str) -> None:
        if not self._new(key):
            return
        row = len(self._keys) - 1
        for place, weight in zip(*self._of(text), strict=True):
            self._rows.setdefault(place, array("I")).append(row)
            self._weights.setdefault(place, array("f")).append(weight)

    def _alike(self, text: str) -> Any:
        import numpy as np

        found = np.zeros(len(self._keys), np.float32)
        for place, weight in zip(*self._of(text), strict=True):
            if place in self._rows:
                rows = np.frombuffer(self._rows[place], np.uint32)
                found[rows] += np.float32(weight) * np.frombuffer(self._weights[place], np.float32)
        return found
