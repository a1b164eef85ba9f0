"""The end of a run as Markdown, for job summaries and comments on changes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sparring.engine.exit_codes import PASSED, meaning
from sparring.model.run import Run, Stop, Summary
from sparring.model.verdict import Outcome
from sparring_plugins.execution.selection import selection_words
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.language.quantities import outcomes, played, plural, spend
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.commands import show_command
from sparring_plugins.reporting.fault_places import PlacedFault
from sparring_plugins.reporting.gate_lines import pass_at_words

_MOST_FINDINGS = 20
_MOST_CHANGES = 20
_REASON = 240

MARKER = "<!-- sparring: {} -->"
"""Begins a comment, so that a later run finds and replaces that of its suite."""


def code(text: str, limit: int = _REASON) -> str:
    """Return a hostile text as a code span: no link, mention, picture, tag or table cell in it."""
    shown = one_line(text, limit).replace("`", "'").replace("|", "\\|")
    return f"`{shown}`" if shown.strip() else ""


def markdown(
    run: Run, summary: Summary, faults: Sequence[PlacedFault], folder: Path | None
) -> Iterator[str]:
    """Yield the summary line by line."""
    gate = gate_of(summary)
    mark = "✅" if summary.exit_code == PASSED else "❌"
    yield MARKER.format(one_line(run.name, 80).replace("--", "- -").replace(">", ""))
    yield f"### {mark} Sparring: {code(run.name, 80)}"
    yield ""
    yield f"**{_headline(summary, gate)}** Exit code {summary.exit_code}: {meaning(summary)}."
    yield ""
    if faults:
        yield from _finding_table(faults, folder)
    if gate is not None:
        yield from _gate(gate)
    yield f"Cases: {outcomes(summary.cases)}. Checks: {outcomes(summary.outcomes)}. "
    only = f" Only {code(selected, 200)} were played." if (selected := selection_words(run)) else ""
    yield f"Spent: {spend(summary.usage)}. Seed {run.seed}.{only}"


def _headline(summary: Summary, gate: GateResult | None) -> str:
    total = sum(summary.cases.values())
    if gate is not None and gate.headline:
        return code(gate.headline) + "."
    if summary.stopped is not Stop.COMPLETE:
        return f"{played(total, None)}."
    failed = summary.cases.get(Outcome.FAIL, 0)
    if failed:
        return f"{failed:,} of {plural(total, 'conversation')} failed."
    return f"{plural(total, 'conversation')}: {outcomes(summary.cases)}."


def _finding_table(faults: Sequence[PlacedFault], folder: Path | None) -> Iterator[str]:
    yield "| outcome | check | times | why | where |"
    yield "| --- | --- | ---: | --- | --- |"
    for placed in faults[:_MOST_FINDINGS]:
        finding, place = placed.fault.finding, placed.place
        where = (
            f"{place.file}:{place.line}" if place and place.line else place.file if place else ""
        )
        check = code(f"{finding.oracle} / {finding.check}", 120)
        gating = "" if finding.gating else " (not gating)"
        times = max(finding.count, placed.fault.cases)
        yield (
            f"| {finding.outcome.value}{gating} | {check} | {times:,} | "
            f"{code(finding.reason)} | {code(where, 120)} |"
        )
    if len(faults) > _MOST_FINDINGS:
        yield ""
        yield f"and {plural(len(faults) - _MOST_FINDINGS, 'more finding')}."
    first = faults[0].fault.example
    if folder is not None and first:
        yield ""
        yield f"Look at one: {code(show_command(folder, first[0]), 400)}"
    yield ""


def _gate(gate: GateResult) -> Iterator[str]:
    if gate.rates:
        yield "| check | outcome | rate | plays |"
        yield "| --- | --- | --- | --- |"
        for rate in gate.rates[:_MOST_CHANGES]:
            place = code(f"{rate.case_id} {rate.check}", 160)
            yield f"| {place} | {rate.decision} | {rate.words} | {code(rate.plays, 60)} |"
        yield ""
        yield f"{pass_at_words(gate)}."
        yield ""
    if gate.baseline is not None:
        yield f"Compared with {code(gate.baseline.file, 200)}:"
        yield ""
        for change in gate.baseline.changes[:_MOST_CHANGES]:
            yield f"- {change.kind}: {code(change.words)}"
        hidden = sum(gate.baseline.counts.values()) - _MOST_CHANGES
        if hidden > 0:
            yield f"- and {hidden:,} more"
        yield ""
