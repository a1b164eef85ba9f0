"""Playing the runs of a study, some side by side, and going on where it was stopped."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sparring.engine.resume import is_environment_error, require_same
from sparring.errors import AppError, ConfigurationError, StoredRunError
from sparring.interfaces.abilities import Probing
from sparring.model.run import Run, Stop
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext, build
from sparring.suite.environment import Redactor
from sparring.suite.reading import load_suite
from sparring_plugins.language.quantities import plural
from sparring_plugins.mutation.trials import running
from sparring_plugins.study.plan import Cell

# Whether the apps of a study are there, before a run is played; what of a run says nothing.

# An app that wakes up (a container, a model that is loaded) answers within this; a closed port at
# once.
_PROBE_PATIENCE_S = 15.0
_MOST_BROKEN = 0.05
"""The share of cases that the environment broke from which a run does not count."""


def gone(cells: Sequence[Cell]) -> dict[str, str]:
    """The apps that cannot be reached, with the reason; each is tried once."""
    return asyncio.run(_gone({cell.app: cell for cell in reversed(cells)}))


async def _gone(cells: dict[str, Cell]) -> dict[str, str]:
    reasons = await asyncio.gather(*(_why_gone(cell) for cell in cells.values()))
    return {app: why for app, why in zip(cells, reasons, strict=True) if why}


async def _why_gone(cell: Cell) -> str | None:
    loaded = load_suite(cell.suite, dict(cell.changes))
    context = SuiteContext(loaded.base_dir, seed=cell.seed, llm=loaded.suite.llm)
    try:
        connector = build(loaded.suite, context, loaded.document).connector
        if isinstance(connector, Probing):
            await asyncio.wait_for(connector.probe(), _PROBE_PATIENCE_S)
    except AppError as err:
        return str(err)
    except TimeoutError:
        return f"no answer within {_PROBE_PATIENCE_S:g} seconds"
    except Exception:  # noqa: BLE001 - the run itself says more of a connector's bug
        return None
    finally:
        await context.close()
    return None


def describe_environment_errors(run: StoredRun) -> str | None:
    """Why a run says too little of its app: the environment broke too many of its cases."""
    broken, why = 0, ""
    for judged in run.judged():
        if is_environment_error(judged):
            broken += 1
            incidents = judged.trace.incidents
            why = why or (incidents[0].message if incidents else "an error of the environment")
    cases = len(run.case_ids)
    if broken <= _MOST_BROKEN * cases:
        return None
    return f"{broken} of its {plural(cases, 'case')} ended in errors of the environment: {why}"


def set_aside(cell: Cell, run: StoredRun) -> Path:
    """Move a run out of the way, so that its cell is played anew; where it is now."""
    aside = cell.folder / "aside"
    aside.mkdir(exist_ok=True)
    number = sum(1 for _ in aside.iterdir()) + 1
    return run.folder.rename(aside / f"{number}-{run.folder.name}")


DONE = "done.json"
_JUDGED = (0, 1, 3, 4)
"""Exit codes of a run that was played and judged, be it in part."""

_FOREVER_S = 30 * 24 * 3600.0
# For a run to end in order after it was interrupted; then it is killed.
_PATIENCE_S = 10.0
# The last lines of what a run printed, with the error.
_TAIL = 600
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Tell = Callable[[Cell, "StoredRun | str", int, int], None]
"""Hears of each run that is over: the run, or why there is none; how many are, and of how many."""


class Interrupted(Exception):
    """The study was stopped before its end; what was judged is kept."""


def stored_run(cell: Cell) -> StoredRun | None:
    """The run of a cell, as far as it has come."""
    return stored_in(cell.runs)


def stored_in(runs: Path) -> StoredRun | None:
    """The last run in a folder, if there is one."""
    manifests = sorted(runs.glob("*/run.json")) if runs.is_dir() else []
    return StoredRun(manifests[-1].parent) if manifests else None


def is_over(cell: Cell) -> bool:
    """Whether a cell needs no further play: it ended under its budget, or has had its cases.

    A run with more cases than the budget has now is cut when it is measured.
    """
    run = stored_run(cell)
    if run is None:
        return False
    wanted: dict[str, Any] = cell.changes.get("budget") or {}
    try:
        record: Any = json.loads((cell.folder / DONE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if record and record.get("budget") == cell.changes.get("budget"):
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
            f"{cell.name}: {'; '.join(problem.message for problem in err.problems)}. Store the "
            f"study elsewhere (--results), or delete {cell.folder}"
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


@dataclass(frozen=True, slots=True)
class Ending:
    """How 'sparring run' ended: its exit code, `None` if it was not begun, and its last words."""

    code: int | None
    tail: str


class PlaysCells(Protocol):
    """Plays runs of a study in another place."""

    @property
    def slots(self) -> int:
        """How many runs it plays at once."""
        ...

    async def play(self, cell: Cell, stored: StoredRun | None) -> Ending:
        """Play a run, or resume it, and store it in its cell."""
        ...


@dataclass(slots=True)
class Series:
    """Plays what is left of the cells, `jobs` of them side by side.

    `elsewhere` opens workers that play them, for as long as it is entered.
    """

    cells: Sequence[Cell]
    jobs: int
    tell: Tell
    elsewhere: Callable[[], AbstractAsyncContextManager[PlaysCells | None]] | None = None
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
        if not left:
            return
        async with AsyncExitStack() as stack:
            there = await stack.enter_async_context(self.elsewhere()) if self.elsewhere else None
            free = asyncio.Semaphore(self.jobs if there is None else there.slots)
            async with asyncio.TaskGroup() as group:
                for cell in left:
                    group.create_task(self._one(cell, free, there))

    async def _one(self, cell: Cell, free: asyncio.Semaphore, there: PlaysCells | None) -> None:
        async with free:
            outcome = await self._run(cell, there)
        self._over += 1
        if isinstance(outcome, str):
            self.failed[cell.name] = outcome
        self.tell(cell, outcome, self._over, len(self.cells))

    async def _run(self, cell: Cell, there: PlaysCells | None) -> StoredRun | str:
        """Play or resume one cell; its run, or why there is none."""
        stored = stored_run(cell)
        cell.runs.mkdir(parents=True, exist_ok=True)
        if there is not None:
            ending = await there.play(cell, stored)
        else:
            ending = await play_suite(cell.suite, cell.changes, cell.runs, stored, _import_path())
        found = stored_run(cell)
        if ending.code is None:
            return ending.tail
        if ending.code not in _JUDGED or found is None:
            return f"'sparring run' ended with exit code {ending.code}: …{ending.tail}"
        try:
            why = describe_environment_errors(found)
            if why is not None:
                return f"{why}; stored in {set_aside(cell, found)}"
            return _note_run(cell, found)
        except StoredRunError as err:
            return str(err)


async def play_suite(
    suite: Path,
    changes: Mapping[str, Any],
    runs: Path,
    stored: StoredRun | None,
    env: Mapping[str, str],
) -> Ending:
    """Play a suite in a process of its own, or resume a `stored` run of it."""
    sets = [f"--set={key}={json.dumps(value)}" for key, value in changes.items()]
    resume = ["--resume", str(stored.folder)] if stored else ["--runs", str(runs)]
    command = [sys.executable, "-m", "sparring", "run", str(suite), *resume, *sets]
    env = {**{name: os.environ.get(name, "1") for name in _ONE_THREAD}, **env}
    async with running(command, cwd=suite.parent, env=env, patience=_PATIENCE_S) as process:
        code = await process.ended(_FOREVER_S)
    return Ending(code, _end(process.tail))


def _import_path() -> dict[str, str]:
    """Where this process imports from: runs are played in the folders of their suites."""
    here = Path.cwd()
    written = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    entries = written if str(here) not in sys.path and "" not in sys.path else [*written, "."]
    paths = dict.fromkeys(str(here / entry) for entry in entries)
    return {"PYTHONPATH": os.pathsep.join(paths)} if paths else {}


def _note_run(cell: Cell, run: StoredRun) -> StoredRun:
    """Note that a run is over; raises StoredRunError if it is not."""
    summary = run.summary
    if summary is None or summary.stopped is Stop.INTERRUPTED:
        raise StoredRunError(f"{run.folder} was interrupted")
    record = {"run": run.folder.name, "budget": cell.changes.get("budget")}
    temporary = cell.folder / f"{DONE}.new"
    temporary.write_text(json.dumps(record) + "\n", encoding="utf-8")
    temporary.replace(cell.folder / DONE)
    return run


def _end(text: str) -> str:
    return Redactor().text(text)[-_TAIL:]
