"""The engine's event loop, which no part can break or keep from ending."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sparring.format_error import describe_error

T = TypeVar("T")

GRACE_S = 5.0
"""Seconds that a part has for ending after it was cancelled, before it is left behind."""

left_behind: list[str] = []
"""What did not end although it was cancelled, by name: the process must not wait for it."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[T]):
    """How a coroutine of somebody's part ended: with a value, an error, or not in time.

    `error` is any exception, also `SystemExit`, or ``None``. `expired` says that the time was over.
    """

    value: T | None = None
    error: BaseException | None = None
    expired: bool = False


async def guarded(work: Awaitable[T], timeout_s: float | None, name: str) -> Ended[T]:
    """Await something of somebody's part in a task of its own, and return how it ended.

    Nothing that the part raises passes, also not ``SystemExit`` or a ``CancelledError`` that nobody
    asked for. If `timeout_s` seconds are over, the task is cancelled; if it does not end within
    `GRACE_S` seconds after that (because it catches ``CancelledError``, say), it is left behind.
    Only the cancellation of the caller passes, after the task was cancelled in the same way.
    """
    task = asyncio.create_task(_caught(work))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
    except asyncio.CancelledError:
        await _cancel(task, name)
        raise
    if done:
        return task.result()
    await _cancel(task, name)
    ended: Ended[T] = task.result() if task.done() and not task.cancelled() else Ended()
    return Ended(error=ended.error, expired=True)


async def _caught(work: Awaitable[T]) -> Ended[T]:
    try:
        return Ended(value=await work)
    except BaseException as err:  # noqa: BLE001 - a SystemExit in a task would end the event loop
        return Ended(error=err)


async def _cancel(task: asyncio.Task[Any], name: str) -> None:
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=GRACE_S)
    if not done:
        left_behind.append(name)


def run(main: Coroutine[Any, Any, T], note: Callable[[str], None] | None = None) -> T:
    """Run a coroutine to its end on a new event loop, as `asyncio.run` does, and return its result.

    Unlike there, a task or callback of somebody's part that raises ``SystemExit`` does not end the
    loop (`note` is called with a message), and tasks that do not end when they are cancelled
    are not waited for. Ctrl-C cancels `main`, and raises KeyboardInterrupt when it has ended.
    """
    loop = asyncio.new_event_loop()
    try:
        asyncio.set_event_loop(loop)
        task = loop.create_task(main)
        return _to_the_end(loop, task, note)
    finally:
        try:
            loop.run_until_complete(_cancel_all(asyncio.all_tasks(loop)))
            loop.run_until_complete(asyncio.wait_for(loop.shutdown_asyncgens(), GRACE_S))
            loop.run_until_complete(_end_threads(loop))
        except TimeoutError:
            left_behind.append("an asynchronous generator")
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _to_the_end(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[T], note: Callable[[str], None] | None
) -> T:
    while True:
        try:
            return loop.run_until_complete(task)
        except KeyboardInterrupt:
            if not task.done():
                task.cancel()
                loop.run_until_complete(asyncio.wait({task}, timeout=GRACE_S))
            raise
        except BaseException as err:
            if task.done():
                raise
            if note is not None:  # raised by a task or callback that some part started
                note(f"a task in the background raised {describe_error(err)}")


async def _cancel_all(tasks: set[asyncio.Task[Any]]) -> None:
    own = asyncio.current_task()
    if own is not None:
        tasks.discard(own)
    for task in tasks:
        task.cancel()
    if tasks:
        _, pending = await asyncio.wait(tasks, timeout=GRACE_S)
        left_behind.extend(task.get_name() for task in pending)
        for task in pending:  # else asyncio logs each when it is destroyed
            task._log_destroy_pending = False  # type: ignore[attr-defined]


async def _end_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Wait for threads that parts use, as long as the grace lasts."""
    ending = asyncio.ensure_future(loop.shutdown_default_executor())
    _, pending = await asyncio.wait({ending}, timeout=GRACE_S)
    if pending:
        left_behind.append("a thread")
        ending.cancel()


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Generator[None]:
    """Call `interrupt` on the event loop at the first Ctrl-C or SIGTERM; a second is final."""
    running = asyncio.get_running_loop()

    def stop(number: int, _frame: object) -> None:
        signal.signal(number, signal.default_int_handler)
        running.call_soon_threadsafe(interrupt)

    before: list[tuple[signal.Signals, Any]] = []
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before.append((number, signal.signal(number, stop)))
    except ValueError:  # not in the main thread: whoever called us handles signals
        pass
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
