"""Whatever a strategy proposes is a case of its space that no constraint forbids, and no other."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies.coverage import CoverageStrategy
from sparring_plugins.search.strategies.exhaustive import ExhaustiveStrategy
from sparring_plugins.search.strategies.map_elites import MapElitesStrategy
from sparring_plugins.search.strategies.nsga2 import Nsga2Strategy
from sparring_plugins.search.strategies.property_based import HypothesisStrategy
from sparring_plugins.search.strategies.random import RandomStrategy
from sparring_plugins.search.strategies.surrogate.strategy import SurrogateStrategy
from sparring_plugins.search.strategies.t_wise.strategy import TWiseStrategy

Forbidden = tuple[tuple[int, int], tuple[int, int]]

STRATEGIES: dict[str, tuple[type[SearchStrategy[Any]], dict[str, Any]]] = {
    "nsga2": (Nsga2Strategy, {"population": 5}),
    "surrogate": (SurrogateStrategy, {"batch": 5, "first": 5, "candidates": 20, "read": 0}),
    "map-elites": (MapElitesStrategy, {"batch": 5, "first": 5}),
    "hypothesis": (HypothesisStrategy, {"examples": 5}),
    "t-wise": (TWiseStrategy, {"strength": 2, "effort": 0}),
    "coverage": (CoverageStrategy, {"features": ["v0", "v2"]}),
    "exhaustive": (ExhaustiveStrategy, {}),
    "random": (RandomStrategy, {}),
}


def space(sizes: Sequence[int], forbidden: Sequence[Forbidden]) -> Space:
    variables = tuple(
        Variable(name=f"v{at}", domain=tuple(f"{at}{n}" for n in range(size)), scale="ordinal")
        for at, size in enumerate(sizes)
    )
    rules = tuple(
        Constraint(expression=" or ".join(f"v{at} != '{at}{value}'" for at, value in cells))
        for cells in forbidden
    )
    return Space(scenarios=(Scenario(name="s", variables=variables, constraints=rules),))


def verdict(case: Case) -> Verdict:
    """Fails for some first values."""
    fails = case.params["v0"] == "01"
    if not fails:
        return Verdict(oracle="o", check="c", outcome=Outcome.PASS)
    return Verdict(oracle="o", check="c", outcome=Outcome.FAIL, owner=Owner.APP)


@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=15)
@given(st.lists(st.integers(1, 4), min_size=3, max_size=5), st.data())
def test_only_valid_cases_are_proposed_and_none_twice(
    name: str, sizes: list[int], data: st.DataObject
) -> None:
    cells = [(at, value) for at, size in enumerate(sizes) for value in range(size)]
    pair: Any = st.tuples(st.sampled_from(cells), st.sampled_from(cells))
    forbidden: list[Forbidden] = data.draw(st.lists(pair, max_size=5))
    kind, settings_of = STRATEGIES[name]
    strategy = FakeContext().build(kind, **settings_of)
    possible = [
        row
        for row in product(*map(range, sizes))
        if not any(row[a] == x and row[b] == y for (a, x), (b, y) in forbidden)
    ]
    try:
        strategy.start(space(sizes, forbidden), 1)
    except ConfigurationError:
        assert not possible
        return
    found: list[tuple[int, ...]] = []
    while not strategy.done and len(found) < 25 and (asked := strategy.ask(5)):
        for case in asked:
            found.append(tuple(int(str(value)[1:]) for value in case.params.values()))
            strategy.tell(case, [verdict(case)])
    assert found
    assert set(found) <= set(possible)
    assert len(set(found)) == len(found)
