"""The process in which an oracle judges once it has blocked its run: see `judge_worker`.

It reads the oracle's recipe and then requests from its standard input and writes replies to what
was its standard output. It ends with its parent: Linux kills it then, and elsewhere the end of its
standard input is the sign.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from functools import partial
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, BinaryIO

from sparring.engine.judge import (
    MOST_OF_A_CASE,
    MOST_OF_ALL,
    NotAJudgement,
    failure_of,
    judgement,
)
from sparring.errors import ModelError
from sparring.format_error import describe_error
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext, build_judges
from sparring.time_limits import guarded
from sparring_plugins.judging.isolation import HEAD, MOST_BYTES, Recipe, Reply, Request, framed

# From Linux's <sys/prctl.h>: the child is killed when its parent dies, so that none is left
# behind.
_PR_SET_PDEATHSIG = 1

_CLOSING_S = 5.0
"""Seconds that the process has to end after the end of its input."""


class _Absent(LLMBackend[PluginConfig]):
    """Stands for the suite's language model, which only the run itself may ask: it pays for it."""

    free = True
    asked = False

    def identity(self) -> str:
        """See `LLMBackend.identity`."""
        return ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Note that a model is needed, and raise ModelError."""
        self.asked = True
        raise ModelError("a process that only judges asks no language model")


class _Context(SuiteContext):
    """Builds the oracle as the run's context does, but for the language model."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe.base_dir, seed=recipe.seed, run_dir=recipe.run_dir, llm=recipe.llm)
        self.names = recipe.names
        self.absent = _Absent(PluginConfig(), self)

    def llm(self, asker: str) -> LLMBackend[Any] | None:
        """See `BuildContext.llm`."""
        return None if self.llm_use is None else self.absent


def main() -> None:
    """Build the oracle, then judge whatever is asked, until there are no more questions."""
    _end_with(int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the run, which ends this process
    requests, replies = _own_streams()
    asyncio.run(_serve(requests, replies))


def _end_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, if it can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before that
            os._exit(0)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol; what an oracle prints goes to the errors."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, replies


class _Inbox:
    """Reads frames in a thread, so that the end of the input is seen also while an oracle works."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._read, daemon=True).start()

    async def next(self) -> bytes | None:
        """Return the next frame, `None` after the last."""
        return await self._frames.get()

    def _read(self) -> None:
        frame: bytes | None = b""
        while frame is not None:
            head = self._stream.read(HEAD)
            frame = self._stream.read(int.from_bytes(head)) if len(head) == HEAD else None
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._frames.put_nowait, frame)
        sleep(_CLOSING_S)
        os._exit(0)  # an oracle is still at work, or does not let itself be closed


async def _serve(requests: BinaryIO, replies: BinaryIO) -> None:
    def reply(answer: Reply) -> None:
        replies.write(framed(_pack(answer)))
        replies.flush()

    inbox = _Inbox(requests)
    first = await inbox.next()
    if first is None:
        return
    try:
        recipe = Recipe.unpacked(first)
        context = _Context(recipe)
        oracle = build_judges([recipe.use], context)[0].oracle
    except BaseException as err:  # noqa: BLE001 - the run decides what to do without it
        reply(Reply(call="built", owner=Owner.TOOL, reason=describe_error(err)))
        return
    reply(Reply(call="built"))
    while (frame := await inbox.next()) is not None:
        context.absent.asked = False
        answer = await _judge(oracle, Request.model_validate_json(frame))
        needs_model = context.absent.asked
        reply(Reply(call="judged", needs_model=True) if needs_model else answer)
    await context.close()


async def _judge(oracle: Oracle[Any], request: Request) -> Reply:
    """Ask the oracle; nothing that it raises passes."""
    if request.trace is not None:
        call = partial(oracle.judge, request.trace)
        work = judgement(call, MOST_OF_A_CASE, {request.trace.case.id})
    else:
        run = StoredRun(Path(request.folder or ""))
        call = partial(oracle.conclude, run.traces())
        work = judgement(call, MOST_OF_ALL, run.cases)
    ended = await guarded(work, None, "the oracle")
    if ended.error is None:
        return Reply(call="judged", verdicts=tuple(ended.value or ()))
    owner, reason = failure_of(ended.error)
    usable = ended.error.verdicts if isinstance(ended.error, NotAJudgement) else ()
    return Reply(call="judged", verdicts=usable, owner=owner, reason=reason)


def _pack(answer: Reply) -> bytes:
    """A reply as JSON, or what is wrong with it."""
    try:
        data = answer.model_dump_json().encode()
    except Exception as err:  # noqa: BLE001 - details that are no JSON values, say
        reason = f"returned verdicts that cannot be stored: {describe_error(err)}"
        return Reply(call="judged", owner=Owner.TOOL, reason=reason).model_dump_json().encode()
    if len(data) > MOST_BYTES:
        reason = f"returned verdicts of {len(data):,} bytes, more than {MOST_BYTES:,}"
        return Reply(call="judged", owner=Owner.TOOL, reason=reason).model_dump_json().encode()
    return data
