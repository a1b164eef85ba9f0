"""How long the surrogate looks for kinds of failures that do not come."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from sparring.model.space import Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import Evaluation
from sparring_plugins.search.strategies.surrogate.acquisition import CaseObjective
from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch, SurrogateSettings

MANNER = SurrogateSettings(
    batch=20, first=40, candidates=200, read=0, explore=0.03, rarity=0.3, spread=0.1, kinds=0.45
)
LOOKING = (CaseObjective.CLASS, CaseObjective.PAIRS)
SIZES = (4, 6, 5, 7, 6)

App = Callable[[Indices], tuple[str, ...]]


def searched(app: App, number: int) -> tuple[Counter[CaseObjective], int]:
    """What the last half of so many cases was for, and how many failed."""
    variables = tuple(
        Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(SIZES)
    )
    cases = CaseSpace(Scenario(name="s", variables=variables), FakeContext())
    search = SurrogateSearch(cases, 1, MANNER)
    objectives: Counter[CaseObjective] = Counter()
    played = failed = 0
    while played < number:
        rows = search.propose(search.batch)
        if 2 * played >= number:
            objectives += objectives_of(search)
        told = [(row, app(row)) for row in rows]
        search.learn(
            [(row, Evaluation((float(not kind),), bool(kind), kind)) for row, kind in told]
        )
        played += len(rows)
        failed += sum(bool(kind) for _, kind in told)
    return objectives, failed


def objectives_of(search: SurrogateSearch) -> Counter[CaseObjective]:
    """What the cases under way are for."""
    state: Any = search.state()["aims"]
    return Counter(CaseObjective(objective) for _, objective in state)


def one_way(row: Indices) -> tuple[str, ...]:
    return ("lost",) if row[0] == 1 and row[1] < 4 else ()


def many_ways(row: Indices) -> tuple[str, ...]:
    return ("lost", f"v3={row[3]}", f"v4={row[4]}") if row[0] == 1 and row[1] < 4 else ()


@pytest.mark.thorough
def test_looking_ends_where_failures_are_all_alike() -> None:
    alike, failed = searched(one_way, 400)
    various, _ = searched(many_ways, 400)
    assert (
        sum(alike[objective] for objective in LOOKING)
        < 25
        <= sum(various[objective] for objective in LOOKING)
    )
    assert failed > 250
