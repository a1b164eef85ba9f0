"""What a gate makes of JUnit test cases: rates of repeats, failures that a baseline accepts."""

from collections.abc import Collection, Sequence

from sparring.model.verdict import Verdict
from sparring_plugins.gating.gate_result import GateResult, rate
from sparring_plugins.gating.records import CaseRecord, gating_outcomes
from sparring_plugins.reporting.junit_testcase import TestCase

_BAD = ("fail", "error", "inconclusive")
_ORDER = ("fail", "flaky", "undecided", "skipped", "pass")


def gate_repeats(test_case: TestCase, record: CaseRecord, gate: GateResult) -> None:
    """Make the test case of all plays what their rates say: a flaky one passes if it may."""
    rates = {
        label: rate("", label, counts, gate.rules)
        for label, counts in record.checks.items()
        if counts.state != "pass"
    }
    for label, each in rates.items():
        test_case.properties[f"rate.{label}"] = f"{each.decision}: {each.words} {each.plays}"
    decisions = {each.decision for each in rates.values()}
    if "flaky" in decisions:
        test_case.properties["flaky"] = "true"
    if test_case.tag != "failure":
        return
    worst_first = sorted(rates.items(), key=lambda item: _ORDER.index(item[1].decision))
    words = "; ".join(f"{label}: {each.decision}, {each.words}" for label, each in worst_first)
    if "fail" in decisions or gate.rules.flaky == "fail":
        test_case.message = f"{words}: {test_case.message}"
    elif "undecided" in decisions:
        test_case.tag = "error"
    else:
        _clear(test_case)


def accept(
    test_case: TestCase, case_id: str, verdicts: Sequence[Verdict], accepted: Collection[str]
) -> None:
    """Skip a test case whose checks fail as they did in the baseline.

    `accepted` are ``case oracle/check``; of a repeated case, `verdicts` are those of its last play,
    and every check that ever failed is named in its properties.
    """
    if test_case.tag is None or test_case.tag == "skipped":
        return
    bad = {
        label for label, (outcome, _) in gating_outcomes(verdicts).items() if outcome.value in _BAD
    }
    bad |= {name.removeprefix("rate.") for name in test_case.properties if name.startswith("rate.")}
    if bad and all(f"{case_id} {label}".strip() in accepted for label in bad):
        test_case.tag = "skipped"
        test_case.message = f"accepted by the baseline: {test_case.message}"


def _clear(test_case: TestCase) -> None:
    test_case.tag, test_case.message, test_case.body = None, "", ""
