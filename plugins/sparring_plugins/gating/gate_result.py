"""What a gate decided, as it is stored with the sums of a run, and read by reporters."""

from collections.abc import Sequence
from math import comb
from statistics import fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sparring.model.run import Summary
from sparring.model.verdict import Outcome
from sparring.suite.model import Gate, Repeats
from sparring_plugins.gating.records import CheckCounts, State
from sparring_plugins.gating.sequential import levels_after
from sparring_plugins.gating.statistics import at_least, at_most, wilson

Decision = Literal["pass", "fail", "flaky", "undecided", "skipped"]

# The result stands in run.json, which every command reads: of a million flaky cases the first
# thousand.
MOST_LISTED = 1_000


class Rules(BaseModel, defer_build=True):
    """The suite's gate for repeated checks.

    `most` is how often a case is played at most if its plays end as soon as enough is known: the
    rate was then looked at several times.
    """

    model_config = ConfigDict(frozen=True)

    min_rate: float = 0.9
    confidence: float = 0.95
    flaky: Literal["warn", "fail"] = "warn"
    most: int | None = None

    @classmethod
    def of(cls, gate: Gate, repeats: Repeats) -> "Rules":
        """Return the rules of a suite's keys ``gate`` and ``repeats``."""
        most = None if repeats.until is None else repeats.most
        return cls(min_rate=gate.min_rate, confidence=gate.confidence, flaky=gate.flaky, most=most)

    def settles(self, passed: int, decided: int) -> Literal["pass", "fail"] | None:
        """Return what a rate is known to be; `None` if it may be too low and may be good enough.

        The exact binomial test at the confidence or, if the plays end early, at the level that
        the look after this many plays has.
        """
        alpha = 1 - self.confidence
        low, high = alpha, alpha
        if self.most is not None:
            low, high = levels_after(decided, self.most, self.min_rate, alpha)
        if at_most(passed, decided, self.min_rate) <= low:
            return "fail"
        # P(X >= passed) for the highest rate that is too low.
        return "pass" if at_least(passed, decided, self.min_rate) <= high else None


class Rate(BaseModel, defer_build=True):
    """A check of a case that did not pass in every play.

    `low` and `high` are Wilson's interval for the rate at which it passes, and `plays` has a
    letter for each play: ``.`` passed, ``x`` failed, ``?`` undecided, ``-`` not checked.
    """

    case_id: str
    check: str
    decision: str
    passed: int
    decided: int
    low: float
    high: float
    plays: str
    reason: str = ""

    @property
    def words(self) -> str:
        """``3 of 10 passed (11 % to 60 %)``, and how many plays were undecided besides."""
        words = f"{self.passed:,} of {self.decided:,} passed ({self.low:.0%} to {self.high:.0%})"
        # "9 of 9 passed" beside "undecided" looked like an error of the report's
        undecided = self.plays.count("?")
        return f"{words}, {undecided:,} undecided" if undecided else words


class PassAt(BaseModel, defer_build=True):
    """Of all repeated cases: the chance that one, or each, of `k` plays passes.

    Unbiased estimates from n plays of which c passed, as means over the cases: pass@k is
    1 - C(n - c, k) / C(n, k) (Chen et al., arXiv 2107.03374), and pass^k is C(c, k) / C(n, k)
    (Yao et al., arXiv 2406.12045).
    """

    k: int
    any: float
    all: float


class Change(BaseModel, defer_build=True):
    """A check that is not as in the baseline: its kind, and how often it failed."""

    kind: str
    case_id: str
    check: str
    words: str = ""


class BaselineResult(BaseModel, defer_build=True):
    """How a run compares with its baseline: counts of all changes, and some of them."""

    file: str
    run: str
    counts: dict[str, int]
    changes: list[Change] = []
    statistics: list[str] = []
    worse: int = 0


class GateResult(BaseModel, defer_build=True):
    """What decided the exit code of a run with repeats or a baseline.

    `checks` and `cases` count repeated checks and cases by what all their plays say, `repeated`
    whether any case was played several times. `accepted` are the checks, as ``case oracle/check``,
    that fail as they did in the baseline.
    """

    rules: Rules
    repeated: bool = False
    checks: dict[str, int] = {}
    cases: dict[str, int] = {}
    plays: int = 0
    rates: list[Rate] = []
    pass_at: list[PassAt] = []
    meaning: str = ""
    headline: str = ""
    baseline: BaselineResult | None = None
    accepted: list[str] = []


def gate_of(summary: Summary) -> GateResult | None:
    """Return what the gate decided; `None` for a run without repeats and baseline."""
    return GateResult.model_validate(summary.gate) if summary.gate else None


def decide(counts: CheckCounts, rules: Rules) -> Decision:
    """Return what the plays of one check say under a gate.

    What failed in every play fails, and what passed in every play passes. Of what did both, the
    exact binomial test decides at the gate's confidence: it fails if so few passes are unlikely
    for a check that passes at `min_rate`, passes if so many are unlikely for one that passes less
    often, and is flaky in between. So a check that is as good as `min_rate` is blamed with a
    probability of 1 - confidence at most, unless it fails in all of its plays. That holds as well
    if plays end as soon as enough is known (`Rules.settles`).
    """
    # Plays that could not be decided may have been passes: only what failed in all others is known
    # to fail.
    if counts.undecided:
        return "fail" if counts.failed and not counts.passed else "undecided"
    if not (counts.passed and counts.failed):
        state: State = counts.state
        return state
    return rules.settles(counts.passed, counts.decided) or "flaky"


_LETTERS = {Outcome.PASS: ".", Outcome.FAIL: "x", Outcome.SKIPPED: "-"}
# Each play is one sign, ".x.-": two hundred are two lines of a terminal.
_MOST_PLAYS = 200


def rate(case_id: str, check: str, counts: CheckCounts, rules: Rules) -> Rate:
    """Return the rate of a check with its interval."""
    low, high = wilson(counts.passed, counts.decided, rules.confidence) or (0.0, 1.0)
    return Rate(
        case_id=case_id,
        check=check,
        decision=decide(counts, rules),
        passed=counts.passed,
        decided=counts.decided,
        low=round(low, 4),
        high=round(high, 4),
        plays="".join(_LETTERS.get(play, "?") for play in counts.plays[:_MOST_PLAYS]),
        reason=counts.reason,
    )


def pass_at(plays: Sequence[tuple[int, int]], k: int) -> PassAt:
    """Return pass@k and pass^k of cases with (passed, plays) each, none with fewer than `k`."""
    some = [1 - comb(n - c, k) / comb(n, k) for c, n in plays]
    every = [comb(c, k) / comb(n, k) for c, n in plays]
    return PassAt(k=k, any=round(fmean(some), 4), all=round(fmean(every), 4))
