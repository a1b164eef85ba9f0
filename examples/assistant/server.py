"""Starts the assistant: ``python server.py --port 8000``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "botkit"))
sys.path.insert(0, str(Path(__file__).parent))

from botkit.serving import parser, serve
from wayside.http_api import AssistantServer
from wayside.places import as_csv


def main(argv: list[str] | None = None) -> int:
    """Serve the assistant, or print its places; the exit code."""
    arguments = parser("An assistant that finds places, over HTTP.")
    arguments.add_argument(
        "--places", action="store_true", help="print the places that it knows as CSV instead"
    )
    options = arguments.parse_args(argv)
    if options.places:
        print(as_csv(), end="")  # noqa: T201 - a command's output
        return 0
    return serve(AssistantServer, options)


if __name__ == "__main__":
    sys.exit(main())
