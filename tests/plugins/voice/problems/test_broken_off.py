"""Sessions that broke off: what was heard counts, and nothing else is the app's."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sparring.model.talk import Incident, IncidentKind, Observation, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.voice.problem_oracle import VoiceProblems

BREAKING = [
    (IncidentKind.PLAYER_ERROR, Owner.TOOL),
    (IncidentKind.CONNECTOR_ERROR, Owner.TOOL),
    (IncidentKind.ENVIRONMENT, Owner.ENVIRONMENT),
    (IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT),
    (IncidentKind.UNREACHABLE, Owner.ENVIRONMENT),
    (IncidentKind.MODEL_ERROR, Owner.SIMULATED_USER),
]


def session(
    *turns: tuple[str, Any], kind: IncidentKind | None = None, owner: Owner = Owner.APP
) -> Trace:
    incidents = [] if kind is None else [Incident(kind=kind, message="broke", owner=owner)]
    return trace_of(turns, incidents=incidents)


def judged(trace: Trace) -> dict[str, Verdict]:
    oracle = FakeContext().build(VoiceProblems)
    return {one.check: one for one in asyncio.run(oracle.judge(trace))}


def summed(*traces: Trace) -> Sequence[Verdict]:
    return asyncio.run(FakeContext().build(VoiceProblems).conclude(traces))


@pytest.mark.parametrize(("kind", "owner"), BREAKING)
def test_a_break_at_the_first_word_is_no_app_that_cannot_be_started(
    kind: IncidentKind, owner: Owner
) -> None:
    verdicts = judged(session(("open tea corner", None), kind=kind, owner=owner))
    assert {(one.outcome, one.owner) for one in verdicts.values()} == {
        (Outcome.INCONCLUSIVE, owner)
    }
    assert f"broke off ({kind.value}): broke" in verdicts["unstartable"].reason
    assert summed(session(("open tea corner", None), kind=kind, owner=owner)) == []


@pytest.mark.parametrize(("kind", "owner"), BREAKING)
def test_problems_before_the_break_count(kind: IncidentKind, owner: Owner) -> None:
    asks = ("open tea corner", "Welcome! What is your phone number?")
    verdicts = judged(session(asks, ("tea", None), kind=kind, owner=owner))
    privacy = verdicts.pop("privacy_violation")
    assert (privacy.outcome, privacy.owner) == (Outcome.FAIL, Owner.APP)
    assert {(one.outcome, one.owner) for one in verdicts.values()} == {
        (Outcome.INCONCLUSIVE, owner)
    }


@pytest.mark.parametrize("kind", [IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.PROTOCOL])
def test_an_app_that_fails_leaves_the_session_unexpectedly(kind: IncidentKind) -> None:
    opened = ("open tea corner", "Welcome to tea corner! Which tea?")
    verdicts = judged(session(opened, ("white", None), kind=kind))
    assert (verdicts["unexpected_exit"].outcome, verdicts["unexpected_exit"].owner) == (
        Outcome.FAIL,
        Owner.APP,
    )
    assert judged(session(("open tea corner", None), kind=kind))["unstartable"].outcome is (
        Outcome.FAIL
    )


@pytest.mark.parametrize("kind", [IncidentKind.LOOP, IncidentKind.GOAL_NOT_REACHED])
def test_what_a_talk_came_to_is_no_crash(kind: IncidentKind) -> None:
    for owner in (Owner.APP, Owner.SIMULATED_USER):
        opened = ("open tea corner", "Welcome to tea corner! Which tea?")
        verdicts = judged(session(opened, kind=kind, owner=owner))
        assert {one.outcome for one in verdicts.values()} == {Outcome.PASS}


def test_nothing_passes_if_nothing_was_said() -> None:
    for trace in (session(), trace_of([(None, Observation())])):
        assert {one.outcome for one in judged(trace).values()} == {Outcome.SKIPPED}
        assert summed(trace) == []
