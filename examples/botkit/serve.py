"""Starts a chatbot from its definition: ``python serve.py ../workshop/bot.yaml --port 8000``."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from botkit.checking import DefinitionError
from botkit.definition import read_bot
from botkit.http_api import BotServer
from botkit.serving import parser, serve


def main(argv: list[str] | None = None) -> int:
    """Serve a bot; the exit code."""
    arguments = parser("A chatbot from a YAML file, over HTTP.")
    arguments.add_argument("definition", type=Path, help="the bot's YAML file")
    options = arguments.parse_args(argv)
    try:
        bot = read_bot(options.definition)
    except DefinitionError as err:
        print(err, file=sys.stderr)  # noqa: T201 - a command's output
        return 2
    return serve(partial(BotServer, bot=bot), options)


if __name__ == "__main__":
    sys.exit(main())
