"""What the examples' servers share: JSON over HTTP, a thread per connection.

Every error is ``{"error": text}`` with the status of `Refused`, 400, 411, 413 or 500.
"""

import json
import sys
import traceback
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

MOST_BYTES = 64_000
IDLE_SECONDS = 60


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class JsonServer(ThreadingHTTPServer):
    """Serves with a `JsonHandler`."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    @property
    def url(self) -> str:
        """Where it can be reached."""
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of customers who hang up; anything else is worth a traceback."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class JsonHandler(BaseHTTPRequestHandler):
    """One connection; override `route`."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def route(self, method: str, path: str, body: bytes) -> tuple[HTTPStatus, Any]:
        """The status and the data to answer with, None for nothing; raises Refused."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer by `route`."""
        self._answer("GET")

    def do_POST(self) -> None:
        """Answer by `route`."""
        self._answer("POST")

    def do_DELETE(self) -> None:
        """Answer by `route`."""
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        try:
            status, answer = self.route(method, self.path.split("?")[0], self._body())
        except Refused as refused:
            status, answer = refused.status, {"error": str(refused)}
        except ConnectionError:
            raise
        except Exception:  # noqa: BLE001 - a crash of the app is one customer's error 500
            traceback.print_exc()
            status, answer = HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "internal error"}
        self._send(status, answer)

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


def fields(body: bytes) -> dict[str, Any]:
    """The JSON object of a body; nothing counts as an empty one. Raises Refused."""
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError) as err:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON") from err
    if not isinstance(found, dict):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object")
    return cast("dict[str, Any]", found)


def text_of(body: bytes) -> str:
    """The text of a body ``{"text": ...}``; raises Refused."""
    text = fields(body).get("text")
    if not isinstance(text, str):
        raise Refused(HTTPStatus.BAD_REQUEST, "expected a JSON object with a text as 'text'")
    return text
