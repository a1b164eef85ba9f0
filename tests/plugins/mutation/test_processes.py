"""Processes end when they should, whatever they do about it."""

import asyncio
import os
import pickle
import socket
import sys
from pathlib import Path

import pytest
from tests.processes import has_ended

from sparring_plugins.mutation.trials import (
    AppNeverUp,
    NotStarted,
    Ports,
    TooLate,
    running,
    until_ready,
)

STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal, time; "
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""


async def pids_of(run: object) -> list[int]:
    for _ in range(1000):
        told = run.tail  # type: ignore[attr-defined]
        if len(told.split()) == 2:
            return [int(pid) for pid in told.split()]
        await asyncio.sleep(0.01)
    raise AssertionError("the process said nothing")


@pytest.mark.anyio
async def test_a_process_that_ignores_signals_is_killed_with_its_children(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STUBBORN]
    async with running(command, cwd=tmp_path, env={}, patience=0.2) as run:
        pids = await pids_of(run)
    assert all(has_ended(pid) for pid in pids)


@pytest.mark.anyio
async def test_processes_end_when_the_task_is_cancelled(tmp_path: Path) -> None:
    found: list[int] = []

    async def hold() -> None:
        command = [sys.executable, "-c", STUBBORN]
        async with running(command, cwd=tmp_path, env={}, patience=0.2) as run:
            found.extend(await pids_of(run))
            await asyncio.sleep(600)

    task = asyncio.ensure_future(hold())
    while not found:
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all(has_ended(pid) for pid in found)


@pytest.mark.anyio
async def test_what_a_process_writes_is_kept_from_its_end_and_never_blocks_it(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", "print('x' * 5_000_000); print('the end')"]
    async with running(command, cwd=tmp_path, env={}, patience=1) as run:
        assert await run.ended(120) == 0
        assert run.tail.endswith("the end")
        assert len(run.tail) <= 20_000


@pytest.mark.anyio
async def test_an_exit_code_comes_through(tmp_path: Path) -> None:
    async with running(
        [sys.executable, "-c", "raise SystemExit(7)"], cwd=tmp_path, env={}, patience=1
    ) as run:
        assert await run.ended(120) == 7


@pytest.mark.anyio
async def test_what_takes_too_long_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    async with running(command, cwd=tmp_path, env={}, patience=0.2) as run:
        with pytest.raises(TooLate, match=r"did not end within 0\.2 seconds"):
            await run.ended(0.2)


@pytest.mark.anyio
async def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with running(["no-such-command"], cwd=tmp_path, env={}, patience=1) as run:
        with pytest.raises(NotStarted, match="ended with exit code 127"):
            await until_ready(run, url=None, port=1, within=120)
        assert "cannot start no-such-command" in run.tail


@pytest.mark.anyio
async def test_an_app_that_never_listens_is_too_late(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with Ports().one() as port:
        async with running(command, cwd=tmp_path, env={}, patience=0.2) as run:
            with pytest.raises(TooLate, match="was not ready within"):
                await until_ready(run, url=None, port=port, within=0.5)


@pytest.mark.anyio
async def test_an_app_is_ready_when_its_address_answers(tmp_path: Path) -> None:
    with Ports().one() as port:
        command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]
        async with running(command, cwd=tmp_path, env={}, patience=1) as run:
            await until_ready(run, url=f"http://127.0.0.1:{port}/nothing", port=port, within=120)


@pytest.mark.anyio
async def test_the_environment_is_handed_on(tmp_path: Path) -> None:
    code = "import os; print(os.environ['SPARRING_TEST'], 'PATH' in os.environ)"
    async with running(
        [sys.executable, "-c", code], cwd=tmp_path, env={"SPARRING_TEST": "here"}, patience=1
    ) as run:
        await run.ended(120)
        assert run.tail == f"here {'PATH' in os.environ}"


def test_a_port_is_given_once_at_a_time() -> None:
    ports = Ports()
    with ports.one() as one, ports.one() as other:
        assert one != other
        with socket.socket() as free:
            free.bind(("127.0.0.1", one))


@pytest.mark.parametrize("late", [True, False])
def test_errors_of_apps_come_back_whole_from_workers(late: bool) -> None:
    error = pickle.loads(pickle.dumps(AppNeverUp("it ended", late=late)))
    assert (str(error), error.late) == ("it ended", late)
