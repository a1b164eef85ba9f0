"""Response times and costs of SENSEI's conversations, beside those of its own reports."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from sparring.model.talk import Listen, Trace
from sparring_plugins.sensei.formats.forms import is_map
from sparring_plugins.sensei.formats.layout import COST
from sparring_plugins.sensei.formats.unmapped_data import decode
from sparring_plugins.sensei.tables.counts import Counted
from sparring_plugins.sensei.tables.data import Evaluation, Execution
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source

COLUMNS = (
    "chatbot", "conversations", "mean conversation s", "mean response s", "max response s",
    "min response s", "reported mean s", "cost $",
)  # fmt: skip
_MOST_BYTES = 5_000_000
_REPORTED = "Average assistant response time"


def times_table(evaluation: Evaluation) -> DataTable:
    """One row per chatbot and, for mutants, one over all versions of each chatbot."""
    rows = [_row(each.name, (each,)) for each in evaluation.wild]
    for chatbot in evaluation.mutated:
        runs = [run for mutant in chatbot.mutants for run in mutant.executions]
        every = (*([chatbot.original] if chatbot.original else []), *runs)
        if every:
            rows.append(_row(f"{chatbot.name} ({chatbot.technology})", every))
    note = (
        "reported: the mean of the global reports' own means, which are not trustworthy: older"
        " versions read files of earlier tests again"
    )
    return DataTable(
        name="times",
        title="Times of conversations and answers",
        columns=COLUMNS,
        rows=tuple(rows),
        notes=(note,),
    )


def _row(name: str, executions: Sequence[Execution]) -> tuple[Cell, ...]:
    traces = [trace for each in executions for trace in Counted(each).traces]
    seconds = [
        turn.latency_s
        for trace in traces
        for turn in trace.turns
        if not isinstance(turn.act, Listen) and turn.observation is not None
    ]
    reported = [mean for each in executions for mean in _reported(each.conversations)]
    costs = [cost for trace in traces if (cost := _cost(trace)) is not None]
    return (
        Cell(value=name),
        Cell(value=len(traces)),
        _mean(trace.duration_s for trace in traces),
        _mean(seconds),
        Cell(value=max(seconds)) if seconds else Cell(source=Source.ABSENT),
        Cell(value=min(seconds)) if seconds else Cell(source=Source.ABSENT),
        _mean(reported, Source.STORED),
        Cell(value=sum(costs)) if costs else Cell(source=Source.ABSENT),
    )


def _mean(values: Iterable[float], source: Source = Source.RAW) -> Cell:
    found = list(values)
    if not found:
        return Cell(source=Source.ABSENT)
    return Cell(value=sum(found) / len(found), source=source)


def _cost(trace: Trace) -> float | None:
    kept = decode(trace.meta.get("sensei"))
    metadata = kept.get("metadata") if is_map(kept) else None
    cost = metadata.get(COST) if is_map(metadata) else None
    return float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None


def _reported(folder: Path) -> list[float]:
    """The mean response times that the global reports below a folder have."""
    inside = [*folder.rglob("__report__/*.yml"), *folder.rglob("__stats_reports__/*.yml")]
    beside = [] if inside else [*folder.parent.glob("__report__/*.yml")]
    return [mean for path in sorted([*inside, *beside]) if (mean := _global_mean(path)) is not None]


def _global_mean(path: Path) -> float | None:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return None
        first: Any = next(iter(yaml.safe_load_all(path.read_text("utf-8", "replace"))), None)
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return None
    report = first.get("Global report") if is_map(first) else None
    mean = report.get(_REPORTED) if is_map(report) else None
    return float(mean) if isinstance(mean, (int, float)) and mean == mean else None
