"""Counts what rows cover, without regard to how they were made."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.t_wise.interactions import Ints, interactions
from sparring_plugins.search.strategies.t_wise.validity import Validity


@dataclass(frozen=True)
class Coverage:
    """How many of the tuples that valid cases contain are `covered` by valid rows.

    `invalid` counts rows that break a constraint; they cover nothing.
    """

    tuples: int
    covered: int
    invalid: int

    @property
    def complete(self) -> bool:
        """Whether nothing is left to cover and every row is valid."""
        return self.covered == self.tuples and not self.invalid


def coverage(cases: CaseSpace, rows: Ints, strength: int) -> Coverage:
    """Count the tuples of `strength` values that rows of indices cover."""
    of = min(strength, len(cases.sizes))
    valid = [cases.holds(cases.params(row)) for row in rows.tolist()]
    kept = rows[np.array(valid, dtype=bool)] if len(rows) else rows
    covered = sum(
        _distinct(kept[:, members], [cases.sizes[n] for n in members])
        for members in map(list, combinations(range(len(cases.sizes)), of))
    )
    possible = Validity(cases).possible(interactions(cases.sizes, of))
    return Coverage(int(possible.sum()), covered, valid.count(False))


def _distinct(values: Ints, sizes: Sequence[int]) -> int:
    """How many different rows there are."""
    seen = np.zeros(prod(sizes), dtype=bool)
    seen[np.ravel_multi_index(tuple(values.T), tuple(sizes))] = True
    return int(seen.sum())
