"""Crossover, mutation and repair keep to the space, whatever the parents are."""

# pymoo has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymoo.algorithms.moo.nsga2 import NSGA2, binary_tournament
from pymoo.core.population import Population

from sparring.model.space import Constraint, Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.nsga2_search import (
    FeatureCrossover,
    FeatureMutation,
    FeatureVectors,
    NotSeen,
    WrittenBack,
    better_of_two,
)

CONSTRAINTS = [
    Constraint(expression="not (v0 == 0) or v1 == 0", when="v0 == 0", assign={"v1": 0}),
    Constraint(expression="v1 + v2 != 3"),
    Constraint(expression="not (v0 == 1 and v2 == 1)"),
]


def space(sizes: Sequence[int], ordinal: Sequence[bool], rules: Sequence[Constraint]) -> CaseSpace:
    variables = tuple(
        Variable(
            name=f"v{at}",
            domain=tuple(range(size)),
            scale="ordinal" if ordinal[at % len(ordinal)] else "categorical",
        )
        for at, size in enumerate(sizes)
    )
    return CaseSpace(
        Scenario(name="s", variables=variables, constraints=tuple(rules)), FakeContext()
    )


SPACES = st.builds(
    space,
    st.lists(st.integers(2, 7), min_size=3, max_size=6),
    st.lists(st.booleans(), min_size=1, max_size=6),
    st.lists(st.sampled_from(CONSTRAINTS), unique_by=lambda one: one.expression),
)


def drawn(cases: CaseSpace, number: int, seed: int) -> Any:
    """Valid rows, as vectors."""
    chance = np.random.default_rng(seed)
    rows = chance.integers(0, cases.sizes, (number, len(cases.sizes))).tolist()
    repaired = [cases.repaired_indices(tuple(row)) for row in rows]
    return FeatureVectors(cases, 1).encoded(repaired)


@given(SPACES, st.integers(0, 999))
def test_vectors_lead_back_to_their_rows_as_one_by_one(cases: CaseSpace, seed: int) -> None:
    problem = FeatureVectors(cases, 2)
    vectors = drawn(cases, 9, seed)
    rows = problem.decoded(vectors)
    assert np.array_equal(problem.encoded(rows), vectors)
    assert rows == [cases.encoding.nearest(one) for one in vectors.tolist()]
    assert vectors.tolist() == [cases.encoding.vector(row) for row in rows]
    assert (vectors >= problem.xl).all()
    assert (vectors <= problem.xu).all()


@given(SPACES, st.integers(0, 999), st.floats(0, 1), st.floats(0.1, 30))
def test_children_are_valid_cases_within_the_space(
    cases: CaseSpace, seed: int, rate: float, eta: float
) -> None:
    problem = FeatureVectors(cases, 1)
    parents = np.stack([drawn(cases, 8, seed), drawn(cases, 8, seed + 1)])
    chance = np.random.default_rng(seed)
    crossed = FeatureCrossover(1.0, eta)._do(problem, parents, random_state=chance)
    for some in crossed:
        mutated = FeatureMutation(rate, eta)._do(problem, some, random_state=chance)
        children = WrittenBack()._do(problem, mutated)
        rows = problem.decoded(children)
        assert all(cases.holds(cases.params(row)) for row in rows)
        assert all(
            0 <= at < size for row in rows for at, size in zip(row, cases.sizes, strict=True)
        )
        assert np.array_equal(problem.encoded(rows), children), "the repair is not written back"


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_without_mutation_a_child_has_the_values_of_its_parents(rate: float) -> None:
    cases = space([6] * 5, [False], [])
    problem = FeatureVectors(cases, 1)
    parents = np.stack([drawn(cases, 30, 1), drawn(cases, 30, 2)])
    chance = np.random.default_rng(3)
    crossed = FeatureCrossover(1.0, 3)._do(problem, parents, random_state=chance)
    assert ((crossed == parents[0]) | (crossed == parents[1])).all()
    assert not np.array_equal(crossed, parents), "nothing was crossed"
    mutated = FeatureMutation(rate, 3)._do(problem, crossed[0], random_state=chance)
    assert np.array_equal(mutated, crossed[0]) == (rate == 0)


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=4, max_size=12),
    st.lists(st.sampled_from([0.0, 0.3, float("inf")]), min_size=12, max_size=12),
    st.integers(0, 999),
)
def test_tournaments_end_as_those_of_pymoo(
    values: list[tuple[float, float]], crowding: list[float], seed: int
) -> None:
    population: Any = Population.new("F", np.array(values))
    population.set("crowding", crowding[: len(values)])
    population.set("rank", [0] * len(values))
    pairs = np.random.default_rng(seed).integers(0, len(values), (20, 2))
    found: list[Any] = []
    for tournament in (binary_tournament, better_of_two):
        algorithm: Any = NSGA2(pop_size=4)
        algorithm.random_state = np.random.default_rng(seed)
        winners = tournament(population, pairs, algorithm)
        found.append((winners.ravel().tolist(), algorithm.random_state.random()))
    assert found[0] == found[1]


def test_what_was_proposed_or_comes_twice_is_no_offspring() -> None:
    cases = space([3, 3], [False], [])
    problem = FeatureVectors(cases, 1)
    rows = [(0, 0), (1, 1), (0, 0), (2, 2), (1, 2)]
    population: Any = Population.new("X", problem.encoded(rows))
    others: Any = Population.new("X", problem.encoded([(1, 2)]))
    kept = NotSeen(problem, {(2, 2)}).do(population, population[:0], others)
    assert problem.decoded(kept.get("X")) == [(0, 0), (1, 1)]
