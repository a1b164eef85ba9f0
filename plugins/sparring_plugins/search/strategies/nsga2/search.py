"""NSGA-II over one scenario: pymoo selects, varies and lets survive; playing happens elsewhere."""

# pymoo has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isinf
from random import Random
from typing import Any, cast

import numpy as np
from pydantic import JsonValue
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.operators.selection.tournament import TournamentSelection

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.nsga2.operators import (
    FeatureCrossover,
    FeatureMutation,
    FeatureVectors,
    NotSeen,
    WrittenBack,
    better_of_two,
)
from sparring_plugins.search.strategies.searching.packed_rows import packed_rows, unpacked_rows
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch, Told

_ROUNDS = 30
"""Matings tried for the offspring that are wanted, before random cases take their places."""

_MORE = 1.6
"""Children made for each that is wanted: some were proposed before, and mating anew costs more."""

_REPLACEMENTS = 12
"""Rounds of replacing refused offspring within a generation, before random cases come."""


@dataclass(frozen=True)
class Rates:
    """How NSGA-II varies: population, probabilities, distribution indices."""

    population: int
    crossover: float
    mutation: float
    eta_crossover: float
    eta_mutation: float


class Nsga2Search(ScenarioSearch):
    """The generations over one scenario.

    The first are random cases. Where mating finds no case that was not proposed before, and where
    offspring were refused again and again, random cases take their places (`immigrants`).
    """

    def __init__(self, cases: CaseSpace, seed: int, rates: Rates) -> None:
        super().__init__(cases, seed)
        self.rates = rates
        self._replacing = 0
        self._first: list[Told] = []
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
            made = algorithm.mating.do(
                algorithm.problem,
                algorithm.pop,
                ceil(_MORE * (number - len(rows))) + 1,
                algorithm=algorithm,
                random_state=algorithm.random_state,
                n_max_iterations=1,
            )
            rows.update((row, None) for row in self._rows(made) if self._valid(row))
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

    def _valid(self, row: Indices) -> bool:
        return all(one.holds(row) for one in self.cases.restrictions)

    # learning

    def learn(self, told: Sequence[Told]) -> None:
        self._replacing = 0
        if self._algorithm is None:
            self._first += told
            if len(self._first) >= min(self.rates.population, 2) and (
                len(self._first) >= self.rates.population or len(told) > 1 or self.exhausted
            ):
                self._begin()
            return
        algorithm = self._algorithm
        offspring = self._evaluated(told, algorithm.problem)
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
        algorithm = self._made(len(first[0][1].objectives))
        algorithm.pop = algorithm.survival.do(
            algorithm.problem,
            self._evaluated(first, algorithm.problem),
            n_survive=self.rates.population,
            algorithm=algorithm,
            random_state=np.random.default_rng([self.seed, 0]),
        )
        self._algorithm = algorithm

    def _made(self, objectives: int) -> Any:
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

    def _evaluated(self, told: Sequence[Told], problem: FeatureVectors) -> Any:
        vectors = problem.encoded([row for row, _ in told])
        values = np.array([one.objectives for _, one in told])
        return self._individuals_of(vectors, values)

    @staticmethod
    def _individuals_of(vectors: Any, values: Any) -> Any:
        made = Population.new("X", vectors)
        made.set("F", values)
        for one in made:
            one.evaluated.update(("F", "G", "H"))
        return made

    # saving

    def state(self) -> dict[str, JsonValue]:
        made = super().state()
        made["replacing"] = self._replacing
        made["first"] = [[list(row), list(one.objectives)] for row, one in self._first]
        if self._algorithm is not None:
            pop = self._algorithm.pop
            made["population"] = {
                "rows": packed_rows(self.population, self.cases.sizes),
                "objectives": [list(map(float, one.F)) for one in pop],
                "rank": [int(one.get("rank")) for one in pop],
                "crowding": [_finite(one.get("crowding")) for one in pop],
            }
        return made

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        from sparring_plugins.search.strategies.searching.evaluation import Evaluation

        self._replacing = int(state["replacing"])
        self._first = [
            (tuple(map(int, row)), Evaluation(tuple(map(float, values)), False))
            for row, values in state["first"]
        ]
        self._algorithm = None
        saved = state.get("population")
        if saved is None:
            return
        rows = unpacked_rows(saved["rows"], self.cases.sizes)
        values = np.array(saved["objectives"], dtype=float)
        algorithm = self._made(values.shape[1])
        vectors = np.array([self.cases.encoding.vector(row) for row in rows])
        pop = self._individuals_of(vectors, values)
        for one, rank, crowding in zip(pop, saved["rank"], saved["crowding"], strict=True):
            one.set("rank", int(rank))
            one.set("crowding", np.inf if crowding is None else float(crowding))
        algorithm.pop = pop
        self._algorithm = algorithm


def _finite(crowding: Any) -> JsonValue:
    value = float(crowding)
    return None if isinf(value) else cast("JsonValue", value)
