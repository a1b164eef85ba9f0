"""What ``sparring shrink`` found of a run, for its reports."""

from collections.abc import Iterator
from pathlib import Path

from sparring.errors import StoredRunError
from sparring_plugins.language import quantities
from sparring_plugins.language.visible import one_line
from sparring_plugins.reporting.console_medium import Span
from sparring_plugins.search.shrinking.result import Shrunk, stored

_MOST = 20


def shrunk(folder: Path | None) -> Shrunk | None:
    """What was found of the run in a folder; None where nothing was, or it cannot be read."""
    if folder is None:
        return None
    try:
        return stored(folder)
    except StoredRunError:  # a report of the run is worth more than none
        return None


def cause_lines(folder: Path | None, room: int, most: int) -> Iterator[list[Span]]:
    """The causes of the run in a folder on the console; nothing where it was not shrunk."""
    found = shrunk(folder)
    if found is None or not found.causes:
        return
    yield []
    yield [("smallest failing cases", "bold")]
    for number, one in enumerate(found.causes[: min(most, _MOST)], 1):
        label = f"{one.oracle}/{one.check}"
        kind = "" if one.kind == label else f"{one.kind}: "
        yield [
            (f"{number:>4}. ", "dim"),
            (one_line(f"{kind}{one.sentence}", room), ""),
            (f"  {quantities.plural(one.cases, 'case')}", "dim"),
        ]
        if one.smallest:
            yield [(f"      {one_line(one.shown, room)}", "cyan")]
    hidden = len(found.causes) - min(most, _MOST)
    if hidden > 0:
        yield [(f"      ... and {quantities.plural(hidden, 'more cause')}", "dim")]
