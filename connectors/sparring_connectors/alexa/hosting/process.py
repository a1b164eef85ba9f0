"""A handler in a process of its own, with limits on time, output and lifetime."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppTimeout,
    EnvironmentFailure,
    SparringError,
)
from sparring_connectors.alexa.hosting.declared_versions import (
    imports_what_is_not_offered,
    version_failure,
)
from sparring_connectors.alexa.hosting.host import (
    AttributeStore,
    CaughtError,
    HandlerAnswer,
    HandlerFailure,
    Host,
    LineRecord,
    library_failure,
    missing_library_failure,
    network_failure,
)
from sparring_connectors.alexa.hosting.isolation import Box, read_message
from sparring_connectors.alexa.shapes import mapping, mappings, text, texts

_MOST_LINE = 16_000_000
# A skill that logs each request whole would fill the run's log; errors stand in the reply as well.
_MOST_LOG = 20_000
_CLOSING_S = 1.0
_RESET_S = 20.0
"""How long a process may take to be reset; a handler that holds it up is ended with it."""
_REAPING_S = 10.0
"""How long a busy machine may take to tell that a process has ended, which it has."""
_CHUNK = 65_536
_KILLED = 9
_FOREIGN = (
    *(
        "_runner.",
        "_cloud.",
        "_reset.",
        "_compiled.",
        "node_modules",
        "site-packages",
        "node:internal",
        "<frozen",
    ),
    "/lib/python",
)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a handler's process is started: the command, the first line, what it inherits.

    `box` is what is around it; `None` if nothing watches it, as on other systems than Linux.
    `reuses` says that its runner can take the process back to before it loaded the handler.
    """

    command: Sequence[str]
    start: Mapping[str, Any]
    folder: Path
    environment: Mapping[str, str]
    label: str
    timeout_s: float
    box: Box | None = None
    reuses: bool = False

    @property
    def key(self) -> str:
        """What a process has to have in common with this launch to be used for it."""
        names = ("file", "function", "network", "coverage")
        settings = [self.start[name] for name in names]
        return repr((*self.command, *settings, sorted(self.environment.items())))


_LOADING_FAILURES = ("SyntaxError", "Cannot find module", "ModuleNotFoundError", "ImportError")

Serve = Callable[[socket.socket], Awaitable[None]]
"""Serves what stands for Alexa on a socket that listens in a handler's own network."""


class IdleProcesses:
    """Processes of conversations that have ended, ready for the next one of the same skill.

    Starting Node and a guard around it takes more processor time than a whole short conversation.
    They belong to one event loop; of too many the one that waits longest is ended.
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._waiting: list[tuple[str, _Child]] = []
        self._libraries: dict[str, Mapping[str, Any]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def take(self, launch: Launch) -> "_Child | None":
        """Return a process for a launch that still runs, if one waits."""
        self._drop_foreign()
        for place, (key, child) in enumerate(self._waiting):
            if key == launch.key and child.is_alive:
                del self._waiting[place]
                return child
        return None

    def libraries_of(self, launch: Launch) -> Mapping[str, Any]:
        """Return what a conversation of a launch imported, so that a new process begins with it."""
        return self._libraries.get(launch.key, {})

    async def put(self, launch: Launch, child: "_Child") -> None:
        """Keep a process that was reset."""
        self._drop_foreign()
        self._libraries[launch.key] = child.libraries
        self._waiting.append((launch.key, child))
        while len(self._waiting) > self._most:
            _, oldest = self._waiting.pop(0)
            await oldest.end(gently=True)

    async def aclose(self) -> None:
        """End all that wait."""
        self._drop_foreign()
        waiting, self._waiting = self._waiting, []
        await asyncio.gather(*(child.end(gently=True) for _, child in waiting))

    def _drop_foreign(self) -> None:
        """End processes of another event loop: nobody reads their pipes any more."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, waiting, self._waiting = loop, self._waiting, []
            for _, child in waiting:
                child.abandon()


