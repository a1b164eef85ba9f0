"""Whatever a strategy proposes is a case of its space that no constraint forbids, and no other."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.discovery.catalog import names
from sparring.discovery.drivers import load
from sparring.discovery.groups import GROUPS
from sparring.errors import ConfigurationError
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario, Space, Variable
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.fakes import FakeContext

Forbidden = tuple[tuple[int, int], tuple[int, int]]

GROUP = "sparring.strategies"
SETTINGS: dict[str, dict[str, Any]] = {
    "nsga2": {"population": 5},
    "surrogate": {"batch": 5, "first": 5, "candidates": 20, "read": 0},
    "map-elites": {"batch": 5, "first": 5},
    "hypothesis": {"examples": 5},
    "t-wise": {"strength": 2, "effort": 0},
    "coverage": {"features": ["v0", "v2"]},
}
"""Small searches. An installed strategy that is not named here is tried with its defaults."""

OTHERS = {"selectors", "sessions"}
"""Strategies for scenarios of profiles and explorers, which have no constraints."""

SLOW = {"hypothesis", "surrogate"}


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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough) if name in SLOW else name
        for name in names(GROUP)
        if name not in OTHERS
    ],
)
@settings(max_examples=15)
@given(st.lists(st.integers(1, 4), min_size=3, max_size=5), st.data())
def test_only_valid_cases_are_proposed_and_none_twice(
    name: str, sizes: list[int], data: st.DataObject
) -> None:
    cells = [(at, value) for at, size in enumerate(sizes) for value in range(size)]
    pair: Any = st.tuples(st.sampled_from(cells), st.sampled_from(cells))
    forbidden: list[Forbidden] = data.draw(st.lists(pair, max_size=5))
    strategy = FakeContext().build(load(GROUPS[GROUP], name), **SETTINGS.get(name, {}))
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
