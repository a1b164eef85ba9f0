"""The tables of SENSEI's evaluation, from the data that its authors published."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from sparring.model.talk import Listen, Trace
from sparring_plugins.sensei.documents import COST, decode, is_map
from sparring_plugins.sensei.tables.data import MUTATION, Counted, Evaluation, Execution
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source, TableMaker
from sparring_plugins.sensei.tables.mutants import mutant_tables

# What Botium found, where its results are beside SENSEI's.

_STATS = ("tests", "passes", "failures")
# Botium's results have a few hundred kB; anything larger was not written by it.
_MOST_RESULT_BYTES = 20_000_000
_MOST_FILES = 2_000


def botium_table(evaluation: Evaluation) -> DataTable:
    """One row per result file with mocha's ``stats``, as Botium's command line writes it."""
    files = sorted((evaluation.root / MUTATION).rglob("*.json"))[:_MOST_FILES]
    statistics = {path: _stats(path) for path in files}
    rows = [
        (
            Cell(value=path.relative_to(evaluation.root / MUTATION).as_posix()),
            *(Cell(value=stats[key], source=Source.STORED) for key in _STATS),
        )
        for path, stats in statistics.items()
        if stats is not None
    ]
    unread = sum(stats is None for stats in statistics.values())
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
    """The counts of one result; None if it is something else."""
    try:
        if path.stat().st_size > _MOST_RESULT_BYTES:
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


# Response times and costs of SENSEI's conversations, beside those of its own reports.

TIMES_COLUMNS = (
    "chatbot", "conversations", "mean conversation s", "mean response s", "max response s",
    "min response s", "reported mean s", "cost $",
)  # fmt: skip
_MOST_REPORT_BYTES = 5_000_000
_REPORTED = "Average assistant response time"


def times_table(evaluation: Evaluation) -> DataTable:
    """One row per chatbot and, for mutants, one over all versions of each chatbot."""
    rows = [_times_row(each.name, (each,)) for each in evaluation.wild]
    for chatbot in evaluation.mutated:
        runs = [run for mutant in chatbot.mutants for run in mutant.executions]
        every = (*([chatbot.original] if chatbot.original else []), *runs)
        if every:
            rows.append(_times_row(f"{chatbot.name} ({chatbot.technology})", every))
    note = (
        "reported: the mean of the global reports' own means, which are not trustworthy: older"
        " versions read files of earlier tests again"
    )
    return DataTable(
        name="times",
        title="Times of conversations and answers",
        columns=TIMES_COLUMNS,
        rows=tuple(rows),
        notes=(note,),
    )


def _times_row(name: str, executions: Sequence[Execution]) -> tuple[Cell, ...]:
    traces = [trace for each in executions for trace in Counted(each).traces]
    seconds = [
        turn.latency_s
        for trace in traces
        for turn in trace.turns
        if not isinstance(turn.act, Listen) and turn.observation is not None
    ]
    reported = [mean for each in executions for mean in _read_reported_times(each.conversations)]
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
    numbers = list(values)
    if not numbers:
        return Cell(source=Source.ABSENT)
    return Cell(value=sum(numbers) / len(numbers), source=source)


def _cost(trace: Trace) -> float | None:
    stored = decode(trace.meta.get("sensei"))
    metadata = stored.get("metadata") if is_map(stored) else None
    cost = metadata.get(COST) if is_map(metadata) else None
    return float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None


def _read_reported_times(folder: Path) -> list[float]:
    """The mean response times that the global reports below a folder have."""
    inside = [*folder.rglob("__report__/*.yml"), *folder.rglob("__stats_reports__/*.yml")]
    beside = [] if inside else [*folder.parent.glob("__report__/*.yml")]
    return [mean for path in sorted([*inside, *beside]) if (mean := _global_mean(path)) is not None]


def _global_mean(path: Path) -> float | None:
    try:
        if path.stat().st_size > _MOST_REPORT_BYTES:
            return None
        first: Any = next(iter(yaml.safe_load_all(path.read_text("utf-8", "replace"))), None)
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return None
    report = first.get("Global report") if is_map(first) else None
    mean = report.get(_REPORTED) if is_map(report) else None
    return float(mean) if isinstance(mean, (int, float)) and mean == mean else None


# What SENSEI found in chatbots in the wild: unreached goals, crashes, general rules.

GENERAL = {
    "GR1 off-topic": "only_talks",
    "GR2 repeats": "repeat",
    "GR3 language": "same_language",
    "GR4 empty links": "links",
}
"""The general rules, and what is in the names of their files' rules."""

