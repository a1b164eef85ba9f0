"""Covering arrays: every tuple of valid cases, and no invalid case, by brute force."""

import json
from collections.abc import Sequence
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.sampling import Component
from sparring_plugins.search.strategies.t_wise.interactions import SatSolver, coverage
from sparring_plugins.search.strategies.t_wise.strategy import TWiseStrategy

Row = tuple[int, ...]

CONSTRAINTS = (
    "v0 != 0 or v1 == 0",
    "v1 + v2 != 3",
    "not (v0 == 1 and v2 == 1)",
    "v2 <= v1 + 1",
)


def scenario(sizes: Sequence[int], constraints: Sequence[str]) -> Scenario:
    variables = tuple(
        Variable(name=f"v{n}", domain=tuple(range(size)), group="even" if n % 2 == 0 else "odd")
        for n, size in enumerate(sizes)
    )
    made = tuple(Constraint(expression=one) for one in constraints)
    return Scenario(name="s", variables=variables, constraints=made)


def rows(space: Space, **settings: object) -> list[Row]:
    strategy = FakeContext().build(TWiseStrategy, **settings)
    strategy.start(space, 3)
    return [tuple(case.params.values()) for case in strategy.ask(100_000)]  # type: ignore[arg-type]


def tuples(cases: list[Row], strength: int) -> set[tuple[tuple[int, int], ...]]:
    return {
        tuple((at, row[at]) for at in members)
        for row in cases
        for members in combinations(range(len(row)), min(strength, len(row)))
    }


def valid(one: Scenario) -> list[Row]:
    space = CaseSpace(one, FakeContext())
    everything = product(*(variable.domain for variable in one.variables))
    return [row for row in everything if space.holds(dict(zip(space.names, row, strict=True)))]  # type: ignore[misc]


@given(
    st.lists(st.integers(1, 4), min_size=3, max_size=5),
    st.lists(st.sampled_from(CONSTRAINTS), unique=True, max_size=3),
    st.integers(1, 4),
)
def test_all_tuples_of_valid_cases_are_covered_by_valid_cases(
    sizes: list[int], constraints: list[str], strength: int
) -> None:
    one = scenario(sizes, constraints)
    possible = valid(one)
    if not possible:
        with pytest.raises(ConfigurationError):
            rows(Space(scenarios=(one,)), strength=strength, effort=0.1)
        return
    found = rows(Space(scenarios=(one,)), strength=strength, effort=0.1)
    assert set(found) <= set(possible)
    assert tuples(found, strength) == tuples(possible, strength)
    assert len(set(found)) == len(found)


def test_a_stronger_group_is_covered_with_its_own_strength() -> None:
    one = scenario([3, 2, 3, 2, 3], ["v0 != 0 or v1 == 0"])
    found = rows(Space(scenarios=(one,)), strength=2, groups={"even": 3})
    even = [(row[0], row[2], row[4]) for row in found]
    assert tuples(even, 3) == tuples([(r[0], r[2], r[4]) for r in valid(one)], 3)
    assert tuples(found, 2) == tuples(valid(one), 2)


def test_seeds_come_first_and_what_they_leave_open_is_filled_in() -> None:
    one = scenario([3, 3, 3], ["v0 != 0 or v1 == 0"])
    seeds = [{"v0": 2, "v2": 1}, {"v0": 0, "v1": 0, "v2": 2}]
    found = rows(Space(scenarios=(one,)), seeds=seeds)
    assert (found[0][0], found[0][2]) == (2, 1)
    assert found[1] == (0, 0, 2)
    with pytest.raises(ConfigurationError, match="no valid case has the values of the seed"):
        rows(Space(scenarios=(one,)), seeds=[{"v0": 0, "v1": 1}])


def test_a_row_that_is_missing_is_counted_as_missing() -> None:
    import numpy as np

    one = scenario([2, 3, 2], ["v0 != 0 or v1 == 0"])
    space = CaseSpace(one, FakeContext())
    found = rows(Space(scenarios=(one,)))
    assert coverage(space, np.array(found), 2).complete
    assert not coverage(space, np.array(found[1:]), 2).complete
    assert coverage(space, np.array([*found, (0, 1, 0)]), 2).invalid == 1


@given(st.lists(st.integers(2, 3), min_size=3, max_size=5), st.data())
def test_the_solver_agrees_with_brute_force(sizes: list[int], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(CONSTRAINTS), min_size=1, unique=True))
    one = scenario(sizes, chosen)
    space = CaseSpace(one, FakeContext())
    numbers = tuple(range(len(sizes)))
    component = Component(numbers, space.sizes, tuple(space.restrictions), None)
    solver, possible = SatSolver(component), valid(one)
    for at in numbers:
        for value in range(sizes[at]):
            found = solver.found({at: value})
            assert (found is not None) == any(row[at] == value for row in possible)
            assert found is None or (found in possible and found[at] == value)


def test_equal_seeds_give_equal_arrays_and_a_run_goes_on_where_it_was() -> None:
    space = Space(scenarios=(scenario([3, 3, 2, 2], []),))
    assert rows(space) == rows(space)
    first, second = (FakeContext().build(TWiseStrategy) for _ in range(2))
    first.start(space, 3)
    second.start(space, 3)
    begun = first.ask(4)
    second.restore(json.loads(json.dumps(first.state())))
    assert [tuple(c.params.values()) for c in [*begun, *second.ask(99)]] == rows(space)
    with pytest.raises(StoredRunError, match="another suite"):
        second.restore({"position": 999})
