"""Conversations that rules cannot judge: never heard, broken off, or not as the user should."""

from typing import Any

import pytest

from sparring.model.talk import Ended, Incident, IncidentKind, Listen, Trace
from sparring.model.verdict import Outcome, Owner

from .judging import Bench, counts, pizza

_OWNERS = {
    IncidentKind.UNREACHABLE: Owner.ENVIRONMENT,
    IncidentKind.ENVIRONMENT: Owner.ENVIRONMENT,
    IncidentKind.MACHINE_BUSY: Owner.ENVIRONMENT,
    IncidentKind.PLAYER_ERROR: Owner.TOOL,
    IncidentKind.CONNECTOR_ERROR: Owner.TOOL,
    IncidentKind.MODEL_ERROR: Owner.SIMULATED_USER,
    IncidentKind.CASE_TIMEOUT: Owner.TEST,
    IncidentKind.UNRESOLVED: Owner.TEST,
}
BREAKING = sorted(_OWNERS)


def down(kind: IncidentKind = IncidentKind.UNREACHABLE, **values: Any) -> Trace:
    owner = values.pop("owner", _OWNERS.get(kind, Owner.APP))
    turn = values.pop("turn", None)
    incident = Incident(kind=kind, message="refused", owner=owner, turn=turn)
    given = {"said": [("hi", None)], "outputs": {"price": None}, **values}
    return pizza(incidents=[incident], ended=Ended.INCIDENT, **given)


def broken(kind: IncidentKind, **values: Any) -> Trace:
    """A conversation of which one answer was heard before it broke off in its second turn."""
    return down(kind, said=[("hi", "Hello"), ("a pizza", None)], turn=1, **values)


@pytest.mark.parametrize("kind", [*BREAKING, "crash", "timeout", "protocol"])
@pytest.mark.parametrize("oracle", ["extract_float(price) > 1", "not_repeated_answers()", "1 == 2"])
def test_a_rule_over_one_does_not_judge_an_app_that_was_never_heard(
    bench: Bench, kind: str, oracle: str
) -> None:
    for said in ([("hi", None)], []):
        verdict = bench.one(oracle, down(IncidentKind(kind), said=said))
        assert (verdict.outcome, verdict.owner) == (Outcome.SKIPPED, None)
        assert verdict.reason == f"the app was never heard: {kind}: refused"


def test_an_app_that_was_heard_before_it_failed_is_judged(bench: Bench) -> None:
    for said in ([(Listen(), "Hello"), ("hi", None)], [("hi", "")]):
        assert bench.one("1 == 2", down(IncidentKind.CRASH, said=said)).outcome is Outcome.FAIL


def test_an_app_that_said_nothing_though_nothing_went_wrong_is_judged(bench: Bench) -> None:
    assert bench.one("1 == 2", pizza(said=[("hi", None)])).outcome is Outcome.FAIL
    assert bench.one("1 == 2", down(IncidentKind.LOOP)).outcome is Outcome.FAIL


def test_a_rule_about_errors_judges_those_that_are_the_apps_own(bench: Bench) -> None:
    rule = "not errors"
    assert bench.one(rule, down(IncidentKind.CRASH)).outcome is Outcome.FAIL
    assert bench.one(rule, down(IncidentKind.UNREACHABLE)).outcome is Outcome.SKIPPED
    assert bench.one(rule, broken(IncidentKind.PLAYER_ERROR)).owner is Owner.TOOL
    crash = Incident(kind=IncidentKind.CRASH, message="500", owner=Owner.APP)
    both = broken(IncidentKind.PLAYER_ERROR)
    both = both.model_copy(update={"incidents": (*both.incidents, crash)})
    assert bench.one(rule, both).outcome is Outcome.FAIL


@pytest.mark.parametrize("kind", BREAKING)
def test_what_is_missing_of_a_conversation_that_broke_off_is_not_the_apps(
    bench: Bench, kind: IncidentKind
) -> None:
    for rule in ("price == '1'", "not errors", "1 == 1", "1 == 2", "len(chatbot_phrases) == 2"):
        verdict = bench.one(rule, broken(kind))
        assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, _OWNERS[kind])
        assert f"broke off, and not by the app ({kind.value}: refused)" in verdict.reason
    rule = {"when": "size == ['huge']", "oracle": "1 == 2"}
    assert bench.one(rule, broken(kind)).outcome is Outcome.SKIPPED


@pytest.mark.parametrize("kind", BREAKING)
def test_turns_before_the_break_are_judged_by_what_they_are_alone(
    bench: Bench, kind: IncidentKind
) -> None:
    said = [("hi", "Hello {{name}}"), ("a pizza", "Which size?"), ("big", None)]
    trace = down(kind, said=said, turn=2)
    rule = {"for_each": "turn", "oracle": "not '{{' in turn.assistant"}
    verdicts = bench.verdicts(rule, on=[trace])
    assert counts(verdicts) == {Outcome.FAIL: 1, Outcome.PASS: 1}
    for oracle in ("turn.answered", "turn.assistant is not None"):
        verdicts = bench.verdicts({"for_each": "turn", "oracle": oracle}, on=[trace])
        assert counts(verdicts) == {Outcome.PASS: 2}
    for oracle in ("not turn.last", "len(chatbot_phrases) > turn.index + 1", "price == '1'"):
        [verdict] = bench.verdicts({"for_each": "turn", "oracle": oracle}, on=[trace])
        assert (verdict.outcome, verdict.owner) == (Outcome.INCONCLUSIVE, _OWNERS[kind])


