"""The strategy `exhaustive`: everything, as often as wanted, once each."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.model.space import Scenario, Space, Variable
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.exhaustive import ExhaustiveConfig, ExhaustiveStrategy


def strategy(repeats: int = 1, *domains: int) -> ExhaustiveStrategy:
    variables = tuple(
        Variable(name=f"v{n}", domain=tuple(range(size))) for n, size in enumerate(domains)
    )
    made = ExhaustiveStrategy(ExhaustiveConfig(repeats=repeats), FakeContext())
    scenarios = (Scenario(name="a", variables=variables), Scenario(name="b"))
    made.start(Space(scenarios=scenarios), 7)
    return made


def drained(made: ExhaustiveStrategy, step: int) -> list[Case]:
    cases: list[Case] = []
    while not made.done:
        cases += made.ask(step)
    return cases


@given(st.integers(1, 4), st.lists(st.integers(1, 4), max_size=3), st.integers(1, 7))
def test_every_combination_comes_as_often_as_wanted(
    repeats: int, sizes: list[int], step: int
) -> None:
    cases = drained(strategy(repeats, *sizes), step)
    assert len({case.id for case in cases}) == len(cases) == strategy(repeats, *sizes).expected()
    assert {case.repeat for case in cases} == set(range(1, repeats + 1))


@given(st.integers(1, 3), st.lists(st.integers(1, 3), max_size=3), st.data())
def test_a_strategy_goes_on_where_it_was(
    repeats: int, sizes: list[int], data: st.DataObject
) -> None:
    whole = drained(strategy(repeats, *sizes), 3)
    stop = data.draw(st.integers(0, len(whole)))
    first, second = strategy(repeats, *sizes), strategy(repeats, *sizes)
    before = first.ask(stop)
    second.restore(first.state())
    assert [*before, *drained(second, 5)] == whole


def test_a_huge_space_is_begun_at_once() -> None:
    made = strategy(1, *([50] * 12))
    assert len(made.ask(10)) == 10
    assert not made.done


def test_a_variable_without_values_is_named() -> None:
    with pytest.raises(ConfigurationError, match="the variable 'v0' has no values"):
        strategy(1, 0)


@pytest.mark.parametrize(
    "state", [None, {}, {"position": -1, "total": 2}, {"position": 1, "total": 9}]
)
def test_a_state_of_another_suite_is_refused(state: object) -> None:
    with pytest.raises(StoredRunError, match="is of another suite"):
        strategy().restore(state)  # type: ignore[arg-type]


def test_cases_are_asked_in_order() -> None:
    asked = strategy(2, 2).ask(100)
    assert [(case.scenario, case.repeat) for case in islice(asked, 6)] == [
        ("a", 1), ("a", 1), ("b", 1), ("a", 2), ("a", 2), ("b", 2),
    ]  # fmt: skip
