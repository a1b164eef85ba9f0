"""What a reporter reads at the end of a run: the stored run, or the events that it was told of."""

import weakref
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from sparring.model.events import Event, RunStarted
from sparring.model.run import Stop, Summary
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


def expected_cases(stored: StoredRun, summary: Summary) -> int | None:
    """How many cases a run that was stopped would have had, where its strategy knew.

    Read from the log, so that a report made later says the same.
    """
    if summary.stopped is Stop.COMPLETE:
        return None
    first = next(stored.events(), None)
    return first.expected if isinstance(first, RunStarted) else None


def _remove(folder: Path) -> None:
    rmtree(folder, ignore_errors=True)
