"""A real server on the loopback that answers as a test tells it, byte by byte if need be."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from sparring.model.case import Case
from sparring.testing.fakes import FakeContext
from sparring_connectors.rest.connector import RestConnector


@dataclass
class Request:
    """What the server got."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def form(self) -> list[tuple[str, str]]:
        return parse_qsl(self.body.decode(), keep_blank_values=True)

    @property
    def cookies(self) -> dict[str, str]:
        pairs = (part.strip().partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name: value for name, _, value in pairs if name}


@dataclass
class Answer:
    """What the server says; `raw` replaces everything, `endless` is sent until hung up."""

    body: Any = b""
    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list)
    raw: bytes | None = None
    endless: bytes | None = None
    pause_s: float = 0.0
    hang: bool = False
    content_type: str = "application/json"

    def head(self, length: int) -> bytes:
        named = {name.lower() for name, _ in self.headers}
        lines = [f"HTTP/1.1 {self.status} Whatever"]
        if "content-type" not in named:
            lines.append(f"Content-Type: {self.content_type}")
        if self.endless is not None:
            lines.append("Transfer-Encoding: chunked")
        elif "content-length" not in named:
            lines.append(f"Content-Length: {length}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


Handler = Callable[[Request], Any]


class Server:
    """A server in a thread; `requests` is everything it got."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.requests: list[Request] = []
        self.connections = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def bodies(self) -> list[Any]:
        return [request.json for request in self.requests]

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        talks = asyncio.all_tasks() - {asyncio.current_task()}
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            first = await reader.readexactly(1)
            if first == b"\x16":  # TLS, which this server does not speak
                writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return
            while await self._one(first, reader, writer):
                first = b""
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(
        self, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        lines = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        pairs = (line.partition(":") for line in lines[1:] if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(method, target, headers, body)
        self.requests.append(request)
        return await self._answer(writer, self.handler(request))

    async def _answer(self, writer: asyncio.StreamWriter, said: Any) -> bool:
        answer = said if isinstance(said, Answer) else Answer(said)
        await asyncio.sleep(answer.pause_s)
        if answer.hang:
            await asyncio.Event().wait()
        if answer.raw is not None:
            writer.write(answer.raw)
            await writer.drain()
            return False
        body = answer.body
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        writer.write(answer.head(len(body)))
        if answer.endless is not None:
            while True:
                chunk = answer.endless
                writer.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                await writer.drain()
                await asyncio.sleep(0.001)
        writer.write(body)
        await writer.drain()
        return True


@pytest.fixture
def answer() -> type[Answer]:
    """What a handler may return instead of a body."""
    return Answer


@pytest.fixture
def serve() -> Iterator[Callable[[Handler], Server]]:
    """Start a server that answers with what a function makes of each request."""
    servers: list[Server] = []

    def start(handler: Handler) -> Server:
        servers.append(Server(handler))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def context() -> FakeContext:
    return FakeContext()


@pytest.fixture
async def rest(context: FakeContext) -> AsyncIterator[Callable[..., RestConnector]]:
    """Build the connector from settings as a suite gives them; it is closed afterwards.

    Unless a test says otherwise, a connection may take long: on a busy machine it does.
    """
    made: list[RestConnector] = []

    def build(**settings: Any) -> RestConnector:
        settings["timeout"] = {"connect_s": 60, **settings.get("timeout", {})}
        made.append(context.build(RestConnector, **settings))
        return made[-1]

    yield build
    for connector in made:
        await connector.close()


@pytest.fixture
def case() -> Case:
    return Case.of("pizza", {"size": "large"}, run_seed=7)
