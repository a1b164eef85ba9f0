"""Pages that behave well and badly, on the loopback."""

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

SITE = Path(__file__).parent / "site"
_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
EVIL = "../../..\\evil\x01 name<>:*?|.exe"


class Site(ThreadingHTTPServer):
    """The server; `seen` are the requests that it got. ``/never`` is answered once it is `over`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, str, bytes]] = []
        self.data = "fresh"
        self.over = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser hangs up when it likes."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms
    server: Site

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.server.seen.append((self.command, self.path, b""))
        name, query = unquote(parts.path), parse_qs(parts.query, keep_blank_values=True)
        if name == "/slow":
            time.sleep(int(query["ms"][0]) / 1000)
            return self._answer(b"slow answer", "text/plain")
        if name == "/slowpage":
            time.sleep(0.3)
            return self._answer(b"<title>Slow</title><h1>Slow page</h1>")
        if name.startswith("/status/"):
            status = int(name.rpartition("/")[2])
            return self._answer(f"<h1>Status {status}</h1>".encode(), status=status)
        if name == "/redirect":
            return self._answer(b"", status=302, Location="/second.html")
        if name == "/circle":
            return self._answer(b"", status=302, Location="/circle")
        if name == "/never":
            self.server.over.wait(60)
            return None
        if name == "/download":
            file = EVIL.replace("\x01", "") if "evil" in query else "report.csv"
            disposition = f'attachment; filename="{file}"'
            return self._answer(b"a,b\n1,2\n", "text/csv", **{"Content-Disposition": disposition})
        if name == "/dot.png":
            return self._answer(_DOT, "image/png")
        if name == "/hang-up":
            self.close_connection = True
            return None
        if name == "/headers":
            told = {key.lower(): value for key, value in self.headers.items()}
            return self._answer(f"<pre>{json.dumps(told)}</pre>".encode())
        if name == "/private":
            given = self.headers.get("Authorization", "")
            if given != "Basic " + base64.b64encode(b"ann:opensesame").decode():
                return self._answer(b"no", status=401, **{"WWW-Authenticate": "Basic"})
            return self._answer(b"<h1>Private</h1>")
        if name == "/echo":
            text = query.get("text", [""])[0]
            return self._answer(f"<title>{text}</title><p>You said {text}.</p>".encode())
        if name == "/data":
            return self._answer(f"<p>{self.server.data}</p>".encode())
        if name == "/huge":
            return self._answer(_huge())
        path = SITE / name.lstrip("/")
        if path.is_file() and path.resolve().is_relative_to(SITE):
            return self._answer(path.read_bytes())
        return self._answer(b"not found", status=404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, body))
        if self.path == "/reset":
            self.server.data = "fresh"
            return self._answer(b"{}", "application/json")
        if self.path == "/spoil":
            self.server.data = "spoilt"
            return self._answer(b"{}", "application/json")
        return self._answer(b"no", status=500)

    def _answer(
        self, data: bytes, media: str = "text/html; charset=utf-8", status: int = 200, **more: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        for key, value in more.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""


def _huge() -> bytes:
    rows = "".join(
        f"<tr><td>{n}</td><td>Customer {n}</td><td><a href='#{n}'>Edit</a></td></tr>"
        for n in range(1200)
    )
    return f"<title>Huge</title><button>First</button><table>{rows}</table>".encode()


@contextmanager
def running() -> Iterator[Site]:
    """The server, while it runs."""
    site = Site()
    thread = Thread(target=site.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        site.shutdown()
        thread.join()
        site.server_close()
