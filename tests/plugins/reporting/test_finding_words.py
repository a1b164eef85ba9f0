"""What heads a finding, and how often it was seen."""

import pytest

from sparring.model.run import Summary
from sparring.model.verdict import Finding, Outcome, Owner
from sparring_plugins.gating.gate_result import GateResult, Rate, Rules
from sparring_plugins.reporting.finding_words import Labels, extent
from sparring_plugins.reporting.findings import Fault, described, reason_parts


def fault(*case_ids: str, count: int = 1, outcome: Outcome = Outcome.FAIL) -> Fault:
    finding = Finding(
        oracle="rules",
        check="price",
        outcome=outcome,
        owner=Owner.APP,
        reason="wrong",
        count=count,
        case_ids=case_ids,
    )
    return Fault(1, finding, len(case_ids), case_ids[:1])


def gated(exit_code: int, **gate: object) -> Summary:
    result = GateResult(rules=Rules(), **gate)
    return Summary(exit_code=exit_code, gate=result.model_dump(mode="json"))


def rate(case_id: str, decision: str) -> Rate:
    return Rate(
        case_id=case_id, check="rules/price", decision=decision, passed=2, decided=3, low=0.2,
        high=0.9, plays="..x",
    )  # fmt: skip


def test_a_check_that_fails_now_and_then_is_flaky_and_no_fail() -> None:
    labels = Labels(gated(0, repeated=True, rates=[rate("order", "flaky")]))
    assert labels.of(fault("order.2", "order.3")) == "flaky"
    assert labels.of(fault("order")) == "flaky"
    assert labels.of(fault("order.2", outcome=Outcome.ERROR)) == "error"


def test_one_case_that_always_fails_makes_the_finding_a_fail() -> None:
    rates = [rate("bill", "fail"), rate("order", "flaky")]
    labels = Labels(gated(1, repeated=True, rates=rates))
    assert labels.of(fault("order.2", "bill", "bill.2")) == "fail"
    assert labels.of(fault("unlisted")) == "fail"


def test_what_a_baseline_accepts_is_called_so() -> None:
    labels = Labels(gated(0, accepted=["order rules/price", "rules/over"]))
    assert labels.of(fault("order")) == "accepted"
    assert labels.of(fault("order", "bill")) == "fail"


@pytest.mark.parametrize("summary", [None, Summary(exit_code=1)])
def test_without_a_gate_a_finding_is_called_by_its_outcome(summary: Summary | None) -> None:
    assert Labels(summary).of(fault("order.2")) == "fail"


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (fault("a", "b", count=2), "2x"),
        (fault("a", "b", count=1), "1 check over 2 conversations"),
        (fault("a", count=7), "7 checks in 1 conversation"),
        (fault(count=1), "1 check"),
    ],
)
def test_how_often_says_what_is_counted(seen: Fault, words: str) -> None:
    assert extent(seen, "conversation") == words


@pytest.mark.parametrize(
    ("reason", "parts"),
    [
        ("too dear (`a > 1` is false: a is 2)", ("too dear", "`a > 1` is false: a is 2")),
        ("`a > 1` is false", ("", "`a > 1` is false")),
        ("plain (with a remark)", ("plain (with a remark)", "")),
        ("cut (`a > 1 and...", ("cut (`a > 1 and...", "")),
        ("", ("", "")),
    ],
)
def test_a_reason_is_parted_into_words_and_code(reason: str, parts: tuple[str, str]) -> None:
    assert reason_parts(reason) == parts


def test_a_description_comes_first() -> None:
    assert described("It greets.", "`x` is false") == "It greets (`x` is false)"
    assert described("It greets", "said 'no'") == "It greets: said 'no'"
    assert described("", "said 'no'") == "said 'no'"
    assert described("It greets", "") == "It greets"
