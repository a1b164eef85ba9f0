"""What a connector knows of the app that was talked to: its name, what it may do, its parts."""

import re
from collections.abc import Iterable

from sparring.model.base import AppText, Value

LINES = "lines"
"""The kind of parts that are lines of source files: ``file:1-4,9``."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_MOST_LINES = 1_000_000


class Parts(Value):
    """The parts of an app of one kind, such as its intents.

    `whole` are all, `reached` those that a conversation came to. Lines of source files (kind
    ``lines``) stand as ranges: ``main.py:1-4,9``.
    """

    kind: str
    reached: tuple[AppText, ...] = ()
    whole: tuple[AppText, ...] = ()


class AppFacts(Value):
    """What a connector told of the app under test once a conversation was over.

    `permissions` are those that the app declares, `notes` what keeps something from being told.
    """

    name: AppText = ""
    category: AppText = ""
    permissions: tuple[AppText, ...] = ()
    parts: tuple[Parts, ...] = ()
    notes: tuple[AppText, ...] = ()


def line_ranges(file: str, lines: Iterable[int]) -> str:
    """Lines of a file, counted from 1, as one text: ``main.py:1-4,9``."""
    found: list[list[int]] = []
    for line in sorted(set(lines)):
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    shown = (f"{first}" if first == last else f"{first}-{last}" for first, last in found)
    return f"{file}:{','.join(shown)}"


def lines_of(ranges: str) -> tuple[str, frozenset[int]]:
    """The file and the lines that a text of `line_ranges` names; what is no range is left out."""
    file, _, listed = ranges.rpartition(":")
    found: set[int] = set()
    for part in listed.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is not None:
            first, last = int(match[1]), int(match[2] or match[1])
            found.update(range(first, min(last, first + _MOST_LINES) + 1))
        if len(found) > _MOST_LINES:
            break
    return file, frozenset(found)
