"""Acquisition: which candidates are played next, and for which objective.

Always taking what fails most likely finds the same failure classes again and again, and runs out of
new words. A part of the cases is therefore the best of what would otherwise be left out: of a value
(or a pair of values) with few failures so far, as MAP-Elites (Mouret and Clune 2015) keeps elites
by cells, and of failure classes that have not been seen.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from random import Random

import numpy as np

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.surrogate.memory import (
    FailureClasses,
    FloatArray,
    IndexTable,
    Memory,
    Pairs,
)

_PAIRS = 0.5
"""How likely a cell is a pair of values instead of a single one."""

_RARITY = 3
"""The exponent of a class's rarity, beside the chance to fail, when a class is looked for."""

_SELDOM = 0.5
"""The least rarity of a class that is still looked for: it was seen three times at most."""

_NEARNESS = 3.0
"""The weight of the search's objectives beside the chance to fail, which is 0 without failures."""


class CaseObjective(StrEnum):
    """What a case is played for.

    If a failure class is wanted, the case may be played for neglected `PAIRS` of values when no
    rare class is left, or for what fails most likely (`INSTEAD`) when looking has stagnated.
    `ISOLATE`, `SPREAD` and `EXPLORE` are those of a search for root causes.
    """

    MOST = "m"
    CLASS = "k"
    PAIRS = "p"
    INSTEAD = "i"
    CELL = "c"
    CHANCE = "r"
    ISOLATE = "s"
    SPREAD = "w"
    EXPLORE = "e"

    @property
    def wanted(self) -> "CaseObjective":
        """The objective that led to it."""
        return CaseObjective.CLASS if self in (CaseObjective.PAIRS, CaseObjective.INSTEAD) else self

    @property
    def owed(self) -> "CaseObjective":
        """The objective of the case that replaces it if it is refused."""
        return CaseObjective.MOST if self is CaseObjective.INSTEAD else self.wanted


@dataclass(frozen=True)
class RankedCandidates:
    """Candidates, the most promising first, and the prediction for each of them.

    `failing` is the chance to fail, `parts` the chances of the parts of failure classes (a column
    for each), `bad` how bad the worst objective is, `novelty` how new the words are.
    """

    rows: list[Indices]
    failing: FloatArray
    parts: FloatArray
    bad: FloatArray
    novelty: FloatArray

    @property
    def near(self) -> FloatArray:
        """How near each is to failing; the objectives tell even before anything failed."""
        nearness = (self.failing + np.float32(_NEARNESS) * self.bad) * self.novelty
        return nearness.astype(np.float32)


class Acquisition:
    """Puts candidates into the order in which they are to be played.

    `patience` is the chance, from 0 to 1, that a rare failure class, or neglected pairs if no rare
    class is left, is still looked for; 1 by default.
    """

    def __init__(
        self,
        ranked: RankedCandidates,
        classes: FailureClasses,
        memory: Memory,
        sizes: Indices,
        draw: Random,
        patience: Mapping[CaseObjective, float] | None = None,
    ) -> None:
        self._ranked, self._kinds, self._patience = ranked, classes, patience or {}
        self._table = _table(ranked.rows, sizes)
        self._free = np.ones(len(ranked.rows), dtype=bool)
        self._sizes, self._draw = sizes, draw
        self._order = np.argsort(-ranked.near, kind="stable")
        played, failed = memory.recent()
        self._played, self._failed = _table(played, sizes), np.array(failed, dtype=bool)
        self._pairs: Pairs | None = None
        self._taken: Counter[tuple[tuple[int, ...], int]] = Counter()

    def ordered(self, objectives: Sequence[CaseObjective]) -> list[tuple[Indices, CaseObjective]]:
        """Return the candidates with their objectives: one for each requested one, then the rest.

        A candidate has another objective than the requested one if none suits that.
        """
        first: list[tuple[int, CaseObjective]] = []
        for objective in objectives[: len(self._free)]:
            place, what = self._for(objective) or (self._best(), CaseObjective.MOST)
            self._free[place] = False
            first.append((place, what))
        others = ((at, CaseObjective.MOST) for at in np.flatnonzero(self._free).tolist())
        return [(self._ranked.rows[at], objective) for at, objective in [*first, *others]]

    def _best(self) -> int:
        return int(np.argmax(self._free))  # the first that is free

    def _for(self, objective: CaseObjective) -> tuple[int, CaseObjective] | None:
        if objective is CaseObjective.CLASS:
            return self._for_a_class()
        return self._for_a_cell() if objective is CaseObjective.CELL else None

    def _for_a_cell(self) -> tuple[int, CaseObjective] | None:
        """Return the candidate nearest to failing in a cell with few trials and few failures."""
        cell = _cell(self._sizes, self._draw)
        order = self._order[self._free[self._order]]
        if not len(order) or not cell:
            return None
        keys, first = np.unique(_keys(self._table[order], cell, self._sizes), return_index=True)
        tried: Counter[int] = Counter(_keys(self._played, cell, self._sizes).tolist())
        failed: Counter[int] = Counter(
            _keys(self._played[self._failed], cell, self._sizes).tolist()
        )
        weights: list[float] = []
        for key in keys.tolist():
            more = self._taken[cell, key]
            weights.append(1 / (1 + failed[key] + more) / (1 + tried[key] + more) ** 0.5)
        chosen = self._draw.choices(range(len(keys)), weights)[0]
        self._taken[cell, int(keys[chosen])] += 1
        return int(order[first[chosen]]), CaseObjective.CELL

    def _for_a_class(self) -> tuple[int, CaseObjective] | None:
        """Return the candidate most likely to fail in a class that was never seen, or rarely.

        If no such class is left, the one nearest to failing with neglected pairs of values.
        """
        if not self._kinds.known or not self._free.any():
            return None
        rarity = self._kinds.rarity()
        worth = self._ranked.failing * self._ranked.novelty * rarity**_RARITY
        worth[~self._free] = -1
        place = int(np.argmax(worth))
        objective = CaseObjective.PAIRS if rarity[place] < _SELDOM else CaseObjective.CLASS
        if self._draw.random() >= self._patience.get(objective, 1.0):
            return self._best(), CaseObjective.INSTEAD
        if objective is CaseObjective.PAIRS:
            return self._for_pairs(), objective
        self._kinds.expect(place)
        return place, objective

    def _for_pairs(self) -> int:
        """Return the candidate nearest to failing with the pairs of values that failed least often.

        It may fail in an unknown way when no known class is left to be looked for.
        """
        if self._pairs is None:
            self._pairs = Pairs(self._table, self._played, self._failed, self._sizes)
        worth = self._ranked.near * self._pairs.neglect()
        worth[~self._free] = -1
        place = int(np.argmax(worth))
        self._pairs.expect(place)
        return place


