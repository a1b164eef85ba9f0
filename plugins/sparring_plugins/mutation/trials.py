"""One trial: an app started from a definition, and the suite played against it."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sparring.errors import StoredRunError
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring_plugins.mutation.mutants import Files
from sparring_plugins.mutation.plan import AnyPlan, AppStart, Places

# Processes of a mutant: its app and its suite, kept in time and stopped cleanly.

KEEPER = Path(__file__).with_name("keeper.py")
# An app that prints without end would fill the memory; its last words tell why it ended.
_KEPT = 20_000
# Short against the start of a process (0.3 s and more), so that waiting adds nothing to each
# mutant.
_PAUSE_S = 0.05
# A server under way may take a connection and answer late; one that never does is not ready.
_ANSWER_S = 5.0
# A child that was left behind may keep the pipe open: what it writes is not waited for longer.
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
    """Wait until the app answers; raises NotStarted if it ends before, TooLate."""
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
    # A proxy of the environment would be asked for 127.0.0.1, and answer for an app that is not up.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=_ANSWER_S):
            return True
    except urllib.error.HTTPError as err:
        # 404 is an answer: an API without a start page is ready, too. 503 says that it starts.
        return err.code < 500
    except (OSError, ValueError):
        return False


class Ports:
    """Free ports of this machine, none given twice while it is in use."""

    def __init__(self) -> None:
        self._given: set[int] = set()

    @contextlib.contextmanager
    def one(self) -> Generator[int]:
        """A free port."""
        while (port := _free_port()) in self._given:
            pass
        self._given.add(port)
        try:
            yield port
        finally:
            self._given.discard(port)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


_JUDGED = (0, 1, 3, 4)
"""Exit codes of a suite that was played and judged, be it in part."""

# The last lines of a traceback, with its message.
_TAIL = 400


class SuiteFailed(Exception):
    """The suite could not be played."""


class AppNeverUp(Exception):
    """The app did not start; `late` says that it did not get ready in its time."""

    def __init__(self, why: str, *, late: bool = False) -> None:
        super().__init__(why)
        self.late = late


@dataclass(frozen=True, slots=True)
class Trial:
    """One play of the suite: see `Trials.play`."""

    name: str
    within: float
    changed: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    failures: int | None = None


@dataclass(slots=True)
class Trials:
    """Plays a suite against definitions, each in a folder of its own below `folder`.

    `elsewhere` has a worker play a trial, if there are any.
    """

    plan: AnyPlan
    here: Path
    files: Files
    suite: Path
    folder: Path
    options: tuple[str, ...] = ()
    recording: Mapping[str, object] = field(default_factory=dict[str, object])
    ports: Ports = field(default_factory=Ports)
    elsewhere: Callable[[Trial], Awaitable[StoredRun]] | None = None

    def runs_of(self, name: str) -> Path:
        """Where the suite's runs of a trial are stored."""
        return self.folder / "runs" / name

    async def play(
        self,
        name: str,
        within: float,
        *,
        changed: Mapping[str, str] | None = None,
        settings: Mapping[str, object] | None = None,
        failures: int | None = None,
    ) -> StoredRun:
        """Play the suite against the definition with changed texts or settings; its stored run.

        With `failures` none is begun after this many have failed. Raises AppNeverUp, SuiteFailed,
        or TooLate if the suite takes longer than `within` seconds.
        """
        trial = Trial(name, within, changed or {}, settings or {}, failures)
        return await (self.elsewhere or self.play_trial)(trial)

    async def play_trial(self, trial: Trial) -> StoredRun:
        """Play a trial in this process; see `play`."""
        name, within = trial.name, trial.within
        place = self.folder / "apps" / name
        sets: dict[str, object] = {
            "budget.unreachable": None,  # a change that kills the app is seen by all cases
            **self.recording,
            **trial.settings,
        }
        if trial.failures is not None:
            sets["budget.failures"] = trial.failures
        app = self.plan.app
        if app is None:
            return await self._suite(name, {**self.plan.set, **sets}, {}, within)
        attempt = partial(self._attempt, app, name, place, within, sets)
        self._lay_out(place, trial.changed)
        try:
            try:
                return await attempt()
            except NotStarted:  # somebody else may have taken the port meanwhile
                return await attempt()
        except NotStarted as err:
            raise AppNeverUp(str(err), late=False) from err
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _lay_out(self, place: Path, changed: Mapping[str, str]) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for file, text in {**self.files.texts, **changed}.items():
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        for file in self.files.beside:
            target = place / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.here / file, target)

    async def _attempt(
        self, app: AppStart, name: str, place: Path, within: float, sets: Mapping[str, object]
    ) -> StoredRun:
        with self.ports.one() as port:
            places = Places(place, port, self.here)
            env: dict[str, str] = places.data(app.env)
            start = partial(running, cwd=place, env=env, patience=app.stop_within)
            if app.prepare:
                await self._prepare(app, start(places.texts(app.prepare)))
            ready = places.text(app.ready) if app.ready else None
            async with start(places.texts(app.command)) as process:
                try:
                    await until_ready(process, url=ready, port=port, within=app.within)
                except NotStarted as err:
                    raise NotStarted(_describe_failure(str(err), process)) from err
                except TooLate as err:
                    raise AppNeverUp(
                        _describe_failure(f"the app {err}", process), late=True
                    ) from err
                changes = {**places.data(self.plan.set), **sets}
                return await self._suite(name, changes, env, within)

    async def _prepare(self, app: AppStart, started: AbstractAsyncContextManager[Running]) -> None:
        async with started as process:
            try:
                code = await process.ended(app.prepare_within)
            except TooLate as err:
                raise AppNeverUp(
                    _describe_failure(f"its preparation {err}", process), late=True
                ) from err
            if code:
                why = _describe_failure(f"its preparation ended with exit code {code}", process)
                raise AppNeverUp(why, late=False)

    async def _suite(
        self, name: str, changes: Mapping[str, object], env: Mapping[str, str], within: float
    ) -> StoredRun:
        runs = self.runs_of(name)
        shutil.rmtree(runs, ignore_errors=True)
        sets = [f"--set={key}={json.dumps(value)}" for key, value in changes.items()]
        command = [
            sys.executable, "-m", "sparring", "run", str(self.suite), "--runs", str(runs),
            "--set=reporters=[]", *sets, *self.options,
        ]  # fmt: skip
        async with running(command, cwd=self.suite.parent, env=env, patience=1.0) as process:
            code = await process.ended(within)
        if code not in _JUDGED:
            raise SuiteFailed(
                _describe_failure(f"'sparring run' ended with exit code {code}", process)
            )
        stored = sorted(runs.iterdir()) if runs.is_dir() else []
        if len(stored) != 1:
            raise SuiteFailed("'sparring run' stored nothing")
        try:
            return StoredRun(stored[0])
        except StoredRunError as err:
            raise SuiteFailed(str(err)) from err


def _describe_failure(why: str, process: Running) -> str:
    """A reason with the end of what the process wrote."""
    tail = Redactor().text(process.tail)
    return f"{why}: …{tail[-_TAIL:]}" if tail else why
