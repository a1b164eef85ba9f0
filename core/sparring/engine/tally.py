"""Sums over verdicts, and the exit code that follows from them."""

from collections import Counter
from collections.abc import Iterable

from sparring.model.run import Stop, Summary, Usage
from sparring.model.verdict import Outcome, Owner, Verdict

PASSED, FAILED, USAGE, ERRORS, INCOMPLETE, NOTHING, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
"""The exit codes."""

_WORST = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE, Outcome.PASS)


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """The outcome of a case: the worst of its verdicts, skipped where none applied."""
    found = {verdict.outcome for verdict in verdicts}
    return next((outcome for outcome in _WORST if outcome in found), Outcome.SKIPPED)


class Tally:
    """Counts verdicts as they come; holds no verdict."""

    def __init__(self) -> None:
        self.cases: Counter[Outcome] = Counter()
        self.outcomes: Counter[Outcome] = Counter()
        self.measured = 0
        self.gating: Counter[Outcome] = Counter()
        self.owners: Counter[Owner] = Counter()

    def add_case(self, verdicts: Iterable[Verdict]) -> Outcome:
        """Count a judged case; its outcome."""
        listed = list(verdicts)
        self.add(listed)
        outcome = worst(verdict for verdict in listed if verdict.gating)
        self.cases[outcome] += 1
        return outcome

    def add(self, verdicts: Iterable[Verdict]) -> None:
        """Count verdicts that belong to no single case."""
        for verdict in verdicts:
            if verdict.measures:
                self.measured += verdict.count
            else:
                self.outcomes[verdict.outcome] += verdict.count
            if verdict.gating:
                self.gating[verdict.outcome] += verdict.count
            if verdict.owner is not None:
                self.owners[verdict.owner] += verdict.count

    def exit_code(self, stopped: Stop, *, strict: bool = False) -> int:
        """The process's exit code: interrupted, failed, incomplete, errors, in this order."""
        if stopped is Stop.INTERRUPTED:
            return INTERRUPTED
        if self.gating[Outcome.FAIL] or (strict and self.gating[Outcome.INCONCLUSIVE]):
            return FAILED
        if stopped is Stop.BUDGET:
            return INCOMPLETE
        return ERRORS if self.gating[Outcome.ERROR] else PASSED

    def summary(
        self, stopped: Stop, usage: Usage, *, reason: str = "", strict: bool = False
    ) -> Summary:
        """The sums as they are stored."""
        return Summary(
            stopped=stopped,
            exit_code=self.exit_code(stopped, strict=strict),
            reason=reason,
            strict=strict,
            cases=_sorted(self.cases),
            outcomes=_sorted(self.outcomes),
            measured=self.measured,
            gating=_sorted(self.gating),
            owners={owner: self.owners[owner] for owner in Owner if self.owners[owner]},
            usage=usage,
        )


def _sorted(counts: Counter[Outcome]) -> dict[Outcome, int]:
    return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}
