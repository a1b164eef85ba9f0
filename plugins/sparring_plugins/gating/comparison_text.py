"""A comparison of two runs as text: what changed, the statistics, conversations side by side."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from sparring.cli.output import plain
from sparring_plugins.gating.change_table import ORDER, WORSE, Change, Kind
from sparring_plugins.gating.comparison import SEVERAL, Comparison, Measure
from sparring_plugins.gating.records import CheckCounts
from sparring_plugins.gating.transcripts import SideBySide
from sparring_plugins.language.quantities import duration, money, plural
from sparring_plugins.language.text import one_line

# After an edit of the suite a thousand cases are new or missing: three show which.
_QUIET: tuple[Kind, ...] = ("new case", "missing case", "not checked")
# A screen of each kind; the page has all.
_MOST = 20
_CONTEXT = 2
"""Rows shown before the first that differs, and after each."""

UNITS = {"seconds": "time", "turns": "turns", "tokens": "tokens", "cost_usd": "cost"}


def headline(comparison: Comparison) -> str:
    """Return in one line what the comparison says."""
    worse = sum(number for kind, number in comparison.counts.items() if kind in WORSE)
    if worse:
        return f"worse: {plural(worse, 'check')} of {_cases(comparison)}"
    if not comparison.cases and not comparison.after.several:
        return "nothing to compare: the two have no decided case in common"
    if comparison.counts["undecided"]:
        undecided = plural(comparison.counts["undecided"], "check")
        return f"nothing is known to be worse, but {undecided} could not be decided"
    return f"nothing is worse in {_cases(comparison)}"


def _cases(comparison: Comparison) -> str:
    return plural(comparison.cases, "case") + " that both have"


def counts_line(comparison: Comparison) -> str:
    """Return ``2 new failure, 1 flaky, 3 fixed``; empty if nothing changed."""
    return ", ".join(f"{number:,} {kind}" for kind, number in comparison.counts.items())


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the comparison line by line: some changes of each kind, then statistics."""
    yield headline(comparison)
    counts = comparison.counts
    for kind in ORDER:
        if not counts[kind]:
            continue
        yield ""
        yield f"{kind}: {counts[kind]:,}"
        shown = 3 if kind in _QUIET else _MOST
        for change in comparison.changes.of(kind, most=shown):
            yield f"  {change_line(change)}"
        if counts[kind] > shown:
            yield f"  ... and {counts[kind] - shown:,} more"
    yield ""
    yield from statistics_lines(comparison)


def change_line(change: Change) -> str:
    """Return a change in one line: where, how often before and after, and why it fails."""
    place = one_line(change.case_id, 80) if change.case_id != SEVERAL else "several conversations"
    if not change.check:
        return place
    often = f"{often_words(change.before)} -> {often_words(change.after)}"
    reason = "" if change.after is None else change.after.reason
    reason = reason or ("" if change.before is None else change.before.reason)
    p = "" if change.p is None else f", p = {p_text(change.p)}"
    return plain(f"{place}  {one_line(change.check, 80)}  ({often}{p})  {one_line(reason, 120)}")


def often_words(counts: CheckCounts | None) -> str:
    """Return ``passed``, ``failed``, ``failed 2 of 5``, ``undecided`` or ``not judged``."""
    if counts is None or counts.state == "skipped":
        return "not judged"
    if counts.state == "undecided":
        return "undecided"
    # "failed 1 of 1" says no more than "failed".
    if counts.decided == 1:
        return "passed" if counts.passed else "failed"
    if not counts.failed:
        return f"passed {counts.passed} of {counts.decided}"
    return f"failed {counts.failed} of {counts.decided}"


def p_text(p: float) -> str:
    """Return a p-value with two digits, ``<0.001`` if it is smaller."""
    return "<0.001" if p < 0.001 else f"{p:.2g}"


