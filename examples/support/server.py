"""Starts the assistant: ``python server.py --port 8000``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "botkit"))
sys.path.insert(0, str(Path(__file__).parent))

from botkit.serving import parser, serve
from linnet.http_api import AssistantServer


def main(argv: list[str] | None = None) -> int:
    """Serve the assistant; the exit code."""
    options = parser("A shop's support assistant, over HTTP.").parse_args(argv)
    return serve(AssistantServer, options)


if __name__ == "__main__":
    sys.exit(main())
