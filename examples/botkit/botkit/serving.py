"""What the examples' servers share: a thread per connection, and starting from the command line."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import Any

MOST_BYTES = 64_000
IDLE_SECONDS = 60
_POLL_SECONDS = 0.05
"""How soon a server notices that it is to stop."""


class CannotListen(Exception):
    """A server cannot have the address that it was given."""


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class LocalServer(ThreadingHTTPServer):
    """Serves on this machine; raises CannotListen where the address is not to be had."""

    daemon_threads = True
    request_queue_size = 512
    allow_reuse_address = True

    def __init__(
        self, address: tuple[str, int], handler: Callable[..., BaseHTTPRequestHandler]
    ) -> None:
        try:
            super().__init__(address, handler)
        except (OSError, OverflowError, UnicodeError) as err:
            raise CannotListen(f"cannot listen on {address[0]}:{address[1]}: {err}") from err

    @property
    def url(self) -> str:
        """Where it can be reached."""
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of customers who hang up; anything else is worth a traceback."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class LocalHandler(BaseHTTPRequestHandler):
    """One connection, which is kept open from request to request."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def body(self) -> bytes:
        """The request's body. Raises Refused, and closes, where it cannot be read to its end."""
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

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: one line per turn helps nobody."""


def parser(description: str, *, port: int = 8000) -> argparse.ArgumentParser:
    """The options that every server takes."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=int, default=port, help="0 takes a free one")
    made.add_argument(
        "--stop-with-stdin", action="store_true", help="stop when the standard input ends"
    )
    return made


def serve(make: Callable[[tuple[str, int]], LocalServer], options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; prints the address on the first line. The exit code."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        server = make((options.host, options.port))
    except CannotListen as err:
        print(err, file=sys.stderr)  # noqa: T201 - a command's output
        return 2
    if options.stop_with_stdin:
        threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
    with server:
        print(f"Listening on {server.url}", flush=True)  # noqa: T201 - a command's output
        with suppress(KeyboardInterrupt):
            server.serve_forever(_POLL_SECONDS)
    return 0


def _stop_with_stdin(server: LocalServer) -> None:
    """Stop when whoever started this process is gone."""
    while sys.stdin.buffer.read(1024):
        pass
    server.shutdown()


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
