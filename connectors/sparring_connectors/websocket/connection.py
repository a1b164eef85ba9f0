"""One WebSocket, read in the background, and what its errors mean for a test."""

import asyncio
import errno
import logging
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import stamina
from websockets import exceptions as lib
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import Close, Frame, Opcode
from websockets.protocol import State
from websockets.typing import Origin, Subprotocol

from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout, AppUnreachable
from sparring.llm.rate_headers import retry_after_s
from sparring_connectors.described.http_text import redact_url
from sparring_connectors.websocket.messages import (
    IncomingMessage,
    MessageKind,
    WebSocketMessage,
    interpret_message,
    sound_message,
)
from sparring_connectors.websocket.plan import Handshake, WebSocketPlan

# What the errors of the library `websockets` mean for a test.
#
# Nothing was reached (`AppUnreachable`), no answer in time (`AppTimeout`), a server error or a
# dropped connection (`AppCrash`), something that cannot be understood (`AppProtocolError`).

_HINTS = {
    400: "check the query, headers and subprotocols",
    401: "check the credentials in headers, query or url",
    403: "check the credentials in headers, query or url, and the origin",
    404: "check the url's path",
    426: "it wants another version of the protocol",
}
_REFUSALS = frozenset({1002, 1003, 1007, 1008, 1009, 1010})
"""Close codes with which an app says that it does not understand what it was sent."""


