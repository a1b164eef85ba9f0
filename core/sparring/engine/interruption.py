"""Ctrl-C keeps what is finished."""

import asyncio
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any


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
