"""Makes covering arrays smaller: takes a row away and mends what is open then, again and again.

A tabu search with fixed numbers of rows (as TCA by Lin, Luo, Cai, Su, Hao and Zhang): an open tuple
is put into a row that has all of its values but one, where that loses least; sometimes, or where
there is no such row, into any row. What was changed stays for a while. The work is bounded by a
number of cells looked at and not by time, so that equal seeds give equal arrays.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from sparring_plugins.search.strategies.t_wise.interactions import Flags, Interactions, Ints
from sparring_plugins.search.strategies.t_wise.validity import Validity

_STEP = 3_000
"""What a step costs besides the cells that it looks at, in cells."""

_SAMPLE = 100

_CLOSE = 10
"""How much more may be spent on a row where the bound is near."""


class Reduction:
    """One array being made smaller; the first `kept` rows are never changed."""

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
        """The smallest array that is found, down to `bound` rows.

        `budget` are the cells looked at in all and `patience` those for one row, at most.
        """
        best = self.rows.copy()
        while len(self.rows) > max(self.kept, bound):
            close = len(self.rows) - bound <= max(3, bound // 50)
            end = min(budget, self.work + patience * (_CLOSE if close else 1))
            self._drop()
            while self.open and self.work < end:
                self._mend()
            if self.open:
                break
            best = self.rows.copy()
        return best

    def _drop(self) -> None:
        """Take away a row that covers few tuples alone, the best of a sample."""
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

    def _mend(self) -> None:
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
            self._force(members, values)
        else:
            row, column = chosen
            self._change(row, int(members[column]), int(values[column]))

    def _nearest(
        self, near: Ints, same: Flags, members: Ints, values: Ints
    ) -> tuple[int, int] | None:
        """The row and the column of the tuple whose change loses least, if any may be changed."""
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
        """How many more tuples are covered once a variable has a value, per row."""
        of, weight = self.model.of[variable], self.model.weight[variable]
        before = self.cells[np.ix_(rows, of)]
        after = before + (value - self.rows[rows, variable])[:, None] * weight
        self.work += 2 * before.size
        lost: Ints = np.count_nonzero(self.counts.take(before) == 1, axis=1)
        won: Ints = np.count_nonzero(self.counts.take(after) == 0, axis=1)
        scores: NDArray[np.float64] = won - lost + self.draw.random_sample(len(rows)) * 0.5
        return scores

    def _force(self, members: Ints, values: Ints) -> None:
        """Put a tuple into any row that stays valid with it."""
        for _ in range(20):
            row = self.kept + self.draw.randint(len(self.rows) - self.kept)
            trial = self.rows[row].copy()
            trial[members] = values
            if self.validity.holds(trial):
                self._become(row, trial)
                return

    def _become(self, row: int, trial: Ints) -> None:
        """Change several values at once: with only some of them a row may be invalid."""
        before, after = self.cells[row], self.model.places(trial[None])[0]
        moved = before != after
        self._cover(after[moved])
        self._uncover(before[moved])
        self.changed[row, self.rows[row] != trial] = self.step
        self.cells[row], self.rows[row] = after, trial

    def _change(self, row: int, variable: int, value: int) -> None:
        of, weight = self.model.of[variable], self.model.weight[variable]
        before = self.cells[row, of]
        after = before + (value - self.rows[row, variable]) * weight
        self._cover(after)
        self._uncover(before)
        self.cells[row, of] = after
        self.rows[row, variable] = value
        self.changed[row, variable] = self.step
