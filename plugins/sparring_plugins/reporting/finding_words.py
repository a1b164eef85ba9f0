"""What heads a finding, and how often it was seen, in the words that all reports share."""

from collections.abc import Iterator

from sparring.engine.exit_codes import PASSED
from sparring.model.run import Summary
from sparring.model.verdict import Finding, Outcome
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.language.quantities import plural
from sparring_plugins.reporting.findings import Fault

FLAKY, ACCEPTED = "flaky", "accepted"

TONES = {FLAKY: Outcome.INCONCLUSIVE.value, ACCEPTED: Outcome.SKIPPED.value}
"""The outcome whose colour a label has that is no outcome itself."""


class Labels:
    """What findings are called: by their outcome, or by what repeats or a baseline made of it.

    A check that failed in some plays and passed in others is *flaky*, and one that fails as it did
    in the baseline *accepted*: no gating finding is called a fail in a run that ends with 0.
    """

    def __init__(self, summary: Summary | None) -> None:
        gate = gate_of(summary) if summary is not None else None
        self._green = summary is not None and summary.exit_code == PASSED
        self._repeated = gate is not None and gate.repeated
        self._accepted = frozenset(gate.accepted if gate else ())
        self._decisions = _decisions(gate)

    def of(self, fault: Fault) -> str:
        """Return what a finding is called: an outcome, ``flaky`` or ``accepted``."""
        finding = fault.finding
        places = list(_places(finding))
        if self._is_flaky(finding, places):
            return FLAKY
        if self._accepted and places and all(self._is_accepted(place) for place in places):
            return ACCEPTED
        return finding.outcome.value

    def _is_flaky(self, finding: Finding, places: list[tuple[str, str]]) -> bool:
        if not self._repeated or finding.outcome is not Outcome.FAIL:
            return False
        decisions = {self._decisions.get(place, "") for place in places}
        # The gate lists a thousand rates, the failing ones first: of the others it is known that
        # they do not fail if the run ended with 0.
        return "fail" not in decisions and ("" not in decisions or (self._green and finding.gating))

    def _is_accepted(self, place: tuple[str, str]) -> bool:
        return " ".join(place).strip() in self._accepted or place[1] in self._accepted


def _decisions(gate: GateResult | None) -> dict[tuple[str, str], str]:
    """What the gate says of each check of each case whose plays differ, or all failed."""
    return {(each.case_id, each.check): each.decision for each in gate.rates} if gate else {}


def _places(finding: Finding) -> Iterator[tuple[str, str]]:
    """The case, without the number of its play, and the check of each conversation."""
    check = f"{finding.oracle}/{finding.check}"
    for case_id in finding.case_ids:
        base, _, number = case_id.rpartition(".")
        yield (base if base and number.isdigit() else case_id), check


def extent(fault: Fault, noun: str) -> str:
    """Return how often a finding was seen: ``3x``, or ``1 check over 2 conversations``.

    A rule about two conversations that fails once names two: "2x" beside "1 fail" looked wrong.
    """
    checks, cases = fault.finding.count, fault.cases
    if not cases:
        return plural(checks, "check")
    if checks == cases:
        return f"{cases:,}x"
    word = "over" if checks < cases else "in"
    return f"{plural(checks, 'check')} {word} {plural(cases, noun)}"
