"""Starting an example's server from the command line, and stopping it."""

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from botkit.json_api import JsonServer


def parser(description: str) -> argparse.ArgumentParser:
    """The options that every server takes."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    made.add_argument(
        "--stop-with-stdin", action="store_true", help="stop when the standard input ends"
    )
    return made


def serve(make: Callable[[tuple[str, int]], JsonServer], options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; prints the address on the first line. The exit code."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        server = make((options.host, options.port))
    except (OSError, OverflowError) as err:
        print(f"cannot serve: {err}", file=sys.stderr)  # noqa: T201 - a command's output
        return 2
    if options.stop_with_stdin:
        threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
    with server:
        print(f"Listening on {server.url}", flush=True)  # noqa: T201 - a command's output
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


def _stop_with_stdin(server: JsonServer) -> None:
    """Stop when whoever started this process is gone."""
    while sys.stdin.buffer.read(1024):
        pass
    server.shutdown()


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