def test_an_extractor_that_broke_leaves_the_turns_as_they_were(bench: Bench) -> None:
    trace = down(IncidentKind.PLAYER_ERROR, said=[("hi", "Hello {{name}}")])
    rule = {"for_each": "answer", "oracle": "not '{{' in answer"}
    assert counts(bench.verdicts(rule, on=[trace])) == {Outcome.FAIL: 1}


def test_rules_over_several_leave_out_what_never_happened(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "conv[0].price == conv[1].price"}
    traces = [down(), pizza(outputs={"price": "1"}), down(), pizza(outputs={"price": "2"})]
    verdicts = bench.verdicts(rule, on=traces)
    fails = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]
    assert len(fails) == 2
    assert "conv[0].price is '1'; conv[1].price is '2'" in fails[0].reason
    left_out = "2 conversations were left out: the app was never heard, or it broke off and not by"
    assert verdicts[-1].reason == f"{left_out} the app"
    assert counts(verdicts) == {Outcome.FAIL: 2, Outcome.SKIPPED: 1}


def test_rules_over_several_compare_no_conversation_that_broke_off(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "conv[0].price == conv[1].price"}
    traces = [broken(IncidentKind.CONNECTOR_ERROR), pizza(outputs={"price": "1"})]
    verdicts = bench.verdicts(rule, on=traces)
    assert counts(verdicts) == {Outcome.SKIPPED: 1}
    assert "it broke off and not by the app" in verdicts[0].reason


def test_rules_over_all_leave_out_what_never_happened(bench: Bench) -> None:
    rule = {"conversations": "all", "oracle": "len([c for c in conv if c.price]) == 1 == len(conv)"}
    verdicts = bench.verdicts(rule, on=[down(), pizza(outputs={"price": "1"}), down()])
    assert counts(verdicts) == {Outcome.PASS: 1, Outcome.SKIPPED: 2}


@pytest.mark.parametrize("lost", [down(), broken(IncidentKind.PLAYER_ERROR)])
def test_what_is_missing_among_all_may_have_been_in_what_was_not_heard(
    bench: Bench, lost: Trace
) -> None:
    rule = {"conversations": "all", "oracle": "exists(\"price == '2'\")"}
    verdicts = bench.verdicts(rule, on=[lost, pizza(outputs={"price": "1"})])
    assert verdicts[0].outcome is Outcome.INCONCLUSIVE
    assert verdicts[0].owner is lost.incidents[0].owner
    assert bench.verdicts(rule, on=[pizza(outputs={"price": "1"})])[0].outcome is Outcome.FAIL
    assert bench.verdicts(rule, on=[lost, pizza(outputs={"price": "2"})])[0].outcome is Outcome.PASS


def test_what_is_there_twice_is_so_whatever_was_not_heard(bench: Bench) -> None:
    rule = {"conversations": "all", "oracle": "is_unique('order_id')"}
    twice = [pizza(n=number, outputs={"order_id": "A1"}) for number in (1, 2)]
    verdicts = bench.verdicts(rule, on=[down(), *twice])
    assert (verdicts[0].outcome, verdicts[0].owner) == (Outcome.FAIL, Owner.APP)


def test_where_all_are_left_out_nothing_is_misspelt_and_nothing_passes(bench: Bench) -> None:
    rules = (
        "prise == 1",
        {"conversations": 2, "oracle": "conv[0].prise == conv[1].prise"},
        {"conversations": "all", "oracle": "is_unique('prise')"},
    )
    verdicts = bench.verdicts(*rules, on=[down(outputs={}), down(outputs={})])
    assert set(counts(verdicts)) == {Outcome.SKIPPED}
    assert any("2 conversations were left out" in verdict.reason for verdict in verdicts)


def test_sensei_judges_what_never_happened(bench: Bench) -> None:
    assert bench.one("1 == 1", down(), compat="sensei").outcome is Outcome.PASS
    lost = broken(IncidentKind.PLAYER_ERROR)
    assert bench.one("1 == 2", lost, compat="sensei").outcome is Outcome.FAIL


@pytest.mark.parametrize("kind", [IncidentKind.GOAL_NOT_REACHED, IncidentKind.LOOP])
def test_what_depends_on_a_user_that_did_not_do_its_part_is_not_the_apps(
    bench: Bench, kind: IncidentKind
) -> None:
    meta = {"goals_unmet": ["a pizza"], "goals_met": []}
    said = [("hi", "Hello {{name}}")]
    for owner in (Owner.SIMULATED_USER, Owner.APP):
        trace = down(kind, owner=owner, said=said, meta=meta)
        outcome = Outcome.FAIL if owner is Owner.APP else Outcome.INCONCLUSIVE
        for rule in (
            "not errors",
            "goals_unmet == []",
            "ended == 'goals_reached'",
            "price is not None",
            "missing_slots() == []",
        ):
            verdict = bench.one(rule, trace)
            assert (verdict.outcome, verdict.owner) == (outcome, owner), rule
        pairs = {"conversations": 2, "oracle": "conv[0].price == conv[1].price"}
        found = counts(bench.verdicts(pairs, on=[trace, pizza(n=1), pizza(n=2)]))
        assert found == {Outcome.PASS: 2, outcome: 4}
        listed = counts(
            bench.verdicts(pairs, on=[trace, pizza(n=1), pizza(n=2)], max_failures_listed=1)
        )
        assert listed == found
        # what the app said is its own, whatever the user did
        rule = "not any('{{' in said for said in chatbot_phrases)"
        assert bench.one(rule, trace).outcome is Outcome.FAIL
