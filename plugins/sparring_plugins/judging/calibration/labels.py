"""Answers as labels: the texts by which they are counted and compared."""

import json
from typing import Any, cast


def label_of(value: Any) -> str:
    """The label of plain data: a text as it is, all else as JSON.

    ``true`` and ``"true"`` have one label, so have 2 and 2.0, and a list of one item that of the
    item, since files of examples cannot always tell them apart.
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        if len(items) == 1:
            return label_of(items[0])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def answer_label(value: Any) -> str:
    """The label of a whole answer: of a map with one key, that of its value."""
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1:
        return label_of(next(iter(cast("dict[str, Any]", value).values())))
    return label_of(value)


def short(text: str, limit: int = 200) -> str:
    """A text on one line of at most `limit` characters."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
