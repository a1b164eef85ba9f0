"""The head and the foot of the page: what came out, what it took, how it was made."""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import yaml

from sparring.engine.exit_codes import (
    FAILED,
    INCOMPLETE,
    INTERRUPTED,
    NOTHING,
    PASSED,
    meaning,
)
from sparring.model.run import Run, Spent, Stop, Summary
from sparring.model.verdict import Outcome
from sparring_plugins.execution.selection import selection_words
from sparring_plugins.gating.gate_result import gate_of
from sparring_plugins.language import quantities
from sparring_plugins.language.text import one_line, visible
from sparring_plugins.reporting import causes
from sparring_plugins.reporting.commands import resume_command, run_name
from sparring_plugins.reporting.finding_words import ACCEPTED, FLAKY, Labels
from sparring_plugins.reporting.gate_lines import gate_headline, pass_at_words
from sparring_plugins.reporting.html.overview import Overview

# A suite over a folder of profiles may have thousands of files, each with its digest.
_MOST_INPUTS = 500
# A suite has 2 kB; one that lists its cases in itself may have megabytes.
_SUITE = 60_000
# The bar's own units, and the gap between two outcomes in them.
_BAR, _GAP = 1000.0, 2.5


def summarised(
    run: Run, summary: Summary, overview: Overview, folder: Path | None, expected: int | None
) -> dict[str, Any]:
    """The template's variables that describe the run as a whole."""
    return {
        "title": one_line(run.name, 120) or "run",
        "gate": gate_of(summary),
        "pass_at": pass_at_words,
        "run": run,
        "created": run.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "selected": one_line(selection_words(run), 200),
        "headline": headline(overview, summary, expected),
        "cause": _cause(overview, Labels(summary)),
        "noun": overview.findings.noun,
        "legend": _legend(summary, overview),
        "mood": _head_outcome(summary, overview),
        "segments": list(_segments(overview)),
        "tiles": list(_tiles(summary, overview)),
        "ending": _ending(summary),
        "note": _note(summary),
        "why": _why(summary, overview),
        "exit": f"{summary.exit_code}: {one_line(meaning(summary), 300)}",
        "resume": resume_command(folder) if folder and summary.stopped is not Stop.COMPLETE else "",
        "run_name": visible(run_name(folder)) if folder else "",
        # without the folders above: a report is passed on, and where somebody works is private
        "suite_file": "/".join(Path(run.suite_path).parts[-2:]) if run.suite_path else "",
        "suite": _suite(run),
        "inputs": list(run.inputs.items())[:_MOST_INPUTS],
        "oracles": sorted({fault.finding.oracle for fault in overview.faults}),
    }


def headline(overview: Overview, summary: Summary, expected: int | None) -> tuple[str, str]:
    """The page's first words, the number apart: ``7 of 50`` ``conversations failed``.

    `expected` is how many conversations a stopped run would have had, if that is known.
    """
    if summary.stopped is not Stop.COMPLETE:
        return _partly(overview, expected)
    if decided := gate_headline(summary):
        first, _, rest = decided.partition(" ")
        return first.capitalize(), rest
    counts, total, one = overview.counts, overview.total, overview.findings.noun
    noun = one if total == 1 else f"{one}s"
    if not total:
        return "No", f"{one}s were judged"
    if over_several := _over_several(overview, summary):
        return over_several
    for outcome, verb in (
        (Outcome.FAIL, "failed"),
        (Outcome.ERROR, "ended in errors"),
        (Outcome.INCONCLUSIVE, "could not be judged"),
    ):
        if counts[outcome]:
            return f"{counts[outcome]:,} of {total:,}", f"{noun} {verb}"
    if counts[Outcome.PASS] == total and summary.exit_code != PASSED:
        return f"{total:,}", f"{noun} passed, but not the run"
    if counts[Outcome.PASS] == total:
        return (f"All {total:,}", f"{noun} passed") if total > 1 else ("The one", f"{one} passed")
    return f"{counts[Outcome.PASS]:,} of {total:,}", f"{noun} passed; to the rest no check applied"


