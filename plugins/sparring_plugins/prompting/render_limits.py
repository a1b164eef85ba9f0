"""How much a template may do while one message is rendered."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

from jinja2.exceptions import TemplateRuntimeError

from sparring_plugins.prompting.data_blocks import Inert

LONGEST = 1_000_000
"""Characters of one rendered message, and of any text on the way to it."""

STEPS = 100_000
"""Turns of loops, operators and calls of one rendered message; an included file is 100."""

RANGE = 1_000
"""The most numbers that ``range`` gives."""

_BITS = 1_000
_BEFORE = re.compile(r"(?<=\S)[ \t]*(?=<data>\n)")
_AFTER = re.compile(r"(?<=\n</data>)[ \t]*(?=[^\s])")


class Refused(TemplateRuntimeError):
    """A template does what templates may not do, or too much of it."""


_left: ContextVar[list[int]] = ContextVar("left")


def spend(steps: int = 1) -> None:
    """Count steps of the message that is being rendered; raises Refused when none are left."""
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise Refused(f"takes more than {STEPS:,} steps: are there loops in loops?")


def rendered(pieces: Callable[[], Iterator[str]]) -> str:
    """The text of a template's pieces, with a budget of its own."""
    token = _left.set([STEPS])
    try:
        text = gathered(pieces())
        return _AFTER.sub("\n", _BEFORE.sub("\n", text)).strip()  # blocks have their own lines
    finally:
        _left.reset(token)


def gathered(parts: Iterable[str]) -> Inert:
    """Rendered parts as one text; raises Refused where it gets too long."""
    found: list[str] = []
    size = 0
    for part in parts:
        size += len(part)
        require_short(size)
        found.append(part)
    return Inert("".join(found))


def counted(items: Iterable[Any]) -> Iterator[Any]:
    """The items, each of them a step."""
    for item in items:
        spend()
        yield item


def numbers(*limits: int) -> range:
    """``range``, of no more than `RANGE` numbers."""
    found = range(*limits)
    if len(found) > RANGE:
        raise Refused(f"wants {len(found):,} numbers, and range() gives at most {RANGE:,}")
    return found


def require_short(size: int) -> None:
    """Raise Refused where a text would be too long."""
    if size > LONGEST:
        raise Refused(f"makes a text of more than {LONGEST:,} characters")


def require_small(operator: str, left: Any, right: Any) -> None:
    """Raise Refused for operands that an operator could blow up."""
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        require_short(len(left) + len(right))
        return
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        kinds = f"{type(left).__name__} {operator} {type(right).__name__}"
        raise Refused(f"cannot work out {kinds}: operators are for numbers, and + for two texts")
    if operator == "**" and not 0 <= right <= _BITS:
        raise Refused(f"cannot work out a power with the exponent {right:.6g}")
    if _bits(left) * (max(right, 1) if operator == "**" else 1) + _bits(right) > _BITS:
        raise Refused("works with numbers that are too large")


def _bits(number: float) -> int:
    return max(number.bit_length(), 1) if isinstance(number, int) else 64
