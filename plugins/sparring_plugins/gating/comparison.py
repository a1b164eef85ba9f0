"""Comparing two runs, or a run with a baseline: what is worse, better, unsteady, new or missing."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sparring_plugins.gating.case_ids import renamed
from sparring_plugins.gating.change_table import ORDER, WORSE, Change, ChangeTable, Kind
from sparring_plugins.gating.record_table import RecordTable, finder, items_in_order
from sparring_plugins.gating.records import MEASURES, CaseRecord, CheckCounts, RunRecord
from sparring_plugins.gating.statistics import Interval, RunningMean, holm, less_often, mcnemar

SEVERAL = ""
"""The id in whose place conditions over several conversations stand."""


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
    difference of pass rates over these `cases`. A case that is played several times passes if
    every play does. `rates` then has the mean over the cases of the rate at which their least
    steady check passes; it is `None` if no case was played more than once.
    """

    before: RunRecord
    after: RunRecord
    confidence: float
    changes: ChangeTable = field(default_factory=ChangeTable)
    checks: list[CheckTable] = field(default_factory=list[CheckTable])
    measures: list[Measure] = field(default_factory=list[Measure])
    cases: int = 0
    passed_before: int = 0
    passed_after: int = 0
    worse: int = 0
    better: int = 0
    p: float = 1.0
    rate_interval: Interval | None = None
    rates: Measure | None = None

    @property
    def counts(self) -> Counter[Kind]:
        """How many changes there are of each kind, in reading order."""
        return Counter({kind: n for kind in ORDER if (n := self.changes.counts[kind])})

    @property
    def is_worse(self) -> bool:
        """Whether anything is worse than before."""
        return any(self.changes.counts[kind] for kind in WORSE)


def compare(before: RunRecord, after: RunRecord, *, confidence: float = 0.95) -> Comparison:
    """Compare two runs case by case and check by check.

    A check that passed before and fails in every play now is a *new failure*, also if it was
    played once. One that sometimes passes is worse or better only if Fisher's exact test says so
    at `confidence`, after Holm's correction over all such checks; else it is *flaky*, and in
    particular it is not *fixed* by one play that passes.

    A case that has an id of 0.2 or before in one of the records gets that of the other. Each
    record is read once, and looked up only if the two have their cases in another order.
    """
    for record, other in ((before, after), (after, before)):
        record.rename_cases(renamed(record.cases, other.cases))
    comparison = Comparison(before, after, confidence)
    _Pass(comparison).compare()
    return comparison


