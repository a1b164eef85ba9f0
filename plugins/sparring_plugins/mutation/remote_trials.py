"""Play mutants on workers: each gets the definition, starts the app and plays the suite."""

import asyncio
import os
import pickle
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
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
from sparring_plugins.mutation.trials import (
    AppNeverUp,
    Ports,
    SuiteFailed,
    TooLate,
    Trial,
    Trials,
)

_Reply = str | AppNeverUp | TooLate | SuiteFailed
"""The name of the stored run's folder, or the error that `Trials.play` raised."""


class TrialSession(WorkerSession):
    """Plays trials; `settings` hold them as `trials`, with the paths of the command's machine.

    `base` of the settings is the folder that the bundle's paths start from.
    """

    def build(self) -> None:
        """See `WorkerSession.build`."""
        trials: Trials = self.setup.settings["trials"]
        base: Path = self.setup.settings["base"]
        self.trials = replace(
            trials,
            here=self.folder / trials.here.relative_to(base),
            suite=self.folder / trials.suite.relative_to(base),
            folder=Path(mkdtemp(dir=self.run_dir)),
        )
        self.playing: set[asyncio.Task[Any]] = set()

    async def play(self, trial: Trial) -> StoredRun:
        """Play a trial; raises what `Trials.play` raises."""
        task = asyncio.ensure_future(self.trials.play_trial(trial))
        self.playing.add(task)
        task.add_done_callback(self.playing.discard)
        return await task

    async def close(self) -> None:
        """Stop what is playing: its app and its suite are processes of their own."""
        for task in self.playing:
            task.cancel()
        await asyncio.gather(*self.playing, return_exceptions=True)
        await super().close()


async def play_in_worker(session: TrialSession, payload: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Play a trial in a worker, and return the files of the stored run; see `worker.Work`."""
    trial: Trial = pickle.loads(payload)
    try:
        stored = await session.play(trial)
    except (AppNeverUp, TooLate, SuiteFailed) as err:
        return pickle.dumps(err), {}
    files = read_files(stored.folder)
    rmtree(session.trials.runs_of(trial.name), ignore_errors=True)
    return pickle.dumps(stored.folder.name), files


@dataclass(slots=True)
class RemoteTrials:
    """Has workers play the trials of a mutation session."""

    workers: Workers
    trials: Trials = field(repr=False)

    async def play(self, trial: Trial) -> StoredRun:
        """Have a trial played, and store its run here; raises what `Trials.play` raises."""
        try:
            delivered = await self.workers.call(play_in_worker, pickle.dumps(trial))
        except (ExecutorLost, WorkersDied, PartError) as err:
            raise SuiteFailed(str(err)) from err
        reply: _Reply = pickle.loads(delivered.answer)
        if not isinstance(reply, str):
            raise reply
        runs = self.trials.runs_of(trial.name)
        rmtree(runs, ignore_errors=True)
        folder = runs / reply
        folder.mkdir(parents=True)
        write_files(delivered.files, folder)
        return StoredRun(folder)


@asynccontextmanager
async def trials_on_workers(
    trials: Trials, execution: ExecutionUse, original: StoredRun, suite_dir: Path
) -> AsyncGenerator[tuple[Trials, int | None]]:
    """Yield trials that workers play, and how many at once; `None` if this process plays them.

    `original` is the suite's run on the original, whose manifest lists the files that it needs.
    """
    base = common_folder([trials.here, trials.suite.parent])

    def plan() -> SessionPlan:
        files = [trials.suite, *(suite_dir / name for name in original.manifest.inputs)]
        files += [trials.here / name for name in (*trials.files.texts, *trials.files.beside)]
        return SessionPlan(
            bundle=bundle_of_files(base, files),
            session_class=TrialSession,
            # The cases of a trial are played by its own process, whoever plays those of the suite.
            settings={
                "trials": replace(trials, elsewhere=None, recording=alone, ports=Ports()),
                "base": base,
            },
        )

    alone = {**trials.recording, "execution": {"use": "local"}}
    context = SuiteContext(base)
    concurrency = execution.workers or os.cpu_count() or 1
    async with open_workers(context, execution, concurrency, plan) as workers:
        if workers is None:
            yield trials, None
            return
        remote = RemoteTrials(workers, trials)
        yield replace(trials, elsewhere=remote.play), workers.slots
