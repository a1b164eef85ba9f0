"""What the next cases are for: most failures, values without them, and kinds never or seldom seen.

Going for what fails most likely finds the same kinds again and again, and runs out of words that
are new. A part of the cases is therefore the best of what would otherwise be left out: of a value
(or a pair of values) with few failures so far, as MAP-Elites (Mouret and Clune 2015) keeps elites
by cells, and of kinds that have not been seen.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

import numpy as np

from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.surrogate.failure_classes import Kinds
from sparring_plugins.search.strategies.surrogate.memory import Memory
from sparring_plugins.search.strategies.surrogate.pairs import Pairs, Table
from sparring_plugins.search.strategies.surrogate.word_features import Numbers

_PAIRS = 0.5
"""How often a cell is a pair of values and not a single one."""

_RARITY = 3
"""The power of how seldom a kind is, beside how likely a case fails, where a kind is looked for."""

_SELDOM = 0.5
"""How seldom the seldomest kind is that is still looked for: three times."""

_NEARNESS = 3.0
"""What the objectives weigh beside the chance to fail where failures are few."""


class Aim(StrEnum):
    """What a case is played for.

    Where a kind is wanted, it may be neglected `PAIRS` where no seldom kind is left, or what fails
    most likely `INSTEAD` where looking was in vain for long.
    """

    MOST = "m"
    KIND = "k"
    PAIRS = "p"
    INSTEAD = "i"
    CELL = "c"
    CHANCE = "r"

    @property
    def wanted(self) -> "Aim":
        """The aim that led to it."""
        return Aim.KIND if self in (Aim.PAIRS, Aim.INSTEAD) else self

    @property
    def owed(self) -> "Aim":
        """The aim of the case in its place, where it is refused."""
        return Aim.MOST if self is Aim.INSTEAD else self.wanted


@dataclass(frozen=True)
class Ranked:
    """Candidates, the most promising first, and what is predicted of each of them.

    `failing` is the chance to fail, `parts` the chances of the parts of kinds (a column for each),
    `bad` how bad the worst objective is, `novelty` how new the words are.
    """

    rows: list[Indices]
    failing: Numbers
    parts: Numbers
    bad: Numbers
    novelty: Numbers

    @property
    def near(self) -> Numbers:
        """How near each is to failing: told by the objectives even where nothing failed so far."""
        found = (self.failing + np.float32(_NEARNESS) * self.bad) * self.novelty
        return found.astype(np.float32)


class Aims:
    """Puts candidates into the order in which they are to be played.

    `patience` is how often one is still looked for that shows a seldom kind, or neglected pairs
    where no such kind is left: from 0 to 1, 1 where nothing is said.
    """

    def __init__(
        self,
        ranked: Ranked,
        kinds: Kinds,
        memory: Memory,
        sizes: Indices,
        draw: Random,
        patience: Mapping[Aim, float] | None = None,
    ) -> None:
        self._ranked, self._kinds, self._patience = ranked, kinds, patience or {}
        self._table = _table(ranked.rows, sizes)
        self._free = np.ones(len(ranked.rows), dtype=bool)
        self._sizes, self._draw = sizes, draw
        self._order = np.argsort(-ranked.near, kind="stable")
        played, failed = memory.recent()
        self._played, self._failed = _table(played, sizes), np.array(failed, dtype=bool)
        self._pairs: Pairs | None = None
        self._taken: Counter[tuple[tuple[int, ...], int]] = Counter()

    def ordered(self, aims: Sequence[Aim]) -> list[tuple[Indices, Aim]]:
        """The candidates, with what each is for: one for each aim, then the others as ranked.

        What one is for is not what was asked where there is none such.
        """
        first: list[tuple[int, Aim]] = []
        for aim in aims[: len(self._free)]:
            place, what = self._for(aim) or (self._best(), Aim.MOST)
            self._free[place] = False
            first.append((place, what))
        others = ((at, Aim.MOST) for at in np.flatnonzero(self._free).tolist())
        return [(self._ranked.rows[at], aim) for at, aim in [*first, *others]]

    def _best(self) -> int:
        return int(np.argmax(self._free))  # the first that is free

    def _for(self, aim: Aim) -> tuple[int, Aim] | None:
        if aim is Aim.KIND:
            return self._for_a_kind()
        return self._for_a_cell() if aim is Aim.CELL else None

    def _for_a_cell(self) -> tuple[int, Aim] | None:
        """The candidate nearest to failing in a cell where little was tried, and little failed."""
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
        return int(order[first[chosen]]), Aim.CELL

    def _for_a_kind(self) -> tuple[int, Aim] | None:
        """The candidate that fails most likely in a way that was never seen, or seldom.

        Where no such way is left, the one nearest to failing with neglected pairs of values.
        """
        if not self._kinds.known or not self._free.any():
            return None
        rarity = self._kinds.rarity()
        worth = self._ranked.failing * self._ranked.novelty * rarity**_RARITY
        worth[~self._free] = -1
        place = int(np.argmax(worth))
        aim = Aim.PAIRS if rarity[place] < _SELDOM else Aim.KIND
        if self._draw.random() >= self._patience.get(aim, 1.0):
            return self._best(), Aim.INSTEAD
        if aim is Aim.PAIRS:
            return self._for_pairs(), aim
        self._kinds.expect(place)
        return place, aim

    def _for_pairs(self) -> int:
        """The candidate nearest to failing with the pairs of values that failed most seldom.

        It may fail in a way of which nothing is known, where no kind is left to be looked for.
        """
        if self._pairs is None:
            self._pairs = Pairs(self._table, self._played, self._failed, self._sizes)
        worth = self._ranked.near * self._pairs.neglect()
        worth[~self._free] = -1
        place = int(np.argmax(worth))
        self._pairs.expect(place)
        return place


def mixed(ranked: Ranked, number: int, sizes: Indices, draw: Random) -> list[Indices]:
    """The most promising candidates, and as many that are the nearest to failing of their cells."""
    if len(ranked.rows) <= number:
        return ranked.rows
    table = _table(ranked.rows, sizes)
    order = np.argsort(-ranked.near, kind="stable")
    free = np.ones(len(table), dtype=bool)
    free[: number // 2] = False
    left = number - number // 2
    while left > 0:
        among = order[free[order]]
        cell = _cell(sizes, draw)
        if not cell:
            return ranked.rows[:number]
        _, first = np.unique(_keys(table[among], cell, sizes), return_index=True)
        taken = among[np.sort(first)[:left]]
        free[taken] = False
        left -= len(taken)
    return [ranked.rows[at] for at in np.flatnonzero(~free).tolist()]


def _cell(sizes: Indices, draw: Random) -> tuple[int, ...]:
    """A feature or two, whose values make the cells; none where all have but one value."""
    wide = [at for at, size in enumerate(sizes) if size > 1]
    number = 2 if len(wide) > 1 and draw.random() < _PAIRS else 1
    return tuple(sorted(draw.sample(wide, min(number, len(wide)))))


def _keys(table: Table, cell: tuple[int, ...], sizes: Indices) -> Table:
    """The number of the cell that each case is in."""
    found: Table = np.zeros(len(table), np.intp)
    for at in cell:
        found = found * sizes[at] + table[:, at]
    return found


def _table(rows: Sequence[Indices], sizes: Indices) -> Table:
    return np.array(rows, dtype=np.intp).reshape(len(rows), len(sizes))
