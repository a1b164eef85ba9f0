"""Starts the pizzeria's chatbot: ``python server.py --port 8000``."""

import argparse
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import FrameType

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from pizzeria_bot.http_api import PizzeriaServer
from pizzeria_bot.weak_spots import ALL, WeakSpot


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM; prints the address on the first line."""
    options = _parser().parse_args(argv)
    repaired = ALL if "all" in options.repaired else {WeakSpot(name) for name in options.repaired}
    signal.signal(signal.SIGTERM, _stop)
    try:
        weak = _switched(options.weak_spots) if options.weak_spots else ALL - repaired
        server = PizzeriaServer((options.host, options.port), weak=weak, slow_ms=options.slow_ms)
    except (OSError, OverflowError) as err:
        message = f"cannot listen on {options.host}:{options.port}: {err}"
        print(message, file=sys.stderr)  # noqa: T201 - a command's output
        return 2
    if options.stop_with_stdin:
        threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
    with server:
        print(f"Listening on {server.url}", flush=True)  # noqa: T201 - a command's output
        with suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="The chatbot of a pizzeria, over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    parser.add_argument("--slow-ms", type=int, default=0, help="milliseconds added to each turn")
    parser.add_argument(
        "--stop-with-stdin", action="store_true", help="stop when the standard input ends"
    )
    parser.add_argument(
        "--repaired",
        action="append",
        default=[],
        choices=["all", *(spot.value for spot in WeakSpot)],
        help="serve without this weak spot; may be given several times",
    )
    parser.add_argument(
        "--weak-spots",
        type=Path,
        metavar="FILE",
        help="a YAML file that says of each weak spot whether the bot has it: true or false",
    )
    return parser


def _switched(file: Path) -> set[WeakSpot]:
    """The weak spots that a file switches on."""
    switches = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {spot for spot in WeakSpot if switches[spot.value]}


def _stop_with_stdin(server: PizzeriaServer) -> None:
    """Stop when whoever started this process is gone."""
    while sys.stdin.buffer.read(1024):
        pass
    server.shutdown()


def _stop(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
