"""Runs a Python handler in a process of its own, as Lambda would; started by Sparring alone.

It stands alone: only the standard library, and no part of Sparring, since the skill's Python may
be another one. One JSON object per line comes on standard input. Answers go to standard output,
each on a line that begins with a mark that the skill cannot know; whatever the skill prints is
other lines.
"""

import builtins
import importlib
import importlib.util
import inspect
import asyncio
import json
import os
import queue
import random
import socket
import sys
import threading
import time
import traceback

CALLS = []
STORE = {}
MOST_TRACE = 6000


def main():
    """Read the first line, load the handler, answer requests until standard input ends."""
    lines = queue.Queue()
    threading.Thread(target=read, args=(lines,), daemon=True).start()
    start = json.loads(lines.get())
    mark = start["mark"]
    out = sys.stdout.buffer

    def send(message):
        sys.stdout.flush()
        out.write(("\n" + mark + json.dumps(message, allow_nan=False) + "\n").encode())
        out.flush()

    try:
        handler = load(start)
    except BaseException as err:  # noqa: BLE001 - also SystemExit while importing
        send({"id": 0, "error": told(err)})
        return
    send({"id": 0})
    while True:
        line = lines.get()
        if line is None:
            return
        message = json.loads(line)
        if message.get("close"):
            return
        answer(handler, message, start, send)


def read(lines):
    """Hand lines on; when nobody is there any more, end whatever the handler does."""
    for line in sys.stdin.buffer:
        lines.put(line)
        if b'"close": true' in line[:40]:
            return
    os._exit(0)


def answer(handler, message, start, send):
    """Call the handler once."""
    del CALLS[:]
    reply = {"id": message["id"]}
    try:
        context = Context(message["request"], start)
        found = handler(message["request"], context)
        if inspect.isawaitable(found):
            found = asyncio.run(awaited(found))
        reply["response"] = json.loads(json.dumps(found, allow_nan=False))
    except BaseException as err:  # noqa: BLE001 - whatever the skill raises is its answer
        reply["error"] = told(err)
    reply["calls"] = CALLS[:50]
    reply["store"] = STORE
    try:
        send(reply)
    except (TypeError, ValueError):
        reply.update(store={})
        send(reply)


async def awaited(found):
    """What a coroutine returns."""
    return await found


def told(err):
    """An error as data."""
    try:
        trace = "".join(traceback.format_exception(type(err), err, err.__traceback__))
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

    def __init__(self, request, start):
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

    def get_remaining_time_in_millis(self):
        """Milliseconds until the time limit."""
        return max(0, int((self._until - time.monotonic()) * 1000))


