"""``repeats``: every play by its own seed, rates that decide, resumed anywhere, with any search."""

import json
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import pytest

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.interfaces.abilities import LearnsFromConversations
from sparring.interfaces.search_strategy import Learning
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring.suite.model import Repeats
from sparring.suite.reading import load_suite
from sparring.testing.conversations import trace_of, verdict_of
from sparring.testing.fakes import FakeBatchStrategy, FakeContext, FakeStrategy
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.gating.repeats import RepeatedCases
from sparring_plugins.search.strategies.scenario_search import Objectives
from sparring_plugins.voice.sessions import SessionsStrategy

from .conftest import WriteSuite


def result(path: Path) -> tuple[StoredRun, GateResult]:
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    stored = StoredRun(done.folder)
    assert stored.summary
    gate = gate_of(stored.summary)
    assert gate
    return stored, gate


def plays(stored: StoredRun) -> dict[str, list[str]]:
    return {
        judged.trace.case.id: sorted(v.outcome.value for v in judged.verdicts)
        for judged in stored.judged()
    }


def test_halving_spends_plays_on_what_fails(unsteady: WriteSuite) -> None:
    halving = {"times": 8, "halving": True}
    stored, gate = result(unsteady({2: 0.7}, [1, 2, 3, 4], repeats=halving, concurrency=4))
    numbers = [case_id.partition(".")[0] for case_id in stored.case_ids]
    counts = sorted(numbers.count(case_id) for case_id in {*numbers})
    assert counts == [1, 1, 2, 8]
    assert gate.rates[0].decided == 8


def test_each_check_has_a_rate_and_an_outcome_of_its_own(unsteady: WriteSuite) -> None:
    stored, gate = result(unsteady({1: 1.0, 2: 0.1}, repeats=12))
    assert len(stored.case_ids) == 36
    assert gate.headline == "3 cases in 36 plays: 1 failed, 1 flaky, 1 passed"
    fails, flaky = gate.rates
    assert (fails.decision, fails.passed, fails.decided) == ("fail", 0, 12)
    assert flaky.decision == "flaky"
    assert 8 < flaky.passed < 12
    assert flaky.low < flaky.passed / 12 < flaky.high
    assert len(flaky.plays) == 12
    assert flaky.plays.count("x") == 12 - flaky.passed
    assert stored.summary
    assert stored.summary.exit_code == 1


@pytest.mark.parametrize(("flaky", "code"), [("warn", 0), ("fail", 1)])
def test_the_gate_says_what_flaky_checks_are(
    unsteady: WriteSuite, capfd: pytest.CaptureFixture[str], flaky: str, code: int
) -> None:
    suite = unsteady({2: 0.1}, repeats=12, gate={"flaky": flaky})
    files = ["-o", "out.xml", "-o", "out.html", "-o", "out.csv"]
    assert invoke(["run", str(suite), *files]) == code
    out = capfd.readouterr().out
    assert "3 cases in 36 plays: 1 flaky, 2 passed" in out
    assert "gate.flaky" in out
    root = ET.parse("out.xml").getroot()
    assert root.get("failures") == str(code)
    properties = {p.get("name"): p.get("value", "") for p in root.iter("property")}
    assert properties["flaky"] == "true"
    assert properties["rate.generic-failures/no_response"].startswith("flaky: ")
    assert Path("out.html").read_text("utf-8").count("<circle class=") == 12
    header, *rows = Path("out.csv").read_text("utf-8").splitlines()
    assert header.endswith("pass_rate_low,pass_rate_high,failed_cases,flaky_cases")
    assert sum(row.endswith(",0,1") for row in rows) == 1


def test_a_rate_that_is_known_to_be_high_enough_passes(unsteady: WriteSuite) -> None:
    stored, gate = result(unsteady({1: 0.02}, [1], repeats=100, gate={"min_rate": 0.8}))
    assert gate.rates[0].decision == "pass"
    assert stored.summary
    assert stored.summary.exit_code == 0


