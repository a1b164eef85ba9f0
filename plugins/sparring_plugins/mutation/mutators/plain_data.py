"""Plain data as definitions hold it, looked through without surprises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sparring_plugins.mutation.model import Change, Edit, Place

# YAML may refer to itself: "&a [*a]" has no end.
_DEEPEST = 40
# A mutant is named in one line of a terminal: "say 'Welcome to …' -> nothing".
_LONGEST = 60

HOLE = re.compile(r"\{\w+\}")
"""A place in a text that a bot fills in, such as ``{price}``."""


def mapping(value: Any) -> dict[str, Any]:
    """A mapping with texts as keys, or an empty one."""
    if not isinstance(value, Mapping):
        return {}
    items = cast("Mapping[Any, Any]", value)
    return {key: item for key, item in items.items() if isinstance(key, str)}


def sequence(value: Any) -> list[Any]:
    """A list, or an empty one."""
    return list(cast("Sequence[Any]", value)) if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """The texts of a list."""
    return [text for text in sequence(value) if isinstance(text, str)]


def at(value: Any, place: Place) -> Any:
    """What stands at a place, or None if nothing does."""
    for step in place:
        if isinstance(step, int):
            items = sequence(value)
            value = items[step] if 0 <= step < len(items) else None
        else:
            value = mapping(value).get(step)
    return value


def every(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value of plain data with its place, outer ones first."""
    if len(place) > _DEEPEST:
        return
    yield place, value
    for key, inner in mapping(value).items():
        yield from every(inner, (*place, key))
    for index, inner in enumerate(sequence(value)):
        yield from every(inner, (*place, index))


def without_holes(text: str, hole: re.Pattern[str] = HOLE) -> Iterator[tuple[str, int, str]]:
    """Each hole of a text, its number (one may stand there twice), and the text without it."""
    for number, match in enumerate(hole.finditer(text), 1):
        yield match[0], number, text[: match.start()] + text[match.end() :]


def named(place: Place) -> str:
    """A place as people write it: ``forms.booking.fields[2]``."""
    shown = ""
    for step in place:
        shown += f"[{step}]" if isinstance(step, int) else f".{step}" if shown else step
    return shown


def short(text: Any) -> str:
    """A value in a description: one line, not too long."""
    line = " ".join(str(text).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def change_at(file: str, place: Place, what: str, *edits: Edit) -> Change:
    """Return a change of a definition whose target begins with its place, or else with the file."""
    return Change(file, f"{named(place) or file}: {what}", edits)
