"""MAP-Elites over one scenario (Mouret and Clune 2015)."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.packed_rows import packed_rows, unpacked_rows
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch, Told

KIND = "kind"
"""The descriptor that stands for the kind of failure that a case showed."""

_TRIES = 30
"""Children made for each that is wanted, before a random case takes its place."""

Cell = tuple[str, ...]


@dataclass(frozen=True)
class Illumination:
    """How MAP-Elites goes about it; see the strategy's settings."""

    descriptors: tuple[str, ...]
    batch: int
    first: int
    explore: float
    mutation: float
    biased: bool


class MapElitesSearch(ScenarioSearch):
    """Keeps the case that does worst in each cell (`elites`), and varies those."""

    def __init__(self, cases: CaseSpace, seed: int, manner: Illumination) -> None:
        super().__init__(cases, seed)
        self.manner = manner
        self.elites: dict[Cell, tuple[Indices, float]] = {}
        self._numbers = [cases.names.index(n) for n in manner.descriptors if n in cases.names]
        self._by_kind = KIND in manner.descriptors and KIND not in cases.names

    @property
    def batch(self) -> int:
        return self.manner.batch if self.elites else max(self.manner.first, 1)

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        if not self.elites:
            return ()
        elites = list(self.elites.values())
        made: dict[Indices, None] = {}
        for _ in range(number):
            row = None if draw.random() < self.manner.explore else self._child(elites, made, draw)
            row = row or self.fresh.draw(self.seen, made)
            if row is not None:
                made[row] = None
        return list(made)

    def _child(
        self, elites: list[tuple[Indices, float]], made: dict[Indices, None], draw: Random
    ) -> Indices | None:
        for _ in range(_TRIES):
            first, second = self._parent(elites, draw), self._parent(elites, draw)
            row = [a if draw.random() < 0.5 else b for a, b in zip(first, second, strict=True)]
            for at, size in enumerate(self.cases.sizes):
                if draw.random() < self.manner.mutation:
                    row[at] = _moved(row[at], size, self.cases.ordinal[at], draw)
            try:
                child = self.cases.repaired_indices(tuple(row))
            except TooHard:
                continue
            if child not in self.seen and child not in made:
                return child
        return None

    def _parent(self, elites: list[tuple[Indices, float]], draw: Random) -> Indices:
        """An elite: any, or the worse of two where the search is biased to failures."""
        drawn = draw.choices(elites, k=2 if self.manner.biased else 1)
        return min(drawn, key=lambda one: one[1])[0]

    def cell(self, row: Indices, kind: Sequence[str]) -> Cell:
        """The cell of a case: its values of the descriptors, and the kind of failure."""
        own = [str(row[number]) for number in self._numbers]
        return (*own, " ".join(kind)) if self._by_kind else tuple(own)

    def learn(self, told: Sequence[Told]) -> None:
        for row, one in told:
            quality = sum(one.objectives) / len(one.objectives) - one.failed
            cell = self.cell(row, one.kind)
            known = self.elites.get(cell)
            if known is None or quality < known[1]:
                self.elites[cell] = (row, quality)

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "cells": [list(cell) for cell in self.elites],
            "elites": [packed_rows([row], self.cases.sizes) for row, _ in self.elites.values()],
            "qualities": [quality for _, quality in self.elites.values()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        cells = [tuple(map(str, cell)) for cell in state["cells"]]
        rows = unpacked_rows("".join(state["elites"]), self.cases.sizes)
        qualities = [float(quality) for quality in state["qualities"]]
        elites = zip(rows, qualities, strict=True)
        self.elites = dict(zip(cells, elites, strict=True))


def _moved(at: int, size: int, ordinal: bool, draw: Random) -> int:
    """Another value: of an ordinal feature mostly a neighbour."""
    if ordinal and draw.random() < 0.75:
        return min(max(at + draw.choice((-1, 1)), 0), size - 1)
    return draw.randrange(size)
