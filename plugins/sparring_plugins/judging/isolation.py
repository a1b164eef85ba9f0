"""Oracles that block are judged by in processes of their own, which can be ended.

An oracle whose code once blocked the run for longer than it may is built again in another
process, from what the suite says of it. That process gets each conversation as JSON and returns
verdicts; if it does not return in time, it is killed, and the next conversation gets a fresh one.
"""

import asyncio
import contextlib
import json
import os
import pickle
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from sparring.engine.judge import OracleCall, failure_of
from sparring.errors import BudgetSpent
from sparring.format_error import describe_error
from sparring.model.talk import Trace
from sparring.model.verdict import Owner, Verdict
from sparring.suite.building import Judge, SuiteContext
from sparring.suite.model import LLMUse, OracleUse
from sparring.time_limits import BlockingLimit


class NotRebuilt(Exception):
    """The oracle cannot be built in another process, or not asked there; the text says why."""


class ProcessEnded(Exception):
    """The process came to an end before it had judged; `expired` if it was killed for that."""

    def __init__(self, message: str, *, expired: bool = False) -> None:
        super().__init__(message)
        self.expired = expired


class Reply(BaseModel):
    """What came of a request, or of building the oracle (`built`).

    An error has an `owner` and a `reason`, and may come with the verdicts that can be used.
    `needs_model` means that a language model was to be asked, which only the run can do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    call: Literal["built", "judged"]
    verdicts: tuple[Verdict, ...] = ()
    owner: Owner | None = None
    reason: str = ""
    needs_model: bool = False


# A run and a process that judges for it exchange frames: a length, and so many bytes. The recipe
# of the oracle goes to the process as a pickle, since settings may hold what JSON does not have
# (dates, sets); it never goes the other way. Requests and replies are JSON.

HEAD = 8
"""Bytes of the length before each frame, the most significant first."""

MOST_BYTES = 64_000_000
"""Bytes of one reply: 10,000 verdicts with a page of text each."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an oracle was built from, so that another process builds the same one."""

    use: OracleUse
    base_dir: Path
    run_dir: Path | None
    seed: int
    names: frozenset[str]
    llm: LLMUse | None

    def packed(self) -> bytes:
        """Return it as bytes; raises if a setting cannot be sent to another process."""
        return pickle.dumps(self)

    @staticmethod
    def unpacked(data: bytes) -> "Recipe":
        """Read what `packed` wrote."""
        recipe: Recipe = pickle.loads(data)
        return recipe


