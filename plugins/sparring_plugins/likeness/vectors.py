"""An index of vectors of length 1 in one growing table: cosine by one product."""

# numpy is optional, and known by name only when an index is made.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sparring.interfaces.likeness import LikenessIndex

Embed = Callable[[Sequence[str]], Sequence[Any]]

_FIRST = 256


class VectorIndex(LikenessIndex):
    """Texts by their vectors; the table doubles when it is full, and nothing else is kept."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._keys: list[str] = []
        self._places: dict[str, int] = {}
        self._table: Any = None

    def prepare(self, texts: Sequence[str]) -> None:
        self._embed(texts)

    def add(self, key: str, text: str) -> None:
        import numpy as np

        (vector,) = self._embed([text])
        if key in self._places:
            self._table[self._places[key]] = vector
            return
        count = len(self._keys)
        if self._table is None:
            self._table = np.zeros((_FIRST, len(vector)), np.float32)
        elif count == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[count] = vector
        self._places[key] = count
        self._keys.append(key)

    def nearest(self, text: str, among: Collection[str] | None = None) -> tuple[str, float] | None:
        import numpy as np

        if not self._keys:
            return None
        (vector,) = self._embed([text])
        table, keys = self._table[: len(self._keys)], self._keys
        if among is not None:
            places = sorted(self._places[key] for key in among if key in self._places)
            if not places:
                return None
            table, keys = table[places], [keys[place] for place in places]
        alike = table @ vector
        best = int(np.argmax(alike))
        return keys[best], round(float(alike[best]), 4)
