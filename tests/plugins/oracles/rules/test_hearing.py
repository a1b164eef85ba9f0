"""Conversations in which the app was never heard: rules say nothing of them."""

from typing import Any

import pytest

from sparring.model.talk import Ended, Incident, IncidentKind, Listen, Trace
from sparring.model.verdict import Outcome, Owner

from .judging import Bench, counts, pizza

_OWNERS = {
    IncidentKind.UNREACHABLE: Owner.INFRASTRUCTURE,
    IncidentKind.PLAYER_ERROR: Owner.TEST,
    IncidentKind.CASE_TIMEOUT: Owner.TEST,
}


def down(kind: IncidentKind = IncidentKind.UNREACHABLE, **values: Any) -> Trace:
    incident = Incident(kind=kind, message="refused", owner=_OWNERS.get(kind, Owner.APP))
    given = {"said": [("hi", None)], "outputs": {"price": None}, **values}
    return pizza(incidents=[incident], ended=Ended.INCIDENT, **given)


@pytest.mark.parametrize(
    "kind",
    ["unreachable", "crash", "timeout", "protocol", "player_error", "case_timeout"],
)
@pytest.mark.parametrize("oracle", ["extract_float(price) > 1", "not_repeated_answers()", "1 == 2"])
def test_a_rule_over_one_does_not_judge_an_app_that_was_never_heard(
    bench: Bench, kind: str, oracle: str
) -> None:
    for said in ([("hi", None)], []):
        verdict = bench.one(oracle, down(IncidentKind(kind), said=said))
        assert (verdict.outcome, verdict.owner) == (Outcome.SKIPPED, None)
        assert verdict.reason == f"the app was never heard: {kind}: refused"


def test_an_app_that_was_heard_once_is_judged(bench: Bench) -> None:
    for said in ([(Listen(), "Hello"), ("hi", None)], [("hi", "")]):
        assert bench.one("1 == 2", down(said=said)).outcome is Outcome.FAIL


def test_an_app_that_said_nothing_though_nothing_went_wrong_is_judged(bench: Bench) -> None:
    assert bench.one("1 == 2", pizza(said=[("hi", None)])).outcome is Outcome.FAIL
    assert bench.one("1 == 2", down(IncidentKind.LOOP)).outcome is Outcome.FAIL


def test_a_rule_about_errors_judges_those_that_are_the_apps_own(bench: Bench) -> None:
    rule = "not errors"
    assert bench.one(rule, down(IncidentKind.CRASH)).outcome is Outcome.FAIL
    assert bench.one(rule, down(IncidentKind.UNREACHABLE)).outcome is Outcome.SKIPPED


def test_rules_over_several_leave_out_what_never_happened(bench: Bench) -> None:
    rule = {"conversations": 2, "oracle": "conv[0].price == conv[1].price"}
    traces = [down(), pizza(outputs={"price": "1"}), down(), pizza(outputs={"price": "2"})]
    verdicts = bench.verdicts(rule, on=traces)
    fails = [verdict for verdict in verdicts if verdict.outcome is Outcome.FAIL]
    assert len(fails) == 2
    assert "conv[0].price is '1'; conv[1].price is '2'" in fails[0].reason
    left_out = "2 conversations were left out: the app was never heard, or a language model failed"
    assert verdicts[-1].reason == left_out
    assert counts(verdicts) == {Outcome.FAIL: 2, Outcome.SKIPPED: 1}


def test_rules_over_all_leave_out_what_never_happened(bench: Bench) -> None:
    rule = {"conversations": "all", "oracle": "len([c for c in conv if c.price]) == 1 == len(conv)"}
    verdicts = bench.verdicts(rule, on=[down(), pizza(outputs={"price": "1"}), down()])
    assert counts(verdicts) == {Outcome.PASS: 1, Outcome.SKIPPED: 2}


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


def test_a_conversation_that_a_model_cut_off_is_not_judged_though_the_app_was_heard(
    bench: Bench,
) -> None:
    lost = down(IncidentKind.MODEL_ERROR, said=[("hi", "Hello")])
    for rule in ("price == '1'", "not errors", "1 == 1"):
        verdict = bench.one(rule, lost)
        assert (verdict.outcome, verdict.owner) == (Outcome.SKIPPED, None)
        assert verdict.reason == "a language model failed, not the app: refused"
    pairs = {"conversations": 2, "oracle": "conv[0].price == conv[1].price"}
    verdicts = bench.verdicts(pairs, on=[lost, pizza(outputs={"price": "1"})])
    assert set(counts(verdicts)) == {Outcome.SKIPPED}
