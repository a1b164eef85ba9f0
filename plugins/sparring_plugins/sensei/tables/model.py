"""Tables of published results that are computed again, and their forms: text, Markdown, CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sparring.cli.output import plain
from sparring.model.base import Value


class Source(StrEnum):
    """Where a cell comes from.

    `RAW`: computed from the raw data. `STORED`: read from a result that was published with them.
    `MANUAL`: a person's judgement that the data do not hold. `ABSENT`: its data are not there.
    """

    RAW = "raw"
    STORED = "stored"
    MANUAL = "manual"
    ABSENT = "absent"


class Cell(Value):
    """A cell; without a value for those that are MANUAL or ABSENT."""

    value: int | float | str | None = None
    source: Source = Source.RAW


class DataTable(Value):
    """A table: `name` is what it is chosen by, each row has a cell per column.

    `notes` say how it was computed, and what in it contradicts what was published.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableMaker:
    """Computes the tables of one publication: the entry points of the group ``sparring.tables``.

    `about` says in a line what they are. `make` computes them from the folder of the data; it
    raises ConfigurationError if that is no such folder. What the folder lacks gives cells
    that say so.
    """

    about: str
    make: Callable[[Path], Iterable[DataTable]]


# Tables as text for a terminal, as Markdown, and as CSV; everything in them is plain text.

_MARKS = {Source.RAW: "", Source.STORED: "*", Source.MANUAL: "(manual)", Source.ABSENT: "(absent)"}
_FORMULA = ("=", "+", "-", "@", "\t")
# A cell with a reason in it would push the columns after it out of the terminal.
_WIDEST = 60

LEGEND = (
    "no mark: computed from the raw data; *: as stored with them; (manual): a person's judgement,"
    " not in the data; (absent): its data are not there"
)


def as_text(tables: Sequence[DataTable]) -> str:
    """Aligned columns, a legend of the sources, and notes below each table."""
    return "\n".join([*(_text(table) for table in tables), LEGEND, ""])


def as_markdown(tables: Sequence[DataTable]) -> str:
    """A heading and a table each, the same marks, and notes as a list."""
    return "\n".join([*(_markdown(table) for table in tables), f"{_legend()}\n"])


def as_csv(tables: Sequence[DataTable]) -> str:
    """One row per cell: table, row, column, value and source."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("table", "row", "column", "value", "source"))
    for table in tables:
        for row in table.rows:
            for column, cell in zip(table.columns, row, strict=True):
                value = "" if cell.value is None else _number(cell.value)
                named = (table.name, _number(row[0].value or ""), column, value, cell.source.value)
                writer.writerow([_safe(text) for text in named])
    return file.getvalue()


FORMATS: dict[str, Callable[[Sequence[DataTable]], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "csv": as_csv,
}


def _text(table: DataTable) -> str:
    cells = [list(table.columns), *([_show_cell(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.columns))]
    lines = [f"{plain(table.title)} ({plain(table.name)})", ""]
    for number, row in enumerate(cells):
        first, *rest = (cell for cell in row)
        aligned = [first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]
        lines.append("  ".join(aligned).rstrip())
        if number == 0:
            lines.append("  ".join("-" * width for width in widths))
    if not table.rows:
        lines.append("nothing of it is in the data")
    lines += [f"note: {plain(note)}" for note in table.notes]
    return "\n".join([*lines, ""])


def _markdown(table: DataTable) -> str:
    lines = [f"## {_escape(plain(table.title))}", "", _line(table.columns)]
    lines.append(_line(["---", *["---:"] * (len(table.columns) - 1)]))
    lines += [_line([_escape(_show_cell(cell)) for cell in row]) for row in table.rows]
    lines += ["", *(f"- {_escape(plain(note))}" for note in table.notes)]
    return "\n".join([*lines, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _legend() -> str:
    return _escape(LEGEND)


def _escape(text: str) -> str:
    for mark in "\\|*_`<":
        text = text.replace(mark, f"\\{mark}")
    return text


def _show_cell(cell: Cell) -> str:
    mark = _MARKS[cell.source]
    if cell.value is None:
        return mark or "-"
    return f"{plain(_number(cell.value), _WIDEST)}{mark}"


def _number(value: float | str) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    shown = plain(text)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