def statistics_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the pass rates, McNemar's test, the checks that turned, and what a case took."""
    yield from rates_lines(comparison)
    for check in comparison.checks:
        if check.worse or check.better:
            yield (
                f"check  {one_line(check.check, 60)}: {check.worse:,} worse, {check.better:,} "
                f"better of {check.cases:,} (p = {p_text(check.p)}, Holm over "
                f"{plural(len(comparison.checks), 'check')})"
            )
    for measure in comparison.measures:
        yield f"{UNITS[measure.name]:<6} {measure_text(measure, comparison.confidence)}"


def rates_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the pass rates over the cases of both with McNemar's p, and the rates of repeats."""
    if not comparison.cases:
        return
    yield _pass_line(comparison)
    if comparison.rates is not None:
        rates = comparison.rates
        text = f"rates  least steady check of a case {rates.before:.1%} -> {rates.after:.1%}"
        if rates.interval is not None:
            low, high = rates.interval
            text += f" ({low:+.1%} to {high:+.1%} at {comparison.confidence:.0%})"
        yield text


def _pass_line(comparison: Comparison) -> str:
    n = comparison.cases
    before, after = comparison.passed_before / n, comparison.passed_after / n
    passed = "passed" if comparison.rates is None else "passed in every play"
    text = f"{passed} {before:.1%} -> {after:.1%} of {plural(n, 'case')}"
    interval = comparison.rate_interval
    if interval is not None:
        low, high = interval
        text += f" ({low:+.1%} to {high:+.1%} at {comparison.confidence:.0%})"
    turned = f"{comparison.worse:,} worse, {comparison.better:,} better"
    return f"{text}; {turned}, McNemar p = {p_text(comparison.p)}"


def measure_text(measure: Measure, confidence: float) -> str:
    """Return a measure per conversation before and after, with the interval of its change."""
    before, after = (measure_value(measure.name, v) for v in (measure.before, measure.after))
    change = ""
    if measure.before > 0:
        change = f", {measure.after / measure.before - 1:+.0%}"
    sure = ""
    if measure.interval is not None:
        low, high = measure.interval
        signs = ("-" if low < 0 else "+", "-" if high < 0 else "+")
        values = (measure_value(measure.name, abs(v)) for v in (low, high))
        ends = " to ".join(sign + value for sign, value in zip(signs, values, strict=True))
        sure = f" ({ends} at {confidence:.0%})"
    return f"{before} -> {after} a conversation{change}{sure}"


def measure_value(name: str, value: float) -> str:
    """Return a value in the unit of its measure."""
    if name == "seconds":
        return duration(value)
    return money(value) if name == "cost_usd" else f"{value:,.1f}"


# Conversations side by side.


def side_by_side_lines(shown: SideBySide, width: int) -> Iterator[str]:
    """Yield two conversations in columns; rows that differ are marked with ``|``.

    Equal rows far from any difference are left out.
    """
    yield from map(change_line, shown.changes)
    # Two blanks before, three between with the mark, and two spare; in less than twenty columns
    # every word is a line.
    column = max(20, (width - 7) // 2)
    hidden = 0
    for place, row in enumerate(shown.rows):
        if row.same and not _is_near(shown.rows, place):
            hidden += 1
            continue
        if hidden:
            yield f"  ... {plural(hidden, 'equal line')}"
            hidden = 0
        left, right = (wrap(plain(text), column) or [""] for text in (row.before, row.after))
        for number in range(max(len(left), len(right))):
            first = left[number] if number < len(left) else ""
            second = right[number] if number < len(right) else ""
            mark = " " if row.same else "|"
            yield f"  {first:<{column}} {mark} {second}".rstrip()
    if hidden:
        yield f"  ... {plural(hidden, 'equal line')}"


def _is_near(rows: Sequence[object], place: int) -> bool:
    near = rows[max(0, place - _CONTEXT) : place + _CONTEXT + 1]
    return any(not getattr(row, "same", True) for row in near)
