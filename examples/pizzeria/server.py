"""Starts the pizzeria's chatbot: ``python server.py --port 8000``."""

import argparse
import sys
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "botkit"))
sys.path.insert(0, str(Path(__file__).parent))

from botkit.serving import parser, serve
from pizzeria_bot.http_api import PizzeriaServer
from pizzeria_bot.weak_spots import ALL, WeakSpot


def main(argv: list[str] | None = None) -> int:
    """Serve the chatbot; the exit code."""
    options = _parser().parse_args(argv)
    repaired = ALL if "all" in options.repaired else {WeakSpot(name) for name in options.repaired}
    weak = ALL - repaired if options.weak_spots is None else options.weak_spots
    return serve(partial(PizzeriaServer, weak=weak, slow_ms=options.slow_ms), options)


def _parser() -> argparse.ArgumentParser:
    made = parser("The chatbot of a pizzeria, over HTTP.")
    made.add_argument("--slow-ms", type=int, default=0, help="milliseconds added to each turn")
    made.add_argument(
        "--repaired",
        action="append",
        default=[],
        choices=["all", *(spot.value for spot in WeakSpot)],
        help="serve without this weak spot; may be given several times",
    )
    made.add_argument(
        "--weak-spots",
        type=_switched_on,
        metavar="FILE",
        help="a YAML file that says of each weak spot whether the bot has it: true or false",
    )
    return made


def _switched_on(file: str) -> set[WeakSpot]:
    """The weak spots that a file switches on."""
    try:
        switches = yaml.safe_load(Path(file).read_text(encoding="utf-8"))
        return {spot for spot in WeakSpot if switches[spot.value]}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
        raise argparse.ArgumentTypeError(f"cannot read {file}: {err}") from err
    except (KeyError, TypeError) as err:
        raise argparse.ArgumentTypeError(f"{file} does not say true or false of {err}") from err


if __name__ == "__main__":
    sys.exit(main())