def test_plays_depend_on_case_and_number_alone(unsteady: WriteSuite) -> None:
    first, _ = result(unsteady({1: 0.5, 2: 0.5}, repeats=6))
    again, _ = result(unsteady({1: 0.5, 2: 0.5}, repeats=6, concurrency=5))
    fewer, _ = result(unsteady({1: 0.5, 2: 0.5}, [2], repeats=4))
    assert plays(first) == plays(again)
    assert plays(fewer).items() <= plays(first).items()
    seeds = {judged.trace.case.seed for judged in first.judged()}
    assert len(seeds) == 18


def test_until_a_rate_is_known_stops_early_and_never_late(unsteady: WriteSuite) -> None:
    stored, _ = result(unsteady({1: 0.5}, [1, 2], repeats={"until": "±20 %", "most": 60}))
    numbers = [case_id.partition(".")[0] for case_id in stored.case_ids]
    counts = {case_id: numbers.count(case_id) for case_id in numbers}
    assert all(5 <= number <= 60 for number in counts.values())
    assert min(counts.values()) < 60


@pytest.mark.parametrize("cut", [1, 5, 7, 14, 20])
@pytest.mark.parametrize("how", [6, {"until": "±25 %", "most": 20}])
def test_a_resumed_run_goes_on_in_the_middle_of_a_case(
    unsteady: WriteSuite, cut: int, how: Any
) -> None:
    whole, _ = result(unsteady({1: 0.5, 2: 0.3}, repeats=how))
    path = unsteady({1: 0.5, 2: 0.3}, repeats=how, budget={"cases": cut})
    done = conduct(load_suite(path), RunOptions())
    assert done.folder
    path = unsteady({1: 0.5, 2: 0.3}, repeats=how)
    done = conduct(load_suite(path), RunOptions(resume=StoredRun(done.folder)))
    assert done.folder
    assert plays(StoredRun(done.folder)) == plays(whole)
    assert StoredRun(done.folder).summary is not None
    assert whole.summary is not None
    assert done.summary.gate == whole.summary.gate


class CaseLearner(FakeStrategy):
    learns: ClassVar[Learning] = "per-case"


LEARNERS = [FakeBatchStrategy, CaseLearner]
SPACE = Space(scenarios=(Scenario(name="talk"),))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("how", [4, {"until": 0.2, "most": 12}])
def test_a_strategy_that_learns_is_told_each_case_once_with_the_worst(
    learner: type[FakeStrategy], how: Any
) -> None:
    strategy = FakeContext().build(learner, params=[{"n": 1}, {"n": 2}, {"n": 3}])
    repeated = RepeatedCases(strategy, Repeats.model_validate(how), _rules(), 0)
    outer = repeated.strategy
    outer.start(SPACE, 0)
    seen: list[str] = []
    for _ in range(100):
        cases = outer.ask(10)
        if not cases:
            break
        for case in cases:
            seen.append(case.id)
            outer.tell(case, _verdicts(case))
    assert outer.done
    assert len(seen) == len(set(seen))
    told = {case.id: [v.outcome.value for v in verdicts] for case, verdicts in strategy.told}
    assert len(strategy.told) == 3
    firsts = [case_id for case_id in seen if "." not in case_id]
    assert [told[case_id] for case_id in firsts] == [["pass"], ["fail"], ["pass"]]
    if learner is FakeBatchStrategy:
        assert list(told) == firsts, "in the order asked"


def test_sessions_that_are_played_several_times_come_to_an_end() -> None:
    """Sessions have numbers of their own, and with repeats plays have others."""
    strategy = FakeContext().build(SessionsStrategy)
    outer = RepeatedCases(strategy, Repeats(times=3), _rules(), 0).strategy
    outer.start(SPACE, 0)
    played: list[str] = []
    while not outer.done:
        cases = outer.ask(10)
        assert len(played) < 12
        for case in cases:
            played.append(case.id)
            trace = trace_of([("hi", "hello")], case=case)
            over = {"exploration_over": len(played) >= 8}
            assert isinstance(outer, LearnsFromConversations)
            outer.played(trace.model_copy(update={"meta": over}))
            outer.tell(case, [verdict_of(trace)])
    assert len(played) == len(set(played)) == 9  # the third session is repeated to the end


