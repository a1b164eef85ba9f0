"""The engine's event loop, which no part can break or keep from ending."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from sparring import time_limits
from sparring.format_error import describe_error
from sparring.time_limits import left_behind

T = TypeVar("T")


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
            loop.run_until_complete(
                asyncio.wait_for(loop.shutdown_asyncgens(), time_limits.GRACE_S)
            )
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
                loop.run_until_complete(asyncio.wait({task}, timeout=time_limits.GRACE_S))
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
        _, pending = await asyncio.wait(tasks, timeout=time_limits.GRACE_S)
        left_behind.extend(task.get_name() for task in pending)
        for task in pending:  # else asyncio logs each when it is destroyed
            task._log_destroy_pending = False  # type: ignore[attr-defined]


async def _end_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Wait for threads that parts use, as long as the grace lasts."""
    ending = asyncio.ensure_future(loop.shutdown_default_executor())
    _, pending = await asyncio.wait({ending}, timeout=time_limits.GRACE_S)
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
