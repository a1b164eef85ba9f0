"""Starts the web shop: ``python server.py --port 8100``."""

import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "botkit"))
sys.path.insert(0, str(Path(__file__).parent))

from botkit.serving import parser, serve
from webshop.http_shop import ShopServer
from webshop.weak_spots import ALL, WeakSpot


def main(argv: list[str] | None = None) -> int:
    """Serve the shop; the exit code."""
    arguments = parser("A small web shop.", port=8100)
    arguments.add_argument(
        "--repaired",
        action="append",
        default=[],
        choices=["all", *(spot.value for spot in WeakSpot)],
        help="serve without this weak spot; may be given several times",
    )
    options = arguments.parse_args(argv)
    repaired = ALL if "all" in options.repaired else {WeakSpot(name) for name in options.repaired}
    return serve(partial(ShopServer, weak=ALL - repaired), options)


if __name__ == "__main__":
    sys.exit(main())