class ProcessHost(Host):
    """Runs a handler in a child process that is started when it is needed.

    A process that took too long, crashed or lost the thread is killed, and the next request gets
    a new one, which finds what the skill had stored. Requests are made one at a time.
    """

    def __init__(
        self,
        launch: Launch,
        store: AttributeStore,
        lines: LineRecord | None = None,
        serve: Serve | None = None,
        idle: IdleProcesses | None = None,
    ) -> None:
        self._launch = launch
        self._idle = idle if launch.reuses else None
        self._serve = serve
        self._store = store
        self.lines = lines
        self._child: _Child | None = None
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Start the process and load the handler; raises HandlerFailure if that does not work."""
        async with self._turn:
            await self._ensure_started()

    async def ask(self, request: Mapping[str, Any], timeout_s: float) -> HandlerAnswer:
        async with self._turn:
            child = await self._ensure_started()
            try:
                reply = await child.ask_once(request, timeout_s)
            except BaseException:
                await self._end()
                raise
            self._store.kept = mapping(reply.get("store")) or self._store.kept
            self._note_lines(reply)
            error = mapping(reply.get("error"))
            calls, notes = texts(reply.get("calls")), texts(reply.get("notes"))
            log = child.take_log()
            if reply.get("stray"):
                await self._end()
            if error:
                raise self._to_failure(error, log, calls)
            caught = tuple(self._caught(reply, calls))
            return HandlerAnswer(reply.get("response"), log, calls, notes, caught)

    async def aclose(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if self._idle is not None and await child.reset():
            await self._idle.put(self._launch, child)
        else:
            await child.end(gently=True)

    def _caught(self, reply: Mapping[str, Any], calls: tuple[str, ...]) -> Iterator[CaughtError]:
        for error in mappings(reply.get("caught")):
            is_network = network_failure(self._launch.label, error, calls) is not None
            yield CaughtError(_describe_error(error), is_network)

    def _note_lines(self, reply: Mapping[str, Any]) -> None:
        if self.lines is not None:
            self.lines.add(reply.get("covered"))

    async def _ensure_started(self) -> "_Child":
        if self._child is not None and self._child.is_alive:
            return self._child
        await self._end()
        launch = self._launch
        waiting = self._idle.take(launch) if self._idle else None
        child = waiting or await _Child.spawn(launch)
        self._child = child
        try:
            start = {**launch.start, **await self._open_service(child)}
            if self._idle and waiting is None:
                start["libraries"] = self._idle.libraries_of(launch)
            reply = await child.load({**start, "store": self._store.kept}, launch.timeout_s)
            self._note_lines(reply)
            error = mapping(reply.get("error"))
            if error:
                calls = texts(reply.get("calls"))
                failure = self._load_error(error, calls, text(reply.get("version")))
                raise HandlerFailure(failure, "load", child.take_log(), calls)
        except BaseException:
            await self._end()
            raise
        return child

    async def _open_service(self, child: "_Child") -> dict[str, Any]:
        """Serve Alexa's service API where a handler with a network of its own finds it."""
        launch = self._launch
        if self._serve is None or launch.box is None or not launch.box.has_own_network:
            return {}
        listener = await child.listener(launch.timeout_s)
        service = {**mapping(launch.start["service"]), "port": listener.getsockname()[1]}
        await self._serve(listener)
        return {"service": service}

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.end(gently=False)

    def _load_error(
        self, error: Mapping[str, Any], calls: tuple[str, ...], version: str
    ) -> SparringError:
        """Why the handler could not be loaded by an interpreter of a version."""
        launch = self._launch
        place = Path(str(launch.start["file"])).parent
        python = not str(launch.command[-1]).endswith(".js")
        failure = (
            version_failure(launch.label, place, version, python=python)
            or missing_library_failure(launch.label, error, place, python=python)
            or network_failure(launch.label, error, calls)
        )
        if failure is not None:
            return failure
        is_own = imports_what_is_not_offered(error, place)
        if not is_own and _is_foreign(text(error.get("trace"))):
            return library_failure(launch.label, error)
        why = f"{launch.label}: the handler could not be loaded: {_describe_error(error)}"
        return AppCrash(why)

    def _to_failure(
        self, error: Mapping[str, Any], log: str, calls: tuple[str, ...]
    ) -> HandlerFailure:
        label = self._launch.label
        if cut_off := network_failure(label, error, calls):
            return HandlerFailure(cut_off, "crash", log, calls)
        if error.get("type") == "unserialisable":
            why = f"{label}: the response is no JSON: {text(error.get('message'))[:300]}"
            return HandlerFailure(AppProtocolError(why), "response", log, calls)
        return HandlerFailure(
            AppCrash(f"{label}: the handler raised {_describe_error(error)}"), "crash", log, calls
        )


async def _start_process(
    launch: Launch, command: Sequence[str], channel: int | None = None
) -> asyncio.subprocess.Process:
    more: dict[str, Any] = (
        {"creationflags": 0x00000200}
        if sys.platform == "win32"
        else {"start_new_session": True, "pass_fds": [channel] if channel is not None else []}
    )
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=launch.folder,
            env=dict(launch.environment),
            **more,
        )
    except OSError as err:
        failure = HandlerFailure(_not_started(launch, err.strerror or str(err)), "load")
        raise failure from err


