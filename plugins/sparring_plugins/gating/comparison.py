"""Comparing two runs, or a run with a baseline: what is worse, better, unsteady, new or missing."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from sparring_plugins.gating.case_ids import renamed
from sparring_plugins.gating.records import MEASURES, CaseRecord, CheckCounts, RunRecord
from sparring_plugins.gating.statistics import Interval, holm, less_often, mcnemar, mean_interval

Kind = Literal[
    "new failure",
    "fails more often",
    "new case fails",
    "undecided",
    "flaky",
    "still failing",
    "still undecided",
    "not checked",
    "missing case",
    "fixed",
    "fails less often",
    "new case",
]
"""What became of a check of a case; `WORSE` are those for which a comparison fails."""

WORSE: frozenset[Kind] = frozenset(("new failure", "fails more often", "new case fails"))
ORDER: tuple[Kind, ...] = Kind.__args__  # type: ignore[attr-defined]
"""The kinds in the order in which people read them."""

SEVERAL = ""
"""The id in whose place conditions over several conversations stand."""


@dataclass(frozen=True, slots=True)
class Change:
    """A check of a case that does not pass before and after.

    `before` and `after` are its counts, `None` if it was not judged; `p` is that of Fisher's test
    for checks that sometimes pass, adjusted for how many there are.
    """

    kind: Kind
    case_id: str
    check: str
    before: CheckCounts | None
    after: CheckCounts | None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class CheckTable:
    """One check over the cases of both runs: how many turned from pass to fail and back.

    `p` is McNemar's exact p, adjusted by Holm's method for the number of checks.
    """

    check: str
    cases: int
    passed_before: int
    passed_after: int
    worse: int
    better: int
    p: float


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean per conversation before and after, with the interval of the difference by case."""

    name: str
    before: float
    after: float
    interval: Interval | None


@dataclass(slots=True)
class Comparison:
    """What differs between `before` and `after`.

    `worse` and `better` count the cases that both have and that turned from passing to failing and
    back; `p` is McNemar's exact p for them, and `rate_interval` the bootstrap interval of the
    difference of pass rates over these `cases`.
    """

    before: RunRecord
    after: RunRecord
    confidence: float
    changes: list[Change] = field(default_factory=list[Change])
    checks: list[CheckTable] = field(default_factory=list[CheckTable])
    measures: list[Measure] = field(default_factory=list[Measure])
    cases: int = 0
    passed_before: int = 0
    passed_after: int = 0
    worse: int = 0
    better: int = 0
    p: float = 1.0
    rate_interval: Interval | None = None

    @property
    def counts(self) -> Counter[Kind]:
        """How many changes there are of each kind, in reading order."""
        found = Counter(change.kind for change in self.changes)
        return Counter({kind: found[kind] for kind in ORDER if found[kind]})

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse than before."""
        return any(change.kind in WORSE for change in self.changes)

    def of(self, *kinds: Kind) -> list[Change]:
        """Return the changes of some kinds."""
        return [change for change in self.changes if change.kind in kinds]


def compare(before: RunRecord, after: RunRecord, *, confidence: float = 0.95) -> Comparison:
    """Compare two runs case by case and check by check.

    A check that passed before and fails in every play now is a *new failure*, also if it was
    played once. One that sometimes passes is worse or better only if Fisher's exact test says so
    at `confidence`, after Holm's correction over all such checks; else it is *flaky*, and in
    particular it is not *fixed* by one play that passes.

    A case that has an id of 0.2 or before in one of the records gets that of the other.
    """
    for record, other in ((before, after), (after, before)):
        record.rename_cases(renamed(record.cases, other.cases))
    comparison = Comparison(before, after, confidence)
    pairs = _Pairs(before, after)
    p_values = _fisher(pairs)
    for case_id, check, earlier, later in pairs:
        kind, p = _kind(earlier, later, p_values.get((case_id, check)), 1 - confidence)
        if kind is not None:
            comparison.changes.append(Change(kind, case_id, check, earlier, later, p))
    comparison.changes += _cases_of_one(before, after)
    comparison.changes.sort(key=lambda c: (ORDER.index(c.kind), c.case_id, c.check))
    _compare_cases(comparison)
    comparison.checks = _check_tables(pairs)
    comparison.measures = list(_measures(before, after, confidence))
    return comparison


_Pair = tuple[str, str, CheckCounts | None, CheckCounts | None]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Each check of the cases that both have, then the conditions over several conversations.

    They are made again for each iteration: there may be millions.
    """

    before: RunRecord
    after: RunRecord

    def __iter__(self) -> Iterator[_Pair]:
        before, after = self.before, self.after
        for case_id, later in after.cases.items():
            earlier = before.cases.get(case_id)
            if earlier is None:
                continue
            for check in dict.fromkeys([*later.checks, *earlier.checks]):
                yield (
                    case_id,
                    check,
                    before.counts_in(earlier, check),
                    after.counts_in(later, check),
                )
        for check in dict.fromkeys([*after.several, *before.several]):
            yield SEVERAL, check, before.several.get(check), after.several.get(check)


def _state(counts: CheckCounts | None) -> str:
    return "skipped" if counts is None else counts.state


