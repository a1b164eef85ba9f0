"""Real WebSocket servers on the loopback that answer as a test tells them."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from sparring.model.case import Case
from sparring.model.talk import Act, Observation, Say
from sparring.testing.fakes import FakeContext
from sparring_connectors.websocket.connector import WebSocketConnector

Talk = Callable[["Wire"], Awaitable[None]]


class Wire:
    """The app's end of one connection; everything that came is in `got`."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.got: list[Any] = []

    @property
    def request(self) -> Any:
        return self.connection.request

    async def recv(self) -> Any:
        raw = await self.connection.recv()
        try:
            said = json.loads(raw)
        except ValueError:
            said = raw
        self.got.append(said)
        return said

    async def send(self, *messages: Any) -> None:
        """Send messages, each in JSON unless it is text or bytes."""
        for message in messages:
            plain = isinstance(message, (str, bytes))
            await self.connection.send(message if plain else json.dumps(message))

    async def received(self) -> None:
        """Wait until the other end has read everything that was sent: a pong follows in order."""
        await (await self.connection.ping())

    async def close(self, code: int = 1000, reason: str = "") -> None:
        await self.connection.close(code, reason)

    def drop(self) -> None:
        """Hang up without a word."""
        self.connection.transport.abort()


async def news(session: Any) -> None:
    """Wait until a session has something to read: a message, or the end of its connection."""
    while not session._connection.is_waiting():
        await asyncio.sleep(0.001)


class App:
    """A server: its address, and the connections it had."""

    def __init__(self) -> None:
        self.url = ""
        self.wires: list[Wire] = []

    @property
    def got(self) -> list[Any]:
        return [said for wire in self.wires for said in wire.got]


@pytest.fixture
async def app() -> AsyncIterator[Callable[..., Awaitable[App]]]:
    """Start a server that talks over each connection as a function does."""
    async with AsyncExitStack() as stack:

        async def start(talk: Talk, **options: Any) -> App:
            made = App()

            async def handler(connection: ServerConnection) -> None:
                wire = Wire(connection)
                made.wires.append(wire)
                with suppress(ConnectionClosed):
                    await talk(wire)

            server = await stack.enter_async_context(serve(handler, "127.0.0.1", 0, **options))
            made.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/chat"
            return made

        yield start


Streams = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def tcp_app() -> AsyncIterator[Callable[[Streams], Awaitable[str]]]:
    """Start a server that does with the bytes of each connection what a function does."""
    servers: list[asyncio.Server] = []
    talks: list[asyncio.Task[Any] | None] = []

    async def start(talk: Streams) -> str:
        async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talks.append(asyncio.current_task())
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await talk(reader, writer)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

        servers.append(await asyncio.start_server(handler, "127.0.0.1", 0))
        return f"ws://127.0.0.1:{servers[-1].sockets[0].getsockname()[1]}/chat"

    yield start
    for server in servers:
        server.close()
    await asyncio.gather(*(task for task in talks if task is not None), return_exceptions=True)


@pytest.fixture
def raw_app(tcp_app: Any) -> Callable[[bytes], Awaitable[str]]:
    """Start a server that sends bytes for the first request, and hangs up."""

    async def start(answer: bytes) -> str:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()

        return str(await tcp_app(talk))

    return start


@pytest.fixture
def context() -> FakeContext:
    return FakeContext()


@pytest.fixture
def websocket(context: FakeContext) -> Callable[..., WebSocketConnector]:
    """Build the connector from settings as a suite gives them; quick, unless a test says else.

    Only the closing is: a connection to a server of a busy machine may take longer than 5 seconds.
    """

    def build(**settings: Any) -> WebSocketConnector:
        settings.setdefault("timeout", {"close_s": 0.2, "connect_s": 60})
        settings.setdefault("reconnect", {"attempts": 1})
        connector: WebSocketConnector = context.build(WebSocketConnector, **settings)
        return connector

    return build


@pytest.fixture
def case() -> Case:
    return Case.of("pizza", {"size": "large"}, run_seed=7)


@pytest.fixture
def nobody() -> str:
    """An address where nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"ws://127.0.0.1:{sock.getsockname()[1]}/chat"


@pytest.fixture
def hear(case: Case) -> Callable[..., Awaitable[list[Observation]]]:
    """What the app answers to acts (texts are said), in one session."""

    async def heard(connector: WebSocketConnector, *acts: Act | str) -> list[Observation]:
        async with connector.open(case) as session:
            return [
                await session.send(Say(text=act) if isinstance(act, str) else act) for act in acts
            ]

    return heard


@pytest.fixture
def echo() -> Talk:
    """Says back what is said."""

    async def talk(wire: Wire) -> None:
        while True:
            said = await wire.recv()
            await wire.send({"text": f"you said {said['text']}"})

    return talk


def scripted(*answers: Any) -> Talk:
    """Answers the first message with the first of `answers` (a list of messages), and so on."""

    async def talk(wire: Wire) -> None:
        for messages in answers:
            await wire.recv()
            await wire.send(*messages)
        await wire.connection.wait_closed()

    return talk


@pytest.fixture
def script() -> Callable[..., Talk]:
    return scripted
