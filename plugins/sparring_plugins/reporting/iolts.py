"""The reporter `iolts`: each test case's run as a labelled transition system, for other tools."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import CaseJudged, Event, RunStarted
from sparring.store import StoredRun
from sparring_plugins.output.files import destination, written_whole
from sparring_plugins.web.assertion_oracle import record_of
from sparring_plugins.web.runner.records import iolts

Format = Literal["json", "dot", "aut"]


class IoltsConfig(PluginConfig):
    """Settings of the reporter `iolts`.

    `path`: the folder to write to, from the suite's folder; ``iolts`` in the run's folder where it
    is left out. `formats`: ``json``, ``dot`` (Graphviz) and ``aut`` (Aldebaran).
    """

    path: str | None = Field(default=None, min_length=1)
    formats: tuple[Format, ...] = Field(default=("json", "dot", "aut"), min_length=1)


class IoltsReporter(Reporter[IoltsConfig]):
    """Writes the files ``CASE.json``, ``CASE.dot`` and ``CASE.aut`` as each case is judged.

    Conversations of other players than the step runner have no such system, and no files.
    """

    Config: ClassVar[type[PluginConfig]] = IoltsConfig

    def __init__(self, config: IoltsConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._folder: Path | None = None
        self._written: list[Path] = []

    def handle(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            run_dir = Path(event.folder) if event.folder else self.context.run_dir
            base = self.context.base_dir
            self._folder = destination(self.config.path, "iolts", base, run_dir)
            stored = StoredRun(Path(event.folder)).judged() if event.folder else ()
            for judged in stored:
                self._write(judged)
        elif isinstance(event, CaseJudged):
            self._write(event)

    def written(self) -> Sequence[Path]:
        return (self._folder,) if self._folder is not None and self._written else ()

    def _write(self, event: CaseJudged) -> None:
        record = record_of(event.trace)
        if record is None or self._folder is None:
            return
        system = iolts(record)
        texts = {
            "json": system.as_json,
            "dot": system.as_dot,
            "aut": system.as_aldebaran,
        }
        for name in self.config.formats:
            path = self._folder / f"{event.trace.case.id}.{name}"
            with written_whole(path) as file:
                file.write(texts[name]())
            self._written.append(path)
