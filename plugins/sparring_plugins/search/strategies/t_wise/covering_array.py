"""Covering arrays: built greedily, row by row, then made smaller, and ordered.

Several candidates for a row are built side by side (as AETG does): a tuple of the combination with
the most open tuples is pinned, the other variables take the value that covers most with those
already chosen, in random order; then each variable in turn may change to a value that covers more,
until none does. The candidate that covers most becomes the row.

The reduction is a tabu search with a fixed number of rows (as TCA by Lin, Luo, Cai, Su, Hao and
Zhang): a row is removed, and each open tuple is put into a row that has all of its values but one,
so that the least is lost; sometimes, or if there is no such row, into any row. What was changed
stays for a while. The work is bounded by the number of cells looked at and not by time, so that
equal seeds give equal arrays.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.t_wise.interactions import (
    Flags,
    Interactions,
    Ints,
    Validity,
    interactions,
)

_BLOCK = 50_000
"""Cells that are looked up at once."""


@dataclass(frozen=True)
class Requirements:
    """What is to be covered: all tuples of `strength` values, and more within some groups.

    `stronger` has the numbers of a group's variables with the strength among them. `seeds` are
    required rows, as values by the number of the variable; other values are filled in. `effort`
    scales the work of making the array small; 0 means none.
    """

    strength: int = 2
    stronger: Sequence[tuple[Sequence[int], int]] = ()
    seeds: Sequence[Mapping[int, int]] = ()
    effort: float = 1.0


@dataclass
class GreedyBuilder:
    """Builds rows; `open` are the tuples left to cover.

    Each row is the best of some `candidates`, which climb for a number of `sweeps` over all
    variables at most. `work` counts the cells that were looked at.
    """

    model: Interactions
    validity: Validity
    open: Flags
    draw: RandomState
    candidates: int
    sweeps: int = 4

    def __post_init__(self) -> None:
        #: How many tuples are left to cover per combination.
        self.left: Ints = np.add.reduceat(self.open, self.model.first, dtype=np.intp)
        self.work = 0

    def cover(self, row: Ints) -> None:
        """Mark the tuples of a row as covered."""
        cells = self.model.places(row[None])[0]
        self.left -= self.open[cells]
        self.open[cells] = False

    def row(self) -> Ints:
        """Return a row that covers at least one open tuple, and mark its tuples as covered."""
        combination = self._fullest()
        start = self.model.first[combination]
        end = start + self._count(combination)
        cells = start + np.flatnonzero(self.open[start:end])
        picked = cells[self.draw.randint(len(cells), size=self.candidates)]
        used = self.model.strides[combination] > 0
        members = self.model.members[combination][used]
        values = (picked[:, None] - start) // self.model.strides[combination][used]
        return self._best(members, values % self.model.sizes[members])

    def completed(self, members: Ints, values: Ints) -> Ints:
        """Return a row with the given values of some variables that covers most."""
        return self._best(members, np.tile(values, (self.candidates, 1)))

    def _fullest(self) -> int:
        most = np.flatnonzero(self.left == self.left.max())
        return int(most[self.draw.randint(len(most))])

    def _count(self, combination: int) -> int:
        used = self.model.strides[combination] > 0
        return int(self.model.sizes[self.model.members[combination][used]].prod())

    def _best(self, members: Ints, values: Ints) -> Ints:
        rows = np.zeros((len(values), len(self.model.sizes)), dtype=np.intp)
        rows[:, members] = values
        self._fill(rows, members)
        cells = self.model.places(rows)
        self._climb(rows, cells, members)
        row: Ints = rows[int(self.open[cells].sum(axis=1).argmax())]
        self.cover(row)
        return row

    def _fill(self, rows: Ints, members: Ints) -> None:
        """Give the variables that are not pinned a value each, in random order."""
        assigned = np.zeros(len(self.model.sizes), dtype=bool)
        assigned[members] = True
        for variable in self.draw.permutation(np.flatnonzero(~assigned)).tolist():
            assigned[variable] = True
            complete = assigned[self.model.members[self.model.of[variable]]].all(axis=1)
            combinations: Ints = self.model.of[variable][complete]
            weight: Ints = self.model.weight[variable][complete]
            rows[:, variable] = 0
            cells = np.tile(self.model.first[combinations], (len(rows), 1))
            for column in range(self.model.members.shape[1]):
                cells += (
                    rows[:, self.model.members[combinations, column]]
                    * self.model.strides[combinations, column]
                )
            gains = self._gains(variable, cells, weight)
            allowed = self.validity.extends(rows, assigned, variable)
            rows[:, variable] = self._choice(gains, allowed)

    def _climb(self, rows: Ints, cells: Ints, pinned: Ints) -> None:
        """Change values one by one while that covers more."""
        free = np.setdiff1d(np.arange(len(self.model.sizes)), pinned)
        best = self.open[cells].sum(axis=1)
        for _ in range(self.sweeps):
            if best.max() == len(self.model.first):
                return  # a row cannot cover more
            for variable in self.draw.permutation(free).tolist():
                combinations: Ints = self.model.of[variable]
                weight: Ints = self.model.weight[variable]
                now = rows[:, variable].copy()
                base: Ints = cells[:, combinations] - now[:, None] * weight
                gains = self._gains(variable, base, weight)
                allowed = self.validity.changes(rows, variable)
                rows[:, variable] = chosen = self._choice(gains, allowed)
                cells[:, combinations] = base + chosen[:, None] * weight
            before, best = best, self.open[cells].sum(axis=1)
            if (best <= before).all():
                return

    def _gains(self, variable: int, base: Ints, weight: Ints) -> Ints:
        """Return how many open tuples each value of a variable would cover, per row."""
        size = int(self.model.sizes[variable])
        self.work += base.size * size
        if base.size * size <= _BLOCK:
            cells = base[:, None, :] + np.arange(size)[:, None] * weight
            gains_at_once: Ints = self.open.take(cells).sum(axis=2)
            return gains_at_once
        gains = np.empty((len(base), size), dtype=np.intp)
        for value in range(size):
            gains[:, value] = self.open.take(base + value * weight).sum(axis=1)
        return gains

    def _choice(self, gains: Ints, allowed: Flags | None) -> Ints:
        """Return the value that covers most; ties are broken at random."""
        scored = gains + self.draw.random_sample(gains.shape) * 0.5
        if allowed is not None:
            scored[~allowed] = -1.0
        chosen: Ints = scored.argmax(axis=1)
        return chosen


_STEP = 3_000
"""What a step costs besides the cells that it looks at, in cells."""

# So many rows are compared to choose the one to remove: each comparison looks at all its cells.
_SAMPLE = 100

_CLOSE = 10
"""How many times as much may be spent on a row if the bound is near."""


# Own code, measured to be worth it against PICT (tests/benchmarks, strength 3): rows of
# 3^13 65 instead of 74, of 10^20 3,086 instead of 3,429, of naviqa-11 675 instead of 759, in 1 to 9
# seconds of one processor.
class Reduction:
    """One array that is made smaller; the first `kept` rows are never changed."""

    def __init__(
        self,
        model: Interactions,
        validity: Validity,
        rows: Ints,
        kept: int,
        draw: RandomState,
    ) -> None:
        self.model, self.validity, self.kept = model, validity, kept
        self.draw = draw
        self.rows = rows.copy()
        self.cells = model.places(self.rows)
        self.counts = np.bincount(self.cells.ravel(), minlength=model.cells).astype(np.int32)
        self.changed = np.full(rows.shape, -(10**9), dtype=np.int64)
        self.open: list[int] = []
        self.where: dict[int, int] = {}
        self.step = 0
        self.work = 0

    def reduced(self, budget: int, patience: int, bound: int) -> Ints:
        """Return the smallest array that is found, down to `bound` rows.

        `budget` bounds the cells looked at in all and `patience` those for one row.
        """
        best = self.rows.copy()
        while len(self.rows) > max(self.kept, bound):
            close = len(self.rows) - bound <= max(3, bound // 50)
            end = min(budget, self.work + patience * (_CLOSE if close else 1))
            self._drop()
            while self.open and self.work < end:
                self._repair_tuple()
            if self.open:
                break
            best = self.rows.copy()
        return best

    def _drop(self) -> None:
        """Remove the row that covers the fewest tuples alone, the best of a sample."""
        few = min(_SAMPLE, len(self.rows) - self.kept)
        sample = self.kept + self.draw.randint(len(self.rows) - self.kept, size=few)
        alone = (self.counts.take(self.cells[sample]) == 1).sum(axis=1)
        self.work += alone.size * self.cells.shape[1]
        row, last = int(sample[alone.argmin()]), len(self.rows) - 1
        self._uncover(self.cells[row].copy())
        for table in (self.rows, self.cells, self.changed):
            table[row] = table[last]
        self.rows, self.cells = self.rows[:last], self.cells[:last]
        self.changed = self.changed[:last]

    def _uncover(self, cells: Ints) -> None:
        self.counts[cells] -= 1
        for cell in cells[self.counts[cells] == 0].tolist():
            self.where[cell] = len(self.open)
            self.open.append(cell)

    def _cover(self, cells: Ints) -> None:
        for cell in cells[self.counts[cells] == 0].tolist():
            at, last = self.where.pop(cell), self.open.pop()
            if last != cell:
                self.open[at] = last
                self.where[last] = at
        self.counts[cells] += 1

    def _repair_tuple(self) -> None:
        """Put an open tuple into a row."""
        self.step += 1
        self.work += _STEP + len(self.rows) * 4
        cell = self.open[self.draw.randint(len(self.open))]
        members, values = self.model.tuple_at(self.model.combination_of(cell), cell)
        same = self.rows[:, members] == values
        same[: self.kept] = False
        near = np.flatnonzero(same.sum(axis=1) == len(members) - 1)
        chosen = self._nearest(near, same, members, values)
        if chosen is None:
            self._force_tuple(members, values)
        else:
            row, column = chosen
            self._change(row, int(members[column]), int(values[column]))

    def _nearest(
        self, near: Ints, same: Flags, members: Ints, values: Ints
    ) -> tuple[int, int] | None:
        """Return the row and tuple column whose change loses least; None if none may change."""
        best: tuple[float, int, int] | None = None
        tenure = min(10, len(self.rows) // 4) + self.draw.randint(10)
        for column, (variable, value) in enumerate(zip(members, values, strict=True)):
            rows = near[~same[near, column]]
            fresh = self.step - self.changed[rows, variable] > tenure
            rows = rows[fresh]
            if len(rows):
                rows = rows[self.validity.holds_with(self.rows[rows], int(variable), int(value))]
            if not len(rows):
                continue
            scores = self._scores(rows, int(variable), int(value))
            at = int(scores.argmax())
            if best is None or scores[at] > best[0]:
                best = (float(scores[at]), int(rows[at]), column)
        return None if best is None else (best[1], best[2])

    def _scores(self, rows: Ints, variable: int, value: int) -> NDArray[np.float64]:
        """Return how many more tuples are covered once a variable has a value, per row."""
        combinations, weight = self.model.of[variable], self.model.weight[variable]
        before = self.cells[np.ix_(rows, combinations)]
        after = before + (value - self.rows[rows, variable])[:, None] * weight
        self.work += 2 * before.size
        lost: Ints = np.count_nonzero(self.counts.take(before) == 1, axis=1)
        won: Ints = np.count_nonzero(self.counts.take(after) == 0, axis=1)
        scores: NDArray[np.float64] = won - lost + self.draw.random_sample(len(rows)) * 0.5
        return scores

    def _force_tuple(self, members: Ints, values: Ints) -> None:
        """Put a tuple into any row that stays valid with it."""
        for _ in range(20):
            row = self.kept + self.draw.randint(len(self.rows) - self.kept)
            trial = self.rows[row].copy()
            trial[members] = values
            if self.validity.holds(trial):
                self._replace_row(row, trial)
                return

    def _replace_row(self, row: int, trial: Ints) -> None:
        """Change several values at once: with only some of them the row may be invalid."""
        before, after = self.cells[row], self.model.places(trial[None])[0]
        moved = before != after
        self._cover(after[moved])
        self._uncover(before[moved])
        self.changed[row, self.rows[row] != trial] = self.step
        self.cells[row], self.rows[row] = after, trial

    def _change(self, row: int, variable: int, value: int) -> None:
        combinations, weight = self.model.of[variable], self.model.weight[variable]
        before = self.cells[row, combinations]
        after = before + (value - self.rows[row, variable]) * weight
        self._cover(after)
        self._uncover(before)
        self.cells[row, combinations] = after
        self.rows[row, variable] = value
        self.changed[row, variable] = self.step


# Counted steps and not seconds, so that each machine builds the same array.
_BUILDING = 1_200_000_000
_REDUCING = 600_000_000
"""Cells looked at to build an array (about) and to make it smaller (at most), at effort 1."""

_PATIENCE = 20_000_000_000
"""Cells looked at to make an array smaller by all of its rows, at most, at effort 1."""

_CALL = 5_000
"""What looking at a variable costs besides the cells, in cells."""

_MOST_CANDIDATES = 10
_MOST_SWEEPS = 4
_TABLE = 30_000_000
"""The cells of the largest array that is made smaller."""


@dataclass(frozen=True)
class CoveringArray:
    """Rows of indices such that every tuple of the valid cases is in one of them.

    The rows of the seeds come first, and then each row that covers most of what is left. `tuples`
    counts the covered tuples and `excluded` those that no valid case contains; no array has fewer
    than `bound` rows.
    """

    rows: Ints
    tuples: int
    excluded: int
    bound: int


def covering_array(cases: CaseSpace, wanted: Requirements, seed: int) -> CoveringArray:
    """Return an array for the valid cases of a space; equal arguments give equal arrays.

    Raises ConfigurationError for constraints that no case satisfies and for invalid seeds, TooHard
    for too many tuples, MissingExtra if constraints need a solver that is missing.
    """
    validity = Validity(cases)
    model = interactions(cases.sizes, wanted.strength, wanted.stronger)
    if not model.cells:
        return CoveringArray(np.zeros((0, len(cases.sizes)), dtype=np.intp), 0, 0, 0)
    valid = validity.possible(model)
    bound = int(np.add.reduceat(valid, model.first, dtype=np.intp).max())
    draw = RandomState(seed % 2**32)
    greedy = GreedyBuilder(model, validity, valid.copy(), draw, *_pace(model, bound, wanted.effort))
    rows = _seed_rows(cases, validity, greedy, wanted.seeds)
    kept = len(rows)
    while greedy.left.any():
        rows.append(greedy.row())
    array = np.array(rows)
    budget = int(wanted.effort * min(_REDUCING, 2_000_000 + 20 * greedy.work))
    if budget and len(rows) > max(bound, kept) and len(rows) * len(model.first) <= _TABLE:
        patience = int(wanted.effort * _PATIENCE / len(rows))
        array = Reduction(model, validity, array, kept, draw).reduced(budget, patience, bound)
    array = _order_rows(model, valid, array, kept)
    tuples = int(valid.sum())
    return CoveringArray(array, tuples, model.cells - tuples, bound)


def _pace(model: Interactions, bound: int, effort: float) -> tuple[int, int]:
    """Return how many candidates per row, and sweeps over them, the work of building allows."""
    sweep = sum(
        len(combinations) * int(size)
        for combinations, size in zip(model.of, model.sizes, strict=True)
    )
    calls = _CALL * len(model.sizes)
    allowed = effort * _BUILDING / (6 * bound)
    candidates = max(1, min(_MOST_CANDIDATES, int((allowed - calls) / sweep)))
    sweeps = max(1, min(_MOST_SWEEPS, int(_MOST_SWEEPS * allowed / (calls + sweep))))
    return candidates, sweeps


def _seed_rows(
    cases: CaseSpace, validity: Validity, greedy: GreedyBuilder, seeds: Sequence[Mapping[int, int]]
) -> list[Ints]:
    """Return the required rows, each once, with the open values filled in."""
    rows: list[Ints] = []
    for seed in seeds:
        if not validity.feasible(seed):
            assignment = ", ".join(
                f"{cases.names[number]} = {cases.scenario.variables[number].domain[value]!r}"
                for number, value in seed.items()
            )
            message = f"no valid case has the values of the seed {assignment}"
            raise ConfigurationError(Problem(message, cases.scenario.source, key="seeds"))
        members = np.array(sorted(seed), dtype=np.intp)
        values = np.array([seed[number] for number in members.tolist()], dtype=np.intp)
        if not any((row[members] == values).all() for row in rows):
            rows.append(greedy.completed(members, values))
    return rows


def _order_rows(model: Interactions, valid: Flags, rows: Ints, kept: int) -> Ints:
    """Return the rows by how much they cover of what is left, without those that cover nothing."""
    left = valid.copy()
    cells = model.places(rows)
    left[cells[:kept].ravel()] = False
    heap = [(-int(left[cells[row]].sum()), row) for row in range(kept, len(rows))]
    heapify(heap)
    order = list(range(kept))
    while heap:
        row = heap[0][1]
        gain = int(left[cells[row]].sum())
        if gain == -heap[0][0]:
            heappop(heap)
            if gain:
                order.append(row)
                left[cells[row]] = False
        else:
            heapreplace(heap, (-gain, row))
    return rows[order]
