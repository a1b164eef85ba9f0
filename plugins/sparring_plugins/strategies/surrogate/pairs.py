"""How much the pairs of values of candidates were neglected so far."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparring.space.encoding import Indices
from sparring_plugins.strategies.surrogate.wording import Numbers

Table = NDArray[np.intp]


class Pairs:
    """Counts in how many cases each pair of values was `played`, and in how many it `failed`.

    `table` has the candidates, a line for each.
    """

    def __init__(
        self, table: Table, played: Table, failed: NDArray[np.bool_], sizes: Indices
    ) -> None:
        self._pairs = list(combinations(range(len(sizes)), 2))
        spans = [sizes[first] * sizes[second] for first, second in self._pairs]
        self._sizes = sizes
        self._starts = np.concatenate([[0], np.cumsum(spans)]).astype(np.intp)
        self._own = self._places(table)
        known = self._places(played)
        self._tried = self._counted(known)
        self._failed = self._counted(known[failed])

    def _places(self, table: Table) -> Table:
        """The numbers of the pairs of values that each case has."""
        found = np.zeros((len(table), len(self._pairs)), np.intp)
        for at, (first, second) in enumerate(self._pairs):
            inside = table[:, first] * self._sizes[second] + table[:, second]
            found[:, at] = self._starts[at] + inside
        return found

    def _counted(self, places: Table) -> Numbers:
        return np.bincount(places.ravel(), minlength=int(self._starts[-1])).astype(np.float32)

    def neglect(self) -> Numbers:
        """How neglected each candidate's pairs are on average: 1 where all are new, falling to 0.

        A pair that never failed is less so, the more it was tried.
        """
        if not self._pairs:
            return np.ones(len(self._own), np.float32)
        each = 1 / (1 + self._failed) / np.sqrt(1 + self._tried)
        found: Numbers = each[self._own].mean(1).astype(np.float32)
        return found

    def expect(self, place: int) -> None:
        """Count the pairs of a candidate that is to be played, as if it failed."""
        self._failed[self._own[place]] += 1
        self._tried[self._own[place]] += 1
