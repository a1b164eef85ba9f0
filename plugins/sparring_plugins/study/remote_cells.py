"""Play the runs of a study on workers, each in a process of its own there, and embed texts."""

import asyncio
import os
import pickle
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sparring.errors import ExecutorLost, PartError
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.bundle import read_files, write_files
from sparring_plugins.execution.cluster_executor import SessionPlan
from sparring_plugins.execution.remote_work import bundle_of_files, common_folder, open_workers
from sparring_plugins.execution.worker_session import WorkerSession
from sparring_plugins.execution.workers import Workers, WorkersDied
from sparring_plugins.language import embeddings
from sparring_plugins.search.remote_embeddings import EmbeddingSession, embed_parts
from sparring_plugins.study.measures import Embedded
from sparring_plugins.study.plan import Cell
from sparring_plugins.study.series import Ending, play_suite, stored_in


@dataclass(frozen=True, slots=True)
class _Task:
    """A run to play: its `suite` in the bundle, and the name and files of the run, if resumed."""

    suite: str
    changes: Mapping[str, object]
    run: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes], repr=False)


class CellSession(WorkerSession):
    """Plays runs of a study, for which no parts are needed."""

    def build(self) -> None:
        """See `WorkerSession.build`."""


async def play_in_worker(session: CellSession, payload: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Play a run in a worker, and return the files of the stored run; see `worker.Work`."""
    task: _Task = pickle.loads(payload)
    with TemporaryDirectory(dir=session.run_dir) as name:
        runs = Path(name)
        stored: StoredRun | None = None
        if task.run:
            (runs / task.run).mkdir()
            write_files(dict(task.files), runs / task.run)
            stored = StoredRun(runs / task.run)
        path = [str(session.folder), *session.setup.import_path]
        env = {"PYTHONPATH": os.pathsep.join(path)}
        # The cases of a run are played by its own process, whoever plays those of the suite.
        changes = {**task.changes, "execution": {"use": "local"}}
        ending = await play_suite(session.folder / task.suite, changes, runs, stored, env)
        stored = stored_in(runs)
        if stored is None:
            return pickle.dumps(("", ending)), {}
        return pickle.dumps((stored.folder.name, ending)), read_files(stored.folder)


@dataclass(slots=True)
class RemoteCells:
    """Has workers play the runs of a study, whose suites are below `base`."""

    workers: Workers
    base: Path

    @property
    def slots(self) -> int:
        """How many runs the workers play at once."""
        return self.workers.slots

    async def play(self, cell: Cell, stored: StoredRun | None) -> Ending:
        """Have a run played, or resumed, and store it here; returns how it ended."""
        task = _Task(
            suite=cell.suite.relative_to(self.base).as_posix(),
            changes=cell.changes,
            run=stored.folder.name if stored else "",
            files=read_files(stored.folder) if stored else {},
        )
        try:
            delivered = await self.workers.call(play_in_worker, pickle.dumps(task))
        except (ExecutorLost, WorkersDied, PartError) as err:
            return Ending(None, str(err))
        reply: tuple[str, Ending] = pickle.loads(delivered.answer)
        name, ending = reply
        if name:
            (cell.runs / name).mkdir(parents=True, exist_ok=True)
            write_files(delivered.files, cell.runs / name)
        return ending


@asynccontextmanager
async def cells_on_workers(
    cells: Sequence[Cell], inputs: Mapping[Path, Sequence[str]], execution: ExecutionUse
) -> AsyncGenerator[RemoteCells | None]:
    """Yield the `RemoteCells` of a study; `None` if this process plays its runs.

    `inputs` are the files that each suite needs, relative to its folder.
    """
    base = common_folder([suite.parent for suite in inputs])

    def plan() -> SessionPlan:
        files = [path for suite in inputs for path in _paths(suite, inputs[suite])]
        return SessionPlan(
            bundle=bundle_of_files(base, files),
            session_class=CellSession,
        )

    concurrency = execution.workers or os.cpu_count() or 1
    async with open_workers(SuiteContext(base), execution, concurrency, plan) as workers:
        yield None if workers is None else RemoteCells(workers, base)


def _paths(suite: Path, names: Sequence[str]) -> list[Path]:
    return [suite, *(suite.parent / name for name in names)]


def embed_on_workers(
    embedded: Embedded, texts: Iterable[str], folder: Path, execution: ExecutionUse
) -> None:
    """Have workers make the vectors of texts that have none, if these are many.

    Raises ConfigurationError if the workers cannot be reached.
    """
    parts = embedded.parts(texts)
    # Vectors of words take no time.
    if sum(map(len, parts)) < embeddings.MANY or embedded.likeness.name == "words":
        return
    rows_of_parts = asyncio.run(_embed(embedded, parts, folder, execution))
    for part, rows in zip(parts, rows_of_parts, strict=True):
        embedded.take(part, rows)


async def _embed(
    embedded: Embedded, parts: Sequence[Sequence[str]], folder: Path, execution: ExecutionUse
) -> Sequence[Any]:
    def plan() -> SessionPlan:
        return SessionPlan(bundle=bundle_of_files(folder, ()), session_class=EmbeddingSession)

    async with open_workers(SuiteContext(folder), execution, 1, plan) as workers:
        if workers is None:
            return [embedded.likeness.vectors(part) for part in parts]
        return await embed_parts(workers, embedded.likeness, parts)
