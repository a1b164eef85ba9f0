"""Holes ``{{feature}}`` in the texts of a conversation."""

import re
from collections.abc import Mapping

_HOLE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")


def holes_in(text: str) -> list[str]:
    """The names in the holes of a text, in order."""
    return [str(match) for match in _HOLE.findall(text)]


def filled(text: str, words: Mapping[str, str | None]) -> str | None:
    """A text with words in its holes; None where one of the features is left out."""
    if any(words.get(name) is None for name in holes_in(text)):
        return None
    return _HOLE.sub(lambda match: words[match[1]] or "", text)
