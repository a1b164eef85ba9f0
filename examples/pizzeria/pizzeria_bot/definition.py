"""What is read from ``definition.yaml``: menu, hours, and the bot's sentences.

``PIZZERIA_DEFINITION`` in the environment names another file.
"""

import os
from pathlib import Path
from typing import Any

import yaml

FILE = Path(os.environ.get("PIZZERIA_DEFINITION") or Path(__file__).with_name("definition.yaml"))

_DATA: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def part(name: str) -> dict[str, Any]:
    """A part of the definition; raises KeyError where it has none of that name."""
    found: dict[str, Any] = _DATA[name]
    return found


SHOP: str = _DATA["shop"]
BOOKING: list[str] = _DATA["booking"]
"""What has to be known of a table, in the order in which it is asked for."""


def said(name: str, **known: object) -> str:
    """One of the bot's sentences, with its holes filled."""
    return str(part("said")[name]).format(shop=SHOP, **known)
