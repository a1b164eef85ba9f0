"""Covering arrays: built greedily, made smaller, ordered, counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

import numpy as np
from numpy.random import RandomState

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.t_wise.greedy import Greedy
from sparring_plugins.search.strategies.t_wise.interactions import (
    Flags,
    Interactions,
    Ints,
    interactions,
)
from sparring_plugins.search.strategies.t_wise.reduction import Reduction
from sparring_plugins.search.strategies.t_wise.requirements import Wanted
from sparring_plugins.search.strategies.t_wise.validity import Validity

_BUILDING = 1_200_000_000
_REDUCING = 600_000_000
"""Cells looked at to build an array and to make it smaller, about and at most, at effort 1."""

_PATIENCE = 20_000_000_000
"""Cells looked at to make an array smaller by all of its rows, at most, at effort 1."""

_CALL = 5_000
"""What looking at a variable costs besides the cells, in cells."""

_MOST_CANDIDATES = 10
_MOST_SWEEPS = 4
_TABLE = 30_000_000
"""Cells of all rows of an array that is still made smaller."""


@dataclass(frozen=True)
class CoveringArray:
    """Rows of indices such that every tuple of the valid cases is in one of them.

    The rows of the seeds come first, and then each row that covers most of what is left. `tuples`
    counts the tuples that are covered and `excluded` those that no valid case contains; no array
    has fewer than `bound` rows.
    """

    rows: Ints
    tuples: int
    excluded: int
    bound: int


def covering_array(cases: CaseSpace, wanted: Wanted, seed: int) -> CoveringArray:
    """An array for the valid cases of a space; equal arguments give equal arrays.

    Raises ConfigurationError for constraints that no case satisfies and for invalid seeds,
    TooHard for too many tuples, MissingExtra where constraints need a solver that is missing.
    """
    validity = Validity(cases)
    model = interactions(cases.sizes, wanted.strength, wanted.stronger)
    if not model.cells:
        return CoveringArray(np.zeros((0, len(cases.sizes)), dtype=np.intp), 0, 0, 0)
    valid = validity.possible(model)
    bound = int(np.add.reduceat(valid, model.first, dtype=np.intp).max())
    draw = RandomState(seed % 2**32)
    greedy = Greedy(model, validity, valid.copy(), draw, *_pace(model, bound, wanted.effort))
    rows = _seeded(cases, validity, greedy, wanted.seeds)
    kept = len(rows)
    while greedy.left.any():
        rows.append(greedy.row())
    array = np.array(rows)
    budget = int(wanted.effort * min(_REDUCING, 2_000_000 + 20 * greedy.work))
    if budget and len(rows) > max(bound, kept) and len(rows) * len(model.first) <= _TABLE:
        patience = int(wanted.effort * _PATIENCE / len(rows))
        array = Reduction(model, validity, array, kept, draw).reduced(budget, patience, bound)
    array = _ordered(model, valid, array, kept)
    tuples = int(valid.sum())
    return CoveringArray(array, tuples, model.cells - tuples, bound)


def _pace(model: Interactions, bound: int, effort: float) -> tuple[int, int]:
    """How many candidates for each row, and sweeps over them, the work of building allows."""
    sweep = sum(len(of) * int(size) for of, size in zip(model.of, model.sizes, strict=True))
    calls = _CALL * len(model.sizes)
    allowed = effort * _BUILDING / (6 * bound)
    candidates = max(1, min(_MOST_CANDIDATES, int((allowed - calls) / sweep)))
    sweeps = max(1, min(_MOST_SWEEPS, int(_MOST_SWEEPS * allowed / (calls + sweep))))
    return candidates, sweeps


def _seeded(
    cases: CaseSpace, validity: Validity, greedy: Greedy, seeds: Sequence[Mapping[int, int]]
) -> list[Ints]:
    """The rows that have to be in, each once, what they leave open filled in."""
    rows: list[Ints] = []
    for seed in seeds:
        if not validity.feasible(seed):
            told = ", ".join(
                f"{cases.names[n]} = {cases.scenario.variables[n].domain[at]!r}"
                for n, at in seed.items()
            )
            message = f"no valid case has the values of the seed {told}"
            raise ConfigurationError(Problem(message, cases.scenario.source, key="seeds"))
        members = np.array(sorted(seed), dtype=np.intp)
        values = np.array([seed[n] for n in members.tolist()], dtype=np.intp)
        if not any((row[members] == values).all() for row in rows):
            rows.append(greedy.completed(members, values))
    return rows


def _ordered(model: Interactions, valid: Flags, rows: Ints, kept: int) -> Ints:
    """The rows with those first that cover most of what is left; those that cover nothing go."""
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
