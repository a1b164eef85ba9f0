"""NSGA-II over one scenario by pymoo: selection, variation, survival; cases are played elsewhere.

In a vector an ordinal value is its index divided by the number of values, a categorical one its
index. Ordinal values vary as the middle of their interval, so that a step up is as likely as one
down.
"""

# pymoo has no types.
# pyright: reportIncompatibleMethodOverride=false, reportMissingTypeStubs=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# mypy: disable-error-code="misc,no-any-unimported,no-untyped-call"

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import ceil, isinf
from random import Random
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.repair import Repair
from pymoo.operators.crossover.sbx import cross_sbx
from pymoo.operators.mutation.pm import mut_pm
from pymoo.operators.selection.tournament import TournamentSelection

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices, all_hold
from sparring_plugins.search.strategies.scenario_search import (
    Evaluated,
    ScenarioSearch,
    pack_rows,
    unpack_rows,
)

Vectors = NDArray[np.float64]

_SLACK = 1e-9
"""What rounding may take from an index on its way through a quotient."""


class FeatureVectors(Problem):
    """The vectors of a space; they are evaluated elsewhere."""

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
        """Return the indices that vectors stand for, as `CaseSpace.encoding` does, all at once."""
        scaled = vectors.reshape(-1, self.n_var) * self.scale
        places = np.where(self.is_ordinal, np.floor(scaled + _SLACK), np.rint(scaled))
        rows = np.clip(places, 0, self.most).astype(int).tolist()
        return [tuple(row) for row in rows]

    def encoded(self, rows: Sequence[Indices]) -> Vectors:
        """Return indices as vectors."""
        vectors: Vectors = np.array(rows, dtype=float).reshape(-1, self.n_var) / self.scale
        return vectors


def better_of_two(pop: Any, pairs: Any, algorithm: Any, **_: Any) -> Any:
    """Run the binary tournaments of pymoo's NSGA-II all at once, with the same winners.

    The dominating individual wins, else the less crowded one; ties are broken at random.
    """
    # pymoo's own comparison is a Python loop over pairs
    values, room = pop.get("F"), pop.get("crowding").astype(float)
    left, right = pairs.T
    no_worse, no_better = values[left] <= values[right], values[left] >= values[right]
    wins, loses = no_worse.all(axis=1), no_better.all(axis=1)
    tied = wins == loses
    wins = np.where(tied, room[left] > room[right], wins)
    winners = np.where(wins, left, right)
    for at in np.flatnonzero(tied & (room[left] == room[right])).tolist():
        winners[at] = algorithm.random_state.choice([left[at], right[at]])
    return winners


class FeatureCrossover(Crossover):
    """SBX for ordinal values, uniform crossover for categorical ones."""

    def __init__(self, prob: float, eta: float) -> None:
        super().__init__(2, 2, prob=prob)
        self.eta = eta

    def _do(
        self, problem: FeatureVectors, X: Vectors, *_: Any, random_state: Any, **__: Any
    ) -> Vectors:
        children = X.copy()
        matings = X.shape[1]
        if len(problem.categorical):
            swap = random_state.random((matings, len(problem.categorical))) < 0.5
            first, second = X[:, :, problem.categorical]
            children[0][:, problem.categorical] = np.where(swap, second, first)
            children[1][:, problem.categorical] = np.where(swap, first, second)
        if len(problem.ordinal):
            children[:, :, problem.ordinal] = cross_sbx(
                np.minimum(X[:, :, problem.ordinal] + problem.middle, 1),
                problem.zeros,
                problem.ones,
                np.full((matings, 1), self.eta),
                np.full((matings, 1), 0.5),
                np.full((matings, 1), 0.5),
                random_state=random_state,
            )
        return children


