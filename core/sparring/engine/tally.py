"""Sums over verdicts."""

from collections import Counter
from collections.abc import Iterable

from sparring.engine.exit_codes import exit_code
from sparring.model.run import Inconclusive, Stop, Summary, Usage
from sparring.model.verdict import Outcome, Owner, Verdict

_WORST = (Outcome.FAIL, Outcome.ERROR, Outcome.INCONCLUSIVE, Outcome.PASS)


def worst(verdicts: Iterable[Verdict]) -> Outcome:
    """The outcome of a case: the worst of its verdicts, skipped if none applied."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return next((outcome for outcome in _WORST if outcome in outcomes), Outcome.SKIPPED)


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

    def exit_code(self, stopped: Stop, *, inconclusive: Inconclusive = "error") -> int:
        """Return the exit code of a run with these sums: see `sparring.engine.exit_codes`."""
        passed = self.outcomes[Outcome.PASS] + self.measured
        return exit_code(stopped, gating=self.gating, passed=passed, inconclusive=inconclusive)

    def summary(
        self,
        stopped: Stop,
        usage: Usage,
        *,
        reason: str = "",
        inconclusive: Inconclusive = "error",
    ) -> Summary:
        """Return the sums as they are stored."""
        return Summary(
            stopped=stopped,
            exit_code=self.exit_code(stopped, inconclusive=inconclusive),
            reason=reason,
            strict=inconclusive == "fail",
            inconclusive=inconclusive,
            cases=_sort_counts(self.cases),
            outcomes=_sort_counts(self.outcomes),
            measured=self.measured,
            gating=_sort_counts(self.gating),
            owners={owner: self.owners[owner] for owner in Owner if self.owners[owner]},
            usage=usage,
        )


def _sort_counts(counts: Counter[Outcome]) -> dict[Outcome, int]:
    return {outcome: counts[outcome] for outcome in Outcome if counts[outcome]}