def _over_several(overview: Overview, summary: Summary) -> tuple[str, str] | None:
    """The first words if conditions over several conversations alone keep a run from passing.

    Each conversation passed, and two of them were given the same order number.
    """
    counts, several = overview.counts, f"over several {overview.findings.noun}s"
    broken = summary.gating.get(Outcome.FAIL, 0)
    if summary.exit_code == FAILED and broken and not counts[Outcome.FAIL]:
        return f"{broken:,}", f"check{'' if broken == 1 else 's'} {several} failed"
    undecided = summary.gating.get(Outcome.ERROR, 0) + summary.gating.get(Outcome.INCONCLUSIVE, 0)
    played = counts[Outcome.FAIL] or counts[Outcome.ERROR] or counts[Outcome.INCONCLUSIVE]
    if summary.exit_code != PASSED and undecided and not played:
        return (
            f"{undecided:,}",
            f"check{'' if undecided == 1 else 's'} {several} could not be decided",
        )
    return None


def _partly(overview: Overview, expected: int | None) -> tuple[str, str]:
    """How far a run came that was stopped, and what came of it."""
    total = overview.total
    words = quantities.played(total, expected, overview.findings.noun)
    if not total:
        first, _, rest = words.partition(" ")
        return first.capitalize(), rest
    first, _, rest = words.partition(" ")
    return first, f"{rest}: {quantities.outcomes(overview.counts)}"


def _cause(overview: Overview, labels: Labels) -> str:
    """``Findings: 3 fail, 1 inconclusive``: how many findings explain that, as they are called.

    A finding is a check and a reason; the legend below counts cases. "1 check that could not
    decide" beside "2 inconclusive" looked wrong.
    """
    counts = Counter(labels.of(fault) for fault in overview.faults)
    order = ("fail", "error", FLAKY, "inconclusive", ACCEPTED)
    parts = [f"{counts[label]:,} {label}" for label in order if counts[label]]
    return f"Findings: {', '.join(parts)}" if parts else ""


def _legend(summary: Summary, overview: Overview) -> str:
    """What the bar counts: ``93 conversations``, or ``36 plays`` of repeated cases."""
    gate = gate_of(summary)
    noun = "play" if gate is not None and gate.repeated else overview.findings.noun
    return quantities.plural(overview.total, noun)


def _head_outcome(summary: Summary, overview: Overview) -> str:
    """The outcome that colours the page's head: that of a pass only if the exit code is 0."""
    if summary.gate and summary.exit_code == PASSED:
        return Outcome.PASS.value  # what failed is accepted, or did not fail too often
    if summary.exit_code == FAILED or overview.counts[Outcome.FAIL]:
        return Outcome.FAIL.value
    for outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE):
        if overview.counts[outcome] or summary.gating.get(outcome):
            return outcome.value
    if summary.exit_code in (INCOMPLETE, INTERRUPTED):
        return Outcome.INCONCLUSIVE.value
    if summary.exit_code not in (PASSED, NOTHING):
        return Outcome.ERROR.value
    green = summary.exit_code == PASSED and overview.counts[Outcome.PASS]
    return Outcome.PASS.value if green else Outcome.SKIPPED.value


def _segments(overview: Overview) -> Iterator[dict[str, Any]]:
    """The bar of outcomes, in thousandths of its width."""
    counts, total, x = overview.counts, max(1, overview.total), 0.0
    for outcome in quantities.OUTCOME_ORDER:
        if not counts[outcome]:
            continue
        room = _BAR * counts[outcome] / total
        # One failure among ten thousand is still a line that one sees.
        width = max(1.0, room - _GAP) if x + room < _BAR - 1 else room
        yield {"outcome": outcome.value, "count": counts[outcome], "x": x, "width": width}
        x += room


