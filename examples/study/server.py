"""Starts one of the assistants: ``python server.py --app kitchen --port 8000``."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "botkit"))
sys.path.insert(0, str(Path(__file__).parent))

from botkit.serving import parser, serve
from diary.assistant import DiaryAssistant
from home.assistant import HomeAssistant
from kitchen.finder import RecipeFinder
from kitchen.recipes import as_csv
from studykit.answers import Assistant
from studykit.http_api import AssistantServer

APPS: dict[str, Callable[[], Assistant]] = {
    "diary": DiaryAssistant,
    "home": HomeAssistant,
    "kitchen": RecipeFinder,
}


def main(argv: list[str] | None = None) -> int:
    """Serve an assistant, or print the recipes; the exit code."""
    arguments = parser("A recipe finder, a house, or a diary, over HTTP.")
    arguments.add_argument("--app", choices=sorted(APPS), default="kitchen")
    arguments.add_argument(
        "--recipes", action="store_true", help="print the recipes of the kitchen as CSV instead"
    )
    options = arguments.parse_args(argv)
    if options.recipes:
        print(as_csv(), end="")  # noqa: T201 - a command's output
        return 0
    return serve(partial(AssistantServer, make=APPS[options.app]), options)


if __name__ == "__main__":
    sys.exit(main())
