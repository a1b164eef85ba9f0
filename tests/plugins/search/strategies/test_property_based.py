"""A round of Hypothesis stands still at a case and goes on with its answer."""

import gc
import random
import threading
from collections import Counter
from typing import Any

import pytest
from hypothesis.errors import InvalidArgument

from sparring.model.space import Scenario, Variable
from sparring.space import CaseSpace
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.strategies import property_based
from sparring_plugins.search.strategies.paused_round import PausedRound, RoundThread
from sparring_plugins.search.strategies.property_based import PropertySearch
from sparring_plugins.search.strategies.scenario_search import Evaluated, Evaluation


def search_of(sizes: tuple[int, ...] = (5, 6, 7, 4)) -> PropertySearch:
    variables = tuple(
        Variable(name=f"v{n}", domain=tuple(range(size))) for n, size in enumerate(sizes)
    )
    scenario = Scenario(name="s", variables=variables)
    return PropertySearch(CaseSpace(scenario, FakeContext()), 1, 40)


def answered(row: Any) -> Evaluated:
    fails = row[0] > 2 and row[2] > 3
    return row, Evaluation((), fails, ("bad", str(row[3])) if fails else ())


def played(search: PropertySearch, number: int) -> list[Any]:
    rows: list[Any] = []
    for _ in range(number):
        proposed = search.propose(1)
        search.learn([answered(row) for row in proposed])
        rows += proposed
    return rows


def test_a_round_goes_on_where_a_repeated_one_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    resumed = search_of()
    rows = played(resumed, 40)
    monkeypatch.setattr(property_based, "_OLDEST", -1.0)
    repeated = search_of()
    assert played(repeated, 40) == rows
    assert repeated.shrunk == resumed.shrunk
    assert resumed.shrunk


def test_a_case_is_generated_once_for_the_case_that_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: Counter[str] = Counter()
    repaired = CaseSpace.repaired_indices

    def counted(self: CaseSpace, *args: Any, **more: Any) -> Any:
        calls["generated"] += 1
        return repaired(self, *args, **more)

    monkeypatch.setattr(CaseSpace, "repaired_indices", counted)
    monkeypatch.setattr(property_based, "_OLDEST", float("inf"))
    played(search_of((9, 9, 9, 9)), 60)
    assert calls["generated"] < 60 * 4  # 1,500 and more when each case repeated its round


def test_a_case_that_was_taken_for_passed_and_fails_has_its_round_repeated() -> None:
    search = search_of()
    (early,) = search.propose(1)
    search.propose(1)  # asked before the first is answered, which passes until then
    assert search._round is not None
    assert early in search._round.assumed
    search.learn([(early, Evaluation((), True, ("bad", "0")))])
    assert search._round is None
    played(search, 60)
    assert ("bad", "0") in search.shrunk


def test_a_fault_of_ours_is_no_failure_of_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    repaired, calls = CaseSpace.repaired_indices, Counter[str]()

    def broken(self: CaseSpace, *args: Any, **more: Any) -> Any:
        calls["generated"] += 1
        if calls["generated"] > 5:
            raise KeyError("a table without this value")
        return repaired(self, *args, **more)

    monkeypatch.setattr(CaseSpace, "repaired_indices", broken)
    search = search_of((9, 9, 9, 9))
    with pytest.raises(KeyError, match="a table without this value"):
        played(search, 20)
    assert not search.shrunk


def test_an_error_of_hypothesis_is_not_hidden() -> None:
    search = search_of()
    search.examples = 0  # which Hypothesis refuses
    with pytest.raises(InvalidArgument, match="max_examples"):
        search.propose(1)


def test_global_random_numbers_are_left_alone() -> None:
    random.seed(7)
    before = random.getstate()
    played(search_of(), 20)
    assert random.getstate() == before


def test_the_thread_of_a_search_that_nobody_uses_ends() -> None:
    before = set(threading.enumerate())
    search = search_of()
    played(search, 3)
    threads = set(threading.enumerate()) - before
    assert threads
    del search
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_a_round_that_returns_is_over() -> None:
    thread = RoundThread()
    asked: PausedRound[int] = PausedRound(lambda ask: ask(1), thread)
    assert asked.next() == 1
    assert asked.next() is None
    thread.end()


def test_one_thread_plays_the_rounds_of_a_search() -> None:
    before = set(threading.enumerate())
    search = search_of()
    played(search, 60)
    search._leave_round()
    played(search, 20)
    assert search.rounds > 1
    assert len(set(threading.enumerate()) - before) == 1
