"""The reporter `github`: annotations, the job summary and a comment for GitHub Actions."""

import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from sparring.engine.exit_codes import PASSED, meaning
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.events import Event, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.model.verdict import Outcome
from sparring_plugins.execution.selection import selection_words
from sparring_plugins.gating.gate_result import GateResult, gate_of
from sparring_plugins.language.quantities import outcomes, played, plural, spend
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import ReportError, report_file
from sparring_plugins.reporting.commands import show_command
from sparring_plugins.reporting.fault_places import PlacedFault, placed_faults
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.reporting.finding_words import Labels
from sparring_plugins.reporting.findings import brief_reason, case_noun, described
from sparring_plugins.reporting.gate_lines import pass_at_words

# An annotation stands between lines of code, where only its beginning is read.
_REASON = 500

_ERRORS = frozenset({Outcome.FAIL.value, Outcome.ERROR.value})
"""The labels of findings that make a run fail."""
_LIMIT = 900_000
"""Characters of a job summary: GitHub refuses one of more than a mebibyte."""


class GitHubConfig(PluginConfig):
    """Settings of the reporter `github`.

    `path`: the file to write the summary to, from the suite's folder, such as for a comment on a
    pull request; ``summary.md`` in the run's folder if it is left out. It is appended to the job
    summary, too, where GitHub names one (``$GITHUB_STEP_SUMMARY``). `annotations`: how many
    findings are annotated in the change; GitHub shows ten of a step.
    """

    path: str | None = Field(default=None, min_length=1)
    annotations: int = Field(default=10, ge=0, le=50)


