"""The script that runs in every document: what it is made of, and how it is asked."""

from functools import cache
from importlib.resources import files

PARTS = (
    "base", "roles", "names", "states", "seeing", "walk", "tables", "snapshot", "quiet",
    "messages", "targets",
)  # fmt: skip
NAME = "__sparring"
NOTE = "__sparringNote"


@cache
def script() -> str:
    """The script as one text; it does nothing in a document that has it already."""
    folder = files(__name__)
    parts = "\n".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in PARTS)
    return f"(() => {{ 'use strict'; if (window.{NAME}) return;\n{parts}\n}})();"
