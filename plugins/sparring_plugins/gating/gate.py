"""The service ``gate``: decides the exit code of runs with repeats or a baseline."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from sparring.engine.conduct import Decides
from sparring.engine.exit_codes import FAILED, PASSED, exit_code
from sparring.model.run import Inconclusive, Summary
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.model import Gate, Repeats
from sparring.suite.reading import LoadedSuite
from sparring_plugins.gating.baseline import read_baseline
from sparring_plugins.gating.change_table import WORSE, Kind
from sparring_plugins.gating.comparison import SEVERAL, Comparison, compare
from sparring_plugins.gating.comparison_text import (
    change_line,
    counts_line,
    headline,
    statistics_lines,
)
from sparring_plugins.gating.gate_result import (
    MOST_LISTED,
    BaselineResult,
    Change,
    Decision,
    GateResult,
    PassAt,
    Rate,
    Rules,
    decide,
    pass_at,
    rate,
)
from sparring_plugins.gating.records import CheckCounts, RunRecord, read_record
from sparring_plugins.language.quantities import plural

_OUTCOMES = {
    "pass": Outcome.PASS,
    "fail": Outcome.FAIL,
    "undecided": Outcome.INCONCLUSIVE,
    "skipped": Outcome.SKIPPED,
}
NO_REPEATS = Repeats()
_CASE_ORDER: tuple[Decision, ...] = ("fail", "flaky", "undecided", "pass")


def gate(loaded: LoadedSuite) -> Decides:
    """Return what decides the exit code of a suite's runs.

    Raises ConfigurationError if its baseline cannot be read.
    """
    settings = loaded.suite.gate
    baseline = None
    if settings.baseline is not None:
        path = loaded.base_dir / settings.baseline
        baseline = (path, read_baseline(path))

    def decide_run(stored: StoredRun, summary: Summary) -> Summary:
        return decided(stored, summary, settings, baseline, loaded.suite.repeats)

    return decide_run


def decided(
    stored: StoredRun,
    summary: Summary,
    settings: Gate,
    baseline: tuple[Path, RunRecord] | None = None,
    repeats: Repeats = NO_REPEATS,
) -> Summary:
    """Return the sums of a run with the exit code that repeats and baseline give it."""
    record = read_record(stored)
    rules = Rules.of(settings, repeats)
    result = GateResult(rules=rules)
    gating = _decide_checks(record, rules, result)
    if baseline is not None:
        gating = _compare(record, *baseline, settings, result)
    passed = gating[Outcome.PASS] + summary.measured
    code = exit_code(
        summary.stopped, gating=gating, passed=passed, inconclusive=summary.inconclusive
    )
    result.meaning = _meaning(code, result, gating, summary.inconclusive)
    kept = result.model_dump(mode="json", exclude_defaults=True, exclude={"rules"})
    data = {**kept, "rules": rules.model_dump(exclude_none=True)}
    return summary.model_copy(update={"exit_code": code, "gate": data})


def _decide_checks(record: RunRecord, rules: Rules, result: GateResult) -> Counter[Outcome]:
    """Count checks by what all plays say: the gate of repeats."""
    gating: Counter[Outcome] = Counter()
    checks: Counter[Decision] = Counter()
    cases: Counter[str] = Counter()
    for case in record.cases.values():
        decisions: list[Decision] = [decide(counts, rules) for counts in case.checks.values()]
        checks.update(decisions)
        cases[next((state for state in _CASE_ORDER if state in decisions), "skipped")] += 1
        result.plays += case.plays
        result.repeated = result.repeated or case.plays > 1
    for decision, number in checks.items():
        gating[_gated(decision, rules)] += number
    several = _several(record.several.values())
    gating.update(several)
    result.checks = {str(decision): number for decision, number in sorted(checks.items())}
    result.cases = dict(sorted(cases.items()))
    if result.repeated:
        result.headline = f"{_repeats_headline(result)}{_several_words(several)}"
        result.rates = list(islice(_rates(record, rules), MOST_LISTED))
        result.pass_at = _pass_at(record)
    return gating


def _rates(record: RunRecord, rules: Rules) -> Iterator[Rate]:
    """Yield the checks that did not pass in every play, the failing ones first."""
    rates = [
        rate(case_id, label, counts, rules)
        for case_id, case in record.cases.items()
        for label, counts in case.checks.items()
        if counts.state in ("fail", "flaky", "undecided")
    ]
    places: dict[str, int] = {state: place for place, state in enumerate(_CASE_ORDER)}
    yield from sorted(rates, key=lambda each: places[each.decision])


def _pass_at(record: RunRecord) -> list[PassAt]:
    """Return pass@k and pass^k for one play, and for as many as every case has."""
    plays = [
        (sum(outcome is Outcome.PASS for outcome in case.outcomes), case.plays)
        for case in record.cases.values()
    ]
    fewest = min(of for _, of in plays)
    return [pass_at(plays, k) for k in sorted({1, fewest})]


def _several(conditions: Iterable[CheckCounts]) -> Counter[Outcome]:
    return Counter(_OUTCOMES.get(counts.state, Outcome.FAIL) for counts in conditions)


def _gated(decision: Decision, rules: Rules) -> Outcome:
    if decision == "flaky":
        return Outcome.FAIL if rules.flaky == "fail" else Outcome.PASS
    return _OUTCOMES[decision]


def _repeats_headline(result: GateResult) -> str:
    order = ("fail", "flaky", "undecided", "skipped", "pass")
    counts = ", ".join(f"{result.cases[s]:,} {_WORDS[s]}" for s in order if result.cases.get(s))
    return f"{plural(sum(result.cases.values()), 'case')} in {result.plays:,} plays: {counts}"


def _several_words(several: Counter[Outcome]) -> str:
    """Return what a headline adds for checks over several conversations that did not pass."""
    parts = (
        f"; {plural(number, 'check')} over several conversations {word}"
        for outcome, word in ((Outcome.FAIL, "failed"), (Outcome.INCONCLUSIVE, "undecided"))
        if (number := several[outcome])
    )
    return "".join(parts)


_WORDS = {
    "fail": "failed",
    "flaky": "flaky",
    "undecided": "undecided",
    "skipped": "not checked",
    "pass": "passed",
}


def _compare(
    record: RunRecord, path: Path, baseline: RunRecord, settings: Gate, result: GateResult
) -> Counter[Outcome]:
    """Compare with the baseline, and count what is worse as failed."""
    comparison = compare(baseline, record, confidence=settings.confidence)
    counts = comparison.counts
    worse = sum(counts[kind] for kind in WORSE)
    result.baseline = BaselineResult(
        file=path.name,
        run=baseline.run_id,
        counts={str(kind): number for kind, number in counts.items()},
        changes=[
            Change(kind=c.kind, case_id=c.case_id, check=c.check, words=change_line(c))
            for c in islice(comparison.changes, MOST_LISTED)
        ],
        statistics=list(statistics_lines(comparison)),
        worse=worse,
    )
    result.accepted = _accepted(comparison)
    others = f" ({counts_line(comparison)})" if comparison.changes else ""
    result.headline = f"{headline(comparison)}{others}"
    flaky = counts["flaky"] if settings.flaky == "fail" else 0
    return Counter(
        {
            Outcome.FAIL: worse + flaky,
            Outcome.INCONCLUSIVE: counts["undecided"],
            Outcome.PASS: comparison.cases + len(record.several),
        }
    )


def _accepted(comparison: Comparison) -> list[str]:
    """Return the failing checks that are not worse, as ``case oracle/check``."""
    kinds: tuple[Kind, ...] = ("still failing", "still undecided", "fails less often", "flaky")
    changes = comparison.changes.of(*kinds)
    return [f"{c.case_id} {c.check}".strip() for c in changes if c.case_id != SEVERAL or c.check]


def _meaning(
    code: int, result: GateResult, gating: Counter[Outcome], inconclusive: Inconclusive
) -> str:
    """Return why the run has its exit code, if the gate decided it; else nothing."""
    if code not in (PASSED, FAILED):
        return ""
    undecided = gating[Outcome.INCONCLUSIVE] if inconclusive == "fail" else 0
    if result.baseline is not None:
        return _baseline_meaning(code, result.baseline, gating[Outcome.FAIL], undecided)
    flaky, failed = result.checks.get("flaky", 0), gating[Outcome.FAIL]
    if code == PASSED:
        if not flaky:
            return ""
        return (
            f"no check failed; {plural(flaky, 'check')} flaky, which is allowed here (gate.flaky)"
        )
    if failed == flaky and result.rules.flaky == "fail":
        return f"{plural(flaky, 'check')} flaky, which counts as failed here (gate.flaky)"
    if not failed:
        return f"{plural(undecided, 'check')} could not be decided, which counts as failed here"
    return ""


def _baseline_meaning(code: int, baseline: BaselineResult, failed: int, undecided: int) -> str:
    if code == PASSED:
        accepted = baseline.counts.get("still failing", 0)
        still = f"; {plural(accepted, 'check')} still failing as accepted" if accepted else ""
        return f"nothing is worse than the baseline {baseline.file}{still}"
    if baseline.worse:
        return f"{plural(baseline.worse, 'check')} worse than in the baseline {baseline.file}"
    if failed:
        return f"{plural(failed, 'check')} flaky, which counts as failed here (gate.flaky)"
    return f"{plural(undecided, 'check')} could not be decided, which counts as failed here"
