"""Lines from standard input, waited for in a thread so that the event loop goes on."""

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any
from weakref import WeakKeyDictionary

_LONGEST = 1_000_000
_BLOCK = 65_536


class Lines:
    """The lines of a stream, one per `next`; one object per stream, whoever reads it.

    Nothing is read before it is asked for. A line that arrives when nobody waits for it any more
    is the next one's.
    """

    def __init__(self, read: Callable[[], str | None]) -> None:
        self._read = read
        self._waiting: SimpleQueue[Future[str | None]] = SimpleQueue()
        self._left: deque[str | None] = deque()
        # A daemon, because a thread that waits for a person cannot be told to stop.
        threading.Thread(target=self._serve, name="standard input", daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        future: Future[str | None] = Future()
        self._waiting.put(future)
        return await asyncio.wrap_future(future)

    def _serve(self) -> None:
        while True:
            future = self._waiting.get()
            if future.cancelled():
                continue
            line = self._left.popleft() if self._left else self._read()
            if future.set_running_or_notify_cancel():
                future.set_result(line)
            else:
                self._left.append(line)


_LINES: WeakKeyDictionary[Any, Lines] = WeakKeyDictionary()


def lines_of_stdin() -> Lines | None:
    """The lines of this process's standard input; None where it has none."""
    stream = sys.stdin
    if stream is None:
        return None
    if stream not in _LINES:
        _LINES[stream] = Lines(_reader(stream))
    return _LINES[stream]


def _reader(stream: Any) -> Callable[[], str | None]:
    """Reads below Python's own buffer, whose lock a waiting thread would hold at exit."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):  # no file behind it
        return lambda: _line_of(stream)
    return _Descriptor(descriptor).line


def _line_of(stream: Any) -> str | None:
    try:
        line = str(stream.readline(_LONGEST))
    except (OSError, ValueError):  # closed
        return None
    return line.rstrip("\r\n") if line else None


class _Descriptor:
    """Lines of a file descriptor, at most a million bytes each."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._got = bytearray()

    def line(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        while b"\n" not in self._got and len(self._got) < _LONGEST:
            try:
                block = os.read(self._descriptor, _BLOCK)
            except OSError:  # closed, or a terminal that is gone
                block = b""
            if not block:
                break
            self._got += block
        if not self._got:
            return None
        end = self._got.find(b"\n") + 1 or len(self._got)
        line = bytes(self._got[:end])
        del self._got[:end]
        return line.decode("utf-8", "replace").rstrip("\r\n")
