"""Conversations that were broken off: no pass by absence, no blame for what is missing."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sparring.engine.judge import conclude, judge_trace
from sparring.model.case import Case
from sparring.model.talk import Ended, Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.store import StoredRun
from sparring.suite.building import Judge
from sparring.testing.conversations import stored_run, trace_of
from sparring.testing.fakes import FakeContext, FakeOracle

OF_TALK = (IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED)
BREAKING = [kind for kind in IncidentKind if kind not in OF_TALK]
UNDECIDED = {IncidentKind.UNRESOLVED, IncidentKind.MACHINE_BUSY, IncidentKind.NO_ANSWER}
NOT_OURS = [owner for owner in Owner if owner is not Owner.APP]


class Local(FakeOracle):
    local = True


def broken(
    *incidents: Incident, said: int = 3, ended: Ended = Ended.INCIDENT, name: str = "talk"
) -> Trace:
    exchanges = [("hi", "hello")] * said
    case = Case.of(name, {}, run_seed=0)
    return trace_of(exchanges, case=case, incidents=incidents, ended=ended)


def incident(kind: IncidentKind, owner: Owner = Owner.TOOL, turn: int | None = 2) -> Incident:
    return Incident(kind=kind, message="it went wrong", owner=owner, turn=turn)


def judge(says: Any, oracle: type[FakeOracle] = FakeOracle, **settings: Any) -> Judge:
    return Judge(FakeContext().build(oracle, judges=says, **settings), "fake")


def judged(trace: Trace, *judges: Judge) -> list[Verdict]:
    return asyncio.run(judge_trace(judges, trace, 60))


def fails(*turns: int) -> Callable[[Trace], Sequence[Verdict]]:
    def say(trace: Trace) -> list[Verdict]:
        case_id = trace.case.id
        return [
            Verdict(oracle="x", check="told", outcome=Outcome.FAIL, owner=Owner.APP, reason="bad",
                    case_ids=(case_id,), turns=tuple(TurnRef(case_id=case_id, turn=turn) for turn in turns))
        ]  # fmt: skip

    return say


@pytest.mark.parametrize("says", [Outcome.PASS, Outcome.SKIPPED])
@pytest.mark.parametrize("kind", BREAKING)
@pytest.mark.parametrize("said", [0, 3])
class TestNoPassByAbsence:
    def test_it_is_counted_as_not_played(
        self, says: Outcome, kind: IncidentKind, said: int
    ) -> None:
        trace = broken(incident(kind, Owner.ENVIRONMENT), said=said)
        first, played = judged(trace, judge(says))
        assert first.outcome is says
        wanted = Outcome.INCONCLUSIVE if kind in UNDECIDED else Outcome.ERROR
        assert (played.oracle, played.check) == ("sparring", "played")
        assert (played.outcome, played.owner) == (wanted, Owner.ENVIRONMENT)
        assert played.reason == f"{kind.value}: it went wrong"
        assert played.gating
        assert [ref.turn for ref in played.turns] == [2]

    def test_also_if_the_player_ended_the_talk_otherwise(
        self, says: Outcome, kind: IncidentKind, said: int
    ) -> None:
        trace = broken(incident(kind, Owner.APP), said=said, ended=Ended.USER_LEFT)
        assert [verdict.check for verdict in judged(trace, judge(says))] == ["told", "played"]


def test_a_failure_says_enough() -> None:
    trace = broken(incident(IncidentKind.CRASH, Owner.APP))
    assert [verdict.check for verdict in judged(trace, judge(Outcome.FAIL))] == ["told"]


def test_an_undecided_check_does_not_hide_a_crash() -> None:
    """`gate.inconclusive: allow` would make it green."""
    trace = broken(incident(IncidentKind.CRASH, Owner.APP))
    verdicts = judged(trace, judge(Outcome.INCONCLUSIVE))
    assert [(v.check, v.outcome) for v in verdicts] == [
        ("told", Outcome.INCONCLUSIVE), ("played", Outcome.ERROR),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", OF_TALK)
def test_a_talk_that_went_on_to_its_end_is_left_to_the_oracles(kind: IncidentKind) -> None:
    trace = broken(incident(kind, Owner.APP), ended=Ended.LOOP)
    assert [verdict.check for verdict in judged(trace, judge(Outcome.PASS))] == ["told"]


def test_what_was_broken_off_by_nothing_is_an_error_of_the_tool() -> None:
    played = judged(broken(), judge(Outcome.PASS))[-1]
    assert (played.outcome, played.owner) == (Outcome.ERROR, Owner.TOOL)


@pytest.mark.parametrize("owner", NOT_OURS)
@pytest.mark.parametrize("kind", [kind for kind in BREAKING if kind not in UNDECIDED])
@pytest.mark.parametrize("turn", [2, None])
class TestNoBlame:
    def test_a_failure_of_a_cut_off_talk_is_inconclusive(
        self, owner: Owner, kind: IncidentKind, turn: int | None
    ) -> None:
        trace = broken(incident(kind, owner, turn))
        verdict = judged(trace, judge(fails(0, 1)))[0]
        assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, owner)
        assert verdict.reason == (
            f"the conversation was cut off ({kind.value}: it went wrong): bad"
        )

    def test_a_local_failure_before_it_stands(
        self, owner: Owner, kind: IncidentKind, turn: int | None
    ) -> None:
        verdict = judged(broken(incident(kind, owner, turn)), judge(fails(0, 1), Local))[0]
        assert (verdict.outcome, verdict.owner, verdict.reason) == (Outcome.FAIL, Owner.APP, "bad")

    def test_a_local_failure_without_turns_does_not(
        self, owner: Owner, kind: IncidentKind, turn: int | None
    ) -> None:
        verdict = judged(broken(incident(kind, owner, turn)), judge(fails(), Local))[0]
        assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, owner)


def test_a_local_failure_in_the_turn_that_was_cut_off_is_inconclusive() -> None:
    trace = broken(incident(IncidentKind.PLAYER_ERROR))
    assert judged(trace, judge(fails(1, 2), Local))[0].outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    "trace",
    [
        broken(incident(IncidentKind.CRASH, Owner.APP)),
        broken(incident(IncidentKind.PLAYER_ERROR), incident(IncidentKind.CRASH, Owner.APP)),
        broken(incident(IncidentKind.MODEL_ERROR), ended=Ended.USER_LEFT),
        broken(incident(IncidentKind.GOAL_NOT_REACHED), ended=Ended.TURN_LIMIT),
        broken(ended=Ended.SCRIPT_DONE),
    ],
    ids=["crash", "crash_in_the_end", "went_on", "of_talk", "whole"],
)
def test_the_app_is_blamed_for_the_rest(trace: Trace) -> None:
    verdict = judged(trace, judge(fails(0)))[0]
    assert (verdict.outcome, verdict.owner) == (Outcome.FAIL, Owner.APP)


@pytest.mark.parametrize("stored", [False, True])
def test_a_conclusion_from_a_cut_off_talk_is_inconclusive(tmp_path: Path, stored: bool) -> None:
    whole = broken(ended=Ended.SCRIPT_DONE, name="whole")
    cut = broken(incident(IncidentKind.PLAYER_ERROR), name="cut")

    def say(traces: Iterable[Trace]) -> list[Verdict]:
        ids = [trace.case.id for trace in traces]
        return [
            Verdict(oracle="x", check=check, outcome=Outcome.FAIL, owner=Owner.APP, reason="bad",
                    case_ids=tuple(case_ids))
            for check, case_ids in [("both", ids), ("whole", ids[:1]), ("none", [])]
        ]  # fmt: skip

    traces: Any = [whole, cut]
    if stored:
        traces = StoredRun(stored_run(tmp_path / "run", traces).folder).traces()
    verdicts = asyncio.run(conclude([judge(Outcome.PASS, concludes=say)], traces, 60))
    assert [(v.check, v.outcome, v.owner) for v in verdicts] == [
        ("both", Outcome.INCONCLUSIVE, Owner.TOOL),
        ("whole", Outcome.FAIL, Owner.APP),
        ("none", Outcome.FAIL, Owner.APP),
    ]