_FAILURES = {
    "G unreached goals": "goal_not_completed",
    "no response": "no_response",
    "time-out": "timeout",
    "loop": "exceeded_loop_limit",
}
WILD_COLUMNS = (
    "chatbot", "profiles", "conversations", "turns", *_FAILURES, *GENERAL, "own rules",
)  # fmt: skip


def wild_table(evaluation: Evaluation) -> DataTable:
    """One row per chatbot: in how many conversations each failure and each rule showed."""
    rows: list[tuple[Cell, ...]] = []
    notes = [
        "G counts conversations in which a declared output has no value, as SENSEI does",
        (
            "GR2, GR4 and a chatbot's own rules are judged again, GR1 and GR3 ask a model and are"
            " as stored; failures counted, before anybody looked for false positives"
        ),
    ]
    for execution in evaluation.wild:
        counted = Counted(execution)
        rows.append(_wild_row(counted))
        notes += [counted.problem] if counted.problem else _contradictions(counted)
    if rows:
        rows.append(_total(rows))
    title = "Chatbots in the wild: conversations in which something failed"
    return DataTable(
        name="wild", title=title, columns=WILD_COLUMNS, rows=tuple(rows), notes=tuple(notes)
    )


def _wild_row(counted: Counted) -> tuple[Cell, ...]:
    traces = counted.traces
    if not traces:
        absent = Cell(source=Source.ABSENT)
        return (Cell(value=counted.execution.name), *[absent] * (len(WILD_COLUMNS) - 1))
    profiles = {str(trace.meta.get("profile")) for trace in traces}
    general = [_general(counted, part) for part in GENERAL.values()]
    return (
        Cell(value=counted.execution.name),
        Cell(value=len(profiles)),
        Cell(value=len(traces)),
        Cell(value=sum(len(trace.turns) for trace in traces)),
        *(Cell(value=counted.failures[name]) for name in _FAILURES.values()),
        *general,
        _own(counted),
    )


def _general(counted: Counted, part: str) -> Cell:
    """The failures of a general rule; no value if the chatbot has no such rule."""
    for counts, source in ((counted.rules, Source.RAW), (counted.stored, Source.STORED)):
        rows = [row for name, row in counts.items() if part in name]
        if rows:
            return Cell(value=sum(row.failed for row in rows), source=source)
    return Cell()


def _own(counted: Counted) -> Cell:
    """The failures of the other rules: judged again, and stored ones that ask a model."""
    names = {*counted.rules, *counted.stored}
    own = [name for name in names if not any(part in name for part in GENERAL.values())]
    if not own:
        return Cell()
    manual = [name for name in own if name not in counted.rules]
    rows = [counted.rules.get(name) or counted.stored[name] for name in own]
    source = Source.STORED if manual else Source.RAW
    return Cell(value=sum(row.failed for row in rows), source=source)


def _total(rows: list[tuple[Cell, ...]]) -> tuple[Cell, ...]:
    cells = [Cell(value="all")]
    for column in list(zip(*rows, strict=True))[1:]:
        values = [cell.value for cell in column if isinstance(cell.value, int)]
        stored = any(cell.source is Source.STORED for cell in column)
        cells.append(Cell(value=sum(values), source=Source.STORED if stored else Source.RAW))
    return tuple(cells)


def _contradictions(counted: Counted) -> Iterator[str]:
    """Where the stored tables say something else than what is computed again."""
    for name, row in counted.stored.items():
        again = counted.rules.get(name)
        if again is not None and again.failed != row.failed:
            yield (
                f"{counted.execution.name}, rule {name}: stored with {row.failed} failures of"
                f" {row.checks}, {again.failed} of {again.checks} when judged again"
            )


def _make(data: Path) -> Iterator[DataTable]:
    evaluation = Evaluation.of(data)
    yield wild_table(evaluation)
    yield from mutant_tables(evaluation)
    yield botium_table(evaluation)
    yield times_table(evaluation)


SENSEI = TableMaker(
    "SENSEI: chatbots in the wild, mutants of Taskyto and Rasa chatbots, response times"
    " (data: satori-chatbots/user-simulator-evaluation)",
    _make,
)