class _Pass:
    """One pass over the cases of both: what it counts, and the checks that wait for its end."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before, comparison.after
        self._mixed = _MixedChecks()
        self._turns: dict[str, Counter[tuple[bool, bool]]] = {}
        self._rate = RunningMean()
        self._lowest = RunningMean(), RunningMean()  # before, and the change
        self._is_repeated = False
        self._means = {name: (RunningMean(), RunningMean()) for name in MEASURES}

    def compare(self) -> None:
        """Compare all cases, then the conditions over several conversations."""
        comparison, before, after = self._comparison, self._before, self._after
        find, both = finder(before.cases), 0
        for case_id, later in items_in_order(after.cases):
            earlier = find(case_id)
            if earlier is None:
                _add_new_case(comparison.changes, case_id, later)
                continue
            both += 1
            self._compare_checks(case_id, earlier, later)
            self._compare_case(earlier, later)
        if both < len(before.cases):
            _add_missing_cases(comparison.changes, before, after)
        for check in dict.fromkeys([*after.several, *before.several]):
            self._add(SEVERAL, check, before.several.get(check), after.several.get(check))
        for case_id, check, first, second, p_values in self._mixed.adjusted():
            self._add_kind(case_id, check, first, second, p_values)
        comparison.p = mcnemar(comparison.worse, comparison.better)
        comparison.rate_interval = self._rate.interval(comparison.confidence)
        comparison.checks = _check_tables(self._turns)
        of_before, change = self._lowest
        if self._is_repeated and of_before.count:
            interval = change.interval(comparison.confidence)
            rates = of_before.mean, of_before.mean + change.mean
            comparison.rates = Measure("rates", *rates, interval)
        comparison.measures = list(self._measures())

    def _compare_checks(self, case_id: str, earlier: CaseRecord, later: CaseRecord) -> None:
        for check in dict.fromkeys([*later.checks, *earlier.checks]):
            first = self._before.counts_in(earlier, check)
            second = self._after.counts_in(later, check)
            if first is not None and second is not None and _only_pass(first, second):
                self._turns.setdefault(check, Counter())[True, True] += 1
                continue
            self._add(case_id, check, first, second)
            if first is not None and second is not None and first.decided and second.decided:
                turn = (not first.failed, not second.failed)
                self._turns.setdefault(check, Counter())[turn] += 1

    def _add(
        self, case_id: str, check: str, earlier: CheckCounts | None, later: CheckCounts | None
    ) -> None:
        if earlier is not None and later is not None and _is_mixed(earlier, later):
            self._mixed.add(case_id, check, earlier, later)
        else:
            self._add_kind(case_id, check, earlier, later, None)

    def _add_kind(
        self,
        case_id: str,
        check: str,
        earlier: CheckCounts | None,
        later: CheckCounts | None,
        p_values: tuple[float, float] | None,
    ) -> None:
        kind, p = _kind(earlier, later, p_values, 1 - self._comparison.confidence)
        if kind is not None:
            self._comparison.changes.add(Change(kind, case_id, check, earlier, later, p))

    def _compare_case(self, earlier: CaseRecord, later: CaseRecord) -> None:
        """Count a case of both runs by how it turned; it passes if no play failed."""
        if self._before.lists_passes:
            for name, (of_before, change) in self._means.items():
                old, new = earlier.mean(name), later.mean(name)
                of_before.add(old)
                change.add(new - old)
        states = _case_state(self._before, earlier), later.state
        if "undecided" in states:
            return
        comparison = self._comparison
        first, second = (state in ("pass", "skipped") for state in states)
        comparison.cases += 1
        comparison.passed_before += first
        comparison.passed_after += second
        comparison.worse += first and not second
        comparison.better += second and not first
        self._rate.add(float(second) - float(first))
        self._is_repeated = self._is_repeated or earlier.plays > 1 or later.plays > 1
        before, after = _lowest_rate(earlier), _lowest_rate(later)
        self._lowest[0].add(before)
        self._lowest[1].add(after - before)

    def _measures(self) -> Iterator[Measure]:
        """Yield what a conversation took before and after; intervals only between two runs."""
        before, after = self._before, self._after
        for name, (of_before, change) in self._means.items():
            if not before.lists_passes:
                if name in before.means or after.means.get(name):
                    old, new = before.means.get(name, 0.0), after.means.get(name, 0.0)
                    yield Measure(name, old, new, None)
            elif of_before.is_anything or change.is_anything:
                interval = change.interval(self._comparison.confidence)
                yield Measure(name, of_before.mean, of_before.mean + change.mean, interval)


_Counts = tuple[tuple[int, int], tuple[int, int]]
"""How often a check passed and was decided, before and after."""


class _MixedChecks:
    """Checks that sometimes pass, of which Holm's correction wants to know all before it says any.

    Fisher's p depends on four numbers, of which a million checks have few: p-values are kept for
    these, each with how many checks have it.
    """

    def __init__(self) -> None:
        self._checks: RecordTable[tuple[str, str, CheckCounts, CheckCounts]] = RecordTable()
        self._counts: Counter[_Counts] = Counter()

    def add(self, case_id: str, check: str, earlier: CheckCounts, later: CheckCounts) -> None:
        """Note a check of a case."""
        number = self._counts.total()
        self._checks.add(str(number), (case_id, check, earlier, later))
        self._counts[_counts_of(earlier, later)] += 1

    def adjusted(
        self,
    ) -> Iterator[tuple[str, str, CheckCounts, CheckCounts, tuple[float, float]]]:
        """Yield each check with its adjusted p-values that it got worse and better."""
        worse = holm({key: less_often(*key) for key in self._counts}, self._counts)
        better = holm({key: less_often(*reversed(key)) for key in self._counts}, self._counts)
        for _, (case_id, check, earlier, later) in self._checks.in_order():
            key = _counts_of(earlier, later)
            yield case_id, check, earlier, later, (worse[key], better[key])


def _only_pass(first: CheckCounts, second: CheckCounts) -> bool:
    """Whether each play of a check passed, which is said of nearly all in a few steps."""
    others = first.failed or first.undecided or second.failed or second.undecided
    return bool(first.passed and second.passed and not others)


def _is_mixed(earlier: CheckCounts, later: CheckCounts) -> bool:
    """Whether a check was decided before and after, and passed and failed in one of them."""
    return bool(earlier.decided and later.decided and "flaky" in (earlier.state, later.state))


def _counts_of(earlier: CheckCounts, later: CheckCounts) -> _Counts:
    return (earlier.passed, earlier.decided), (later.passed, later.decided)


def _state(counts: CheckCounts | None) -> str:
    return "skipped" if counts is None else counts.state


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


def _add_new_case(changes: ChangeTable, case_id: str, record: CaseRecord) -> None:
    """Add a case that was not there before: its checks that do not pass, or that it is new."""
    bad = {label: counts for label, counts in record.checks.items() if counts.state in _BAD}
    for label, counts in bad.items():
        changes.add(Change(_BAD[counts.state], case_id, label, None, counts))
    if not bad:
        changes.add(Change("new case", case_id, "", None, None))


def _add_missing_cases(changes: ChangeTable, before: RunRecord, after: RunRecord) -> None:
    find = finder(after.cases)
    for case_id, _ in items_in_order(before.cases):
        if find(case_id) is None:
            changes.add(Change("missing case", case_id, "", None, None))


_BAD: Mapping[str, Kind] = {"fail": "new case fails", "flaky": "flaky", "undecided": "undecided"}


def _case_state(record: RunRecord, case: CaseRecord) -> str:
    return case.state if record.lists_passes or case.checks else "pass"


def _lowest_rate(case: CaseRecord) -> float:
    """How often the check of a case passes that passes least; 1 if all do, or none decided.

    A baseline has no play by play of a case whose checks failed, so that how many plays passed as
    a whole is not known of it.
    """
    rates = (each.passed / each.decided for each in case.checks.values() if each.decided)
    return min(rates, default=1.0)


def _check_tables(turns: Mapping[str, Counter[tuple[bool, bool]]]) -> list[CheckTable]:
    """Return the table of each check that is on single conversations, by McNemar's test."""
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
