"""Starts the assistant: ``python server.py --port 8000``."""

import argparse
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent))

from linnet.http_api import AssistantServer


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; prints the address on the first line."""
    options = _parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _stop)
    try:
        server = AssistantServer((options.host, options.port))
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="A shop's support assistant, over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    parser.add_argument(
        "--stop-with-stdin", action="store_true", help="stop when the standard input ends"
    )
    return parser


def _stop_with_stdin(server: AssistantServer) -> None:
    """Stop when whoever started this process is gone."""
    while sys.stdin.buffer.read(1024):
        pass
    server.shutdown()


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
