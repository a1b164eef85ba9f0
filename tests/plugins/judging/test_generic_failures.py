"""The oracle `generic-failures`."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sparring.errors import ConfigurationError
from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.judging.generic_failures import GenericFailures

FOUR = ["goal_not_completed", "no_response", "timeout", "exceeded_loop_limit"]


def judged(*incidents: Incident, **settings: Any) -> Sequence[Verdict]:
    oracle = FakeContext().build(GenericFailures, **settings)
    trace: Trace = trace_of([("hi", "hello"), ("bye", None)], incidents=incidents)
    return asyncio.run(oracle.judge(trace))


def incident(
    kind: str, message: str = "it broke", owner: Owner = Owner.APP, **more: Any
) -> Incident:
    return Incident(kind=IncidentKind(kind), message=message, owner=owner, **more)


def test_a_conversation_without_incidents_passes_all_four() -> None:
    verdicts = judged()
    assert [verdict.check for verdict in verdicts] == FOUR
    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASS}
    assert {verdict.case_ids for verdict in verdicts} == {(trace_of([]).case.id,)}


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("goal_not_reached", "goal_not_completed"),
        ("crash", "no_response"),
        ("timeout", "timeout"),
        ("loop", "exceeded_loop_limit"),
    ],
)
def test_an_incident_fails_its_check_and_no_other(kind: str, check: str) -> None:
    verdicts = {verdict.check: verdict for verdict in judged(incident(kind, turn=1))}
    failed = verdicts.pop(check)
    assert (failed.outcome, failed.owner) == (Outcome.FAIL, Owner.APP)
    assert failed.reason == "it broke"
    assert failed.turns == (TurnRef(case_id=failed.case_ids[0], turn=1),)
    if kind in ("crash", "timeout"):
        goal = verdicts.pop("goal_not_completed")
        assert (goal.outcome, goal.owner) == (Outcome.SKIPPED, None)
        assert goal.reason == f"the app broke the conversation off ({kind})"
    assert {verdict.outcome for verdict in verdicts.values()} == {Outcome.PASS}


def test_a_crash_that_leaves_goals_open_is_told_once() -> None:
    crash, left = incident("crash", turn=1), incident("goal_not_reached", "2 goals left")
    verdicts = {verdict.check: verdict.outcome for verdict in judged(crash, left)}
    assert verdicts["no_response"] is Outcome.FAIL
    assert verdicts["goal_not_completed"] is Outcome.SKIPPED
    # nobody else would tell it
    oracle = FakeContext().build(GenericFailures, checks=["goal_not_completed"])
    trace = trace_of([("hi", "hello")], incidents=[crash, left])
    [alone] = asyncio.run(oracle.judge(trace))
    assert (alone.outcome, alone.reason) == (Outcome.FAIL, "2 goals left")


BROKEN = [
    ("unreachable", "unreachable", Owner.ENVIRONMENT),
    ("player_error", "player_error", Owner.TEST),
    ("connector_error", "connector_error", Owner.TOOL),
    ("model_error", "model_error", Owner.SIMULATED_USER),
    ("case_timeout", "case_timeout", Owner.TEST),
    ("environment", "environment", Owner.ENVIRONMENT),
    ("machine_busy", "machine_busy", Owner.ENVIRONMENT),
]


@pytest.mark.parametrize(("kind", "check", "owner"), BROKEN)
def test_what_breaks_a_conversation_off_is_reported_by_name_with_its_owner(
    kind: str, check: str, owner: Owner
) -> None:
    verdicts = judged(incident(kind, owner=owner))
    assert [verdict.check for verdict in verdicts] == [*FOUR, check]
    goal, *others, broken = verdicts
    expected = Outcome.INCONCLUSIVE if kind == "machine_busy" else Outcome.ERROR
    assert (broken.outcome, broken.owner) == (expected, owner)
    assert (goal.outcome, goal.owner) == (Outcome.INCONCLUSIVE, owner)
    assert {verdict.outcome for verdict in others} == {Outcome.PASS}


@pytest.mark.parametrize(("kind", "check", "owner"), BROKEN)
def test_an_app_that_was_never_heard_is_one_finding(kind: str, check: str, owner: Owner) -> None:
    oracle = FakeContext().build(GenericFailures)
    trace = trace_of([("hi", None)], incidents=[incident(kind, owner=owner)])
    verdicts = asyncio.run(oracle.judge(trace))
    assert [(one.outcome, one.owner) for one in verdicts[:4]] == [(Outcome.SKIPPED, None)] * 4
    assert (verdicts[-1].check, verdicts[-1].owner) == (check, owner)


def test_a_protocol_error_is_an_error_of_the_app() -> None:
    verdicts = judged(incident("protocol"))
    assert [verdict.check for verdict in verdicts] == [*FOUR, "protocol_error"]
    assert (verdicts[-1].outcome, verdicts[-1].owner) == (Outcome.ERROR, Owner.APP)
    goal, *others = verdicts[:4]
    assert goal.outcome is Outcome.SKIPPED
    assert {verdict.outcome for verdict in others} == {Outcome.PASS}


@pytest.mark.parametrize("owner", [one for one in Owner if one is not Owner.APP])
@pytest.mark.parametrize("kind", ["goal_not_reached", "crash", "timeout", "loop"])
def test_what_is_not_the_apps_doing_is_never_a_failure(kind: str, owner: Owner) -> None:
    verdicts = judged(incident(kind, owner=owner))
    assert Outcome.FAIL not in {one.outcome for one in verdicts}
    assert (Outcome.INCONCLUSIVE, owner) in {(one.outcome, one.owner) for one in verdicts}


def test_a_failure_names_what_the_app_did_and_not_what_others_did() -> None:
    both = judged(incident("crash", "our bug", owner=Owner.TOOL), incident("crash", "its bug"))
    assert (both[1].outcome, both[1].owner, both[1].reason) == (Outcome.FAIL, Owner.APP, "its bug")


def test_several_incidents_of_a_kind_are_one_failure() -> None:
    verdicts = judged(incident("timeout", turn=0), incident("timeout", "again", turn=1))
    assert verdicts[2].reason == "it broke (and 1 more)"
    assert [ref.turn for ref in verdicts[2].turns] == [0, 1]


def test_messages_are_one_line_and_clipped() -> None:
    verdict = judged(incident("crash", "a\n\nb\t" + "x" * 5000))[1]
    assert verdict.reason.startswith("a b xxx")
    assert len(verdict.reason) == 400
    assert judged(incident("crash", " "))[1].reason == "crash"


def test_checks_can_be_chosen() -> None:
    verdicts = judged(incident("crash"), checks=["timeout"])
    assert [(verdict.check, verdict.outcome) for verdict in verdicts] == [("timeout", Outcome.PASS)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"checks": []}, "checks"), ({"checks": ["loops"]}, "exceeded_loop_limit"), ({"x": 1}, "x")],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        judged(**settings)


@pytest.mark.parametrize("owner", [Owner.TEST, Owner.ENVIRONMENT])
def test_goals_are_inconclusive_where_a_model_failed_and_never_the_apps_fault(owner: Owner) -> None:
    verdicts = {one.check: one for one in judged(incident("model_error", "no answer", owner))}
    goal, error = verdicts.pop("goal_not_completed"), verdicts.pop("model_error")
    assert (goal.outcome, goal.owner) == (Outcome.INCONCLUSIVE, owner)
    assert (error.outcome, error.owner, error.reason) == (Outcome.ERROR, owner, "no answer")
    assert {one.outcome for one in verdicts.values()} == {Outcome.PASS}


def test_a_case_with_a_value_that_nobody_knows_is_inconclusive() -> None:
    first, *others = judged(incident("unresolved", "any(3 drinks) needs a model", Owner.TEST))
    assert (first.check, first.outcome) == ("goal_not_completed", Outcome.INCONCLUSIVE)
    assert (first.owner, first.reason) == (Owner.TEST, "any(3 drinks) needs a model")
    assert [one.outcome for one in others] == [Outcome.PASS] * 3  # the app was heard


def test_goals_are_inconclusive_where_the_app_could_not_be_reached() -> None:
    lost = incident("goal_not_reached", "2 goals left", Owner.ENVIRONMENT)
    verdicts = judged(lost, incident("unreachable", owner=Owner.ENVIRONMENT))
    assert verdicts[0].outcome is Outcome.INCONCLUSIVE
    assert (verdicts[-1].outcome, verdicts[-1].owner) == (Outcome.ERROR, Owner.ENVIRONMENT)