def mix_candidates(
    ranked: RankedCandidates, number: int, sizes: Indices, draw: Random
) -> list[Indices]:
    """Return the most promising candidates, and as many that are the best of their cells."""
    if len(ranked.rows) <= number:
        return ranked.rows
    table = _table(ranked.rows, sizes)
    order = np.argsort(-ranked.near, kind="stable")
    free = np.ones(len(table), dtype=bool)
    free[: number // 2] = False
    remaining = number - number // 2
    while remaining > 0:
        candidates_left = order[free[order]]
        cell = _cell(sizes, draw)
        if not cell:
            return ranked.rows[:number]
        _, first = np.unique(_keys(table[candidates_left], cell, sizes), return_index=True)
        chosen = candidates_left[np.sort(first)[:remaining]]
        free[chosen] = False
        remaining -= len(chosen)
    return [ranked.rows[at] for at in np.flatnonzero(~free).tolist()]


def _cell(sizes: Indices, draw: Random) -> tuple[int, ...]:
    """Return a feature or two, whose values make the cells; none if all have but one value."""
    wide = [at for at, size in enumerate(sizes) if size > 1]
    number = 2 if len(wide) > 1 and draw.random() < _PAIRS else 1
    return tuple(sorted(draw.sample(wide, min(number, len(wide)))))


def _keys(table: IndexTable, cell: tuple[int, ...], sizes: Indices) -> IndexTable:
    """Return the number of the cell that each case is in."""
    keys: IndexTable = np.zeros(len(table), np.intp)
    for at in cell:
        keys = keys * sizes[at] + table[:, at]
    return keys


def _table(rows: Sequence[Indices], sizes: Indices) -> IndexTable:
    return np.array(rows, dtype=np.intp).reshape(len(rows), len(sizes))


_TRIES = 4
"""Attempts per candidate, at most: some are invalid, or were proposed before."""

_CHANGES = (1, 1, 2, 3)
"""How many values of a child change, each as likely."""


def candidates(
    cases: CaseSpace,
    parents: tuple[Sequence[Indices], Sequence[float]],
    seen: Container[Indices],
    number: int,
    neighbours: float,
    draw: Random,
) -> list[Indices]:
    """Return new valid cases: a share of neighbours of parents, by weight, the others at random."""
    rows: dict[Indices, None] = {}
    parent_rows, weights = parents
    number = min(number, prod(cases.sizes))
    for _ in range(_TRIES * number):
        if len(rows) >= number:
            break
        if parent_rows and draw.random() < neighbours:
            first, second = draw.choices(parent_rows, weights, k=2)
            row = _child(first, second, cases.sizes, draw)
        else:
            row = tuple(draw.randrange(size) for size in cases.sizes)
        try:
            row = cases.repaired_indices(row)
        except TooHard:
            continue
        if row not in seen:
            rows[row] = None
    return list(rows)


def _child(first: Indices, second: Indices, sizes: Indices, draw: Random) -> Indices:
    """Return a parent, half of the time mixed with the other, with one to three values changed."""
    child = list(first)
    if draw.random() < 0.5:
        child = [a if draw.random() < 0.5 else b for a, b in zip(first, second, strict=True)]
    for _ in range(draw.choice(_CHANGES)):
        at = draw.randrange(len(sizes))
        child[at] = draw.randrange(sizes[at])
    return tuple(child)
