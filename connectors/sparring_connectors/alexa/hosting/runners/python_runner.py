"""Runs a Python handler in a process of its own, as Lambda would; started by Sparring alone.

It stands alone: only the standard library, and no part of Sparring, since the skill's Python may
be another one. One JSON object per line comes on standard input. Answers go to standard output,
each on a line that begins with a mark that the skill cannot know; whatever the skill prints is
other lines.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib
import importlib.util
import inspect
import json
import mmap
import os
import queue
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

CALLS: list[str] = []
CAUGHT: list[Any] = []
"""Exceptions that the skill's own handler of exceptions gets, from the SDK's dispatcher."""
MOST_CAUGHT = 10
STORE: dict[str, Any] = {}
COVERING: list[Any] = []
"""What counts lines, if that is wanted."""
MOST_TRACE = 6000
NOTE_BYTES = 1 << 20
"""Most bytes of what a copy of this process says when it is reset."""


LIBRARIES = (
    *("ask_sdk_core", "ask_sdk_runtime", "ask_sdk_model", "ask_sdk_model_runtime", "ask_sdk"),
    *("ask_sdk_dynamodb", "ask_sdk_s3", "boto3", "botocore", "s3transfer", "jmespath", "requests"),
    *("urllib3", "certifi", "charset_normalizer", "idna", "dateutil", "six", "pytz", "coverage"),
    *("numpy", "pandas"),
)
"""Libraries that are imported once for all conversations: importing them has no effect but time.

