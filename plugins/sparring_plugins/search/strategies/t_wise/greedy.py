"""Builds covering arrays row by row: each row begins with an open tuple and climbs from there.

Several candidates for a row are built side by side (as AETG does): a tuple of the combination with
the most open tuples is pinned, the other variables take the value that covers most with those
already chosen, in random order; then each variable in turn may change to a value that covers more,
until none does. The candidate that covers most becomes the row.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState

from sparring_plugins.search.strategies.t_wise.interactions import Flags, Interactions, Ints
from sparring_plugins.search.strategies.t_wise.validity import Validity

_BLOCK = 50_000
"""Cells that are looked up at once."""


@dataclass
class Greedy:
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
        """Take the tuples of a row for covered."""
        cells = self.model.places(row[None])[0]
        self.left -= self.open[cells]
        self.open[cells] = False

    def row(self) -> Ints:
        """A row that covers at least one open tuple, and covers it."""
        combination = self._fullest()
        start = self.model.first[combination]
        end = start + self._count(combination)
        cells = start + np.flatnonzero(self.open[start:end])
        picked = cells[self.draw.randint(len(cells), size=self.candidates)]
        own = self.model.strides[combination] > 0
        members = self.model.members[combination][own]
        values = (picked[:, None] - start) // self.model.strides[combination][own]
        return self._best(members, values % self.model.sizes[members])

    def completed(self, members: Ints, values: Ints) -> Ints:
        """A row with the given values of some variables, which covers much else."""
        return self._best(members, np.tile(values, (self.candidates, 1)))

    def _fullest(self) -> int:
        most = np.flatnonzero(self.left == self.left.max())
        return int(most[self.draw.randint(len(most))])

    def _count(self, combination: int) -> int:
        own = self.model.strides[combination] > 0
        return int(self.model.sizes[self.model.members[combination][own]].prod())

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
        known = np.zeros(len(self.model.sizes), dtype=bool)
        known[members] = True
        for variable in self.draw.permutation(np.flatnonzero(~known)).tolist():
            known[variable] = True
            complete = known[self.model.members[self.model.of[variable]]].all(axis=1)
            of: Ints = self.model.of[variable][complete]
            weight: Ints = self.model.weight[variable][complete]
            rows[:, variable] = 0
            cells = np.tile(self.model.first[of], (len(rows), 1))
            for column in range(self.model.members.shape[1]):
                cells += rows[:, self.model.members[of, column]] * self.model.strides[of, column]
            gains = self._gains(variable, cells, weight)
            allowed = self.validity.extends(rows, known, variable)
            rows[:, variable] = self._choice(gains, allowed)

    def _climb(self, rows: Ints, cells: Ints, pinned: Ints) -> None:
        """Change values one by one while that covers more."""
        free = np.setdiff1d(np.arange(len(self.model.sizes)), pinned)
        best = self.open[cells].sum(axis=1)
        for _ in range(self.sweeps):
            if best.max() == len(self.model.first):
                return  # a row cannot cover more
            for variable in self.draw.permutation(free).tolist():
                of: Ints = self.model.of[variable]
                weight: Ints = self.model.weight[variable]
                now = rows[:, variable].copy()
                base: Ints = cells[:, of] - now[:, None] * weight
                gains = self._gains(variable, base, weight)
                allowed = self.validity.changes(rows, variable)
                rows[:, variable] = chosen = self._choice(gains, allowed)
                cells[:, of] = base + chosen[:, None] * weight
            before, best = best, self.open[cells].sum(axis=1)
            if (best <= before).all():
                return

    def _gains(self, variable: int, base: Ints, weight: Ints) -> Ints:
        """How many open tuples each value of a variable would cover, per row."""
        size = int(self.model.sizes[variable])
        self.work += base.size * size
        if base.size * size <= _BLOCK:
            cells = base[:, None, :] + np.arange(size)[:, None] * weight
            found: Ints = self.open.take(cells).sum(axis=2)
            return found
        gains = np.empty((len(base), size), dtype=np.intp)
        for value in range(size):
            gains[:, value] = self.open.take(base + value * weight).sum(axis=1)
        return gains

    def _choice(self, gains: Ints, allowed: Flags | None) -> Ints:
        """The value that covers most, chance deciding between equals."""
        scored = gains + self.draw.random_sample(gains.shape) * 0.5
        if allowed is not None:
            scored[~allowed] = -1.0
        chosen: Ints = scored.argmax(axis=1)
        return chosen
