"""Random testing: even, without repeats, only valid cases, resumed anywhere."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.random import RandomStrategy


def space(*sizes: int) -> Space:
    variables = tuple(Variable(name=f"v{n}", domain=tuple(range(s))) for n, s in enumerate(sizes))
    rule = Constraint(expression="v0 != 0 or v1 == 0", assign={"v1": 0})
    return Space(scenarios=(Scenario(name="s", variables=variables, constraints=(rule,)),))


def started(where: Space, seed: int = 0, **settings: object) -> RandomStrategy:
    strategy = FakeContext().build(RandomStrategy, **settings)
    strategy.start(where, seed)
    return strategy


@pytest.mark.parametrize("invalid", ["reject", "repair"])
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 99))
def test_every_valid_case_comes_once(invalid: str, sizes: list[int], seed: int) -> None:
    where = space(*sizes)
    found = started(where, seed, invalid=invalid).ask(10_000)
    cases = CaseSpace(where.scenarios[0], FakeContext())
    assert all(cases.holds(case.params) for case in found)
    assert len({case.id for case in found}) == len(found)
    if invalid == "reject":
        assert len(found) == cases.count().number


@pytest.mark.thorough
def test_every_valid_case_is_as_likely_as_any_other() -> None:
    first = Counter(
        tuple(started(space(3, 4), seed).ask(1)[0].params.values()) for seed in range(1_800)
    )
    assert len(first) == 9
    assert all(140 < number < 265 for number in first.values())


@given(st.integers(0, 30), st.sampled_from(["reject", "repair"]))
def test_it_goes_on_where_it_was(stop: int, invalid: str) -> None:
    where = space(4, 3, 3)
    whole = started(where, invalid=invalid).ask(30)
    first, second = started(where, invalid=invalid), started(where, invalid=invalid)
    begun = first.ask(stop)
    second.restore(json.loads(json.dumps(first.state())))
    assert [*begun, *second.ask(30 - len(begun))] == whole


def weighted() -> Space:
    scenario = space(3, 2).scenarios[0]
    first = scenario.variables[0].model_copy(update={"selector": "weights(1, 8, 1)"})
    update = {"variables": (first, *scenario.variables[1:])}
    return Space(scenarios=(scenario.model_copy(update=update),))


@pytest.mark.parametrize("invalid", ["reject", "repair"])
def test_weighted_values_come_as_often_as_real_users_have_them(invalid: str) -> None:
    asked = started(weighted(), invalid=invalid).ask(1_000)
    counts = Counter(case.params["v0"] for case in asked)
    assert 750 < counts[1] < 860
    assert counts[0] + counts[2] > 100
    assert len({case.id for case in asked}) == len({case.seed for case in asked}) == 1_000
    cases = CaseSpace(weighted().scenarios[0], FakeContext())
    assert all(cases.holds(case.params) for case in asked)
    assert len(started(weighted(), weights=False).ask(100)) == 5


@given(st.integers(0, 30), st.sampled_from(["reject", "repair"]))
def test_weighted_cases_go_on_where_they_were(stop: int, invalid: str) -> None:
    whole = started(weighted(), invalid=invalid).ask(30)
    first, second = started(weighted(), invalid=invalid), started(weighted(), invalid=invalid)
    begun = first.ask(stop)
    second.restore(json.loads(json.dumps(first.state())))
    assert [*begun, *second.ask(30 - len(begun))] == whole