The SDK and boto3 take most of a second, which was nine tenths of what a conversation took; pandas
takes another half.
"""


def main() -> Any:
    """Hold conversations until standard input ends, each in a copy of this process."""
    line = sys.stdin.buffer.readline()
    if not json.loads(line or b"{}").get("reuse"):
        return converse(json.loads(line))
    files = left_files()
    while line:
        start = json.loads(line)
        if start.get("close"):
            return None
        sys.path[:] = [path for path in sys.path if path not in ("", start["runner"])]
        # a clock that is moved later does not reach what is imported now
        early = start["now"] is None
        Patching.seed = start["seed"]
        why = import_libraries(start.get("libraries") or {}) if early else ""
        note = converse_in_copy(start)
        why = why or left_over(files)
        if not why and early:
            why = import_libraries(note["libraries"])
        send(start["mark"], {"id": note["id"], "why": why, "libraries": note["libraries"]})
        line = sys.stdin.buffer.readline()
    return None


def converse_in_copy(start: Any) -> Any:
    """Hold a conversation in a copy of this process; what that says when it is reset.

    If the copy ends in another way, this process ends as it did.
    """
    # no pipe, which what the skill has started may keep open, and no file that it could open
    shared = mmap.mmap(-1, NOTE_BYTES)
    pid = os.fork()
    if pid == 0:
        converse(start, shared)
        sys.stdout.flush()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    note = shared[:].rstrip(b"\0")
    shared.close()
    if note:
        return json.loads(note)
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def import_libraries(libraries: Any) -> Any:
    """Import what a conversation imported; why that gives something else, nothing if it does not.

    `libraries` are modules with the file of each.
    """
    if not any(isinstance(finder, Patching) for finder in sys.meta_path):
        sys.meta_path.insert(0, Patching())
    for name, file in libraries.items():
        try:
            module = sys.modules.get(name) or importlib.import_module(name)
        except BaseException as err:  # noqa: BLE001 - whatever a library raises
            return f"{name} raises {type(err).__name__} by itself"
        if getattr(module, "__file__", None) != file:
            return f"there are two of {name}"
    return ""


def libraries_of(folder: Any) -> Any:
    """The modules of `LIBRARIES` that are imported, with their files; none if the skill has some.

    A skill that brings a library of its own may patch it, or leave parts out.
    """
    found: dict[str, str] = {}
    shared = [path + os.sep for path in sys.path if path != folder]
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] in LIBRARIES and isinstance(file, str):
            if not any(file.startswith(path) for path in shared):
                return {}
            found[name] = file
    return found


def left_files() -> Any:
    """The names of the files where a skill may write."""
    places = sorted({Path(tempfile.gettempdir()), Path.home(), Path("/dev/shm")})
    return [sorted(place.iterdir()) if place.is_dir() else [] for place in places]


def left_over(files: Any) -> Any:
    """Why this process must not be used again: what a conversation left; nothing if it did not."""
    if left_files() != files:
        return "it left files"
    for _ in range(20):  # what has ended is gone as soon as the guard, its parent now, hears of it
        running = {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}
        if not running - {1, os.getpid()}:
            return ""
        time.sleep(0.01)
    return "something still runs"


def send(mark: Any, message: Any) -> Any:
    """Write a line that Sparring reads."""
    sys.stdout.flush()
    out = sys.stdout.buffer
    out.write(("\n" + mark + json.dumps(message, allow_nan=False) + "\n").encode())
    out.flush()


def converse(start: Any, notes: Any = None) -> Any:
    """Load the handler, and answer requests until the conversation ends.

    `notes` is where a copy says that it is reset, and what it imported.
    """
    lines: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=read, args=(lines,), daemon=True).start()
    mark, number = start["mark"], start.get("id", 0)
    try:
        handler = load(start)
    except BaseException as err:  # noqa: BLE001 - also SystemExit while importing
        version = ".".join(map(str, sys.version_info[:3]))
        send(mark, {"id": number, "error": told(err), "covered": lines_taken(), "version": version})
        return
    send(mark, {"id": number, "covered": lines_taken()})
    while True:
        line = lines.get()
        if line is None:
            return
        message = json.loads(line)
        if message.get("close"):
            return
        if message.get("reset"):
            note = {"id": message["id"], "libraries": libraries_of(start["folder"])}
            written = json.dumps(note).encode()
            if len(written) <= NOTE_BYTES:
                notes[: len(written)] = written
            return
        answer(handler, message, start, partial(send, mark))


def read(lines: Any) -> Any:
    """Pass lines on; when the parent is gone, end whatever the handler does."""
    for line in sys.stdin.buffer:
        lines.put(line)
        if b'"close": true' in line[:40] or b'"reset": true' in line[:40]:
            return  # the next line is for the next conversation
    os._exit(0)


def answer(handler: Any, message: Any, start: Any, send: Any) -> Any:
    """Call the handler once."""
    del CALLS[:], CAUGHT[:]
    reply: dict[str, Any] = {"id": message["id"]}
    try:
        context = Context(message["request"], start)
        found = handler(message["request"], context)
        if inspect.isawaitable(found):
            found = asyncio.run(awaited(found))
        reply["response"] = json.loads(json.dumps(found, allow_nan=False))
    except BaseException as err:  # noqa: BLE001 - whatever the skill raises is its answer
        reply["error"] = told(err)
    reply["calls"] = CALLS[:50]
    reply["caught"] = CAUGHT[:MOST_CAUGHT]
    reply["store"] = STORE
    reply["covered"] = lines_taken()
    try:
        send(reply)
    except (TypeError, ValueError):
        reply.update(store={})
        send(reply)


async def awaited(found: Any) -> Any:
    """What a coroutine returns."""
    return await found


def told(err: Any) -> Any:
    """An error as data."""
    try:
        trace = "".join(traceback.format_exception(None, err, err.__traceback__))
    except Exception:  # noqa: BLE001 - an error that cannot be shown
        trace = ""
    unfit = isinstance(err, (TypeError, ValueError)) and "JSON" in str(err)
    return {
        "type": "unserialisable" if unfit else type(err).__name__,
        "message": str(err)[:2000],
        "trace": trace[-MOST_TRACE:],
    }


class Context:
    """What Lambda gives to a handler beside the request."""

    def __init__(self, request: Any, start: Any) -> None:
        self._until = time.monotonic() + start["timeout"]
        self.aws_request_id = str(request.get("request", {}).get("requestId", ""))[-36:]
        self.function_name = "sparring"
        self.function_version = "$LATEST"
        self.invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:sparring"
        self.memory_limit_in_mb = "512"
        self.log_group_name = "/aws/lambda/sparring"
        self.log_stream_name = "sparring"
        self.identity = None
        self.client_context = None

    def get_remaining_time_in_millis(self) -> Any:
        """Milliseconds until the time limit."""
        return max(0, int((self._until - time.monotonic()) * 1000))


def load(start: Any) -> Any:
    """Import the handler's module as Lambda does, and return the function."""
    folder = start["folder"]
    if start.get("coverage"):
        COVERING.append(beside("python_coverage").Covering)
        COVERING[0].begin(folder)
    os.chdir(folder)
    sys.path[:] = [folder] + [path for path in sys.path if path not in ("", start["runner"])]
    sys.argv = [start["file"]]
    Patching.seed = start["seed"]
    seed_chance(start["seed"])
    STORE.update(start["store"])
    if start["now"] is not None:
        move_clock(start["now"])
    guard_network(start["network"] != "allow", start["service"])
    if not any(isinstance(finder, Patching) for finder in sys.meta_path):
        sys.meta_path.insert(0, Patching())
    name = Path(start["file"]).stem
    spec = importlib.util.spec_from_file_location(name, start["file"])
    if spec is None or spec.loader is None:
        raise ImportError(f"{start['file']} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    seed_chance(start["seed"])
    handler = getattr(module, start["function"], None)
    if not callable(handler):
        raise AttributeError(f"the module has no function {start['function']!r}")
    return handler


def seed_chance(seed: Any) -> Any:
    """Let chance come from a seed; a copy would go on with the numbers of the other copies."""
    if seed is None:
        return
    random.seed(seed)
    if "numpy.random" in sys.modules:
        Patching.numbers(sys.modules["numpy.random"])


def beside(name: Any) -> Any:
    """A module that lies beside this one, by its file: the path of imports is the skill's."""
    spec = importlib.util.spec_from_file_location(
        f"sparring_{name}", Path(__file__).with_name(f"{name}.py")
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{name}.py does not lie beside this file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_taken() -> Any:
    """The lines that ran since the last call; `None` if they are not counted."""
    return COVERING[0].taken() if COVERING else None


def move_clock(now: Any) -> Any:
    """Let the process believe that it started at `now`, in seconds since 1970."""
    import datetime as dates  # the module itself is patched

    shift = now - time.time()
    real = time.time
    patched: Any = time
    patched.time = lambda: real() + shift
    patched.time_ns = lambda: int(time.time() * 10**9)
    real_date: Any = dates.date
    real_moment: Any = dates.datetime

    class Kind(type):
        real: ClassVar[Any]

        def __instancecheck__(cls, value: Any) -> Any:
            return isinstance(value, cls.real)

        def __subclasscheck__(cls, other: Any) -> Any:
            return issubclass(other, cls.real)

    class Moment(real_moment, metaclass=Kind):  # type: ignore[misc]
        real = real_moment

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return real_moment.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return real_moment.fromtimestamp(time.time(), dates.UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    class Day(real_date, metaclass=Kind):  # type: ignore[misc]
        real = real_date

        @classmethod
        def today(cls) -> Any:
            return real_date.fromtimestamp(time.time())

    Moment.__name__ = Moment.__qualname__ = "datetime"
    Day.__name__ = Day.__qualname__ = "date"
    opened: Any = dates
    opened.datetime, opened.date = Moment, Day


def is_near(host: Any) -> Any:
    """Whether a host is this machine."""
    return host in (None, "", "localhost", "127.0.0.1", "::1", b"localhost")


def guard_network(cut: Any, service: Any) -> Any:
    """Note which hosts are asked; refuse them if the network is cut."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    resolve = socket.getaddrinfo

    def note(host: Any, port: Any) -> Any:
        place = f"{host}:{port}"
        if not is_near(host) and place not in CALLS:
            CALLS.append(place)

    def refused(host: Any) -> Any:
        return OSError(101, f"the network is cut by Sparring: {host} cannot be reached")

    def guarded(original: Any) -> Any:
        def inner(self: Any, address: Any, *rest: Any) -> Any:
            if isinstance(address, tuple) and not is_near(address[0]):
                note(address[0], address[1])
                if cut:
                    raise refused(address[0])
            return original(self, address, *rest)

        return inner

    def guarded_resolve(host: Any, port: Any, *rest: Any, **options: Any) -> Any:
        if not is_near(host):
            note(host.decode() if isinstance(host, bytes) else host, port)
            if cut:
                raise socket.gaierror(-3, f"the network is cut by Sparring: {host}")
        return resolve(host, port, *rest, **options)

    patched: Any = socket
    patched.socket.connect = guarded(connect)
    patched.socket.connect_ex = guarded(connect_ex)
    patched.getaddrinfo = guarded_resolve
    Patching.service = service


def no_input(prompt: Any = "") -> Any:
    """Nobody types anything."""
    raise EOFError("a skill has no input")


class MemoryAdapter:
    """Stands for the persistence adapters of the SDK: attributes by the adapter's own key."""

    def __init__(self, *names: Any, **options: Any) -> None:
        given = options.get("partition_keygen") or options.get("object_keygen")
        callables = [item for item in names if callable(item)]
        self.keygen = given or (callables[0] if callables else user_id)

    def get_attributes(self, request_envelope: Any) -> Any:
        return json.loads(json.dumps(STORE.get(str(self.keygen(request_envelope)), {})))

    def save_attributes(self, request_envelope: Any, attributes: Any) -> Any:
        STORE[str(self.keygen(request_envelope))] = json.loads(
            json.dumps(attributes, default=plain)
        )

    def delete_attributes(self, request_envelope: Any) -> Any:
        STORE.pop(str(self.keygen(request_envelope)), None)


def plain(value: Any) -> Any:
    """Numbers that databases know and JSON does not."""
    number = float(value)
    return int(number) if number.is_integer() else number


def user_id(request_envelope: Any) -> Any:
    """The key that adapters use by default."""
    return request_envelope.context.system.user.user_id


class Patching:
    """Replaces what needs Amazon's cloud, in modules as they are imported."""

    service: ClassVar[Any] = None
    seed: ClassVar[Any] = None
    wanted: ClassVar[dict[str, str]] = {
        "ask_sdk_dynamodb.adapter": "adapters",
        "ask_sdk_s3.adapter": "adapters",
        "urllib3.connection": "connections",
        "http.client": "plain_connections",
        "boto3": "cloud",
        "numpy.random": "numbers",
        "ask_sdk_runtime.dispatch_components.exception_components": "exceptions",
    }

    @classmethod
    def find_spec(cls, name: Any, path: Any = None, target: Any = None) -> Any:
        if name not in cls.wanted:
            return None
        finders: list[Any] = list(sys.meta_path)
        for finder in finders:
            if finder is cls or isinstance(finder, cls):
                continue
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                spec.loader = Loading(spec.loader, getattr(cls, cls.wanted[name]))
                return spec
        return None

    @staticmethod
    def adapters(module: Any) -> Any:
        for name in ("DynamoDbAdapter", "S3Adapter"):
            if hasattr(module, name):
                setattr(module, name, MemoryAdapter)

    @staticmethod
    def exceptions(module: Any) -> Any:
        original = module.GenericExceptionMapper.get_handler

        def get_handler(self: Any, handler_input: Any, exception: Any) -> Any:
            if len(CAUGHT) < MOST_CAUGHT:
                CAUGHT.append(told(exception))
            return original(self, handler_input, exception)

        module.GenericExceptionMapper.get_handler = get_handler

    @staticmethod
    def connections(module: Any) -> Any:
        # Above TLS: a skill that pins a certificate reaches the stand-in all the same.
        for kind in (module.HTTPConnection, module.HTTPSConnection):
            kind.connect = Patching.redirected(kind.connect)

    @staticmethod
    def redirected(original: Any) -> Any:
        """Connect to the stand-in for Alexa's service API, or to that for all hosts (`all`)."""

        def connect(self: Any) -> Any:
            service = Patching.service
            if service and (
                self.host == service["host"] or (service["all"] and not is_near(self.host))
            ):
                self.sock = socket.create_connection(("127.0.0.1", service["port"]))
                # a request without a Host header, as of HTTP/1.0, would not say who is asked
                scheme = "https" if self.default_port == 443 else "http"
                origin = f"{scheme}://{self.host}:{self.port or self.default_port}"
                self.sock.sendall(f"SPARRING-HOST {origin}\r\n".encode("latin-1", "replace"))
                self.is_verified = True
                return None
            return original(self)

        return connect

    @staticmethod
    def plain_connections(module: Any) -> Any:
        Patching.connections(module)

    @staticmethod
    def numbers(module: Any) -> Any:
        """Seed the generator that functions such as `numpy.random.rand` share."""
        if Patching.seed is not None:
            module.seed(Patching.seed % 2**32)

    @staticmethod
    def cloud(module: Any) -> Any:
        stand_in = beside("python_cloud")
        stand_in.put_in_place(module, STORE)


class Loading:
    """A loader that patches the module once it is loaded."""

    def __init__(self, inner: Any, patch: Any) -> None:
        self.inner = inner
        self.patch = patch

    def create_module(self, spec: Any) -> Any:
        return self.inner.create_module(spec)

    def exec_module(self, module: Any) -> Any:
        self.inner.exec_module(module)
        self.patch(module)

    def __getattr__(self, name: Any) -> Any:
        return getattr(self.inner, name)


if __name__ == "__main__":
    patched_builtins: Any = builtins
    patched_builtins.input = no_input
    main()
    sys.stdout.flush()
