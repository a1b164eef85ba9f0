"""Crossover, mutation and repair of feature vectors, for pymoo.

In a vector an ordinal value is its index by the number of values, a categorical one its index.
Ordinal values vary as the middle of their interval, so that a step up is as likely as one down.
"""

# pymoo has no types.
# pyright: reportIncompatibleMethodOverride=false
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="misc,no-untyped-call,no-any-unimported"

from collections.abc import Container
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

from sparring.space import CaseSpace, TooHard

Vectors = NDArray[np.float64]


class FeatureVectors(Problem):
    """The vectors of a space, evaluated elsewhere."""

    def __init__(self, cases: CaseSpace, objectives: int) -> None:
        low, high = zip(*cases.bounds(), strict=True)
        super().__init__(n_var=len(low), n_obj=objectives, xl=np.array(low), xu=np.array(high))
        self.cases = cases
        sizes = np.array(cases.sizes)
        self.is_ordinal = np.array(cases.ordinal)
        self.ordinal = np.flatnonzero(self.is_ordinal)
        self.categorical = np.flatnonzero(~self.is_ordinal)
        self.category_sizes = sizes[self.categorical]
        self.middle = 0.5 / sizes[self.ordinal]
        self.zeros, self.ones = np.zeros(len(self.ordinal)), np.ones(len(self.ordinal))


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
                X[:, :, problem.ordinal] + problem.middle,
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
        cases = problem.cases
        made = np.empty_like(X)
        for at, vector in enumerate(X.tolist()):
            try:
                made[at] = cases.encoding.vector(
                    cases.repaired_indices(cases.encoding.nearest(vector))
                )
            except TooHard:  # left as it is: its case is left out for breaking constraints
                made[at] = cases.encoding.vector(cases.encoding.nearest(vector))
        return made


class NotSeen(DuplicateElimination):
    """Vectors of cases that were proposed before, or come twice, are no offspring."""

    def __init__(self, cases: CaseSpace, seen: Container[tuple[int, ...]]) -> None:
        super().__init__()
        self.cases = cases
        self.seen = seen

    def do(self, pop: Any, *args: Any, **_: Any) -> Any:
        nearest = self.cases.encoding.nearest
        taken = {tuple(one) for one in args[1].get("X").tolist()} if len(args) > 1 else set()
        kept: list[int] = []
        for at, vector in enumerate(pop.get("X").tolist()):
            key = tuple(vector)
            if key not in taken and nearest(vector) not in self.seen:
                taken.add(key)
                kept.append(at)
        return pop[kept]