class FeatureMutation(Mutation):
    """Polynomial mutation for ordinal values, uniform mutation for categorical ones."""

    def __init__(self, rate: float, eta: float) -> None:
        super().__init__()
        self.rate = rate
        self.eta = eta

    def _do(
        self, problem: FeatureVectors, X: Vectors, *_: Any, random_state: Any, **__: Any
    ) -> Vectors:
        mutants = X.copy()
        count = len(X)
        if len(problem.categorical):
            change = random_state.random((count, len(problem.categorical))) < self.rate
            drawn = random_state.random((count, len(problem.categorical)))
            values = np.floor(drawn * problem.category_sizes)
            mutants[:, problem.categorical] = np.where(change, values, X[:, problem.categorical])
        if len(problem.ordinal):
            mutants[:, problem.ordinal] = mut_pm(
                X[:, problem.ordinal],
                problem.zeros,
                problem.ones,
                np.full(count, self.eta),
                np.full(count, self.rate),
                at_least_once=False,
                random_state=random_state,
            )
        return mutants


class WrittenBack(Repair):
    """Replaces vectors by those of the valid cases that they are repaired to."""

    def _do(self, problem: FeatureVectors, X: Vectors, **_: Any) -> Vectors:
        rows = problem.decoded(X)
        if problem.cases.restrictions:
            rows = [self._repair(problem.cases, row) for row in rows]
        return problem.encoded(rows)

    @staticmethod
    def _repair(cases: CaseSpace, row: Indices) -> Indices:
        try:
            return cases.repaired_indices(row)
        except TooHard:  # left as it is: its case is left out for breaking constraints
            return row


class NotSeen(DuplicateElimination):
    """Drops offspring whose cases were proposed before, or occur twice."""

    def __init__(self, problem: FeatureVectors, seen: Container[Indices]) -> None:
        super().__init__()
        self.problem = problem
        self.seen = seen

    def do(self, pop: Any, *args: Any, **_: Any) -> Any:
        """Return the individuals of a population that are new and not yet among the offspring."""
        decoded = self.problem.decoded
        taken = {*decoded(args[1].get("X"))} if len(args) > 1 and len(args[1]) else set[Indices]()
        kept: list[int] = []
        for at, row in enumerate(decoded(pop.get("X"))):
            if row not in taken and row not in self.seen:
                taken.add(row)
                kept.append(at)
        return pop if len(kept) == len(pop) else pop[kept]


_ROUNDS = 30
"""Matings tried for the offspring that are wanted, before random cases take their places."""

_MORE = 1.6
"""Children made for each that is wanted: some were proposed before, and mating anew costs more."""

_REPLACEMENTS = 12
"""Rounds of replacing refused offspring within a generation, before random cases come."""


@dataclass(frozen=True)
class Rates:
    """The parameters of variation: population, probabilities, distribution indices."""

    population: int
    crossover: float
    mutation: float
    eta_crossover: float
    eta_mutation: float