class Request(BaseModel):
    """One question: a conversation, or the folder of the run whose conversations are judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trace: Trace | None = None
    folder: str | None = None


def framed(data: bytes) -> bytes:
    """Return data with its length before it."""
    return len(data).to_bytes(HEAD) + data


_START_S = 60.0
"""Seconds that a process has at least for its start; it may have a large library to import."""

_ENDING_S = 5.0
"""Seconds in which an idle process ends by itself, closing what the oracle holds."""

_MOST_PROCESSES = max(1, min(4, os.cpu_count() or 1))
"""Processes of one oracle at the same time: an oracle that never returns occupies one each."""

_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from sparring_plugins.judging.isolated_oracle import main; main()"
)


@dataclass(slots=True)
class _Process:
    """One process that has built the oracle."""

    process: asyncio.subprocess.Process

    async def ask(self, frame: bytes) -> Reply:
        """Send a frame and return the reply; raises ProcessEnded."""
        reader, writer = self.process.stdout, self.process.stdin
        if reader is None or writer is None:
            raise ProcessEnded("it has no pipes")
        try:
            writer.write(framed(frame))
            await writer.drain()
            size = int.from_bytes(await reader.readexactly(HEAD))
            if size > MOST_BYTES:
                raise ProcessEnded(f"its reply is of {size:,} bytes, more than {MOST_BYTES:,}")
            return Reply.model_validate_json(await reader.readexactly(size))
        except (asyncio.IncompleteReadError, OSError):
            raise ProcessEnded(await self._how_it_ended()) from None
        except ValidationError as err:
            raise ProcessEnded(f"its reply cannot be read: {err.errors()[0]['msg']}") from err

    async def _how_it_ended(self) -> str:
        with contextlib.suppress(TimeoutError):
            code = await asyncio.wait_for(self.process.wait(), _ENDING_S)
            if code >= 0:
                return f"its process ended by itself with exit code {code}"
            with contextlib.suppress(ValueError):
                return f"its process was ended by {signal.Signals(-code).name}"
            return f"its process was ended by signal {-code}"
        return "its process closed its output"

    async def end(self) -> None:
        """Let an idle process close what it holds; kill it if it takes too long."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _ENDING_S)
        await self.kill()

    async def kill(self) -> None:
        """Kill it, with all processes that the oracle may have started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        await self.process.wait()
        # Its pipes are closed with it. Without that they stay open until their end is read, which
        # does not come as long as another process that the oracle started has them.
        getattr(self.process, "_transport").close()  # noqa: B009 - asyncio has no public way


@dataclass(slots=True)
class Isolation:
    """The processes in which one oracle judges; see `of`.

    `not_rebuilt` says why there can be none; it is empty as long as that is not known.
    """

    recipe: bytes = b""
    not_rebuilt: str = ""
    _idle: list[_Process] = field(default_factory=list[_Process])
    _places: asyncio.Semaphore | None = None
    _loop: asyncio.AbstractEventLoop | None = None

    @classmethod
    def of(cls, judge: Judge) -> "Isolation":
        """Return the isolation of a judge's oracle; its context closes it."""
        context: Any = getattr(judge.oracle, "context", None)
        if judge.use is None or type(context) is not SuiteContext:
            return cls(not_rebuilt="nothing says how it was built")
        recipe = Recipe(
            use=judge.use,
            base_dir=context.base_dir,
            run_dir=context.run_dir,
            seed=context.seed,
            names=context.names,
            llm=context.llm_use,
        )
        try:
            isolation = cls(recipe.packed())
        except Exception as err:  # noqa: BLE001 - whatever pickle makes of a setting
            return cls(not_rebuilt=f"its settings cannot be sent: {describe_error(err)}")
        context.built.append(isolation)  # type: ignore[arg-type]  # closed as the parts are
        return isolation

    async def answer(
        self, call: OracleCall, blocked: BlockingLimit | None
    ) -> list[Verdict] | BudgetSpent:
        """Return the verdicts; `blocked` is how the oracle blocked the run just now, if it did.

        If no process can judge, the run itself asks the oracle, within the same limit.
        """
        starved_s = call.starved_s()
        owner = call.judge.oracle.overrun_owner
        try:
            reply = await self._reply(call)
        except ProcessEnded as err:
            if err.expired:
                return [call.too_late(owner, "; its process was killed", starved_s)]
            return [call.error(owner, str(err))]
        except NotRebuilt as err:
            why = str(err)
        else:
            failed = [] if reply.owner is None else [call.error(reply.owner, reply.reason)]
            return [*reply.verdicts, *failed]
        if blocked is None:
            ended = await call.ask_here()
            if not isinstance(ended.error, BlockingLimit):
                return call.verdicts(ended, starved_s)
            blocked = ended.error
        return [call.error(owner, f"{failure_of(blocked)[1]}; no other process can judge: {why}")]

    async def _reply(self, call: OracleCall) -> Reply:
        match call.subject:
            case Trace() as trace:
                return await self.judge(trace, call.timeout_s)
            case Path() as folder:
                return await self.conclude(folder, call.timeout_s)
            case None:
                raise NotRebuilt("the conversations are not those of a stored run")

    async def judge(self, trace: Trace, timeout_s: float) -> Reply:
        """Judge one conversation; raises ProcessEnded or NotRebuilt."""
        request = b'{"trace":' + trace.model_dump_json().encode() + b"}"
        async with self._place():
            process = self._idle.pop() if self._idle else await self._start(timeout_s)
            reply = await self._ask(process, request, timeout_s)
            self._idle.append(process)
        return _check_reply(reply)

    async def conclude(self, folder: Path, timeout_s: float) -> Reply:
        """Judge over all conversations of a run; raises ProcessEnded or NotRebuilt.

        A fresh process does it: what one has judged before depends on chance.
        """
        request = Request(folder=str(folder.absolute())).model_dump_json().encode()
        async with self._place():
            process = await self._start(timeout_s)
            reply = await self._ask(process, request, timeout_s)
            await process.end()
        return _check_reply(reply)

    async def close(self) -> None:
        """End the processes that are left."""
        idle, self._idle = self._idle, []
        await asyncio.gather(*(process.end() for process in idle))

    def _place(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self._places is None or self._loop is not loop:  # processes belong to their loop
            self._places, self._loop, self._idle = asyncio.Semaphore(_MOST_PROCESSES), loop, []
        return self._places

    async def _start(self, timeout_s: float) -> _Process:
        """Start a process that has built the oracle; raises NotRebuilt."""
        if self.not_rebuilt:
            raise NotRebuilt(self.not_rebuilt)
        try:
            process = await _spawn()
            reply = await self._ask(process, self.recipe, max(timeout_s, _START_S))
        except (OSError, ProcessEnded) as err:
            self.not_rebuilt = f"no process can be started for it: {err}"
            raise NotRebuilt(self.not_rebuilt) from err
        if reply.owner is not None:
            self.not_rebuilt = f"it cannot be built in a process of its own: {reply.reason}"
            await process.kill()
            raise NotRebuilt(self.not_rebuilt)
        return process

    async def _ask(self, process: _Process, frame: bytes, timeout_s: float) -> Reply:
        try:
            async with asyncio.timeout(timeout_s):
                return await process.ask(frame)
        except TimeoutError:
            await process.kill()
            message = f"no judgement within {timeout_s:g} seconds (judge_timeout)"
            raise ProcessEnded(f"{message}: its process was killed", expired=True) from None
        except BaseException:
            await asyncio.shield(process.kill())
            raise


async def _spawn() -> _Process:
    path = json.dumps([str(entry) for entry in sys.path])
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, str(os.getpid()), path,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True,
        )
    )  # fmt: skip
    try:
        return _Process(await asyncio.shield(starting))
    except asyncio.CancelledError:
        await _Process(await starting).kill()
        raise


def _check_reply(reply: Reply) -> Reply:
    if reply.needs_model:
        raise NotRebuilt("it asks a language model, which only the run itself can do")
    return reply
