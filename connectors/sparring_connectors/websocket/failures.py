"""What the errors of the library `websockets` mean for a test.

Nothing was reached (`AppUnreachable`), no answer in time (`AppTimeout`), a server error or a
dropped connection (`AppCrash`), something that cannot be understood (`AppProtocolError`).
"""

import errno
import ssl
from http import HTTPStatus

from websockets import exceptions as lib
from websockets.frames import Close

from sparring.errors import AppCrash, AppError, AppProtocolError, AppTimeout, AppUnreachable
from sparring_connectors.described.http_text import shown_url
from sparring_connectors.websocket.plan import Plan

_HINTS = {
    400: "check the query, headers and subprotocols",
    401: "check the credentials in headers, query or url",
    403: "check the credentials in headers, query or url, and the origin",
    404: "check the url's path",
    426: "it wants another version of the protocol",
}
_REFUSALS = frozenset({1002, 1003, 1007, 1008, 1009, 1010})
"""Close codes with which an app says that it does not understand what it was sent."""


class Unconnected(Exception):
    """No connection came about; `again` says whether to try once more is safe and sensible."""

    def __init__(self, error: AppError, *, again: bool = False) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again


def unconnected(err: Exception, plan: Plan) -> Unconnected:
    """Why no connection came about."""
    label, why = plan.label, plan.secrets.quote(str(err))
    if isinstance(err, lib.InvalidStatus):
        return Unconnected(_status(err, plan))
    if isinstance(err, TimeoutError):
        limit = plan.config.timeout.connect_s
        return Unconnected(AppUnreachable(f"{label}: no connection within {limit:g} s"), again=True)
    if isinstance(err, (lib.ProxyError, lib.InvalidProxy, ImportError)):
        return Unconnected(AppUnreachable(f"{label}: the proxy cannot be used: {why}"))
    if isinstance(err, lib.NegotiationError):
        return Unconnected(AppProtocolError(f"{label}: no subprotocol is agreed on: {why}"))
    if isinstance(err, (lib.InvalidHandshake, EOFError)):
        inner = plan.secrets.quote(str(err.__cause__ or ""))
        said = f"{why}; {inner}" if inner else why
        return Unconnected(AppProtocolError(f"{label}: does not speak WebSocket: {said}"))
    if isinstance(err, OSError):
        return _no_socket(err, plan, why)
    return Unconnected(AppProtocolError(f"{label}: the handshake failed: {why}"))


def _no_socket(err: OSError, plan: Plan, why: str) -> Unconnected:
    label = plan.label
    if isinstance(err, ssl.SSLError):
        hint = "see tls.ca_file" if "certificate" in why.lower() else "does it speak wss?"
        return Unconnected(AppUnreachable(f"{label}: no secure connection: {why}; {hint}"))
    if _refused(err):
        why = "refused; is the app running there?"
    elif isinstance(err, ConnectionError):
        dropped = f"{label}: the connection was dropped during the handshake"
        if plan.config.speaks_tls():
            return Unconnected(AppUnreachable(f"{dropped}; does it speak wss?"))
        return Unconnected(AppCrash(dropped))
    elif err.strerror:
        why = err.strerror
    return Unconnected(AppUnreachable(f"{label}: no connection: {why or 'failed'}"), again=True)


def _refused(err: OSError) -> bool:
    """Whether nobody listens; asyncio puts those of several addresses of a host into one text."""
    return isinstance(err, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(err)


def _status(err: lib.InvalidStatus, plan: Plan) -> AppError:
    response = err.response
    status = response.status_code
    said = plan.secrets.quote(bytes(response.body or b""))
    text = f"{plan.label}: answered {_named(status)} instead of opening a WebSocket"
    text += f": {said}" if said else ""
    if status >= 500:
        return AppCrash(text)
    if status == 429:
        return AppUnreachable(f"{text} (its rate limit: lower the concurrency)")
    if 300 <= status < 400 and (target := response.headers.get("Location")):
        return AppProtocolError(
            f"{text}; it redirects to {_shown(target, plan)}: if that is the app, write it as url"
        )
    hint = _HINTS.get(status)
    return AppProtocolError(f"{text} ({hint})" if hint else text)


def _shown(target: str, plan: Plan) -> str:
    """An address that the app gave, which may be none."""
    try:
        return plan.secrets.quote(shown_url(target))
    except ValueError:
        return "something that is no address"


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def closed(err: lib.ConnectionClosed, plan: Plan) -> AppError | None:
    """Why the connection was closed; None where the app ended the conversation."""
    label = plan.label
    if err.rcvd is not None and not (err.sent is not None and err.rcvd_then_sent is False):
        return _closed_by_app(err.rcvd, plan)
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


def _closed_by_app(close: Close, plan: Plan) -> AppError | None:
    if close.code in plan.config.end_codes:
        return None
    reason = plan.secrets.quote(close.reason)
    text = f"{plan.label}: the app closed the connection with {close.code}"
    text += f": {reason}" if reason else ""
    return AppProtocolError(text) if close.code in _REFUSALS else AppCrash(text)