class Nsga2Search(ScenarioSearch):
    """The generations over one scenario.

    The first are random cases. If mating finds no case that was not proposed before, or if
    offspring were refused again and again, random cases take their places (`immigrants`).
    """

    def __init__(self, cases: CaseSpace, seed: int, rates: Rates) -> None:
        super().__init__(cases, seed)
        self.rates = rates
        self._replacing = 0
        self._first: list[Evaluated] = []
        self._algorithm: Any = None

    @property
    def batch(self) -> int:
        return self.rates.population

    @property
    def population(self) -> list[Indices]:
        """The cases that survived."""
        if self._algorithm is None:
            return [row for row, _ in self._first]
        return self._rows(self._algorithm.pop)

    # proposing

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        self._replacing += 1
        if self._algorithm is None or self._replacing > _REPLACEMENTS:
            return ()
        algorithm = self._algorithm
        algorithm.random_state = np.random.default_rng(draw.getrandbits(64))
        rows: dict[Indices, None] = {}
        for _ in range(_ROUNDS):
            if len(rows) >= number:
                break
            offspring = algorithm.mating.do(
                algorithm.problem,
                algorithm.pop,
                ceil(_MORE * (number - len(rows))) + 1,
                algorithm=algorithm,
                random_state=algorithm.random_state,
                n_max_iterations=1,
            )
            rows.update(
                (row, None)
                for row in self._rows(offspring)
                if all_hold(self.cases.restrictions, row)
            )
        return list(rows)[:number]

    def propose(self, number: int) -> list[Indices]:
        first = self._algorithm is None
        before = self.immigrants
        rows = super().propose(number)
        if first:  # the first generation is random by design
            self.immigrants = before
        return rows

    def _rows(self, population: Any) -> list[Indices]:
        rows: list[Indices] = self._algorithm.problem.decoded(population.get("X"))
        return rows

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        self._replacing = 0
        if self._algorithm is None:
            self._first += evaluated
            if len(self._first) >= min(self.rates.population, 2) and (
                len(self._first) >= self.rates.population or len(evaluated) > 1 or self.exhausted
            ):
                self._begin()
            return
        algorithm = self._algorithm
        offspring = self._evaluate_rows(evaluated, algorithm.problem)
        algorithm.random_state = np.random.default_rng([self.seed, self.round])
        merged = Population.merge(algorithm.pop, offspring)
        algorithm.pop = algorithm.survival.do(
            algorithm.problem,
            merged,
            n_survive=self.rates.population,
            algorithm=algorithm,
            random_state=algorithm.random_state,
        )

    def _begin(self) -> None:
        """Let the first generation survive."""
        first, self._first = self._first, []
        algorithm = self._make_algorithm(len(first[0][1].objectives))
        algorithm.pop = algorithm.survival.do(
            algorithm.problem,
            self._evaluate_rows(first, algorithm.problem),
            n_survive=self.rates.population,
            algorithm=algorithm,
            random_state=np.random.default_rng([self.seed, 0]),
        )
        self._algorithm = algorithm

    def _make_algorithm(self, objectives: int) -> Any:
        rates = self.rates
        problem = FeatureVectors(self.cases, objectives)
        crossover: Any = FeatureCrossover(rates.crossover, rates.eta_crossover)
        mutation: Any = FeatureMutation(rates.mutation, rates.eta_mutation)
        algorithm: Any = NSGA2(
            pop_size=rates.population,
            selection=TournamentSelection(func_comp=better_of_two),
            crossover=crossover,
            mutation=mutation,
            repair=WrittenBack(),
            eliminate_duplicates=NotSeen(problem, self.seen),
        )
        algorithm.setup(problem, seed=0, verbose=False)
        return algorithm

    def _evaluate_rows(self, evaluated: Sequence[Evaluated], problem: FeatureVectors) -> Any:
        vectors = problem.encoded([row for row, _ in evaluated])
        values = np.array([evaluation.objectives for _, evaluation in evaluated])
        return self._individuals_of(vectors, values)

    @staticmethod
    def _individuals_of(vectors: Any, values: Any) -> Any:
        population = Population.new("X", vectors)
        population.set("F", values)
        for individual in population:
            individual.evaluated.update(("F", "G", "H"))
        return population

    # saving

    def state(self) -> dict[str, JsonValue]:
        state = super().state()
        state["replacing"] = self._replacing
        state["first"] = [
            [list(row), list(evaluation.objectives)] for row, evaluation in self._first
        ]
        if self._algorithm is not None:
            pop = self._algorithm.pop
            state["population"] = {
                "rows": pack_rows(self.population, self.cases.sizes),
                "objectives": [list(map(float, individual.F)) for individual in pop],
                "rank": [int(individual.get("rank")) for individual in pop],
                "crowding": [_finite(individual.get("crowding")) for individual in pop],
            }
        return state

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        from sparring_plugins.search.strategies.scenario_search import Evaluation

        self._replacing = int(state["replacing"])
        self._first = [
            (tuple(map(int, row)), Evaluation(tuple(map(float, values)), False))
            for row, values in state["first"]
        ]
        self._algorithm = None
        saved = state.get("population")
        if saved is None:
            return
        rows = unpack_rows(saved["rows"], self.cases.sizes)
        values = np.array(saved["objectives"], dtype=float)
        algorithm = self._make_algorithm(values.shape[1])
        vectors = np.array([self.cases.encoding.vector(row) for row in rows])
        pop = self._individuals_of(vectors, values)
        for individual, rank, crowding in zip(pop, saved["rank"], saved["crowding"], strict=True):
            individual.set("rank", int(rank))
            individual.set("crowding", np.inf if crowding is None else float(crowding))
        algorithm.pop = pop
        self._algorithm = algorithm


def _finite(crowding: Any) -> JsonValue:
    value = float(crowding)
    return None if isinf(value) else cast("JsonValue", value)
