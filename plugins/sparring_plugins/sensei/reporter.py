"""The reporter `sensei`: the run's conversations as SENSEI stores them, and its report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.reporter import Reporter
from sparring.model.events import Event, RunFinished, RunStarted
from sparring.model.talk import Trace
from sparring.store import StoredRun
from sparring_plugins.reporting.destination import destination, written_whole
from sparring_plugins.reporting.run_record import RunRecord
from sparring_plugins.sensei.formats.names import ExportNames, serial_of_run
from sparring_plugins.sensei.formats.report import SenseiReport
from sparring_plugins.sensei.formats.trace_writer import documents_of
from sparring_plugins.sensei.formats.yaml import dump_documents
from sparring_plugins.sensei.goal_table import goal_table


class SenseiConfig(PluginConfig):
    """Settings of the reporter `sensei`.

    `path`: the folder to write to, from the suite's folder; ``sensei`` in the run's folder where
    it is left out.
    """

    path: str | None = Field(default=None, min_length=1)


class SenseiReporter(Reporter[SenseiConfig]):
    """Writes ``<test>/<serial>/<number>_<test>_<serial>.yml`` and ``__report__/``.

    SENSEI's checker reads them. Beside a conversation stands its table of goals, where they were
    checked and the profile asks for it (``export: true``). Conversations that were read from such
    files come out as they went in. Nothing is written over: a file of that name with another
    content keeps its name, and the new one gets the next number.
    """

    Config: ClassVar[type[PluginConfig]] = SenseiConfig

    def __init__(self, config: SenseiConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._record = RunRecord()
        self._serial = ""
        self._written: list[Path] = []

    def handle(self, event: Event) -> None:
        self._record.hear(event)
        if isinstance(event, RunStarted):
            self._serial = serial_of_run(event.run.created)
        elif isinstance(event, RunFinished):
            stored = self._record.stored()
            if stored is not None:
                self._write(stored)

    def written(self) -> Sequence[Path]:
        return tuple(self._written)

    async def close(self) -> None:
        self._record.close()

    def _write(self, stored: StoredRun) -> None:
        run_dir = stored.folder if self._record.is_stored else self.context.run_dir
        folder = destination(self.config.path, "sensei", self.context.base_dir, run_dir)
        names, report = ExportNames(self._serial), SenseiReport()
        for judged in stored.judged():
            documents = documents_of(judged.trace, serial=self._serial)
            text = dump_documents(documents)
            place = names.place(judged.trace)
            while _is_taken(folder / place, text):
                place = names.place(judged.trace)
            with written_whole(folder / place) as file:
                file.write(text)
            self._write_goals(folder / place.with_suffix(".csv"), judged.trace)
            report.add(names.test(judged.trace), place.name, documents)
        self._write_report(folder, report)

    def _write_goals(self, path: Path, trace: Trace) -> None:
        table = goal_table(trace)
        if table is not None and not path.exists():
            with written_whole(path) as file:
                file.write(table)

    def _write_report(self, folder: Path, report: SenseiReport) -> None:
        if report.is_empty:
            return
        documents: list[Any] = report.documents()
        with written_whole(folder / "__report__" / f"report_{self._serial}.yml") as file:
            file.write(dump_documents(documents))
        self._written = [folder]


def _is_taken(path: Path, text: str) -> bool:
    """Whether another conversation has the place."""
    try:
        return path.read_bytes() != text.encode()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # a folder, or not ours to read
