"""Text of apps, and paths, as commands print them: without control characters."""

import os
import unicodedata
from pathlib import Path


def plain(text: str, limit: int | None = None) -> str:
    """One line without control characters, escape codes or text-direction overrides.

    `limit` cuts it to that many characters.
    """
    cut = text if limit is None else text[: limit * 4 + 100]
    words = " ".join("".join(_show_character(character) for character in cut).split())
    return words if limit is None or len(words) <= limit else words[: limit - 1] + "…"


def plain_lines(text: str) -> list[str]:
    """The lines of a text, each of them plain; leading blanks are kept."""
    return ["".join(_show_character(character) for character in line) for line in text.splitlines()]


def _show_character(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    kind = unicodedata.category(character)
    return "\N{REPLACEMENT CHARACTER}" if kind in ("Cc", "Cf", "Cs", "Co", "Cn") else character


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        relative = str(path)
    return plain(str(path) if relative.startswith(f"..{os.sep}..") else relative)