def _fisher(pairs: Iterable[_Pair]) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Return adjusted p-values that a check got worse and better, for those that were mixed."""
    worse: dict[tuple[str, str], float] = {}
    better: dict[tuple[str, str], float] = {}
    for case_id, check, earlier, later in pairs:
        if earlier is None or later is None or "flaky" not in (earlier.state, later.state):
            continue
        if earlier.decided and later.decided:
            first = (earlier.passed, earlier.decided)
            second = (later.passed, later.decided)
            worse[case_id, check] = less_often(first, second)
            better[case_id, check] = less_often(second, first)
    adjusted_worse, adjusted_better = holm(worse), holm(better)
    return {key: (adjusted_worse[key], adjusted_better[key]) for key in worse}


def _kind(
    earlier: CheckCounts | None,
    later: CheckCounts | None,
    p_values: tuple[float, float] | None,
    alpha: float,
) -> tuple[Kind | None, float | None]:
    first, second = _state(earlier), _state(later)
    if p_values is not None:
        worse, better = p_values
        if worse <= alpha:
            return "fails more often", worse
        if better <= alpha:
            return "fails less often", better
        return "flaky", min(worse, better)
    if second == "flaky":
        return "flaky", None
    return _TURNS.get((first, second)), None


_TURNS: Mapping[tuple[str, str], Kind] = {
    ("pass", "fail"): "new failure",
    ("skipped", "fail"): "new failure",
    ("undecided", "fail"): "new failure",
    ("fail", "fail"): "still failing",
    ("undecided", "undecided"): "still undecided",
    ("fail", "pass"): "fixed",
    ("fail", "skipped"): "not checked",
    ("flaky", "skipped"): "not checked",
    ("pass", "undecided"): "undecided",
    ("fail", "undecided"): "undecided",
    ("flaky", "undecided"): "undecided",
    ("skipped", "undecided"): "undecided",
}
"""What a change of state is; no change of others is worth a line."""


def _cases_of_one(before: RunRecord, after: RunRecord) -> Iterator[Change]:
    """Yield the cases that only one of the two has: for new ones, the checks that do not pass."""
    for case_id, record in after.cases.items():
        if case_id in before.cases:
            continue
        bad = {label: c for label, c in record.checks.items() if c.state in _BAD}
        for label, counts in bad.items():
            yield Change(_BAD[counts.state], case_id, label, None, counts)
        if not bad:
            yield Change("new case", case_id, "", None, None)
    for case_id in before.cases:
        if case_id not in after.cases:
            yield Change("missing case", case_id, "", None, None)


_BAD: Mapping[str, Kind] = {"fail": "new case fails", "flaky": "flaky", "undecided": "undecided"}


def _compare_cases(comparison: Comparison) -> None:
    """Count the cases of both runs by how they turned; a case passes if no play failed."""
    differences = array("d")
    for case_id, later in comparison.after.cases.items():
        earlier = comparison.before.cases.get(case_id)
        if earlier is None:
            continue
        states = _case_state(comparison.before, earlier), later.state
        if "undecided" in states:
            continue
        first, second = (state in ("pass", "skipped") for state in states)
        comparison.cases += 1
        comparison.passed_before += first
        comparison.passed_after += second
        comparison.worse += first and not second
        comparison.better += second and not first
        differences.append(float(second) - float(first))
    comparison.p = mcnemar(comparison.worse, comparison.better)
    comparison.rate_interval = mean_interval(differences, comparison.confidence)


def _case_state(record: RunRecord, case: CaseRecord) -> str:
    return case.state if record.lists_passes or case.checks else "pass"


def _check_tables(pairs: Iterable[_Pair]) -> list[CheckTable]:
    """Return the table of each check that is on single conversations, by McNemar's test."""
    turns: dict[str, Counter[tuple[bool, bool]]] = {}
    for case_id, check, earlier, later in pairs:
        if case_id == SEVERAL or earlier is None or later is None:
            continue
        if earlier.decided and later.decided:
            turn = (not earlier.failed, not later.failed)
            turns.setdefault(check, Counter())[turn] += 1
    p_values = holm({check: mcnemar(t[True, False], t[False, True]) for check, t in turns.items()})
    return [
        CheckTable(
            check=check,
            cases=turn.total(),
            passed_before=turn[True, True] + turn[True, False],
            passed_after=turn[True, True] + turn[False, True],
            worse=turn[True, False],
            better=turn[False, True],
            p=p_values[check],
        )
        for check, turn in sorted(turns.items())
    ]


def _measures(before: RunRecord, after: RunRecord, confidence: float) -> Iterator[Measure]:
    """Yield what a conversation took before and after; intervals only between two runs."""
    sums = {name: (array("d"), array("d")) for name in MEASURES}
    if before.lists_passes:
        for case_id, later in after.cases.items():
            earlier = before.cases.get(case_id)
            if earlier is not None:
                for name, (of_before, of_after) in sums.items():
                    of_before.append(earlier.mean(name))
                    of_after.append(later.mean(name))
    for name, (first, second) in sums.items():
        if not before.lists_passes:
            if name in before.means or after.means.get(name):
                yield Measure(name, before.means.get(name, 0.0), after.means.get(name, 0.0), None)
            continue
        if any(first) or any(second):
            changes = array("d", (new - old for old, new in zip(first, second, strict=True)))
            interval = mean_interval(changes, confidence)
            yield Measure(name, fmean(first), fmean(second), interval)
