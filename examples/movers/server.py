"""Serves the firm's page: `python server.py`."""

import argparse
import signal
import sys
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    """Serves the page and nothing else of this folder."""

    def do_GET(self):
        """Answer with the page, whatever the path."""
        self.path = "/page.html"
        super().do_GET()

    def log_message(self, *_):
        """Say nothing of each request."""


def main():
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="Serves the page of the removals firm.")
    parser.add_argument("--port", type=int, default=8300, help="0 takes a free one")
    handler = partial(Quiet, directory=str(Path(__file__).parent))
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.stdout.write(f"Listening on http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
