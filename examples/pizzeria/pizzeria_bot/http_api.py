"""The bot over HTTP, a thread per connection.

======  ========================  ===========================================================
POST    /sessions                 ``{"customer": text?}`` → 201 ``{session, greeting}``
POST    /sessions/{id}/messages   ``{"text": …}`` or ``{"choice": …}`` →
                                  200 ``{messages: [{text, buttons, link}], ended}``
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, sessions}``
GET     /menu                     → 200, the menu as plain text
======  ========================  ===========================================================

Every error is ``{"error": text}`` with 400 (not understood), 404, 405, 409 (the conversation is
over), 411, 413, 415 or 500.
"""

import json
import re
import sys
import time
import traceback
from collections.abc import Set as AbstractSet
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from pizzeria_bot import menu
from pizzeria_bot.replies import Reply
from pizzeria_bot.sessions import Sessions
from pizzeria_bot.weak_spots import WeakSpot

MOST_BYTES = 64_000
IDLE_SECONDS = 60
_MESSAGES = re.compile(r"/sessions/([\w-]{1,40})/messages")
_SESSION = re.compile(r"/sessions/([\w-]{1,40})")


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class PizzeriaServer(ThreadingHTTPServer):
    """The server; `slow_ms` is added to every turn, for tests of testing tools."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(
        self, address: tuple[str, int], *, weak: AbstractSet[WeakSpot], slow_ms: int = 0
    ) -> None:
        super().__init__(address, Handler)
        self.sessions = Sessions(weak)
        self.slow_ms = slow_ms

    @property
    def url(self) -> str:
        """Where it can be reached."""
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of customers who hang up; anything else is worth a traceback."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Health and menu."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Open a conversation or take a turn."""
        self._answer("POST")

    def do_DELETE(self) -> None:
        """Close a conversation."""
        self._answer("DELETE")

    @property
    def _shop(self) -> PizzeriaServer:
        return cast("PizzeriaServer", self.server)

    def _answer(self, method: str) -> None:
        try:
            body = self._body()
            status, answer = self._route(method, self.path.split("?")[0], body)
        except Refused as refused:
            status, answer = refused.status, {"error": str(refused)}
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - a crash of the bot is one customer's error 500
            traceback.print_exc()
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "internal error"}
        self._send(status, answer)

    def _route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        messages, session = _MESSAGES.fullmatch(path), _SESSION.fullmatch(path)
        match method:
            case "GET" if path == "/health":
                return HTTPStatus.OK, {"status": "ok", "sessions": len(self._shop.sessions)}
            case "GET" if path == "/menu":
                return HTTPStatus.OK, menu.page()
            case "POST" if path == "/sessions":
                return HTTPStatus.CREATED, self._open(_fields(body))
            case "POST" if messages:
                return HTTPStatus.OK, self._turn(messages[1], _fields(body))
            case "DELETE" if session:
                if not self._shop.sessions.close(session[1]):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
                return HTTPStatus.NO_CONTENT, None
            case _ if messages or session or path in ("/health", "/menu", "/sessions"):
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _open(self, fields: dict[str, Any]) -> dict[str, Any]:
        customer = fields.get("customer")
        if customer is not None and not isinstance(customer, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "'customer' must be a text")
        session = self._shop.sessions.open(customer)
        return {"session": session.id, "greeting": session.conversation.greet()}

    def _turn(self, name: str, fields: dict[str, Any]) -> dict[str, Any]:
        said = [fields[key] for key in ("text", "choice") if fields.get(key) is not None]
        if len(said) != 1 or not isinstance(said[0], str):
            raise Refused(HTTPStatus.BAD_REQUEST, "expected a text as 'text' or as 'choice'")
        session = self._shop.sessions.get(name)
        if session is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
        with session.lock:
            if session.conversation.ended:
                raise Refused(HTTPStatus.CONFLICT, "this conversation is over")
            time.sleep(self._shop.slow_ms / 1000)
            return _shown(session.conversation.answer(said[0]))

    def _body(self) -> bytes:
        """The request's body; the connection is closed where it cannot be read to its end."""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            self.close_connection = True
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length")
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal():
            self.close_connection = True
            raise Refused(HTTPStatus.BAD_REQUEST, "the Content-Length is not a number")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {MOST_BYTES} bytes")
        return self.rfile.read(int(length))

    def _send(self, status: HTTPStatus, answer: Any) -> None:
        kind = "text/plain" if isinstance(answer, str) else "application/json"
        content = answer if isinstance(answer, str) else json.dumps(answer)
        body = b"" if answer is None else content.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        if status is not HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: one line per turn helps nobody."""


def _fields(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; nothing counts as an empty one."""
    try:
        fields = json.loads(body or b"{}")
    except (ValueError, RecursionError) as err:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON") from err
    if not isinstance(fields, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
    return cast("dict[str, Any]", fields)


def _shown(reply: Reply) -> dict[str, Any]:
    return {"messages": [asdict(message) for message in reply.messages], "ended": reply.ended}