def _not_started(launch: Launch, reason: str) -> EnvironmentFailure:
    """The failure if the program that runs a handler does not start."""
    return EnvironmentFailure(
        f"{launch.label}: {launch.command[0]!r} cannot be started: {reason}; "
        "`skill.python` and `skill.node` name what runs it"
    )


def _describe_error(error: Mapping[str, Any]) -> str:
    """An error in a line, with the last place in the skill's code that its trace names."""
    summary = f"{text(error.get('type'))}: {text(error.get('message'))}".strip(": ")
    lines = (line.strip() for line in text(error.get("trace")).splitlines())
    places = [line for line in lines if line.startswith(("File ", "at ")) and _is_own_code(line)]
    is_python = bool(places) and places[-1].startswith("File ")
    place = "".join(places[-1:] if is_python else places[:1])
    return summary[:600] + (f" ({place[:200]})" if place else "")


def _is_foreign(trace: str) -> bool:
    """Whether the innermost line of a trace is a library's: the skill's own code only called it."""
    lines = [line.strip() for line in trace.splitlines()]
    places = [line for line in lines if line.startswith(("File ", "at "))]
    # the loader itself raises for a module of the skill that is not there, and for bad syntax
    if not places or any(sign in trace for sign in _LOADING_FAILURES):
        return False
    innermost = places[-1] if places[-1].startswith("File ") else places[0]
    return not _is_own_code(innermost) and "_runner." not in innermost


def _is_own_code(line: str) -> bool:
    """Whether a line of a trace is about the skill's own code."""
    return not any(foreign in line for foreign in _FOREIGN)


