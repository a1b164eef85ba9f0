"""The connector `command`: a program that is talked to by lines."""

import asyncio
import contextlib
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, ClassVar

from pydantic import Field
from sparring import (
    Act,
    AppConnector,
    AppCrash,
    AppProtocolError,
    AppSession,
    AppTimeout,
    AppUnreachable,
    Capability,
    Case,
    Listen,
    Observation,
    PluginConfig,
    Press,
    Say,
)


class CommandConfig(PluginConfig):
    """Settings of the connector `command`."""

    command: tuple[str, ...] = Field(
        min_length=1, description="The program and its arguments; no shell sees them."
    )
    greets: bool = Field(default=False, description="Whether it speaks first.")
    end_mark: str | None = Field(
        default=None,
        description="The line that ends each of its answers; without it, an answer is one line.",
    )
    timeout_s: float = Field(default=30, gt=0, description="Seconds that an answer may take.")
    close_s: float = Field(default=2, gt=0, description="Seconds to end by itself when it is over.")
    longest: Annotated[int, Field(gt=0)] = Field(
        default=1_000_000, description="Bytes of the longest answer."
    )


class CommandSession(AppSession):
    """One conversation, which is one process."""

    def __init__(self, config: CommandConfig, process: Process) -> None:
        self._config = config
        self._process = process
        self._greeting: Observation | None = None

    async def greet(self) -> None:
        """Wait for what the program says first, and keep it for the first `Listen`."""
        self._greeting = await self._answer()

    async def send(self, act: Act) -> Observation:
        match act:
            case Listen():
                greeting, self._greeting = self._greeting, None
                return greeting or Observation()
            case Say():
                return await self._say(act.text)
            case Press():
                return await self._say(act.value or act.label)
            case _:
                raise AppProtocolError("a program that is talked to by lines has no page")

    async def _say(self, text: str) -> Observation:
        line = " ".join(text.split()).encode("utf-8", "replace") + b"\n"
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended: reading its answer says how
            stdin.write(line)
            await stdin.drain()
        return await self._answer()

    async def _answer(self) -> Observation:
        try:
            async with asyncio.timeout(self._config.timeout_s):
                return await self._read()
        except TimeoutError as err:
            what = f"the program said nothing for {self._config.timeout_s} s"
            raise AppTimeout(what) from err

    async def _read(self) -> Observation:
        lines: list[str] = []
        size = 0
        while (line := await self._line()) is not None:
            size += len(line.encode())
            if size > self._config.longest:
                raise AppProtocolError(f"the answer is longer than {self._config.longest} bytes")
            if line == self._config.end_mark:
                return Observation(text="\n".join(lines))
            lines.append(line)
            if self._config.end_mark is None:
                return Observation(text=line)
        code = await self._process.wait()
        if code:
            raise AppCrash(f"the program ended with status {code}")
        return Observation(text="\n".join(lines), ended=True)

    async def _line(self) -> str | None:
        """The next line without its end; None when the program has closed its output."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            data = await stdout.readline()
        except ValueError as err:
            what = f"a line of the answer is longer than {self._config.longest} bytes"
            raise AppProtocolError(what) from err
        return data.decode("utf-8", "replace").rstrip("\r\n") if data else None


class CommandConnector(AppConnector[CommandConfig]):
    """Talks to a program by lines, one process per conversation.

    What the user says is written to its standard input as one line of UTF-8; the answer is the
    next line of its standard output, or all lines up to `end_mark`. A program that ends with
    status 0 has ended the conversation, any other status is a crash. Its folder is the suite's.
    """

    Config: ClassVar[type[PluginConfig]] = CommandConfig
    offers: ClassVar[frozenset[Capability]] = frozenset({Capability.TEXT, Capability.SESSIONS})

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession, None]:
        process = await self._start()
        try:
            session = CommandSession(self.config, process)
            if self.config.greets:
                await session.greet()
            yield session
        finally:
            await self._stop(process)

    async def probe(self) -> None:
        async with self.open(Case.of("probe", {}, run_seed=0)):
            pass

    async def _start(self) -> Process:
        try:
            return await asyncio.create_subprocess_exec(
                *self.config.command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd=self.context.base_dir,
                limit=self.config.longest,
            )
        except (OSError, ValueError) as err:
            raise AppUnreachable(f"{self.config.command[0]} cannot be started: {err}") from err

    async def _stop(self, process: Process) -> None:
        """Close the program's input, give it a moment to end, then kill it."""
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(self.config.close_s):
                await process.wait()
        except (TimeoutError, asyncio.CancelledError) as err:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            if isinstance(err, asyncio.CancelledError):
                raise
