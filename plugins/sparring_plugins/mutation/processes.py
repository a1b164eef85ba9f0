"""Processes of a mutant: its app and its suite, kept in time and stopped cleanly."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

KEEPER = Path(__file__).with_name("keeper.py")
_KEPT = 20_000
_PAUSE_S = 0.05
_ANSWER_S = 5.0
_LONGER_S = 2.0


class NotStarted(Exception):
    """The app ended before it was ready, or could not be started."""


class TooLate(Exception):
    """Something did not happen in its time."""


@dataclass(slots=True)
class Running:
    """A process with the end of what it wrote."""

    process: asyncio.subprocess.Process
    patience: float
    told: bytearray = field(default_factory=bytearray)
    reader: "asyncio.Task[None] | None" = None

    @property
    def tail(self) -> str:
        """The last lines that it wrote."""
        return self.told.decode("utf-8", "replace").strip()

    async def read(self) -> None:
        """Keep the end of what the process writes, so that it never waits for us."""
        stream = self.process.stdout
        while stream is not None and (piece := await stream.read(65_536)):
            self.told += piece
            del self.told[:-_KEPT]

    async def ended(self, within: float) -> int:
        """The exit code, once it has ended; raises TooLate."""
        try:
            code = await asyncio.wait_for(self.process.wait(), within)
        except TimeoutError:
            raise TooLate(f"did not end within {within:g} seconds") from None
        if self.reader is not None:
            with contextlib.suppress(TimeoutError):  # a process left behind may hold the pipe
                await asyncio.wait_for(asyncio.shield(self.reader), _LONGER_S)
        return code

    async def stop(self) -> None:
        """Ask it to stop, and kill what is left of it."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        with contextlib.suppress(TooLate):
            await self.ended(self.patience + _LONGER_S)
        _kill_group(self.process.pid)
        await self.process.wait()
        if self.reader is not None:
            self.reader.cancel()


@asynccontextmanager
async def running(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], patience: float
) -> AsyncGenerator[Running]:
    """A command in a session of its own, gone when the block is left, however that is."""
    started = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable, "-I", str(KEEPER), str(patience), *command,
            cwd=cwd, env={**os.environ, **env}, start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    )  # fmt: skip
    try:
        process = await asyncio.shield(started)
    except asyncio.CancelledError:
        await Running(await started, patience).stop()
        raise
    run = Running(process, patience)
    run.reader = asyncio.ensure_future(run.read())
    try:
        yield run
    finally:
        await asyncio.shield(run.stop())


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


async def until_ready(run: Running, *, url: str | None, port: int, within: float) -> None:
    """Wait until the app answers; raises NotStarted where it ends before, TooLate."""
    clock = asyncio.get_running_loop().time
    until = clock() + within
    while clock() < until:
        if run.process.returncode is not None:
            await run.ended(_LONGER_S)
            raise NotStarted(f"ended with exit code {run.process.returncode}")
        if await _answers(url, port):
            return
        await asyncio.sleep(_PAUSE_S)
    raise TooLate(f"was not ready within {within:g} seconds")


async def _answers(url: str | None, port: int) -> bool:
    if url is not None:
        return await asyncio.to_thread(_good, url)
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), _ANSWER_S)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _good(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_ANSWER_S):
            return True
    except urllib.error.HTTPError as err:
        return err.code < 500
    except (OSError, ValueError):
        return False


class Ports:
    """Free ports of this machine, none given twice while it is in use."""

    def __init__(self) -> None:
        self._given: set[int] = set()

    @contextlib.contextmanager
    def one(self) -> Generator[int]:
        """A port that nobody listens on."""
        while (port := _free_port()) in self._given:
            pass
        self._given.add(port)
        try:
            yield port
        finally:
            self._given.discard(port)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port
