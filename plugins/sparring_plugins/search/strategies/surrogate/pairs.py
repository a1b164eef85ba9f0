"""Pairs of values: the numbers that they have, and how much they were neglected so far."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sparring_plugins.search.strategies.surrogate.word_features import Numbers

Table = NDArray[np.intp]


class PairNumbers:
    """Numbers all pairs of values of two features from 0 on; there are `total` of them."""

    def __init__(self, sizes: Sequence[int]) -> None:
        pairs = list(combinations(range(len(sizes)), 2))
        spans = [sizes[first] * sizes[second] for first, second in pairs]
        self._first = np.array([first for first, _ in pairs], dtype=np.intp)
        self._second = np.array([second for _, second in pairs], dtype=np.intp)
        self._wide = np.array([sizes[second] for _, second in pairs], dtype=np.intp)
        self._start = starts(spans)
        self.total = sum(spans)

    def of(self, table: Table) -> Table:
        """The numbers of the pairs that each case has, a line for each case."""
        inside = table[:, self._first] * self._wide + table[:, self._second]
        found: Table = self._start + inside
        return found


def starts(spans: Sequence[int]) -> Table:
    """The first number of each of several ranges that lie one behind the other."""
    return np.cumsum([0, *spans])[:-1].astype(np.intp)


class Pairs:
    """Counts in how many cases each pair of values was `played`, and in how many it `failed`.

    `table` has the candidates, a line for each.
    """

    def __init__(
        self, table: Table, played: Table, failed: NDArray[np.bool_], sizes: Sequence[int]
    ) -> None:
        numbers = PairNumbers(sizes)
        self._own, known = numbers.of(table), numbers.of(played)
        self._tried = _counted(known, numbers.total)
        self._failed = _counted(known[failed], numbers.total)

    def neglect(self) -> Numbers:
        """How neglected each candidate's pairs are on average: 1 where all are new, falling to 0.

        A pair that never failed is less so, the more it was tried.
        """
        if not self._own.shape[1]:
            return np.ones(len(self._own), np.float32)
        each = 1 / (1 + self._failed) / np.sqrt(1 + self._tried)
        found: Numbers = each[self._own].mean(1).astype(np.float32)
        return found

    def expect(self, place: int) -> None:
        """Count the pairs of a candidate that is to be played, as if it failed."""
        self._failed[self._own[place]] += 1
        self._tried[self._own[place]] += 1


def _counted(places: Table, total: int) -> Numbers:
    return np.bincount(places.ravel(), minlength=total).astype(np.float32)