class ConnectFailed(Exception):
    """No connection came about; `can_retry` says whether to try once more is safe and sensible.

    `refusal_s` says for how many seconds an app wants to be left alone that refused it for its rate
    (HTTP 429): zero if it did not say.
    """

    def __init__(
        self, error: AppError, *, can_retry: bool = False, refusal_s: float | None = None
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.can_retry = can_retry
        self.refusal_s = refusal_s


def connect_failure(err: Exception, plan: WebSocketPlan) -> ConnectFailed:
    """Why no connection came about."""
    label, why = plan.label, plan.secrets.quote(str(err))
    if isinstance(err, lib.InvalidStatus):
        refusal_s = None
        if err.response.status_code == 429:
            refusal_s = retry_after_s(dict(err.response.headers.raw_items())) or 0.0
        failure = _status_failure(err, plan)
        return ConnectFailed(failure, can_retry=refusal_s is not None, refusal_s=refusal_s)
    if isinstance(err, TimeoutError):
        limit = plan.config.timeout.connect_s
        return ConnectFailed(
            AppUnreachable(f"{label}: no connection within {limit:g} s"), can_retry=True
        )
    if isinstance(err, (lib.ProxyError, lib.InvalidProxy, ImportError)):
        return ConnectFailed(AppUnreachable(f"{label}: the proxy cannot be used: {why}"))
    if isinstance(err, lib.NegotiationError):
        return ConnectFailed(AppProtocolError(f"{label}: no subprotocol is agreed on: {why}"))
    if isinstance(err, (lib.InvalidHandshake, EOFError)):
        inner = plan.secrets.quote(str(err.__cause__ or ""))
        reason = f"{why}; {inner}" if inner else why
        return ConnectFailed(AppProtocolError(f"{label}: does not speak WebSocket: {reason}"))
    if isinstance(err, OSError):
        return _socket_failure(err, plan, why)
    return ConnectFailed(AppProtocolError(f"{label}: the handshake failed: {why}"))


def _socket_failure(err: OSError, plan: WebSocketPlan, why: str) -> ConnectFailed:
    label = plan.label
    if isinstance(err, ssl.SSLError):
        hint = "see tls.ca_file" if "certificate" in why.lower() else "does it speak wss?"
        return ConnectFailed(AppUnreachable(f"{label}: no secure connection: {why}; {hint}"))
    if _is_refused(err):
        why = "refused; is the app running there?"
    elif isinstance(err, ConnectionError):
        dropped = f"{label}: the connection was dropped during the handshake"
        if plan.config.speaks_tls():
            return ConnectFailed(AppUnreachable(f"{dropped}; does it speak wss?"))
        return ConnectFailed(AppCrash(dropped))
    elif err.strerror:
        why = err.strerror
    return ConnectFailed(
        AppUnreachable(f"{label}: no connection: {why or 'failed'}"), can_retry=True
    )


def _is_refused(err: OSError) -> bool:
    """Whether nothing listens; asyncio puts those of several addresses of a host into one text."""
    return isinstance(err, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(err)


def _status_failure(err: lib.InvalidStatus, plan: WebSocketPlan) -> AppError:
    response = err.response
    status = response.status_code
    answer = plan.secrets.quote(bytes(response.body or b""))
    text = f"{plan.label}: answered {_status_name(status)} instead of opening a WebSocket"
    text += f": {answer}" if answer else ""
    if status >= 500:
        return AppCrash(text)
    if status == 429:
        return AppUnreachable(f"{text} (its rate limit: lower the concurrency)")
    if 300 <= status < 400 and (target := response.headers.get("Location")):
        return AppProtocolError(
            f"{text}; it redirects to {_redact_target(target, plan)}: "
            "if that is the app, write it as url"
        )
    hint = _HINTS.get(status)
    return AppProtocolError(f"{text} ({hint})" if hint else text)


def _redact_target(target: str, plan: WebSocketPlan) -> str:
    """An address that the app gave, which may be none."""
    try:
        return plan.secrets.quote(redact_url(target))
    except ValueError:
        return "something that is no address"


def _status_name(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def close_failure(err: lib.ConnectionClosed, plan: WebSocketPlan) -> AppError | None:
    """Why the connection was closed; `None` if the app ended the conversation."""
    label = plan.label
    if err.rcvd is not None and not (err.sent is not None and err.rcvd_then_sent is False):
        return _app_close_failure(err.rcvd, plan)
    if err.sent is not None and err.sent.code == 1009:
        return AppProtocolError(
            f"{label}: a message is larger than {plan.config.max_bytes:,} bytes (max_bytes)"
        )
    if err.sent is not None and err.sent.code == 1011:
        return AppTimeout(f"{label}: no answer to a ping: the connection is dead")
    if err.sent is not None and err.sent.code in _REFUSALS:
        why = plan.secrets.quote(err.sent.reason)
        return AppProtocolError(f"{label}: what came is no WebSocket message: {why}")
    return AppCrash(f"{label}: the connection was dropped")


def _app_close_failure(close: Close, plan: WebSocketPlan) -> AppError | None:
    if close.code in plan.config.end_codes:
        return None
    reason = plan.secrets.quote(close.reason)
    text = f"{plan.label}: the app closed the connection with {close.code}"
    text += f": {reason}" if reason else ""
    return AppProtocolError(text) if close.code in _REFUSALS else AppCrash(text)


_LOG = logging.getLogger("sparring.websocket")
_LOG.addHandler(logging.NullHandler())  # the library's notes belong to nobody's console
_LOG.propagate = False
logging.getLogger("stamina").addHandler(logging.NullHandler())

_LONGEST_WAIT_S = 60.0
"""Seconds that a refused handshake is waited for at most."""
_REMEMBERED = 100
"""How many messages of ours are remembered to know their echoes."""
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


class _Connecting(connect):
    """The library's handshake without its redirects: headers may hold keys."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


_MOST_PINGS = 1_000
_PINGS_S = 10.0
"""How many pings and pongs may come within so many seconds; servers send one in 10 s or so."""


class _GuardedConnection(ClientConnection):
    """Hangs up on an app that sends nothing but pings.

    The library answers each with a pong at once, and keeps the pongs of an app that reads none.
    """

    _pings = 0
    _counted_from = 0.0

    def process_event(self, event: Any) -> None:
        super().process_event(event)
        if not isinstance(event, Frame) or event.opcode not in (Opcode.PING, Opcode.PONG):
            return
        if self.loop.time() >= self._counted_from + _PINGS_S:
            self._pings, self._counted_from = 0, self.loop.time()
        self._pings += 1
        if self._pings == _MOST_PINGS:
            self.protocol.fail(1008, f"more than {_MOST_PINGS:,} pings in {_PINGS_S:g} s")
            self.transport.abort()


class ConnectionEnded(Exception):
    """The connection is closed: `error` says why, `None` if the app ended the conversation."""

    def __init__(self, error: AppError | None) -> None:
        super().__init__(str(error))
        self.error = error


class Connection:
    """An open connection, and what has come over it."""

    def __init__(self, plan: WebSocketPlan, wire: ClientConnection, values: dict[str, Any]) -> None:
        self._plan = plan
        self._wire = wire
        self._values = values
        response = wire.response
        self._headers: Mapping[str, str] = response.headers if response is not None else {}
        self._waiting: asyncio.Queue[IncomingMessage | BaseException] = asyncio.Queue(
            plan.config.max_messages
        )
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(self._pass_on)
        self._held = 0
        self._echoes: deque[Any] = deque(maxlen=_REMEMBERED)

    @classmethod
    async def open(
        cls,
        plan: WebSocketPlan,
        values: dict[str, Any],
        tls: ssl.SSLContext | None,
        note: Callable[[str], None],
    ) -> "Connection":
        """Connect, again if that was refused; raises AppError.

        `note` is called with the reason each time that it has to be tried again.
        """
        reconnect = plan.config.reconnect

        def wait(err: Exception) -> bool | float:
            if not (isinstance(err, ConnectFailed) and err.can_retry):
                return False
            if reconnect.attempts > 1:
                note(f"{err.error}; trying again, {reconnect.attempts} times in all")
            after_s = err.refusal_s
            return after_s <= _LONGEST_WAIT_S and after_s if after_s else True

        def refusal_s(err: Exception) -> float | None:
            return err.refusal_s if isinstance(err, ConnectFailed) else None

        try:
            async for attempt in stamina.retry_context(
                on=wait,
                attempts=reconnect.attempts,
                timeout=None,
                wait_initial=reconnect.wait_s,
                wait_max=_LONGEST_WAIT_S,
                wait_jitter=0,
            ):
                with attempt:
                    wire = await plan.pacing.ask(
                        lambda: _connect(plan, plan.handshake(values), tls),
                        refusal_s,
                        patience_s=_LONGEST_WAIT_S,
                    )
                    return cls(plan, wire, values)
        except ConnectFailed as err:
            raise err.error from None
        raise AssertionError("the last attempt raises")  # pragma: no cover

    async def send(self, body: Any) -> None:
        """Send one of the plan's bodies, filled in; raises ConnectionEnded if nobody takes it."""
        content = self._plan.fill(body, self._values)
        if not self._plan.config.echoes:
            self._echoes.append(content)
        await self._write(self._plan.encode(content))

    async def take(self) -> IncomingMessage:
        """Return the next message.

        Raises AppError if it makes no sense, and ConnectionEnded after the last one.
        """
        item = await self._waiting.get()
        if isinstance(item, IncomingMessage):
            self._held -= len(item.message.body)
            return item
        if isinstance(item, ConnectionEnded):
            self._waiting.put_nowait(item)  # so that it is found again
        raise item

    def is_waiting(self) -> bool:
        """Whether there is something to take at once, or the connection is closed."""
        return not self._waiting.empty() or self._wire.state is not State.OPEN

    async def aclose(self) -> None:
        """Close, politely within `timeout.close_s`."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self._wire.close()

    async def send_bytes(self, content: bytes) -> None:
        """Send a binary message; raises ConnectionEnded if nobody takes it."""
        await self._write(content)

    async def _write(self, text: str | bytes) -> None:
        try:
            await self._wire.send(text)
        except ConnectionClosed as err:
            raise ConnectionEnded(close_failure(err, self._plan)) from None

    async def _read(self) -> None:
        try:
            while True:
                raw = await self._wire.recv()
                arrived_s = asyncio.get_running_loop().time()
                item = await self._interpret(raw)
                if isinstance(item, IncomingMessage):
                    item = replace(item, arrived_s=arrived_s)
                if item is not None:
                    await self._hold(item)
        except ConnectionClosed as err:
            await self._waiting.put(ConnectionEnded(close_failure(err, self._plan)))
        except ConnectionEnded as err:
            await self._waiting.put(err)

    async def _hold(self, item: IncomingMessage | AppError | ConnectionEnded) -> None:
        """Keep what came until it is taken; raises ConnectionEnded if that is too much at once."""
        if isinstance(item, IncomingMessage):
            self._held += len(item.message.body)
            limit = self._plan.config.max_bytes
            if self._held > 2 * limit:
                text = f"messages of more than {limit:,} bytes came unasked (max_bytes)"
                raise ConnectionEnded(AppProtocolError(f"{self._plan.label}: {text}"))
        await self._waiting.put(item)

    def _pass_on(self, reader: asyncio.Task[None]) -> None:
        """Raise an unexpected error where messages are taken, instead of a time-out."""
        if not reader.cancelled() and (err := reader.exception()) and not self._waiting.full():
            self._waiting.put_nowait(err)

    async def _interpret(
        self, raw: str | bytes
    ) -> IncomingMessage | AppError | ConnectionEnded | None:
        """What a message means; binary ones are sound if the app speaks."""
        if not isinstance(raw, bytes):
            return await self._classify(raw.encode())
        if self._plan.config.audio is None:
            return await self._classify(raw)
        message = WebSocketMessage(raw, self._headers, self._plan.label, self._plan.secrets)
        try:
            return sound_message(message, raw, self._plan.config.audio)
        except AppError as err:
            return err

    async def _classify(self, raw: bytes) -> IncomingMessage | AppError | ConnectionEnded | None:
        """What a message means to the session; `None` for an echo."""
        message = WebSocketMessage(raw, self._headers, self._plan.label, self._plan.secrets)
        try:
            item = await interpret_message(message, self._plan)
        except AppError as err:
            return err
        if item.data is not None and item.data in self._echoes:
            self._echoes.remove(item.data)
            return None
        if item.back is not None:
            content = self._plan.fill(item.back, {**self._values, **item.remembered})
            await self._write(self._plan.encode(content))
        if item.raw_back is not None:
            await self._write(item.raw_back)
        return ConnectionEnded(None) if item.kind is MessageKind.ENDED else item


async def _connect(
    plan: WebSocketPlan, handshake: Handshake, tls: ssl.SSLContext | None
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
            create_connection=_GuardedConnection,
            **options,
        )
    except (OSError, WebSocketException, EOFError, ImportError, ValueError) as err:
        raise connect_failure(err, plan) from None
