"""What the next cases are for: most failures, values without them, and kinds never or seldom seen.

Going for what fails most likely finds the same kinds again and again, and runs out of words that
are new. A part of the cases is therefore the best of what would otherwise be left out: of a value
(or a pair of values) with few failures so far, as MAP-Elites (Mouret and Clune 2015) keeps elites
by cells, and of a kind that has not been seen: a known kind with a part more or a part less.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from sparring.space.encoding import Indices
from sparring_plugins.strategies.surrogate.memory import Memory
from sparring_plugins.strategies.surrogate.wording import Numbers

_PAIRS = 0.5
"""How often a cell is a pair of values and not a single one."""

_UNSEEN = 0.7
"""How often the kind that is aimed at is a changed one, and not one that was seen seldom."""

_NEARNESS = 3.0
"""What the objectives weigh beside the chance to fail where failures are few."""

_TINY = 1e-3


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


@dataclass(frozen=True)
class Shares:
    """The shares of cases for values and for kinds; the others go for most failures.

    Of those for values and kinds, a share `vain` may be expected to pass: where fewer of them are
    likely to fail, fewer are taken.
    """

    spread: float
    kinds: float
    vain: float = 1


class Aims:
    """Puts candidates into the order in which they are to be played."""

    def __init__(
        self, ranked: Ranked, memory: Memory, parts: Sequence[str], sizes: Indices, draw: Random
    ) -> None:
        self._ranked = ranked
        self._table = _table(ranked.rows, sizes)
        self._free = np.ones(len(ranked.rows), dtype=bool)
        self._sizes, self._draw = sizes, draw
        self._order = np.argsort(-ranked.near, kind="stable")
        played, failed = memory.recent()
        self._played, self._failed = _table(played, sizes), np.array(failed, dtype=bool)
        self._taken: Counter[tuple[tuple[int, ...], int]] = Counter()
        self._parts = list(parts)
        self._kinds = _counted(memory, frozenset(parts))
        self._likely = np.log(np.clip(ranked.parts, _TINY, 1))
        self._unlikely = np.log(np.clip(1 - ranked.parts, _TINY, 1))
        self._worth = np.log(np.clip(ranked.failing, _TINY, 1)) + np.log(ranked.novelty + 1e-6)

    def ordered(self, number: int, shares: Shares) -> list[Indices]:
        """The candidates: so many by their shares, then the others as they are ranked."""
        first: list[int] = []
        for _ in range(min(number, len(self._free))):
            lot = self._draw.random()
            place: int | None = None
            if lot < shares.kinds:
                place = self._for_a_kind()
            elif lot < shares.kinds + shares.spread:
                place = self._for_a_cell()
            if place is None or not self._affordable(place, shares.vain):
                place = int(np.argmax(self._free))  # the first that is free
            self._free[place] = False
            first.append(place)
        return [self._ranked.rows[at] for at in [*first, *np.flatnonzero(self._free).tolist()]]

    def _affordable(self, place: int, vain: float) -> bool:
        """Whether to play what may well pass: less often the likelier it is to."""
        return self._draw.random() * (1 - float(self._ranked.failing[place])) <= vain

    def _for_a_cell(self) -> int | None:
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
        return int(order[first[chosen]])

    def _for_a_kind(self) -> int | None:
        """The candidate that shows a kind most likely which was never seen, or seldom."""
        if not self._parts or not self._kinds or not self._free.any():
            return None
        kind = self._kind()
        has = np.array([part in kind for part in self._parts])
        likely = np.where(has, self._likely, self._unlikely).sum(1) + self._worth
        likely[~self._free] = -np.inf
        return int(np.argmax(likely))

    def _kind(self) -> frozenset[str]:
        """A kind to aim at: with a part or two of another one changed, or as it was seen."""
        known = list(self._kinds)
        weights = [self._kinds[kind] ** -0.5 for kind in known]
        first, other = self._draw.choices(known, weights, k=2)
        if self._draw.random() >= _UNSEEN:
            return first
        differing = sorted(first ^ other) or self._parts
        number = min(len(differing), self._draw.choice((1, 1, 2)))
        return (first ^ frozenset(self._draw.sample(differing, number))) or first


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


def _keys(table: NDArray[np.intp], cell: tuple[int, ...], sizes: Indices) -> NDArray[np.intp]:
    """The number of the cell that each case is in."""
    found: NDArray[np.intp] = np.zeros(len(table), np.intp)
    for at in cell:
        found = found * sizes[at] + table[:, at]
    return found


def _table(rows: Sequence[Indices], sizes: Indices) -> NDArray[np.intp]:
    return np.array(rows, dtype=np.intp).reshape(len(rows), len(sizes))


def _counted(memory: Memory, parts: frozenset[str]) -> Counter[frozenset[str]]:
    """How often each kind was seen, by the given parts; kinds without any of them left out."""
    found: Counter[frozenset[str]] = Counter()
    for name, kind in memory.known.items():
        if own := parts & frozenset(name):
            found[own] += memory.counts[kind]
    return found
