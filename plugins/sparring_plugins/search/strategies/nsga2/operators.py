"""Crossover, mutation and repair of feature vectors, for pymoo.

In a vector an ordinal value is its index by the number of values, a categorical one its index.
Ordinal values vary as the middle of their interval, so that a step up is as likely as one down.
"""

# pymoo has no types.
# pyright: reportIncompatibleMethodOverride=false
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="misc,no-untyped-call,no-any-unimported"

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.operators.crossover.sbx import cross_sbx
from pymoo.operators.mutation.pm import mut_pm

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices

Vectors = NDArray[np.float64]

_SLACK = 1e-9
"""What rounding may take from an index on its way through a quotient."""


class FeatureVectors(Problem):
    """The vectors of a space, evaluated elsewhere."""

    def __init__(self, cases: CaseSpace, objectives: int) -> None:
        low, high = zip(*cases.bounds(), strict=True)
        super().__init__(n_var=len(low), n_obj=objectives, xl=np.array(low), xu=np.array(high))
        self.cases = cases
        sizes = np.array(cases.sizes)
        self.scale = np.where(cases.ordinal, sizes, 1).astype(float)
        self.most = sizes - 1
        self.is_ordinal = np.array(cases.ordinal)
        self.ordinal = np.flatnonzero(self.is_ordinal)
        self.categorical = np.flatnonzero(~self.is_ordinal)
        self.category_sizes = sizes[self.categorical]
        self.middle = 0.5 / sizes[self.ordinal]
        self.zeros, self.ones = np.zeros(len(self.ordinal)), np.ones(len(self.ordinal))

    def decoded(self, vectors: Vectors) -> list[Indices]:
        """The indices that vectors stand for, as `CaseSpace.encoding` has it, all at once."""
        scaled = vectors.reshape(-1, self.n_var) * self.scale
        places = np.where(self.is_ordinal, np.floor(scaled + _SLACK), np.rint(scaled))
        rows = np.clip(places, 0, self.most).astype(int).tolist()
        return [tuple(row) for row in rows]

    def encoded(self, rows: Sequence[Indices]) -> Vectors:
        """Indices as vectors."""
        found: Vectors = np.array(rows, dtype=float).reshape(-1, self.n_var) / self.scale
        return found


def better_of_two(pop: Any, pairs: Any, algorithm: Any, **_: Any) -> Any:
    """The binary tournaments of pymoo's NSGA-II, all at once, with the same winners.

    Who dominates wins, else who is less crowded; chance decides between equals.
    """
    values, room = pop.get("F"), pop.get("crowding").astype(float)
    one, other = pairs.T
    no_worse, no_better = values[one] <= values[other], values[one] >= values[other]
    wins, loses = no_worse.all(axis=1), no_better.all(axis=1)
    even = wins == loses
    wins = np.where(even, room[one] > room[other], wins)
    winners = np.where(wins, one, other)
    for at in np.flatnonzero(even & (room[one] == room[other])).tolist():
        winners[at] = algorithm.random_state.choice([one[at], other[at]])
    return winners


class FeatureCrossover(Crossover):
    """SBX for ordinal values, uniform crossover for categorical ones."""

    def __init__(self, prob: float, eta: float) -> None:
        super().__init__(2, 2, prob=prob)
        self.eta = eta

    def _do(
        self, problem: FeatureVectors, X: Vectors, *_: Any, random_state: Any, **__: Any
    ) -> Vectors:
        made = X.copy()
        matings = X.shape[1]
        if len(problem.categorical):
            swap = random_state.random((matings, len(problem.categorical))) < 0.5
            first, second = X[:, :, problem.categorical]
            made[0][:, problem.categorical] = np.where(swap, second, first)
            made[1][:, problem.categorical] = np.where(swap, first, second)
        if len(problem.ordinal):
            made[:, :, problem.ordinal] = cross_sbx(
                np.minimum(X[:, :, problem.ordinal] + problem.middle, 1),
                problem.zeros,
                problem.ones,
                np.full((matings, 1), self.eta),
                np.full((matings, 1), 0.5),
                np.full((matings, 1), 0.5),
                random_state=random_state,
            )
        return made


class FeatureMutation(Mutation):
    """Polynomial mutation for ordinal values, uniform mutation for categorical ones."""

    def __init__(self, rate: float, eta: float) -> None:
        super().__init__()
        self.rate = rate
        self.eta = eta

    def _do(
        self, problem: FeatureVectors, X: Vectors, *_: Any, random_state: Any, **__: Any
    ) -> Vectors:
        made = X.copy()
        count = len(X)
        if len(problem.categorical):
            change = random_state.random((count, len(problem.categorical))) < self.rate
            drawn = random_state.random((count, len(problem.categorical)))
            values = np.floor(drawn * problem.category_sizes)
            made[:, problem.categorical] = np.where(change, values, X[:, problem.categorical])
        if len(problem.ordinal):
            made[:, problem.ordinal] = mut_pm(
                X[:, problem.ordinal],
                problem.zeros,
                problem.ones,
                np.full(count, self.eta),
                np.full(count, self.rate),
                at_least_once=False,
                random_state=random_state,
            )
        return made


class WrittenBack(Repair):
    """Vectors become those of the valid cases that they are repaired to."""

    def _do(self, problem: FeatureVectors, X: Vectors, **_: Any) -> Vectors:
        rows = problem.decoded(X)
        if problem.cases.restrictions:
            rows = [self._repaired(problem.cases, row) for row in rows]
        return problem.encoded(rows)

    @staticmethod
    def _repaired(cases: CaseSpace, row: Indices) -> Indices:
        try:
            return cases.repaired_indices(row)
        except TooHard:  # left as it is: its case is left out for breaking constraints
            return row


class NotSeen(DuplicateElimination):
    """Vectors of cases that were proposed before, or come twice, are no offspring."""

    def __init__(self, problem: FeatureVectors, seen: Container[Indices]) -> None:
        super().__init__()
        self.problem = problem
        self.seen = seen

    def do(self, pop: Any, *args: Any, **_: Any) -> Any:
        """Those of a population that are new, and not among the offspring so far."""
        decoded = self.problem.decoded
        taken = {*decoded(args[1].get("X"))} if len(args) > 1 and len(args[1]) else set[Indices]()
        kept: list[int] = []
        for at, row in enumerate(decoded(pop.get("X"))):
            if row not in taken and row not in self.seen:
                taken.add(row)
                kept.append(at)
        return pop if len(kept) == len(pop) else pop[kept]
