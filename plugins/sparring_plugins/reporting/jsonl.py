"""The reporter `jsonl`: a line of JSON per judged conversation, and one with the sums."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TextIO

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged, Event, RunConcluded, RunFinished, RunStarted
from sparring.model.run import Run
from sparring.model.talk import Observation, Turn, act_text
from sparring.model.verdict import Verdict
from sparring.store import StoredRun
from sparring_plugins.output.files import ReportError, destination
from sparring_plugins.reporting.findings import worst

_STDOUT = "-"


class JsonLinesConfig(PluginConfig):
    """Settings of the reporter `jsonl`.

    `path`: the file to write, from the suite's folder, or ``-`` for standard output;
    ``results.jsonl`` in the run's folder if it is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class JsonLinesReporter(Reporter[JsonLinesConfig]):
    """Writes each conversation when it is judged, so that a program can follow a run.

    Each line is an object whose ``type`` is ``case`` or, for the last line, ``summary``; it is
    pure ASCII, so that nothing the app said breaks a line or steers a terminal. A run that is
    taken up again, or reported later, is written from its beginning.
    """

    Config: ClassVar[type[PluginConfig]] = JsonLinesConfig
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def __init__(self, config: JsonLinesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._file: TextIO | None = None
        self._run: Run | None = None
        self._concluded: tuple[Verdict, ...] = ()
        self._written: list[Path] = []

    def handle(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._start(event)
            case CaseJudged():
                self._line(_case(event))
            case RunConcluded():
                self._concluded = event.verdicts
            case RunFinished():
                self._line(_summary(event, self._run, self._concluded))
                self._end()
            case _:
                pass

    def written(self) -> Sequence[Path]:
        return tuple(self._written)

    async def close(self) -> None:
        self._end()

    def _start(self, event: RunStarted) -> None:
        self._end()
        self._run = event.run
        folder = Path(event.folder) if event.folder else None
        self._file = self._open(folder or self.context.run_dir)
        if folder is not None:
            stored = StoredRun(folder)
            for judged in stored.judged():
                self._line(_case(judged))
            self._concluded = stored.concluded

    def _open(self, run_dir: Path | None) -> TextIO:
        if self.config.path == _STDOUT:
            return sys.stdout
        path = destination(self.config.path, "results.jsonl", self.context.base_dir, run_dir)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if self.config.path is None and path.is_symlink():  # a link in somebody's run folder
                path.unlink()
            file = path.open("w", encoding="ascii", newline="\n")
        except OSError as err:
            what = f"the report {path} cannot be written: {err.strerror or err}"
            raise ReportError(what) from err
        self._written = [path]
        return file

    def _line(self, data: dict[str, Any]) -> None:
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(data) + "\n")
            self._file.flush()
        except OSError as err:
            with suppress(OSError):  # closing would write what is left
                self._end()
            raise ReportError(f"a line cannot be written: {err.strerror or err}") from err

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None and file is not sys.stdout:
            file.close()


def _case(event: CaseJudged) -> dict[str, Any]:
    trace = json.loads(event.trace.model_dump_json())
    case = trace["case"]
    return {
        "type": "case",
        "case_id": case["id"],
        "scenario": case["scenario"],
        "repeat": case["repeat"],
        "params": case["params"],
        "outcome": worst(event.verdicts),
        "verdicts": [_plain(verdict) for verdict in event.verdicts],
        "started": trace["started"],
        "duration_s": trace["duration_s"],
        "ended": trace["ended"],
        "outputs": {output["name"]: output["value"] for output in trace["outputs"]},
        "incidents": trace["incidents"],
        "transcript": [_turn(turn) for turn in event.trace.turns],
        "source": trace["meta"].get("source"),
    }


def _turn(turn: Turn) -> dict[str, Any]:
    """What was said in a turn; what the app only offered or attached is there if it did."""
    row: dict[str, Any] = {
        "act": turn.act.kind,
        "user": act_text(turn.act),
        "app": turn.observation.text if turn.observation is not None else None,
        "latency_s": turn.latency_s,
    }
    if turn.observation is not None:
        row |= _beside_text(turn.observation)
    return row


def _beside_text(observation: Observation) -> dict[str, Any]:
    plain = _plain(observation)
    return {key: plain[key] for key in ("choices", "attachments", "payload") if plain[key]}


def _summary(event: RunFinished, run: Run | None, concluded: Sequence[Verdict]) -> dict[str, Any]:
    return {
        "type": "summary",
        "run": run.id if run else None,
        "name": run.name if run else None,
        **_plain(event.summary),
        "conditions": [_plain(verdict) for verdict in concluded],
    }


def _plain(value: Any) -> dict[str, Any]:
    return dict(json.loads(value.model_dump_json()))
