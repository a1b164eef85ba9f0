"""Suites whose cases are played by workers."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.core.engine.conftest import Play, fake_suite

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

pytest.importorskip("distributed")


_SCHEDULER = """
import asyncio, sys
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""

_WORKER = """
import asyncio, sys
from distributed import Worker
async def main():
    async with Worker(sys.argv[1], nthreads=2, dashboard=False) as worker:
        print(worker.address, flush=True)
        await worker.finished()
asyncio.run(main())
"""


def start(script: str, *arguments: str, env: dict[str, str] | None = None) -> tuple[Any, str]:
    """Start a program of Dask's; returns the process and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **(env or {})},
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def end(process: Any) -> None:
    """Kill a program that was started."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


class Cluster:
    """A scheduler and workers, as somebody starts them in shells of their own."""

    def __init__(self, workers: int, env: dict[str, str] | None = None) -> None:
        self.scheduler, self.address = start(_SCHEDULER)
        self._env = env
        self.workers = [self.worker() for _ in range(workers)]

    def worker(self) -> Any:
        """Start one more worker."""
        return start(_WORKER, self.address, env=self._env)[0]

    def close(self) -> None:
        """End all of it."""
        for process in (*self.workers, self.scheduler):
            end(process)


@pytest.fixture(scope="package")
def cluster() -> Generator[Cluster]:
    """A scheduler with two workers, for all tests that harm neither."""
    cluster = Cluster(2, {"WORKERS_OWN": "0"})
    yield cluster
    cluster.close()


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run a suite; `resume` is a stored run, `folder` the one of the suite."""

    def _play(
        cases: int = 6, resume: Path | None = None, folder: str = "", **changes: Any
    ) -> RunResult:
        path = tmp_path / folder / "suite.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(fake_suite(cases, **changes)), encoding="utf-8")
        stored = StoredRun(resume) if resume else None
        return conduct(load_suite(path), RunOptions(stored))

    return _play


def view(result: RunResult) -> Any:
    """What a run says, without times: cases, conversations, verdicts, sums."""
    assert result.folder is not None
    run = StoredRun(result.folder)
    cases = [
        (
            judged.trace.case.id,
            [(turn.act, turn.observation) for turn in judged.trace.turns],
            judged.trace.ended,
            judged.verdicts,
        )
        for judged in run.judged()
    ]
    summary = result.summary
    return sorted(cases, key=lambda case: case[0]), run.concluded, summary.outcomes, summary.cases


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is so; fails if it takes too long."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.05)
