"""Reporters that write files at the end of a run: what they read, and their base class."""

import weakref
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from sparring.interfaces.plugin import BuildContext, ConfigT
from sparring.interfaces.reporter import Reporter
from sparring.model.events import Event, RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.store import RunLog, StoredRun


class RunRecord:
    """Gives the whole run back in constant memory, also one that the engine stores nowhere.

    Tell it of every event. Where `RunStarted.folder` names the stored run, it keeps nothing;
    else it stores the events itself, in a temporary folder that is removed by `close` or with
    the record.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._temporary: weakref.finalize[[Path], RunRecord] | None = None
        self._log: RunLog | None = None

    @property
    def is_stored(self) -> bool:
        """Whether the run has a folder that outlives the run."""
        return self._folder is not None and self._temporary is None

    def hear(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, RunStarted):
            self.close()
            if event.folder is not None:
                self._folder = Path(event.folder)
                return
            temporary = Path(mkdtemp(prefix="sparring-"))
            self._temporary = weakref.finalize(self, _remove, temporary)
            self._folder = temporary / "run"
            self._log = RunLog.create(self._folder, event.run)
        if self._log is not None:
            self._log.append_event(event)

    def stored(self) -> StoredRun | None:
        """The run so far; None before it began. Raises StoredRunError."""
        return StoredRun(self._folder) if self._folder is not None else None

    def close(self) -> None:
        """Remove what was stored for the time of the run; a run with a folder is kept."""
        if self._log is not None:
            self._log.close()
            self._log = None
        if self._temporary is not None:
            self._temporary()
            self._temporary = self._folder = None


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run at its end, as a reporter reads it.

    `folder` is the stored run's folder, or `None` if the engine stored it nowhere. `run_dir` is
    where reports go whose setting names no file.
    """

    run: Run
    summary: Summary
    stored: StoredRun
    folder: Path | None
    run_dir: Path | None


class FileReporter(Reporter[ConfigT]):
    """A reporter that writes files once, when the run has finished.

    A subclass implements `write`. The whole run is there to be read, any number of times and in
    constant memory, whether or not the engine stored it.
    """

    def __init__(self, config: ConfigT, context: BuildContext) -> None:
        super().__init__(config, context)
        self._record = RunRecord()
        self._run: Run | None = None
        self._written: Sequence[Path] = ()

    @abstractmethod
    def write(self, finished: FinishedRun) -> Sequence[Path]:
        """Write the report and return its files; raises ReportError."""

    def handle(self, event: Event) -> None:
        """Take note of an event; the last one makes the report."""
        self._record.hear(event)
        if isinstance(event, RunStarted):
            self._run = event.run
        elif isinstance(event, RunFinished) and self._run is not None:
            stored = self._record.stored()
            if stored is not None:
                folder = stored.folder if self._record.is_stored else None
                run_dir = folder or self.context.run_dir
                finished = FinishedRun(self._run, event.summary, stored, folder, run_dir)
                self._written = self.write(finished)

    def written(self) -> Sequence[Path]:
        """Return the files written."""
        return tuple(self._written)

    async def close(self) -> None:
        """Remove what was stored for the time of the run."""
        self._record.close()


def expected_cases(stored: StoredRun, summary: Summary) -> int | None:
    """How many cases a run that was stopped would have had, if its strategy knew.

    Read from the log, so that a report made later says the same.
    """
    if summary.stopped is Stop.COMPLETE:
        return None
    first = next(stored.events(), None)
    return first.expected if isinstance(first, RunStarted) else None


def _remove(folder: Path) -> None:
    rmtree(folder, ignore_errors=True)