@pytest.mark.parametrize("learner", [FakeStrategy, *LEARNERS])
def test_halving_plays_on_only_what_fails_most(learner: type[FakeStrategy]) -> None:
    batch = {"batch": 8} if learner is FakeBatchStrategy else {}
    strategy = FakeContext().build(learner, params=[{"n": n} for n in range(8)], **batch)
    repeated = RepeatedCases(strategy, Repeats(times=8, halving=True), _rules(), 0)
    outer = repeated.strategy
    outer.start(SPACE, 0)
    plays: dict[int, int] = {}
    while cases := outer.ask(8):
        for case in cases:
            number = int(str(case.params["n"]))
            plays[number] = plays.get(number, 0) + 1
            trace: Trace = trace_of([("hi", "hello")], case=case)
            fails = number == 5 or (number == 3 and case.repeat % 2 == 1)
            outer.tell(case, [verdict_of(trace, "fail" if fails else "pass")])
        outer.restore(json.loads(json.dumps(outer.state())))  # a run may stop anywhere
    assert outer.done
    assert not repeated.groups
    assert plays[5] == 8
    assert plays[3] == 4
    assert sum(plays.values()) == 8 + 4 + 2 * 2 + 4, "half as many cases, twice as often"
    if learner is not FakeStrategy:
        told = {case.params["n"]: verdicts for case, verdicts in strategy.told}
        assert len(told) == 8
        assert (told[5][0].score, told[3][0].score, told[7][0].score) == (0.0, 0.5, None)


def test_a_search_minimises_the_share_of_plays_that_pass() -> None:
    objectives = Objectives(["outcome"])
    group = trace_of([("hi", "hello")])
    failed = verdict_of(group, "fail").model_copy(update={"details": {"pass_rate": 0.75}})
    assert objectives.evaluated([failed]).objectives == (0.75,)
    assert objectives.evaluated([failed]).failed
    assert objectives.evaluated([verdict_of(group, "fail")]).objectives == (0.0,)
    hostile = verdict_of(group, "fail").model_copy(update={"details": {"pass_rate": "1e9"}})
    assert objectives.evaluated([hostile]).objectives == (0.0,)


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_state_holds_what_plays_have_said(learner: type[FakeStrategy]) -> None:
    def fresh() -> tuple[FakeStrategy, RepeatedCases]:
        strategy = FakeContext().build(learner, params=[{"n": 1}, {"n": 2}])
        repeated = RepeatedCases(strategy, Repeats(times=3), _rules(), 0)
        repeated.strategy.start(SPACE, 0)
        return strategy, repeated

    first, one = fresh()
    cases = one.strategy.ask(10)
    for case in cases[:4]:
        one.strategy.tell(case, _verdicts(case))
    stored = json.loads(json.dumps(one.strategy.state()))
    second, other = fresh()
    other.strategy.restore(stored)
    for repeated in (one, other):
        for case in cases[4:]:
            repeated.strategy.tell(case, _verdicts(case))
    assert len(first.told) == 2
    assert first.told[-len(second.told) :] == second.told
    assert one.groups == other.groups == {}


def _rules() -> Any:
    from sparring_plugins.gating.gate_result import Rules

    return Rules()


def _verdicts(case: Case) -> list[Verdict]:
    trace: Trace = trace_of([("hi", "hello")], case=case)
    bad = case.params.get("n") == 2 and case.repeat % 2 == 0
    return [verdict_of(trace, "fail" if bad else "pass")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (5, (5, None)),
        ("±5 %", (1, 0.05)),
        ({"until": "+-10%"}, (1, 0.1)),
        ({"times": 3}, (3, None)),
    ],
)
def test_repeats_are_a_number_or_until(given: Any, expected: tuple[int, float | None]) -> None:
    read = Repeats.model_validate(given)
    assert (read.times, read.until) == expected


@pytest.mark.parametrize("given", [0, "five", "±80 %", "±. %", {"most": 1}])
def test_other_repeats_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"(?s)."):
        Repeats.model_validate(given)
