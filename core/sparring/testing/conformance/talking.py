"""Talks with an app, as the conformance kit of connectors needs them."""

import asyncio
import subprocess
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from time import get_clock_info, monotonic, process_time
from typing import Any
from unittest.mock import patch

import pytest

from sparring.errors import AppError, SparringError
from sparring.interfaces.app_connector import AppConnector
from sparring.model.case import Case
from sparring.model.talk import Act, Observation
from sparring.time_limits import LagMeter

_BEAT_S = 0.002
"""Seconds between two looks at whether the event loop goes on."""

_LATE_S = max(0.01, 2 * get_clock_info("monotonic").resolution)
"""Seconds from which a look that comes late counts: timers are never exact."""


class Boom(Exception):
    """What a player of the tests raises; no connector may keep it."""


def case_of(number: int) -> Case:
    """A case of its own for each number."""
    return Case.of("conformance", {"number": number}, run_seed=0)


async def talk(
    connector: AppConnector[Any], acts: Sequence[Act], *, fail: bool = False
) -> list[Observation]:
    """Do the acts in a session of their own, and raise `Boom` at its end if asked to."""
    async with connector.open(case_of(0)) as session:
        seen = [await session.send(act) for act in acts]
        if fail:
            raise Boom
        return seen


async def talk_forever(
    connector: AppConnector[Any], acts: Sequence[Act], *, fail: bool = False
) -> list[Observation]:
    """Open a session, do the first act, and keep the session open until cancelled."""
    async with connector.open(case_of(0)) as session:
        await session.send(acts[0])
        await asyncio.Event().wait()
    return []


async def still_open(
    connector: AppConnector[Any], open_sessions: Callable[[AppConnector[Any]], int]
) -> int:
    """How many sessions are open, after a moment's grace to close."""
    for _ in range(100):
        if not open_sessions(connector):
            return 0
        await asyncio.sleep(0.01)
    return open_sessions(connector)


async def survive_one(
    connector: AppConnector[Any],
    act: Act,
    case: Case,
    *allowed: type[SparringError],
) -> None:
    """Do one act: an observation or an allowed error (else an AppError) is fine."""
    try:
        async with connector.open(case) as session:
            seen = await session.send(act)
    except Exception as err:  # noqa: BLE001 - whatever else comes is what the test is about
        if isinstance(err, allowed or (AppError,)):
            return
        pytest.fail(f"{str(act)[:80]} raised {type(err).__name__}: {str(err)[:200]}")
    assert isinstance(seen, Observation), f"{str(act)[:80]} returned {seen!r}"
    assert seen.model_dump_json(), "the observation cannot be stored"


async def leftovers() -> list[str]:
    """Names of tasks that still run after a moment's grace to end."""
    names: list[str] = []
    for _ in range(100):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        names = [str(task.get_coro()) for task in others]
        if not names:
            break
        await asyncio.sleep(0.01)
    return names


def plain(heard: Sequence[Observation]) -> list[Any]:
    """What of observations must be equal when the app says the same."""
    return [(seen.text, seen.choices, seen.ended) for seen in heard]


@contextmanager
def _process_starts() -> Generator[Callable[[], float]]:
    """Measure for how many seconds processes were being started, also by asyncio.

    The operating system holds a program up until the process that it starts has begun its own:
    some milliseconds, and 0.1 seconds on a busy machine, which no connector can avoid.
    """
    spent_s = 0.0
    start = subprocess.Popen.__init__

    def timed(process: Any, *args: Any, **more: Any) -> None:
        nonlocal spent_s
        began = monotonic()
        try:
            start(process, *args, **more)
        finally:
            spent_s += monotonic() - began

    with patch.object(subprocess.Popen, "__init__", timed):
        yield lambda: spent_s


async def blocked_s(work: Awaitable[Any]) -> float:
    """Return for how many seconds nothing else could run on the event loop while `work` waited.

    ``time.sleep`` and clients that are not asynchronous wait in this way. Time in which the process
    computes, or starts another process, or the machine gives it no processor, does not count.
    """
    waited_s = 0.0
    meter = LagMeter()

    async def watch() -> None:
        nonlocal waited_s
        with _process_starts() as starting_s:
            while True:
                began = monotonic()
                before = process_time() + meter.starved_s() + starting_s()
                await asyncio.sleep(_BEAT_S)
                excused = process_time() + meter.starved_s() + starting_s() - before
                late = monotonic() - began - _BEAT_S - excused
                waited_s += late if late > _LATE_S else 0.0

    watcher = asyncio.create_task(watch())
    try:
        await asyncio.sleep(2 * _BEAT_S)
        await work
        await asyncio.sleep(2 * _BEAT_S)
    finally:
        watcher.cancel()
        await asyncio.wait([watcher])
        meter.close()
    return waited_s
