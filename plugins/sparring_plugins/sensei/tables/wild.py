"""What SENSEI found in chatbots in the wild: unreached goals, crashes, general rules."""

from collections.abc import Iterator

from sparring_plugins.sensei.tables.counts import Counted
from sparring_plugins.sensei.tables.data import Evaluation
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source

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
COLUMNS = (
    "chatbot", "profiles", "conversations", "turns", *_FAILURES, *GENERAL, "own rules",
)  # fmt: skip


def wild_table(evaluation: Evaluation) -> DataTable:
    """One row per chatbot: in how many conversations each failure and each rule showed."""
    rows: list[tuple[Cell, ...]] = []
    notes = [
        "G counts conversations in which a declared output has no value, as SENSEI does",
        "GR2, GR4 and a chatbot's own rules are judged again, GR1 and GR3 ask a model and are"
        " as stored; failures counted, before anybody looked for false positives",
    ]
    for execution in evaluation.wild:
        counted = Counted(execution)
        rows.append(_row(counted))
        notes += [counted.problem] if counted.problem else _contradictions(counted)
    if rows:
        rows.append(_total(rows))
    title = "Chatbots in the wild: conversations in which something failed"
    return DataTable(
        name="wild", title=title, columns=COLUMNS, rows=tuple(rows), notes=tuple(notes)
    )


def _row(counted: Counted) -> tuple[Cell, ...]:
    traces = counted.traces
    if not traces:
        absent = Cell(source=Source.ABSENT)
        return (Cell(value=counted.execution.name), *[absent] * (len(COLUMNS) - 1))
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
    """The failures of a general rule; no value where the chatbot has no such rule."""
    for found, source in ((counted.rules, Source.RAW), (counted.stored, Source.STORED)):
        rows = [row for name, row in found.items() if part in name]
        if rows:
            return Cell(value=sum(row.failed for row in rows), source=source)
    return Cell()


def _own(counted: Counted) -> Cell:
    """The failures of the other rules: judged again, and stored ones that ask a model."""
    names = {*counted.rules, *counted.stored}
    own = [name for name in names if not any(part in name for part in GENERAL.values())]
    if not own:
        return Cell()
    asked = [name for name in own if name not in counted.rules]
    rows = [counted.rules.get(name) or counted.stored[name] for name in own]
    source = Source.STORED if asked else Source.RAW
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