def load(start):
    """Import the handler's module as Lambda does, and return the function."""
    folder = start["folder"]
    os.chdir(folder)
    sys.path[:] = [folder] + [path for path in sys.path if path not in ("", start["runner"])]
    sys.argv = [start["file"]]
    if start["seed"] is not None:
        random.seed(start["seed"])
    STORE.update(start["store"])
    if start["now"] is not None:
        move_clock(start["now"])
    guard_network(start["network"] == "cut", start["service"])
    sys.meta_path.insert(0, Patching())
    name = os.path.splitext(os.path.basename(start["file"]))[0]
    spec = importlib.util.spec_from_file_location(name, start["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    if start["seed"] is not None:
        random.seed(start["seed"])
    handler = getattr(module, start["function"], None)
    if not callable(handler):
        raise AttributeError("the module has no function %r" % start["function"])
    return handler


def move_clock(now):
    """Let the process believe that it started at `now`, in seconds since 1970."""
    import datetime as dates

    shift = now - time.time()
    real = time.time
    time.time = lambda: real() + shift
    time.time_ns = lambda: int(time.time() * 10**9)
    real_date, real_moment = dates.date, dates.datetime

    class Kind(type(real_moment)):
        def __instancecheck__(cls, value):
            return isinstance(value, cls.real)

        def __subclasscheck__(cls, other):
            return issubclass(other, cls.real)

    class Moment(real_moment, metaclass=Kind):
        real = real_moment

        @classmethod
        def now(cls, tz=None):
            return real_moment.fromtimestamp(time.time(), tz)

        @classmethod
        def utcnow(cls):
            return real_moment.fromtimestamp(time.time(), dates.timezone.utc).replace(tzinfo=None)

        @classmethod
        def today(cls):
            return cls.now()

    class Day(real_date, metaclass=Kind):
        real = real_date

        @classmethod
        def today(cls):
            return real_date.fromtimestamp(time.time())

    Moment.__name__ = Moment.__qualname__ = "datetime"
    Day.__name__ = Day.__qualname__ = "date"
    dates.datetime, dates.date = Moment, Day


def guard_network(cut, service):
    """Note which hosts are asked; refuse them where the network is cut."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    resolve = socket.getaddrinfo

    def is_near(host):
        return host in (None, "", "localhost", "127.0.0.1", "::1", b"localhost")

    def note(host, port):
        place = "%s:%s" % (host, port)
        if not is_near(host) and place not in CALLS:
            CALLS.append(place)

    def refused(host):
        return OSError(101, "the network is cut by Sparring: %s cannot be reached" % host)

    def guarded(original):
        def inner(self, address, *rest):
            if isinstance(address, tuple) and not is_near(address[0]):
                note(address[0], address[1])
                if cut:
                    raise refused(address[0])
            return original(self, address, *rest)

        return inner

    def guarded_resolve(host, port, *rest, **options):
        if not is_near(host):
            note(host.decode() if isinstance(host, bytes) else host, port)
            if cut:
                raise socket.gaierror(-3, "the network is cut by Sparring: %s" % host)
        return resolve(host, port, *rest, **options)

    socket.socket.connect = guarded(connect)
    socket.socket.connect_ex = guarded(connect_ex)
    socket.getaddrinfo = guarded_resolve
    Patching.service = service


class MemoryAdapter:
    """Stands for the persistence adapters of the SDK: attributes by the adapter's own key."""

    def __init__(self, *names, **options):
        given = options.get("partition_keygen") or options.get("object_keygen")
        callables = [item for item in names if callable(item)]
        self.keygen = given or (callables[0] if callables else user_id)

    def get_attributes(self, request_envelope):
        return json.loads(json.dumps(STORE.get(str(self.keygen(request_envelope)), {})))

    def save_attributes(self, request_envelope, attributes):
        STORE[str(self.keygen(request_envelope))] = json.loads(
            json.dumps(attributes, default=plain)
        )

    def delete_attributes(self, request_envelope):
        STORE.pop(str(self.keygen(request_envelope)), None)


def plain(value):
    """Numbers that databases know and JSON does not."""
    number = float(value)
    return int(number) if number.is_integer() else number


def user_id(request_envelope):
    """The key that adapters use unless they are told another."""
    return request_envelope.context.system.user.user_id


class Patching:
    """Replaces what needs Amazon's cloud, in modules as they are imported."""

    service = None
    wanted = {
        "ask_sdk_dynamodb.adapter": "adapters",
        "ask_sdk_s3.adapter": "adapters",
        "urllib3.connection": "connections",
        "http.client": "plain_connections",
        "boto3": "cloud",
    }

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.wanted:
            return None
        for finder in sys.meta_path:
            if finder is cls or isinstance(finder, cls):
                continue
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None and spec.loader is not None:
                spec.loader = Loading(spec.loader, getattr(cls, cls.wanted[name]))
                return spec
        return None

    @staticmethod
    def adapters(module):
        for name in ("DynamoDbAdapter", "S3Adapter"):
            if hasattr(module, name):
                setattr(module, name, MemoryAdapter)

    @staticmethod
    def connections(module):
        original = module.HTTPSConnection.connect

        def connect(self):
            if Patching.service and self.host == Patching.service["host"]:
                self.sock = socket.create_connection(("127.0.0.1", Patching.service["port"]))
                self.is_verified = True
                return None
            return original(self)

        module.HTTPSConnection.connect = connect

    @staticmethod
    def plain_connections(module):
        Patching.connections(module)

    @staticmethod
    def cloud(module):
        from_file = importlib.util.spec_from_file_location(
            "sparring_cloud", os.path.join(os.path.dirname(__file__), "cloud_python.py")
        )
        stand_in = importlib.util.module_from_spec(from_file)
        from_file.loader.exec_module(stand_in)
        stand_in.put_in_place(module, STORE)


class Loading:
    """A loader that patches the module once it is loaded."""

    def __init__(self, inner, patch):
        self.inner = inner
        self.patch = patch

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        self.inner.exec_module(module)
        self.patch(module)

    def __getattr__(self, name):
        return getattr(self.inner, name)


if __name__ == "__main__":
    builtins.input = lambda prompt="": (_ for _ in ()).throw(EOFError("a skill has no input"))
    main()
    sys.stdout.flush()
