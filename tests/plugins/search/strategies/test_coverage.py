"""A full matrix over chosen features, each cell visited as often as any other."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.coverage import CoverageStrategy


def space(*sizes: int) -> Space:
    variables = tuple(Variable(name=f"v{n}", domain=tuple(range(s))) for n, s in enumerate(sizes))
    rule = Constraint(expression="v0 != 0 or v1 == 0")
    return Space(scenarios=(Scenario(name="s", variables=variables, constraints=(rule,)),))


def started(where: Space, **settings: object) -> CoverageStrategy:
    strategy = FakeContext().build(CoverageStrategy, **settings)
    strategy.start(where, 5)
    return strategy


@given(st.lists(st.integers(1, 4), min_size=3, max_size=4), st.integers(1, 40))
def test_no_cell_is_visited_once_more_than_another_that_has_cases_left(
    sizes: list[int], number: int
) -> None:
    where = space(*sizes)
    found = started(where, features=["v0", "v1"]).ask(number)
    cases = CaseSpace(where.scenarios[0], FakeContext())
    everything = Counter((one["v0"], one["v1"]) for one in cases.all())
    visits = Counter((case.params["v0"], case.params["v1"]) for case in found)
    assert all(cases.holds(case.params) for case in found)
    assert len({case.id for case in found}) == len(found) == min(number, everything.total())
    open_cells = [visits[cell] for cell, most in everything.items() if visits[cell] < most]
    assert not open_cells or max(visits.values()) <= min(open_cells) + 1


def test_the_number_of_visits_is_kept() -> None:
    found = started(space(3, 2, 4), features=["v0"], visits=2).ask(100)
    assert Counter(case.params["v0"] for case in found) == {0: 2, 1: 2, 2: 2}


def test_it_goes_on_where_it_was() -> None:
    where = space(3, 2, 4)
    whole = started(where, features=["v1"]).ask(20)
    for stop in (1, 7, 19):
        first, second = started(where, features=["v1"]), started(where, features=["v1"])
        begun = first.ask(stop)
        second.restore(json.loads(json.dumps(first.state())))
        assert [*begun, *second.ask(20 - stop)] == whole


def test_an_unknown_feature_names_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="no feature 'v9'"):
        started(space(2, 2), features=["v9"])