class _Child:
    """A running process: lines to it, marked lines from it, everything else into the log."""

    def __init__(
        self, process: asyncio.subprocess.Process, launch: Launch, channel: socket.socket | None
    ) -> None:
        self._mark = f"\x1e{os.urandom(12).hex()} "
        self._process = process
        self._label = launch.label
        self._launch = launch
        #: To the program that guards the handler; None if there is none.
        self._channel = channel
        self._listener: socket.socket | None = None
        self._number = -1
        self.libraries: Mapping[str, Any] = {}
        self._replies: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._log: list[str] = []
        self._logged = 0
        self._tasks = [
            asyncio.create_task(self._read_replies()),
            asyncio.create_task(self._read_log()),
        ]

    @classmethod
    async def spawn(cls, launch: Launch) -> "_Child":
        """Start a process in a group of its own."""
        if launch.box is None:
            return cls(await _start_process(launch, launch.command), launch, None)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            command = launch.box.command(launch.command, theirs.fileno())
            process = await _start_process(launch, command, theirs.fileno())
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        ours.setblocking(False)
        return cls(process, launch, ours)

    async def listener(self, timeout_s: float) -> socket.socket:
        """Return the socket that listens in the handler's own network."""
        if self._listener is not None:
            return self._listener.dup()
        channel = self._channel
        assert channel is not None
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(channel, readable.set)
        try:
            async with asyncio.timeout(timeout_s):
                await readable.wait()
            data, descriptors, _, _ = socket.recv_fds(channel, 4096, 1)
        except (TimeoutError, OSError):
            data, descriptors = b"", []
        finally:
            loop.remove_reader(channel)
        if descriptors:
            self._listener = socket.socket(fileno=descriptors[0])
            return self._listener.dup()  # what serves on it closes it with its conversation
        reason = mapping(json.loads(data or b"{}")).get("failed", "it sends no socket")
        why = f"{self._label}: the handler's isolation cannot be set up: {reason}"
        raise HandlerFailure(EnvironmentFailure(why), "load", self.take_log())

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def write(self, message: Mapping[str, Any]) -> None:
        """Write a line; a process that has ended is noticed when its answer is awaited."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            stdin.write(json.dumps(message).encode() + b"\n")
            await stdin.drain()

    async def load(self, start: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Let the runner load the handler for a new conversation."""
        self._number += 1
        number = self._number
        self.take_log()
        await self.write({**start, "id": number, "mark": self._mark})
        return await self.reply(number, timeout_s, "did not load")

    async def reset(self) -> bool:
        """Let the runner undo what the handler did; False if the process has to end."""
        self._number += 1
        number = self._number
        try:
            async with asyncio.timeout(_RESET_S):
                await self.write({"reset": True, "id": number})
                reply = await self.reply(number, _RESET_S, "was not reset")
        except (HandlerFailure, TimeoutError):
            return False
        self.libraries = mapping(reply.get("libraries"))
        return reply.get("why") == ""

    def abandon(self) -> None:
        """Kill the process without waiting for its end."""
        for part in (self._channel, self._listener):
            if part is not None:
                part.close()
        self._kill()

    async def ask_once(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        self._number += 1
        number = self._number
        try:
            async with asyncio.timeout(timeout_s):
                await self.write({"id": number, "request": request})
        except TimeoutError:
            raise self._timeout("took no request", timeout_s) from None
        return await self.reply(number, timeout_s, "did not answer")

    async def reply(self, number: int, timeout_s: float, what: str) -> dict[str, Any]:
        """The reply of a number; others are old and dropped."""
        try:
            async with asyncio.timeout(timeout_s):
                while (reply := await self._replies.get()) is not None:
                    if reply.get("id") == number:
                        return reply
        except TimeoutError:
            raise self._timeout(what, timeout_s) from None
        error = await self._exit_error()
        raise HandlerFailure(error, "crash", self.take_log())

    def _timeout(self, what: str, timeout_s: float) -> HandlerFailure:
        error = AppTimeout(f"{self._label}: the handler {what} within {timeout_s:g} s")
        return HandlerFailure(error, "timeout", self.take_log())

    async def _exit_error(self) -> SparringError:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAPING_S):
                await self._process.wait()
                await asyncio.sleep(0)
        message = read_message(self._channel) if self._channel else {}
        ended = mapping(message.get("ended"))
        code = ended.get("code", self._process.returncode)
        last = "".join(self._log).strip().splitlines()[-1:]
        more = f"; it last said: {last[0][:200]}" if last else ""
        if failed := message.get("failed"):
            why = f"{self._label}: the handler's isolation cannot be set up: {failed}"
            return EnvironmentFailure(why)
        if missing := message.get("missing"):
            return _not_started(self._launch, str(missing))
        if excess := ended.get("why"):
            return AppCrash(
                f"{self._label}: the handler was ended: it and what it started took {excess}"
                f" (see `memory_mb`){more}"
            )
        if code == -_KILLED:
            return EnvironmentFailure(
                f"{self._label}: something killed the handler's process (signal 9), as a machine "
                f"does that runs out of memory{more}"
            )
        return AppCrash(f"{self._label}: the handler's process ended (exit code {code}){more}")

    def take_log(self) -> str:
        """What the handler printed since this was asked last."""
        printed = "".join(self._log)
        self._log.clear()
        self._logged = 0
        return printed

    async def end(self, *, gently: bool) -> None:
        """End the process and everything that it started."""
        try:
            if gently and self.is_alive:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_CLOSING_S):
                        await self.write({"close": True})
                        await self._process.wait()
        finally:
            await self._end_descendants()
            self._kill()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._close_pipes()
            await self._process.wait()

    async def _end_descendants(self) -> None:
        """Let the guard end what left the process group, if no namespace ends it with the guard."""
        if self._listener is not None:
            self._listener.close()
        channel, self._channel = self._channel, None
        if channel is None:
            return
        channel.close()
        box = self._launch.box
        if box is not None and box.mode == "none" and self.is_alive:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_CLOSING_S):
                    await self._process.wait()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _close_pipes(self) -> None:
        """Close the pipes: asyncio waits for their ends, which may be full or held by others."""
        transport: Any = getattr(self._process, "_transport", None)
        if transport is not None:
            transport.close()

    async def _read_replies(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        waiting: list[bytes] = []
        length = 0
        mark = self._mark.encode()
        while chunk := await stream.read(_CHUNK):
            first, *others = chunk.split(b"\n")
            waiting.append(first)
            length += len(first)
            for line in others:
                self._note_line(b"".join(waiting), mark)
                waiting, length = [line], len(line)
            if length > _MOST_LINE:
                self._note(waiting[0])
                waiting, length = [], 0
        self._note(b"".join(waiting))
        self._replies.put_nowait(None)

    def _note_line(self, line: bytes, mark: bytes) -> None:
        if not line.startswith(mark):
            self._note(line + b"\n" if line else b"")
            return
        try:
            reply = mapping(json.loads(line[len(mark) :]))
        except (ValueError, RecursionError):
            reply = {"id": self._number, "error": {"type": "unserialisable",
                     "message": "it cannot be read back"}}  # fmt: skip
        self._replies.put_nowait(reply)

    async def _read_log(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        while chunk := await stream.read(_CHUNK):
            self._note(chunk)

    def _note(self, data: bytes) -> None:
        """Keep what is printed, up to a bound."""
        left = _MOST_LOG - self._logged
        if data and left > 0:
            self._log.append(data[:left].decode("utf-8", "replace"))
            self._logged += len(data[:left])
