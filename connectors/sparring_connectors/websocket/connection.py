"""One WebSocket: read in the background, so that what the app wants answered at once is.

What the app sends is sorted as it comes; at most `max_messages` wait to be taken, then nothing
more is read until they are.
"""

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import stamina
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State
from websockets.typing import Origin, Subprotocol

from sparring.errors import AppError
from sparring_connectors.websocket.failures import Unconnected, closed, unconnected
from sparring_connectors.websocket.messages import Incoming, Kind, Message, understood
from sparring_connectors.websocket.plan import Handshake, Plan

_LOG = logging.getLogger("sparring.websocket")
_LOG.addHandler(logging.NullHandler())  # the library's notes belong to nobody's console
_LOG.propagate = False
logging.getLogger("stamina").addHandler(logging.NullHandler())

_REMEMBERED = 100
"""How many messages of ours are remembered to know their echoes."""
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


class _Connecting(connect):
    """The library's handshake without its redirects: headers may hold keys."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class Ended(Exception):
    """The connection is closed: `error` says why, None where the app ended the conversation."""

    def __init__(self, error: AppError | None) -> None:
        super().__init__(str(error))
        self.error = error


class Connection:
    """An open connection, and what has come over it."""

    def __init__(self, plan: Plan, wire: ClientConnection, values: dict[str, Any]) -> None:
        self._plan = plan
        self._wire = wire
        self._values = values
        response = wire.response
        self._headers: Mapping[str, str] = response.headers if response is not None else {}
        self._waiting: asyncio.Queue[Incoming | BaseException] = asyncio.Queue(
            plan.config.max_messages
        )
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(self._pass_on)
        self._echoes: deque[Any] = deque(maxlen=_REMEMBERED)

    @classmethod
    async def opened(
        cls,
        plan: Plan,
        values: dict[str, Any],
        tls: ssl.SSLContext | None,
        note: Callable[[str], None],
    ) -> "Connection":
        """Connect, again where that was refused; raises AppError.

        `note` is told of an app to which there is no connection, while it is tried again.
        """
        again = plan.config.reconnect

        def wait(err: Exception) -> bool:
            if not (isinstance(err, Unconnected) and err.again):
                return False
            if again.attempts > 1:
                note(f"{err.error}; trying again, {again.attempts} times in all")
            return True

        try:
            async for attempt in stamina.retry_context(
                on=wait,
                attempts=again.attempts,
                timeout=None,
                wait_initial=again.wait_s,
                wait_max=60,
                wait_jitter=0,
            ):
                with attempt:
                    return cls(plan, await _connected(plan, plan.handshake(values), tls), values)
        except Unconnected as err:
            raise err.error from None
        raise AssertionError("the last attempt raises")  # pragma: no cover

    async def send(self, body: Any) -> None:
        """Send one of the plan's bodies, filled in; raises Ended where nobody takes it."""
        said = self._plan.said(body, self._values)
        if not self._plan.config.echoes:
            self._echoes.append(said)
        await self._write(self._plan.encoded(said))

    async def take(self) -> Incoming:
        """The next message; raises AppError for one that makes no sense, Ended after the last."""
        item = await self._waiting.get()
        if isinstance(item, Incoming):
            return item
        if isinstance(item, Ended):
            self._waiting.put_nowait(item)  # so that it is found again
        raise item

    def is_waiting(self) -> bool:
        """Whether there is something to take at once, be it that the connection is closed."""
        return not self._waiting.empty() or self._wire.state is not State.OPEN

    async def aclose(self) -> None:
        """Close, politely within `timeout.close_s`."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self._wire.close()

    async def _write(self, text: str) -> None:
        try:
            await self._wire.send(text)
        except ConnectionClosed as err:
            raise Ended(closed(err, self._plan)) from None

    async def _read(self) -> None:
        try:
            while True:
                raw = await self._wire.recv()
                item = await self._sorted(raw if isinstance(raw, bytes) else raw.encode())
                if item is not None:
                    await self._waiting.put(item)
        except ConnectionClosed as err:
            await self._waiting.put(Ended(closed(err, self._plan)))
        except Ended as err:
            await self._waiting.put(err)

    def _pass_on(self, reader: asyncio.Task[None]) -> None:
        """Let whoever waits have what went wrong in here, instead of a time-out."""
        if not reader.cancelled() and (err := reader.exception()) and not self._waiting.full():
            self._waiting.put_nowait(err)

    async def _sorted(self, raw: bytes) -> Incoming | AppError | Ended | None:
        """What came, as the session needs it; None for an echo."""
        message = Message(raw, self._headers, self._plan.label, self._plan.secrets)
        try:
            item = await understood(message, self._plan)
        except AppError as err:
            return err
        if item.data is not None and item.data in self._echoes:
            self._echoes.remove(item.data)
            return None
        if item.back is not None:
            said = self._plan.said(item.back, {**self._values, **item.learnt})
            await self._write(self._plan.encoded(said))
        if item.raw_back is not None:
            await self._write(item.raw_back)
        return Ended(None) if item.kind is Kind.ENDED else item


async def _connected(
    plan: Plan, handshake: Handshake, tls: ssl.SSLContext | None
) -> ClientConnection:
    config = plan.config
    local = (urlsplit(config.url).hostname or "") in _THIS_MACHINE
    ping = config.ping
    options: dict[str, Any] = {"ssl": tls} if tls is not None else {}
    try:
        return await _Connecting(
            handshake.url,
            origin=Origin(handshake.origin) if handshake.origin is not None else None,
            subprotocols=[Subprotocol(name) for name in config.subprotocols] or None,
            additional_headers=handshake.headers,
            user_agent_header="sparring",
            proxy=True if config.proxies and not local else None,
            open_timeout=config.timeout.connect_s,
            ping_interval=ping.every_s if ping else None,
            ping_timeout=ping.timeout_s if ping else None,
            close_timeout=config.timeout.close_s,
            max_size=config.max_bytes,
            logger=_LOG,
            **options,
        )
    except (OSError, WebSocketException, EOFError, ImportError, ValueError) as err:
        raise unconnected(err, plan) from None
