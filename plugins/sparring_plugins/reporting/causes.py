"""What ``sparring shrink`` found of a run, for its reports."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sparring.errors import StoredRunError
from sparring_plugins.language import quantities
from sparring_plugins.language.quantities import plural
from sparring_plugins.language.text import one_line
from sparring_plugins.reporting.console_medium import Span
from sparring_plugins.search.failure_classes import FailureClass, effective_number

if TYPE_CHECKING:
    from sparring_plugins.search.shrinking.causes import ShrinkResult

_MOST = 20
_SHRUNK = "shrunk.json"
"""`FILE` of ``search.shrinking.causes``."""


def shrunk(folder: Path | None) -> "ShrinkResult | None":
    """What was found of the run in a folder, or None if nothing was, or it cannot be read."""
    if folder is None or not (folder / _SHRUNK).exists():
        return None
    # Most runs are never shrunk, and their reports should not pay for what could read it.
    from sparring_plugins.search.shrinking.causes import stored_result

    try:
        return stored_result(folder)
    except StoredRunError:  # a report of the run is worth more than none
        return None


def cause_lines(folder: Path | None, room: int, most: int) -> Iterator[list[Span]]:
    """The causes of the run in a folder on the console; nothing if it was not shrunk."""
    report = shrunk(folder)
    if report is None or not report.causes:
        return
    yield []
    yield [("smallest failing cases", "bold")]
    for number, cause in enumerate(report.causes[: min(most, _MOST)], 1):
        label = f"{cause.oracle}/{cause.check}"
        kind = "" if cause.kind == label else f"{cause.kind}: "
        yield [
            (f"{number:>4}. ", "dim"),
            (one_line(f"{kind}{cause.sentence}", room), ""),
            (f"  {quantities.plural(cause.cases, 'case')}", "dim"),
        ]
        if cause.smallest:
            yield [(f"      {one_line(cause.shown, room)}", "cyan")]
    hidden = len(report.causes) - min(most, _MOST)
    if hidden > 0:
        yield [(f"      ... and {quantities.plural(hidden, 'more cause')}", "dim")]


# Failure classes as people read them: how many there are, and how evenly they are hit.


def kinds(counts: Counter[FailureClass]) -> str:
    """``in 762 failed cases, as diverse as 19.8 equally frequent ones``."""
    cases = f"in {plural(counts.total(), 'failed case')}"
    if len(counts) < 2:
        return cases
    even = effective_number(counts.elements())
    return f"{cases}, as diverse as {even:.1f} equally frequent ones"
