"""Playing the runs of a study, some side by side, and going on where it was stopped."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.engine.resume import require_same
from sparring.errors import ConfigurationError, StoredRunError
from sparring.model.run import Run, Stop
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.mutation.processes import running
from sparring_plugins.study.cells import Cell
from sparring_plugins.study.reachability import set_aside, spoilt_by

DONE = "done.json"
_JUDGED = (0, 1, 3, 4)
"""Exit codes of a run that was played and judged, be it in part."""

_FOREVER_S = 30 * 24 * 3600.0
_PATIENCE_S = 10.0
_TAIL = 600
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Tell = Callable[[Cell, "StoredRun | str", int, int], None]
"""Hears of each run that is over: the run, or why there is none; how many are, and of how many."""


class Interrupted(Exception):
    """The study was stopped before its end; what was judged is kept."""


def stored_run(cell: Cell) -> StoredRun | None:
    """The run of a cell, as far as it has come."""
    found = sorted(cell.runs.glob("*/run.json")) if cell.runs.is_dir() else []
    return StoredRun(found[-1].parent) if found else None


def is_over(cell: Cell) -> bool:
    """Whether a cell needs no further play: it ended under its budget, or has had its cases.

    A run with more cases than the budget has now is cut when it is measured.
    """
    run = stored_run(cell)
    if run is None:
        return False
    wanted: dict[str, Any] = cell.changes.get("budget") or {}
    try:
        told: Any = json.loads((cell.folder / DONE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = {}
    if told and told.get("budget") == cell.changes.get("budget"):
        return True
    cases: int | None = wanted.get("cases")
    return cases is not None and len(run.case_ids) >= cases


def require_unchanged(cell: Cell, now: Run) -> None:
    """Refuse a cell that was begun with other settings or files; raises ConfigurationError."""
    stored = stored_run(cell)
    if stored is None:
        return
    try:
        require_same(stored.manifest, now)
    except ConfigurationError as err:
        raise ConfigurationError(
            f"{cell.name}: {'; '.join(one.message for one in err.problems)}. Store the study "
            f"elsewhere (--results), or delete {cell.folder}"
        ) from err


@contextmanager
def only_one(folder: Path) -> Generator[None]:
    """Keep two processes from playing one study; raises ConfigurationError."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # no such locks there
        yield
        return
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as err:
            raise ConfigurationError(f"{folder} is being played by another process") from err
        yield


@dataclass(slots=True)
class Series:
    """Plays what is left of the cells, `jobs` of them side by side."""

    cells: Sequence[Cell]
    jobs: int
    tell: Tell
    failed: dict[str, str] = field(default_factory=dict[str, str])
    _over: int = 0

    def leave_out(self, cell: Cell, why: str) -> None:
        """Count a cell as one that cannot be played."""
        self.failed[cell.name] = why

    def play(self) -> None:
        """Play to the end; raises Interrupted. `failed` has the cells that could not be played."""
        try:
            asyncio.run(self._play())
        except (KeyboardInterrupt, asyncio.CancelledError) as err:
            raise Interrupted from err

    async def _play(self) -> None:
        task = asyncio.current_task()
        if task is not None:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        left = [cell for cell in self.cells if not is_over(cell) and cell.name not in self.failed]
        self._over = len(self.cells) - len(left)
        free = asyncio.Semaphore(self.jobs)
        async with asyncio.TaskGroup() as group:
            for cell in left:
                group.create_task(self._one(cell, free))

    async def _one(self, cell: Cell, free: asyncio.Semaphore) -> None:
        async with free:
            found = await self._run(cell)
        self._over += 1
        if isinstance(found, str):
            self.failed[cell.name] = found
        self.tell(cell, found, self._over, len(self.cells))

    async def _run(self, cell: Cell) -> StoredRun | str:
        """Play or go on with one cell; its run, or why there is none."""
        stored = stored_run(cell)
        sets = [f"--set={key}={json.dumps(value)}" for key, value in cell.changes.items()]
        resume = ["--resume", str(stored.folder)] if stored else ["--runs", str(cell.runs)]
        command = [sys.executable, "-m", "sparring", "run", str(cell.suite), *resume, *sets]
        env = {name: os.environ.get(name, "1") for name in _ONE_THREAD} | _import_path()
        cell.runs.mkdir(parents=True, exist_ok=True)
        async with running(command, cwd=cell.suite.parent, env=env, patience=_PATIENCE_S) as made:
            code = await made.ended(_FOREVER_S)
        found = stored_run(cell)
        if code not in _JUDGED or found is None:
            return f"'sparring run' ended with exit code {code}: …{_end(made.tail)}"
        try:
            why = spoilt_by(found)
            if why is not None:
                return f"{why}; stored in {set_aside(cell, found)}"
            return _noted(cell, found)
        except StoredRunError as err:
            return str(err)


def _import_path() -> dict[str, str]:
    """Where this process imports from: runs are played in the folders of their suites."""
    here = Path.cwd()
    written = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]
    asked = written if str(here) not in sys.path and "" not in sys.path else [*written, "."]
    found = dict.fromkeys(str(here / one) for one in asked)
    return {"PYTHONPATH": os.pathsep.join(found)} if found else {}


def _noted(cell: Cell, run: StoredRun) -> StoredRun:
    """Note that a run is over; raises StoredRunError where it is not."""
    summary = run.summary
    if summary is None or summary.stopped is Stop.INTERRUPTED:
        raise StoredRunError(f"{run.folder} was interrupted")
    told = {"run": run.folder.name, "budget": cell.changes.get("budget")}
    temporary = cell.folder / f"{DONE}.new"
    temporary.write_text(json.dumps(told) + "\n", encoding="utf-8")
    temporary.replace(cell.folder / DONE)
    return run


def _end(text: str) -> str:
    return Redactor().text(text)[-_TAIL:]