def _tiles(summary: Summary, overview: Overview) -> Iterator[tuple[str, str, str]]:
    """Name, value and remark of each number at the top."""
    usage, kinds = summary.usage, overview.findings.kinds
    checks = sum(summary.outcomes.values())
    yield "Checks", f"{checks:,}", quantities.checks(summary)
    if kinds:
        yield "Kinds of failure", f"{len(kinds):,}", causes.kinds(kinds)
    gate = gate_of(summary)
    noun = "play" if gate is not None and gate.repeated else "case"
    cases = f"in {quantities.plural(usage.cases, noun)}"
    if overview.findings.noun == "test case":
        yield "Steps", f"{overview.scores.steps:,}", cases
    else:
        yield "Turns", f"{usage.turns:,}", cases
    if usage.seconds > 0:
        yield "Time", quantities.duration(usage.seconds), "of the whole run"
    if usage.refused:
        number = sum(usage.refused.values())
        yield "Refused", f"{number:,}", quantities.refused(usage)
    if usage.models.calls or usage.models.reused:
        roles = [f"{one_line(role, 40)} {_calls(spent)}" for role, spent in usage.by_role.items()]
        remark = quantities.asked(usage.models)
        if len(roles) > 1:
            remark += f" ({'; '.join(roles)})"
        yield "Spent", quantities.money(usage.cost_usd), remark
    if usage.fallbacks:
        number = sum(usage.fallbacks.values())
        yield "Fallbacks", f"{number:,}", quantities.fallbacks(usage.fallbacks)
    by_count = sorted(summary.owners.items(), key=lambda item: (-item[1], item[0]))
    owners = [f"{owner.value} {n:,}" for owner, n in by_count if n]
    if owners:
        number = sum(summary.owners.values())
        yield "Not passed", f"{number:,}", f"checks, by owner: {', '.join(owners)}"


def _calls(spent: Spent) -> str:
    """A role's share, briefly."""
    return f"{spent.calls + spent.reused:,} for {quantities.price(spent)}"


def _why(summary: Summary, overview: Overview) -> str:
    """Why a run that came to its end is not green, unless failed conversations say so."""
    if summary.stopped is not Stop.COMPLETE:
        return ""
    if not summary.gate and (overview.counts[Outcome.FAIL] or summary.exit_code == PASSED):
        return ""
    return f"Exit code {summary.exit_code}: {one_line(meaning(summary), 300).rstrip('.')}."


def _note(summary: Summary) -> str:
    """Why a complete run ended before its budget was spent, such as that all was refused."""
    # A run that plays on until its budget is spent ended as it was meant to.
    planned = summary.stopped is not Stop.COMPLETE or "(budget." in summary.reason
    return "" if planned else one_line(summary.reason, 400)


_ENDINGS = {
    Stop.BUDGET: "Stopped by the budget",
    Stop.INTERRUPTED: "Interrupted",
    Stop.BROKEN: "Broken off",
    Stop.LOST: "Stopped, as the workers are gone",
}


def _ending(summary: Summary) -> str:
    if summary.stopped is Stop.COMPLETE:
        return ""
    what = _ENDINGS[summary.stopped]
    if summary.reason in ("", summary.stopped.value):
        return f"{what}."
    return f"{what}: {one_line(summary.reason, 300).rstrip('.')}."


def _from_folder(value: Any, folder: Path) -> Any:
    """Return a suite with absolute paths near its folder as seen from there.

    A path such as ``/api/chat`` may be one of the app's: only what begins as the folder does is
    taken for a file. `--baseline` stores an absolute path.
    """
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {key: _from_folder(item, folder) for key, item in items}
    if isinstance(value, list):
        return [_from_folder(item, folder) for item in cast("list[Any]", value)]
    if isinstance(value, str) and Path(value).parts[:3] == folder.parts[:3] != ():
        return os.path.relpath(value, folder) if Path(value).is_absolute() else value
    return value


def _suite(run: Run) -> str:
    if not run.suite:
        return ""
    shown = _from_folder(run.suite, Path(run.suite_path).parent) if run.suite_path else run.suite
    text = yaml.safe_dump(shown, allow_unicode=True, sort_keys=False, width=100)
    left = len(text) - _SUITE
    return visible(text[:_SUITE]) + (
        f"\n... {quantities.plural(left, 'more character')}" if left > 0 else ""
    )
