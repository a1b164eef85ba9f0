"""When the surrogate begins to predict, what it leaves to chance, and whom it predicts for."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from sparring.model.space import Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import Evaluation
from sparring_plugins.search.strategies.surrogate.acquisition import (
    CaseObjective,
    candidates,
)
from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch, SurrogateSettings

MANNER = SurrogateSettings(
    batch=20, first=40, candidates=200, read=0, explore=0.3, rarity=0.3, spread=0.1, kinds=0.2
)
SIZES = (4, 6, 5, 7, 6)


def cases(sizes: Indices = SIZES) -> CaseSpace:
    variables = tuple(
        Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(sizes)
    )
    return CaseSpace(Scenario(name="s", variables=variables), FakeContext())


def played(search: SurrogateSearch, fails: Callable[[int, Indices], bool]) -> int:
    """Play a batch, whose cases fail by their number and values; how many cases it had."""
    rows = search.propose(search.batch)
    told = [(row, fails(at, row)) for at, row in enumerate(rows)]
    search.learn([(row, Evaluation((float(not bad),), bad, ("x",) * bad)) for row, bad in told])
    return len(rows)


@pytest.mark.parametrize(("failures", "learnt"), [(4, 20), (3, 40), (1, 40)])
def test_it_learns_early_where_enough_fails(failures: int, learnt: int) -> None:
    search = SurrogateSearch(cases(), 1, MANNER)
    begun = played(search, lambda at, row: at < failures)
    while not search.learnt:
        begun += played(search, lambda at, row: False)
    assert begun == learnt


def test_it_does_not_learn_before_anything_fails() -> None:
    search = SurrogateSearch(cases(), 1, MANNER)
    for _ in range(5):
        played(search, lambda at, row: False)
    assert not search.learnt


@pytest.mark.parametrize(
    ("fails", "least", "most"),
    [
        pytest.param(lambda at, row: row[0] < 2, 0, 30, id="as predicted"),
        pytest.param(lambda at, row: hash((3, *row)) % 4 == 0, 60, 200, id="by no rule"),
    ],
)
def test_less_is_left_to_chance_where_predictions_are_good(
    fails: Callable[[int, Indices], bool], least: int, most: int
) -> None:
    search = SurrogateSearch(cases(), 1, MANNER)
    while len(search.memory.played) < 200:
        played(search, fails)
    draw = Random(1)
    objectives = Counter(search.draw_objective(draw) for _ in range(400))
    assert least <= objectives[CaseObjective.CHANCE] <= most


def test_a_small_space_is_not_searched_for_more_than_it_has() -> None:
    tried = Counter[Indices]()

    class Seen:
        def __contains__(self, row: object) -> bool:
            assert isinstance(row, tuple)
            tried[row] += 1
            return False

    found = candidates(cases((2, 3)), ([], []), Seen(), 3_000, 0.3, Random(1))
    assert set(found) <= {(a, b) for a in range(2) for b in range(3)}
    assert tried.total() <= 24


def test_kin_are_like_their_parents() -> None:
    space = cases((9,) * 12)
    made = candidates(space, ([(0,) * 12], [1.0]), set(), 100, 1.0, Random(1))
    assert len(made) > 50
    assert all(sum(value != 0 for value in row) <= 3 for row in made)
