"""The interactions of a model: which tuples of values an array has to cover, as one flat table.

A combination is a set of variables; its tuples are the combinations of their values. All tuples of
all combinations have a cell each in one flat array, so that what a row covers is one gather:
``first + strides · row`` is its cell in each combination.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from sparring_plugins.search.space import TooHard

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

CELLS = 60_000_000
"""Tuples that fit into memory with what else is kept of them, at most."""


@dataclass(frozen=True)
class Interactions:
    """All combinations of a model with the places of their tuples.

    `members` has the variables of each combination in a row and `strides` what a value counts for
    (shorter combinations are filled up with variable 0 and stride 0); `first` is the cell of each
    combination's first tuple. `of` has, per variable, the combinations that it belongs to, and
    `weight` its strides there.
    """

    sizes: Ints
    members: Ints
    strides: Ints
    first: Ints
    cells: int
    of: tuple[Ints, ...]
    weight: tuple[Ints, ...]

    def places(self, rows: Ints) -> Ints:
        """The cell of each row (first axis) in each combination (second axis)."""
        places = np.tile(self.first, (len(rows), 1))
        for column in range(self.members.shape[1]):
            places += rows[:, self.members[:, column]] * self.strides[:, column]
        return places

    def tuple_at(self, combination: int, cell: int) -> tuple[Ints, Ints]:
        """The variables and the values of the tuple of a cell."""
        strides = self.strides[combination]
        own = strides > 0
        members = self.members[combination][own]
        values = (cell - self.first[combination]) // strides[own] % self.sizes[members]
        return members, values

    def combination_of(self, cell: int) -> int:
        """The combination that a cell belongs to."""
        return int(np.searchsorted(self.first, cell, side="right")) - 1


def interactions(
    sizes: Sequence[int], strength: int, stronger: Sequence[tuple[Sequence[int], int]] = ()
) -> Interactions:
    """All combinations of `strength` variables, and of more within the groups of `stronger`.

    A group is the numbers of some variables and the strength among them. Raises TooHard where
    there are more tuples than fit into memory.
    """
    wanted = _combinations(sizes, strength, stronger)
    width = max((len(one) for one in wanted), default=0)
    members = np.zeros((len(wanted), width), dtype=np.intp)
    strides = np.zeros((len(wanted), width), dtype=np.intp)
    as_array = np.asarray(sizes, dtype=np.intp)
    for length in {len(one) for one in wanted}:
        chosen = [number for number, one in enumerate(wanted) if len(one) == length]
        members[chosen, :length] = np.array([wanted[n] for n in chosen]).reshape(-1, length)
        for column in range(length):
            rest = as_array[members[chosen, column + 1 : length]]
            strides[chosen, column] = rest.prod(axis=1)
    counts = np.array([prod(sizes[n] for n in one) for one in wanted], dtype=np.intp)
    cells = int(counts.sum())
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)[: len(wanted)]
    of, weight = _by_variable(len(sizes), members, strides)
    return Interactions(as_array, members, strides, first, cells, of, weight)


def _combinations(
    sizes: Sequence[int], strength: int, stronger: Sequence[tuple[Sequence[int], int]]
) -> list[tuple[int, ...]]:
    """The combinations to cover, none of them part of another."""
    asked = [(tuple(range(len(sizes))), strength), *((tuple(g), s) for g, s in stronger)]
    _check_number(sizes, asked)
    wanted: dict[tuple[int, ...], None] = {}
    for group, of in asked:
        wanted.update(dict.fromkeys(combinations(sorted(group), min(of, len(group)))))
    if not stronger:
        return [one for one in wanted if one]
    parts = {
        part
        for one in wanted
        for length in range(1, len(one))
        for part in combinations(one, length)
    }
    return [one for one in wanted if one and one not in parts]


def _check_number(sizes: Sequence[int], asked: Sequence[tuple[Sequence[int], int]]) -> None:
    cells = 0
    for group, strength in asked:
        of = min(strength, len(group))
        if comb(len(group), of) * of > CELLS:
            raise TooHard(f"{comb(len(group), of):,} combinations of {of} variables are too many")
        cells += _symmetric([sizes[number] for number in group], of)
    if cells > CELLS:
        raise TooHard(f"{cells:,} tuples of values are too many to cover; {CELLS:,} can be")


def _symmetric(sizes: Sequence[int], degree: int) -> int:
    """The sum over all combinations of `degree` sizes of their product."""
    sums = [1] + [0] * degree
    for size in sizes:
        for at in range(degree, 0, -1):
            sums[at] += sums[at - 1] * size
    return sums[degree]


def _by_variable(
    number: int, members: Ints, strides: Ints
) -> tuple[tuple[Ints, ...], tuple[Ints, ...]]:
    real = strides > 0
    of: list[Ints] = []
    weight: list[Ints] = []
    for variable in range(number):
        here = (members == variable) & real
        chosen = np.flatnonzero(here.any(axis=1))
        of.append(chosen)
        weight.append((strides * here)[chosen].sum(axis=1))
    return tuple(of), tuple(weight)
