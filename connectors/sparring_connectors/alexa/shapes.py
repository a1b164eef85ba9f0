"""Reading JSON whose shape is not certain: what is not as expected counts as absent."""

from collections.abc import Iterator
from typing import Any, cast


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def mappings(value: object) -> Iterator[dict[str, Any]]:
    """The objects of a list, others left out."""
    return (cast("dict[str, Any]", item) for item in sequence(value) if isinstance(item, dict))


def text(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list; numbers count as their digits."""
    items = sequence(value)
    return tuple(str(item) for item in items if isinstance(item, (str, int, float)))


def named(value: object) -> str:
    """A text or a number as text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value)
