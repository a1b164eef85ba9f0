"""The exit codes of all commands, what each means, and which one a run ends with.

The functions import what they compare: ``sparring --help`` lists the codes, and imports no model.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.model.run import Inconclusive, Stop, Summary
    from sparring.model.verdict import Outcome

PASSED = 0
FAILED = 1
USAGE = 2
ERRORS = 3
INCOMPLETE = 4
NOTHING = 5
INTERNAL = 6
NOT_STORED = 7
INTERRUPTED = 130

MEANINGS: Mapping[int, str] = {
    PASSED: "at least one check passed, and none failed or stayed undecided",
    FAILED: "at least one gating check failed",
    USAGE: "usage or configuration: the suite could not be run",
    ERRORS: "nothing failed, but checks ended in errors or stayed undecided",
    INCOMPLETE: "incomplete: the budget was spent or the workers are gone; the run can be resumed",
    NOTHING: "nothing was selected, or nothing was judged",
    INTERNAL: "internal error: a part, or Sparring itself, broke",
    NOT_STORED: "the disk is full, over quota or read-only; what was stored is kept",
    INTERRUPTED: "interrupted; what was finished is kept",
}
"""What each exit code says, for help, reports and documents."""


def exit_code(
    stopped: "Stop",
    *,
    gating: "Mapping[Outcome, int]",
    passed: int,
    inconclusive: "Inconclusive" = "error",
) -> int:
    """Return the exit code of a run.

    `gating` counts gating checks by outcome, and `passed` all checks that passed, gating or not.
    Zero needs at least one check that passed: a run in which nothing was judged, or in which every
    check was skipped, is never green. The first of these that applies counts: interrupted, broken,
    failed, incomplete, errors, nothing judged.
    """
    from sparring.model.run import Stop
    from sparring.model.verdict import Outcome

    undecided = gating.get(Outcome.INCONCLUSIVE, 0)
    if stopped is Stop.INTERRUPTED:
        return INTERRUPTED
    if stopped is Stop.BROKEN:
        return INTERNAL
    if gating.get(Outcome.FAIL, 0) or (inconclusive == "fail" and undecided):
        return FAILED
    if stopped in (Stop.BUDGET, Stop.LOST):
        return INCOMPLETE
    if gating.get(Outcome.ERROR, 0) or (inconclusive == "error" and undecided):
        return ERRORS
    return PASSED if passed else NOTHING


def meaning(summary: "Summary") -> str:
    """Return one sentence that says why the run has its exit code.

    It names what happened in this run, so that "nothing failed" is never said of a run in which
    nothing was judged, and "passed" never of a run with exit code 1.
    """
    from sparring.model.verdict import Outcome

    if summary.gate.get("meaning"):
        return str(summary.gate["meaning"])
    code = summary.exit_code
    failed = summary.gating.get(Outcome.FAIL, 0)
    undecided = summary.gating.get(Outcome.INCONCLUSIVE, 0)
    if code == INCOMPLETE:
        why = "the workers are gone" if summary.stopped == "lost" else "the budget was spent"
        return f"incomplete: {why}; the run can be resumed"
    if code == FAILED and undecided and not failed:
        return f"{_checks(undecided)} could not be decided, which counts as failed here"
    if code == ERRORS:
        return _errors(summary, summary.gating.get(Outcome.ERROR, 0), undecided)
    if code == NOTHING and any(summary.cases.values()):
        return _nothing(summary, undecided)
    if code == PASSED and not passes(summary):  # runs before 0.2 ended with 0 if all was skipped
        return "no check failed, and none passed: nothing was judged"
    if code == PASSED and undecided:
        return f"no check failed; {_checks(undecided)} could not be decided, which is allowed here"
    return MEANINGS.get(code, "unknown")


def passes(summary: "Summary") -> int:
    """Return how many checks of a run passed, with those that only measure."""
    from sparring.model.verdict import Outcome

    return summary.outcomes.get(Outcome.PASS, 0) + summary.measured


def _errors(summary: "Summary", errors: int, undecided: int) -> str:
    if undecided and not errors:
        return f"nothing failed, but {_checks(undecided)} could not be decided (gate.inconclusive)"
    if errors:
        more = f", and {undecided:,} could not be decided" if undecided else ""
        return f"nothing failed, but {_checks(errors)} ended in errors{more}"
    # A check of stored conversations that could not read all of them says so in its reason.
    return f"nothing failed, but {summary.reason}" if summary.reason else MEANINGS[ERRORS]


def _nothing(summary: "Summary", undecided: int) -> str:
    from sparring.model.verdict import Outcome

    if undecided:
        return f"nothing passed: {_checks(undecided)} could not be decided"
    text = {outcome for outcome, number in summary.outcomes.items() if number}
    if not text:
        return "nothing was judged: there is no check"
    if text == {Outcome.SKIPPED}:
        return "nothing was judged: no check applied to any conversation"
    return "nothing was judged that gates"


def _checks(number: int) -> str:
    return f"{number:,} check{'' if number == 1 else 's'}"
