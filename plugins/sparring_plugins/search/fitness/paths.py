"""Where something is in a structured answer: paths such as ``$.items[*].price``."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, cast

from pydantic import AfterValidator, Field

_STEP = re.compile(r"\.?([\w-]+)|\[(\*|\d{1,6})\]|\['([^'\]]{1,200})'\]")
MOST = 10_000
"""Values that one path finds at most."""

_TOLD_AFTER = 30
"""Answers in which a path never found anything, after which that is told."""


@dataclass(frozen=True, slots=True)
class PayloadPath:
    """A path that was read: names, numbers, and None for every item of a list."""

    steps: tuple[str | int | None, ...]

    def find(self, data: Any) -> list[Any]:
        """Every value at the path, in order, those that are null left out."""
        found = [data]
        for step in self.steps:
            found = [inner for one in found for inner in _inner(one, step)][:MOST]
        return [one for one in found if one is not None]

    def first(self, data: Any) -> Any:
        """The first value at the path; None where there is none."""
        found = self.find(data)
        return found[0] if found else None


def _inner(value: Any, step: str | int | None) -> list[Any]:
    if isinstance(step, str):
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return [fields[step]] if step in fields else []
    if not isinstance(value, list):
        return []
    items = cast("list[Any]", value)
    return items[:MOST] if step is None else items[step : step + 1]


@lru_cache(maxsize=256)
def compiled(path: str) -> PayloadPath:
    """Read a path; raises ValueError that says what one looks like."""
    text = path.strip().removeprefix("$")
    steps: list[str | int | None] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise ValueError(
                f"{path!r} is not a path: write for example $.items[*].price, or intent"
            )
        name, index, quoted = match.groups()
        steps.append(name or quoted if index is None else None if index == "*" else int(index))
        at = match.end()
    return PayloadPath(tuple(steps))


def _checked(path: str) -> str:
    compiled(path)
    return path


PathText = Annotated[str, Field(max_length=300), AfterValidator(_checked)]
"""A path in a part's settings."""


@dataclass
class PathWatch:
    """Counts how often each path found nothing, and tells of those that never find anything."""

    tell: Callable[[str], None]
    missed: Counter[str] = field(default_factory=Counter[str])
    met: set[str] = field(default_factory=set[str])

    def note(self, path: str, *, found: bool) -> None:
        """Count a look along a path, which is named as people are to see it."""
        if found:
            self.met.add(path)
        elif path not in self.met:
            self.missed[path] += 1
            if self.missed[path] == _TOLD_AFTER:
                self.tell(
                    f"fitness: {path} found nothing in {_TOLD_AFTER} answers; is the path right?"
                )
