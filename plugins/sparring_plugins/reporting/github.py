"""The reporter `github`: annotations, the job summary and a comment for GitHub Actions."""

import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from sparring.engine.exit_codes import PASSED
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.events import Event, RunStarted
from sparring.model.run import Summary
from sparring.model.verdict import Outcome
from sparring_plugins.gating.gate_result import gate_of
from sparring_plugins.language.text import one_line
from sparring_plugins.output.files import ReportError, report_file
from sparring_plugins.reporting.fault_places import PlacedFault, placed_faults
from sparring_plugins.reporting.file_reporter import FileReporter, FinishedRun
from sparring_plugins.reporting.findings import brief_reason
from sparring_plugins.reporting.markdown_summary import markdown

_REASON = 500
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
        text = "\n".join(markdown(finished.run, finished.summary, faults, finished.folder)) + "\n"
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
    for placed in faults:
        finding = placed.fault.finding
        is_error = fails and finding.gating and finding.outcome is not Outcome.INCONCLUSIVE
        level = "error" if is_error else "warning"
        title = one_line(f"{finding.oracle} / {finding.check}", 120)
        yield _command(level, placed, title, brief_reason(finding.reason, _REASON) or title)
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
