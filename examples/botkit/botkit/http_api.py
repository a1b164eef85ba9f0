"""A bot over HTTP, a thread per connection; the requests are those of the pizzeria.

======  ========================  ==========================================================
POST    /sessions                 ``{"customer": text?}`` → 201 ``{session, messages}``
POST    /sessions/{id}/messages   ``{"text": …}`` or ``{"choice": …}`` →
                                  200 ``{messages: [{text, buttons}], ended}``
DELETE  /sessions/{id}            → 204
GET     /health                   → 200 ``{status, name, sessions}``
======  ========================  ==========================================================

Every error is ``{"error": text}`` with 400, 404, 405, 409 (the conversation is over), 411, 413 or
500.
"""

import json
import re
import sys
import traceback
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from botkit.definition import Bot
from botkit.replies import Reply
from botkit.sessions import Sessions

MOST_BYTES = 64_000
IDLE_SECONDS = 60
_SESSION = re.compile(r"/sessions/([\w-]{1,40})(/messages)?")


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class BotServer(ThreadingHTTPServer):
    """Serves one bot."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], bot: Bot) -> None:
        super().__init__(address, Handler)
        self.bot = bot
        self.sessions = Sessions(bot)

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
        """Health."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Open a conversation or take a turn."""
        self._answer("POST")

    def do_DELETE(self) -> None:
        """Close a conversation."""
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        try:
            status, answer = self._route(method, self.path.split("?")[0], self._body())
        except Refused as refused:
            status, answer = refused.status, {"error": str(refused)}
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - a crash of the bot is one customer's error 500
            traceback.print_exc()
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "internal error"}
        self._send(status, answer)

    def _route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        server, found = cast("BotServer", self.server), _SESSION.fullmatch(path)
        match method:
            case "GET" if path == "/health":
                known = {"name": server.bot.name, "sessions": len(server.sessions)}
                return HTTPStatus.OK, {"status": "ok", **known}
            case "POST" if path == "/sessions":
                return HTTPStatus.CREATED, self._open(server, _fields(body))
            case "POST" if found and found[2]:
                return HTTPStatus.OK, self._turn(server, found[1], _fields(body))
            case "DELETE" if found and not found[2]:
                if not server.sessions.close(found[1]):
                    raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
                return HTTPStatus.NO_CONTENT, None
            case _ if found or path in ("/health", "/sessions"):
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} does not take {method}")
            case _:
                raise Refused(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _open(self, server: BotServer, fields: dict[str, Any]) -> dict[str, Any]:
        customer = fields.get("customer")
        if customer is not None and not isinstance(customer, str):
            raise Refused(HTTPStatus.BAD_REQUEST, "'customer' must be a text")
        session = server.sessions.open(customer)
        return {"session": session.id, **_shown(session.conversation.greet())}

    def _turn(self, server: BotServer, name: str, fields: dict[str, Any]) -> dict[str, Any]:
        said = [fields[key] for key in ("text", "choice") if fields.get(key) is not None]
        if len(said) != 1 or not isinstance(said[0], str):
            raise Refused(HTTPStatus.BAD_REQUEST, "expected a text as 'text' or as 'choice'")
        session = server.sessions.get(name)
        if session is None:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such session")
        with session.lock:
            if session.conversation.ended:
                raise Refused(HTTPStatus.CONFLICT, "this conversation is over")
            return _shown(session.conversation.answer(said[0]))

    def _body(self) -> bytes:
        """The request's body; the connection is closed where it cannot be read to its end."""
        length = self.headers.get("Content-Length", "0")
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            raise self._unread(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length")
        if not (length.isascii() and length.isdecimal()):
            raise self._unread(HTTPStatus.BAD_REQUEST, "the Content-Length is not a number")
        if len(length) > 12 or int(length) > MOST_BYTES:
            raise self._unread(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {MOST_BYTES} bytes")
        return self.rfile.read(int(length))

    def _unread(self, status: HTTPStatus, why: str) -> Refused:
        self.close_connection = True
        return Refused(status, why)

    def _send(self, status: HTTPStatus, answer: Any) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
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
