"""Grouping verdicts into findings."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.model.events import CaseJudged
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, TurnRef, Verdict
from sparring.testing.conversations import EPOCH, trace_of, verdict_of
from sparring_plugins.reporting.findings import Findings, normalised, worst


def judged(trace: Trace, *verdicts: Verdict) -> CaseJudged:
    return CaseJudged(at=EPOCH, trace=trace, verdicts=verdicts)


def talk(number: int, turns: int = 1) -> Trace:
    return trace_of([("hi", "hello")] * turns, nr=number)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("price 12.50 is not 13", "price 9.99 is not 14"),
        ("expected 'small' here", 'expected "large" here'),
        ("expected “a” here", "expected “b c” here"),
        ("order 3f2a9c01-88aa is unknown", "order 77bb0011-1234 is unknown"),
        ("No  answer\n in time", "no answer in time"),
        ("number P488 was given", "number P1 was given"),
        ("asked again: ['a', 'b', 'c']", "asked again: ['d']"),
        ("at 12:00 on 2026-11-20", "at 9:30 on 2025-01-02"),
    ],
)
def test_reasons_that_differ_in_values_are_one(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the price is missing", "the order number is missing"),
        ("don't ask 'a' and can't", "don't tell 'a' and can't"),
    ],
)
def test_reasons_that_differ_in_words_are_two(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.text(max_size=5000))
def test_any_reason_can_be_normalised(reason: str) -> None:
    assert len(normalised(reason)) <= 300


def test_the_same_fault_is_one_finding_with_its_shortest_conversation() -> None:
    findings = Findings()
    for number, turns in ((1, 5), (2, 2), (3, 4)):
        trace = talk(number, turns)
        verdict = verdict_of(trace, "fail", reason=f"the total {number}0 is wrong")
        findings.add_case(judged(trace, verdict, verdict_of(trace, "pass")))
    (fault,) = findings.faults()
    assert (fault.cases, fault.finding.count) == (3, 3)
    assert fault.example == (talk(2).case.id,)
    assert fault.finding.reason == "the total 20 is wrong"


def test_what_a_case_was_given_or_told_does_not_make_another_finding() -> None:
    findings = Findings()
    for number, size, pizza in ((1, "big", "Hawaiian"), (2, "medium", "carbonara special")):
        trace = trace_of(
            [("hi", "hello")], outputs={"paid": f"{pizza} deal"}, nr=number, order=[size, pizza]
        )
        reason = f"{size} {pizza.lower()}, {number} water: {pizza} deal costs {number}.50"
        verdict = verdict_of(trace, "fail", reason=reason)
        findings.add_case(judged(trace, verdict))
    (fault,) = findings.faults()
    assert fault.cases == 2
    assert findings.number(verdict, trace) == 1
    assert findings.number(verdict) is None


def test_checks_are_counted_apart_from_conversations() -> None:
    findings, trace = Findings(), talk(1)
    several = verdict_of(trace, "fail", reason="wrong").model_copy(update={"count": 7})
    findings.add_case(judged(trace, several, verdict_of(trace, "fail", reason="wrong")))
    (fault,) = findings.faults()
    assert (fault.cases, fault.finding.count) == (1, 8)


def test_owners_outcomes_and_gating_keep_findings_apart() -> None:
    findings, trace = Findings(), talk(1)
    base = verdict_of(trace, "fail", reason="wrong")
    others: list[dict[str, Any]] = [{"owner": Owner.TEST}, {"gating": False}]
    others += [{"outcome": Outcome.ERROR}, {"check": "b"}, {"oracle": "b"}]
    findings.add_case(judged(trace, base, *(base.model_copy(update=each) for each in others)))
    assert len(findings.faults()) == 6


def test_findings_are_read_gating_first_then_worst_then_most_frequent() -> None:
    findings = Findings()
    for number in range(6):
        trace = talk(number)
        verdicts = [verdict_of(trace, "inconclusive", check="unsure")]
        verdicts += [verdict_of(trace, "fail", check="rare")] if number < 2 else []
        verdicts += [verdict_of(trace, "fail", check="soft", gating=False)]
        verdicts += [verdict_of(trace, "fail", check="often")] if number < 5 else []
        verdicts += [verdict_of(trace, "error", check="broken")]
        findings.add_case(judged(trace, *verdicts))
    order = [fault.finding.check for fault in findings.faults()]
    assert order == ["often", "rare", "broken", "unsure", "soft"]


def test_the_order_of_conversations_changes_nothing_but_ties() -> None:
    traces = [talk(n, turns=n + 1) for n in range(20)]
    seen: list[Any] = []
    for seed in range(3):
        findings = Findings()
        for trace in random.Random(seed).sample(traces, len(traces)):
            check = f"check {len(trace.turns) % 3}"
            findings.add_case(judged(trace, verdict_of(trace, "fail", check=check)))
        seen.append([(f.finding.check, f.cases, f.example) for f in findings.faults()])
    assert seen[0] == seen[1] == seen[2]


def test_a_condition_over_several_names_the_shortest_pair() -> None:
    findings = Findings()
    traces = [talk(n, turns) for n, turns in ((1, 9), (2, 3), (3, 1))]
    for trace in traces:
        findings.add_case(judged(trace))
    ids = [trace.case.id for trace in traces]
    pairs = [(ids[0], ids[1]), (ids[1], ids[2])]
    findings.add_concluded(
        Verdict(
            oracle="rules",
            check="unique",
            outcome=Outcome.FAIL,
            owner=Owner.APP,
            case_ids=pair,
            reason=f"{pair[0]} and {pair[1]} got the same number",
            turns=(TurnRef(case_id=pair[0], turn=0),),
        )
        for pair in pairs
    )
    (fault,) = findings.faults()
    assert fault.example == pairs[1]
    assert (fault.cases, fault.finding.count) == (3, 2)
    assert fault.finding.turns[0].case_id == pairs[1][0]


def test_a_verdict_knows_the_number_of_its_finding() -> None:
    findings, trace = Findings(), talk(1)
    bad = verdict_of(trace, "error", reason="broke 1")
    worse = verdict_of(trace, "fail", reason="wrong 1")
    findings.add_case(judged(trace, bad, worse))
    findings.faults()
    assert findings.number(worse.model_copy(update={"reason": "wrong 22"})) == 1
    assert findings.number(bad) == 2
    assert findings.number(verdict_of(trace, "pass")) is None
    assert findings.number(verdict_of(trace, "fail", reason="another")) is None


def test_endless_different_reasons_do_not_fill_the_memory() -> None:
    findings = Findings()
    letters = "abcdefghijklmnopqrstuvwxyz"
    for number in range(650):
        trace = talk(number)
        word = letters[number % 26] + letters[number // 26]
        verdict = verdict_of(trace, "fail", reason=f"never seen {word}")
        findings.add_case(judged(trace, verdict))
    faults = findings.faults()
    assert len(faults) == 501
    assert sum(fault.cases for fault in faults) == 650
    assert findings.number(verdict) is not None


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], "skipped"),
        (["pass", "skipped"], "pass"),
        (["skipped"], "skipped"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "error"], "error"),
        (["error", "fail", "pass"], "fail"),
    ],
)
def test_a_case_is_as_bad_as_its_worst_gating_verdict(outcomes: list[str], expected: str) -> None:
    trace = talk(1)
    verdicts = [verdict_of(trace, outcome) for outcome in outcomes]
    verdicts.append(verdict_of(trace, "fail", gating=False))
    assert worst(verdicts) == expected
