"""What NSGA-II costs beside pymoo alone, and what refusing duplicates costs at 20,000 cases."""

from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.core.repair import NoRepair

from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.verdict import Outcome, Verdict
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.nsga2 import Nsga2Strategy
from sparring_plugins.search.strategies.nsga2_search import (
    FeatureCrossover,
    FeatureMutation,
    FeatureVectors,
    WrittenBack,
)

SIZES = (9, 5, 15, 2, 4, 4, 5, 3, 3, 3, 4)
POPULATION, GENERATIONS, MOST = 20, 40, 1.2


CONSTRAINTS = (
    Constraint(expression="v0 != 0 or v1 == 0", assign={"v1": 0}),
    Constraint(expression="v2 < 9 or v4 != 1"),
    Constraint(expression="v5 > 0 or v6 == 0", assign={"v6": 0}),
    Constraint(expression="v8 + v9 < 4"),
    Constraint(expression="v3 == 0 or v10 != 3"),
)
"""Half of the random vectors break one of them."""


def scenario(*, constrained: bool) -> Scenario:
    variables = tuple(
        Variable(name=f"v{n}", domain=tuple(range(s)), scale="ordinal" if n > 5 else "categorical")
        for n, s in enumerate(SIZES)
    )
    constraints = CONSTRAINTS if constrained else ()
    return Scenario(name="s", variables=variables, constraints=constraints)


def of_strategy(*, constrained: bool) -> list[float]:
    strategy = FakeContext().build(Nsga2Strategy, objectives=["f1", "f2"])
    strategy.start(Space(scenarios=(scenario(constrained=constrained),)), 1)
    spent: list[float] = []
    for _ in range(GENERATIONS):
        began = process_time()
        cases = strategy.ask(POPULATION)
        asked = process_time() - began
        told = [(case, [verdict("f1", case.params["v0"]), verdict("f2", case.params["v2"])])
                for case in cases]  # fmt: skip
        began = process_time()
        for case, verdicts in told:
            strategy.tell(case, verdicts)
        spent.append(asked + process_time() - began)
    return spent


def verdict(check: str, value: Any) -> Verdict:
    return Verdict(oracle="f", check=check, outcome=Outcome.PASS, score=value / 20)


def of_pymoo(*, constrained: bool) -> list[float]:
    """The same operators in pymoo's own loop, with its own elimination of duplicates.

    Constraints are kept in the same way, by repair, for pymoo has no other for such vectors.
    """
    crossover: Any = FeatureCrossover(0.7, 3)
    mutation: Any = FeatureMutation(1 / len(SIZES), 3)
    problem = FeatureVectors(CaseSpace(scenario(constrained=constrained), FakeContext()), 2)
    drawn = np.random.default_rng(1).random((POPULATION, len(SIZES)))
    sampling = Population.new("X", drawn * problem.xu)
    algorithm: Any = NSGA2(
        pop_size=POPULATION,
        crossover=crossover,
        mutation=mutation,
        sampling=sampling,
        repair=WrittenBack() if constrained else NoRepair(),
    )
    algorithm.setup(problem, seed=1, verbose=False, termination=("n_gen", GENERATIONS + 1))
    spent: list[float] = []
    for _ in range(GENERATIONS):
        began = process_time()
        offspring = algorithm.ask()
        asked = process_time() - began
        offspring.set("F", offspring.get("X")[:, [0, 2]] / 20)
        offspring.apply(lambda one: one.evaluated.update(("F", "G", "H")))
        began = process_time()
        algorithm.tell(infills=offspring)
        spent.append(asked + process_time() - began)
    return spent


@pytest.mark.slow
@pytest.mark.parametrize("constrained", [False, True])
def test_a_generation_costs_little_more_than_pymoo_alone(constrained: bool) -> None:
    ratios = [
        median(of_strategy(constrained=constrained)[5:])
        / median(of_pymoo(constrained=constrained)[5:])
        for _ in range(5)
    ]
    assert min(ratios) <= MOST, f"{ratios} of what pymoo alone takes"