class GitHubReporter(FileReporter[GitHubConfig]):
    """Annotates the lines of rules, profiles and suite that findings come from.

    In GitHub's log a line that begins with ``::`` is a command, also if the app said it. So
    commands are switched off while the run goes on, and on again only for those of this reporter.
    Outside of GitHub Actions only the summary is written.
    """

    Config: ClassVar[type[PluginConfig]] = GitHubConfig
    suffixes: ClassVar[tuple[str, ...]] = (".md",)

    def __init__(self, config: GitHubConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._token = ""

    def handle(self, event: Event) -> None:
        if isinstance(event, RunStarted) and not self._token:
            self._stop_commands()
        super().handle(event)

    async def close(self) -> None:
        """Let the steps that follow give commands again."""
        self._resume_commands()
        await super().close()

    def write(self, finished: FinishedRun) -> Sequence[Path]:
        faults = placed_faults(finished.run, finished.stored)
        noun = next((case_noun(each.trace) for each in finished.stored.judged()), "conversation")
        lines = markdown(finished.run, finished.summary, faults, finished.folder, noun)
        text = "\n".join(lines) + "\n"
        if len(text) > _LIMIT:
            text = text[:_LIMIT] + "\n"
        place = (self.config.path, "summary.md", self.context.base_dir, finished.run_dir)
        with report_file(*place) as (file, written):
            file.write(text)
        if os.environ.get("GITHUB_STEP_SUMMARY"):
            _append(Path(os.environ["GITHUB_STEP_SUMMARY"]), text)
        if self._token:
            self._resume_commands()
            for line in annotations(faults[: self.config.annotations], finished.summary):
                _say(line)
            self._stop_commands()  # other reporters may still show what the app said
        return written

    def _stop_commands(self) -> None:
        if not self._token and os.environ.get("GITHUB_ACTIONS"):
            self._token = secrets.token_hex(16)  # what the app says must not guess it
            _say(f"::stop-commands::{self._token}")

    def _resume_commands(self) -> None:
        if self._token:
            _say(f"::{self._token}::")
            self._token = ""


def annotations(faults: Sequence[PlacedFault], summary: Summary) -> Iterator[str]:
    """Yield a workflow command per finding: an error if it makes the run fail."""
    gate = gate_of(summary)
    fails = summary.exit_code != PASSED and not (gate and gate.baseline)
    labels = Labels(summary)
    for placed in faults:
        finding = placed.fault.finding
        # A flaky check that the gate allows is no error because another check fails the run.
        is_error = fails and finding.gating and labels.of(placed.fault) in _ERRORS
        level = "error" if is_error else "warning"
        title = one_line(f"{finding.oracle} / {finding.check}", 120)
        told = described(placed.fault.description, finding.reason)
        yield _command(level, placed, title, brief_reason(told, _REASON) or title)
    if gate is not None and gate.baseline is not None:
        for change in gate.baseline.changes[: gate.baseline.worse][:10]:
            words = _data(one_line(change.words, _REASON))
            yield f"::error title={_property(change.kind)}::{words}"


def _append(path: Path, text: str) -> None:
    """Append to the job summary, to which other steps write, too; raises ReportError."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as err:
        raise ReportError(f"the job summary {path} cannot be written: {err.strerror}") from err


def _command(level: str, placed: PlacedFault, title: str, message: str) -> str:
    place = placed.place
    properties = {"title": title}
    if place is not None:
        properties["file"] = place.file
        if place.line is not None:
            properties["line"] = str(place.line)
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


# --- The end of a run as Markdown, for job summaries and comments on changes


# A summary of a job ends at 1 MiB, and a comment of a pull request at 65,536 characters.
_MOST_FINDINGS = 20
_MOST_CHANGES = 20
_MARKDOWN_REASON = 240

MARKER = "<!-- sparring: {} -->"
"""Begins a comment, so that a later run finds and replaces that of its suite."""


def code(text: str, limit: int = _MARKDOWN_REASON) -> str:
    """Return a hostile text as a code span: no link, mention, picture, tag or table cell in it."""
    shown = one_line(text, limit).replace("`", "'").replace("|", "\\|")
    return f"`{shown}`" if shown.strip() else ""


def markdown(
    run: Run,
    summary: Summary,
    faults: Sequence[PlacedFault],
    folder: Path | None,
    noun: str = "conversation",
) -> Iterator[str]:
    """Yield the summary line by line; `noun` is what a case is called."""
    gate = gate_of(summary)
    mark = "✅" if summary.exit_code == PASSED else "❌"
    yield MARKER.format(one_line(run.name, 80).replace("--", "- -").replace(">", ""))
    yield f"### {mark} Sparring: {code(run.name, 80)}"
    yield ""
    yield f"**{_headline(summary, gate, noun)}** Exit code {summary.exit_code}: {meaning(summary)}."
    yield ""
    if faults:
        yield from _finding_table(faults, Labels(summary), folder)
    if gate is not None:
        yield from _gate(gate)
    played_units = "Plays" if gate is not None and gate.repeated else "Cases"
    yield f"{played_units}: {outcomes(summary.cases)}. Checks: {outcomes(summary.outcomes)}. "
    only = f" Only {code(selected, 200)} were played." if (selected := selection_words(run)) else ""
    yield f"Spent: {spend(summary.usage)}. Seed {run.seed}.{only}"


def _headline(summary: Summary, gate: GateResult | None, noun: str) -> str:
    total = sum(summary.cases.values())
    if gate is not None and gate.headline:
        return code(gate.headline) + "."
    if summary.stopped is not Stop.COMPLETE:
        return f"{played(total, None, noun)}."
    failed = summary.cases.get(Outcome.FAIL, 0)
    if failed:
        return f"{failed:,} of {plural(total, noun)} failed."
    return f"{plural(total, noun)}: {outcomes(summary.cases)}."


def _finding_table(
    faults: Sequence[PlacedFault], labels: Labels, folder: Path | None
) -> Iterator[str]:
    yield "| outcome | check | times | why | where |"
    yield "| --- | --- | ---: | --- | --- |"
    for placed in faults[:_MOST_FINDINGS]:
        finding, place = placed.fault.finding, placed.place
        where = (
            f"{place.file}:{place.line}" if place and place.line else place.file if place else ""
        )
        check = code(f"{finding.oracle} / {finding.check}", 120)
        gating = "" if finding.gating else " (not gating)"
        yield (
            f"| {labels.of(placed.fault)}{gating} | {check} | {finding.count:,} | "
            f"{code(described(placed.fault.description, finding.reason))} | {code(where, 120)} |"
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
