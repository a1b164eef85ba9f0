"""What Botium found, where its results are beside SENSEI's."""

import json
from pathlib import Path
from typing import Any

from sparring_plugins.sensei.formats.forms import is_map
from sparring_plugins.sensei.tables.data import MUTATION, Evaluation
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source

_STATS = ("tests", "passes", "failures")
_MOST_BYTES = 20_000_000
_MOST_FILES = 2_000


def botium_table(evaluation: Evaluation) -> DataTable:
    """One row per result file with mocha's ``stats``, as Botium's command line writes it."""
    files = sorted((evaluation.root / MUTATION).rglob("*.json"))[:_MOST_FILES]
    found = {path: _stats(path) for path in files}
    rows = [
        (
            Cell(value=path.relative_to(evaluation.root / MUTATION).as_posix()),
            *(Cell(value=stats[key], source=Source.STORED) for key in _STATS),
        )
        for path, stats in found.items()
        if stats is not None
    ]
    unread = sum(stats is None for stats in found.values())
    notes = [] if rows else ["no results of Botium are in the data"]
    if unread:
        notes.append(f"{unread} JSON files are no results of Botium, or of an unknown form")
    return DataTable(
        name="botium",
        title="Results of Botium on the same chatbots",
        columns=("result", *_STATS),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _stats(path: Path) -> dict[str, int] | None:
    """The counts of one result; None where it is something else."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        data: Any = json.loads(path.read_text("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return None
    stats = data.get("stats") if is_map(data) else None
    if not is_map(stats):
        return None
    counts = {key: stats.get(key) for key in _STATS}
    if not all(isinstance(count, int) for count in counts.values()):
        return None
    return {key: int(count) for key, count in counts.items() if isinstance(count, int)}
