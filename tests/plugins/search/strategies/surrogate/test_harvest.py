"""What is played for pairs of values and failure classes that failed least often."""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.space import Constraint, Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.scenario_search import Evaluation
from sparring_plugins.search.strategies.surrogate.acquisition import (
    CaseObjective,
    RankedCandidates,
)
from sparring_plugins.search.strategies.surrogate.harvest import (
    PairRecord,
    Yields,
    harvested,
    targeted_candidates,
)
from sparring_plugins.search.strategies.surrogate.memory import FailureClasses, PairNumbers
from sparring_plugins.search.strategies.surrogate.search import SurrogateSearch, SurrogateSettings

SIZES = (3, 4, 5)


def space(*rules: str, sizes: Indices = SIZES) -> CaseSpace:
    variables = tuple(
        Variable(name=f"v{at}", domain=tuple(range(size))) for at, size in enumerate(sizes)
    )
    constraints = tuple(Constraint(expression=rule) for rule in rules)
    return CaseSpace(
        Scenario(name="s", variables=variables, constraints=constraints), FakeContext()
    )


@given(st.lists(st.integers(1, 6), min_size=2, max_size=6), st.data())
def test_the_number_of_a_pair_leads_back_to_its_values(
    sizes: list[int], data: st.DataObject
) -> None:
    row = [data.draw(st.integers(0, size - 1)) for size in sizes]
    numbers = PairNumbers(sizes)
    pairs = [numbers.values(number) for number in numbers.of(np.array([row]))[0].tolist()]
    expected = [{a: row[a], b: row[b]} for a, b in combinations(range(len(sizes)), 2)]
    assert pairs == expected


def test_a_pair_fails_for_the_first_time_once() -> None:
    record = PairRecord(SIZES)
    assert record.add((0, 0, 0), failed=False) == 0
    assert record.add((0, 0, 0), failed=True) == 3
    assert record.add((0, 0, 1), failed=True) == 2
    assert record.add((0, 0, 1), failed=True) == 0


def test_pairs_that_never_failed_are_put_into_failures() -> None:
    record = PairRecord(SIZES)
    failures = [(0, value, last) for value in range(4) for last in range(5)]
    for row in failures:
        record.add(row, failed=True)
    rows = targeted_candidates(space(), record, failures, Random(1))
    # all pairs without the first feature have failed
    assert rows
    assert all(row[0] in {1, 2} for row in rows)
    assert targeted_candidates(space(), record, [], Random(1)) == []


def test_pairs_that_constraints_rule_out_are_left_out() -> None:
    cases = space("v0 != 1 or v1 == 0")
    rows = targeted_candidates(cases, PairRecord(SIZES), [(0, 0, 0)], Random(1))
    assert rows
    assert all(row[0] != 1 or row[1] == 0 for row in rows)


def ranked(rows: list[Indices], failing: list[float], parts: list[list[float]]) -> RankedCandidates:
    ones = np.ones(len(rows), np.float32)
    return RankedCandidates(
        rows, np.array(failing, np.float32), np.array(parts, np.float32), ones * 0, ones
    )


def test_classes_that_failed_least_often_come_first() -> None:
    record = PairRecord((2, 30))
    rows: list[Indices] = [(half, value) for half in range(2) for value in range(20)]
    for row in rows:
        record.add(row, failed=True)  # no pair is left
    parts = [[0.99, 0.01]] * 20 + [[0.01, 0.99]] * 20
    classes = FailureClasses(np.array(parts, np.float32), Counter({(0,): 200, (1,): 2}))
    candidates = ranked(rows, [0.9] * 40, parts)
    chosen = harvested(12, candidates, classes, record, {(1, 0)}, Random(1))
    assert len(chosen) == 12
    assert set(chosen.values()) == {CaseObjective.CLASS}
    assert (1, 0) not in chosen
    assert all(row[0] == 1 for row in chosen)


def test_pairs_are_played_for_only_while_some_may_fail() -> None:
    def objectives(tried: int) -> Counter[CaseObjective]:
        record = PairRecord((2, 30))
        rows: list[Indices] = [(0, value) for value in range(30)]
        for _ in range(tried):
            for row in rows:
                record.add(row, failed=False)
        parts = [[0.9]] * 30
        classes = FailureClasses(np.array(parts, np.float32), Counter({(0,): 5}))
        candidates = ranked(rows, [0.5] * 30, parts)
        return Counter(harvested(20, candidates, classes, record, (), Random(1)).values())

    assert objectives(0)[CaseObjective.PAIRS] > 4
    assert objectives(200)[CaseObjective.PAIRS] < 2


def test_objectives_without_news_keep_a_part_of_their_share() -> None:
    yields = Yields()
    assert yields.share(CaseObjective.EXPLORE) == 1
    for at in range(60):
        yields.add(CaseObjective.EXPLORE, news=False)
        yields.add(CaseObjective.ISOLATE, news=at % 2 == 0)
    assert yields.share(CaseObjective.EXPLORE) == pytest.approx(0.25)
    assert yields.share(CaseObjective.ISOLATE) == 1
    again = Yields()
    again.restore({name: str(recent) for name, recent in yields.state().items()})
    assert again.state() == yields.state()


def test_failures_are_balanced_over_classes_and_all_pairs_that_can_fail_do() -> None:
    sizes = (4, 6, 5, 7)

    def kind(row: Indices) -> tuple[str, ...]:
        if row[0] == 0:
            return ("common",)
        return ("rare", f"v2={row[2]}") if row[1] == 5 and row[2] < 2 else ()

    settings = SurrogateSettings(
        batch=20, first=40, candidates=200, read=0, explore=0.0, rarity=0.3, spread=0.1,
        kinds=0.4, causes=True, limit=1_000,
    )  # fmt: skip
    search = SurrogateSearch(space(sizes=sizes), 1, settings)
    kinds, failing = Counter[tuple[str, ...]](), set[tuple[int, int, int, int]]()
    for _ in range(15):
        rows = search.propose(search.batch)
        told = [(row, kind(row)) for row in rows]
        search.learn(
            [(row, Evaluation((float(not name),), bool(name), name)) for row, name in told]
        )
        for row, name in told:
            if name:
                kinds[name] += 1
                pairs = combinations(enumerate(row), 2)
                failing.update((a, x, b, y) for (a, x), (b, y) in pairs)
    possible = {
        (a, x, b, y)
        for row in np.ndindex(*sizes)
        if kind(row)
        for (a, x), (b, y) in combinations(enumerate(row), 2)
    }
    assert len(failing) >= 0.97 * len(possible)
    # there are 21 cases of each rare class among 840; 300 random ones have about seven
    assert kinds["rare", "v2=0"] >= 18
    assert kinds["rare", "v2=1"] >= 18


def test_of_cases_that_fail_alike_those_are_played_that_may_show_more() -> None:
    rows: list[Indices] = [(0, at, 0) for at in range(4)]
    record = PairRecord(SIZES)
    for row in rows:
        record.add(row, failed=True)
    ones = np.ones(4, np.float32)
    candidates = RankedCandidates(rows, ones, np.full((4, 1), 0.9, np.float32), ones, ones)
    besides = dict(zip(rows, (0.0, 0.1, 1.0, 0.5), strict=True))
    classes = FailureClasses(candidates.parts, Counter({(0,): 5}))
    chosen = harvested(2, candidates, classes, record, (), Random(1), besides)
    assert list(chosen) == [rows[2], rows[3]]
