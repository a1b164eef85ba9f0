"""A person answers the prompt in the terminal, which is how prompts are debugged."""

import asyncio
import json
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from time import monotonic
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from sparring.errors import ModelError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.language.text import cut, one_line, visible

# Lines from standard input, waited for in a thread so that the event loop goes on.

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
        # A daemon, because a thread that waits for a person cannot be stopped.
        threading.Thread(target=self._serve_lines, name="standard input", daemon=True).start()

    async def next(self) -> str | None:
        """The next line without its end; None at the end of the input."""
        future: Future[str | None] = Future()
        self._waiting.put(future)
        return await asyncio.wrap_future(future)

    def _serve_lines(self) -> None:
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
    """The lines of this process's standard input; `None` if it has none."""
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


_SHOWN = 100_000
_LONGEST = 1_000_000
_MOST_LINES = 10_000
_END = "."
_HOW = "Your answer; a line with a single dot ends it (two dots stand for a dot):"


class TerminalBackend(LLMBackend[PluginConfig]):
    """Shows each prompt on standard error and reads the answer from standard input.

    An answer ends with a line that is a single dot, or with the input; a line that begins with
    two dots begins with one. One question is shown at a time, and the others wait. A person
    takes time: `timeout` of the suite does not count here, `deadline` does.
    """

    Config: ClassVar[type[PluginConfig]] = PluginConfig
    free = True

    def __init__(self, config: PluginConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._turn = asyncio.Lock()
        self._asked = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = monotonic()
        async with self._turn:
            self._asked += 1
            _show(_question(request, self._asked))
            text = await _answer()
        return ChatReply(text=text, model="person", cost_usd=0.0, latency_s=monotonic() - began)

    def identity(self) -> str:
        return "terminal"


def _question(request: ChatRequest, number: int) -> str:
    """A question as it is shown: nothing in it steers the terminal."""
    about = {"asker": request.asker, "prompt": request.prompt, "case": request.case_id}
    named = [f"{name} {one_line(value, 100)}" for name, value in about.items() if value]
    lines = ["", f"--- question {number} {' '.join(f'({part})' for part in named)}".rstrip()]
    for message in request.messages:
        text, left_out = cut(message.content, _SHOWN)
        more = f"\n... and {left_out:,} more characters" if left_out else ""
        lines += [f"[{message.role}]", text + more]
    if request.answer_schema is not None:
        schema = json.dumps(request.answer_schema, indent=2, ensure_ascii=False)
        lines += ["[the answer is JSON that satisfies]", visible(schema)]
    return "\n".join([*lines, f"--- {_HOW}", ""])


def _show(text: str) -> None:
    stream = sys.stderr
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError, AttributeError) as err:
        raise ModelError(f"the question cannot be shown on standard error: {err}") from err


async def _answer() -> str:
    """Read the person's answer; raises ModelError if the input ends before it begins."""
    lines = lines_of_stdin()
    lines_read: list[str] = []
    length = 0
    while lines is not None and length < _LONGEST and len(lines_read) < _MOST_LINES:
        line = await lines.next()
        if line is None and not lines_read:
            break
        if line is None or line.strip() == _END:
            return "\n".join(lines_read)
        lines_read.append(line[1:] if line.startswith(_END * 2) else line)
        length += len(line) + 1
    if lines_read:
        raise ModelError(
            f"an answer of {len(lines_read):,} lines, {length:,} characters, without an end"
        )
    raise ModelError("nobody answers: standard input has ended")
