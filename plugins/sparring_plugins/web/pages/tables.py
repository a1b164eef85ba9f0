"""Tables of a page as rows and columns: cells, totals of a column, the order of the rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from sparring.model.page import Element
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.pages.controls import VOCABULARY
from sparring_plugins.web.pages.layout import Layout, head_rows
from sparring_plugins.web.pages.predicates import compare
from sparring_plugins.web.pages.text_fit import MISSPELT, contains, fit, plain
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import CellHolds, ColumnTotal, SortedBy

_TABLES = frozenset({"table", "grid", "treegrid"})
_CELLS = frozenset({"cell", "gridcell", "rowheader"})
#: The first cell of a row that sums up the others.
_SUMMED = frozenset({"total", "totals", "sum", "subtotal", "grand total", "average"})


@dataclass(frozen=True)
class TableRow:
    """A row of data with its cells in order."""

    element: Element
    cells: tuple[Element, ...]

    @property
    def is_summary(self) -> bool:
        """Whether it sums up the rows above."""
        texts = [plain(_text(cell)).rstrip(":") for cell in self.cells]
        return next((text for text in texts if text), "") in _SUMMED

    def cell(self, column: str) -> Element | None:
        """Return the cell under a heading."""
        return next((c for c in self.cells if plain(c.column) == plain(column)), None)


@dataclass(frozen=True)
class PageTable:
    """A table of data."""

    rows: tuple[TableRow, ...]

    def heading(self, column: str) -> str | None:
        """Return the heading that a column's name means; None if none or several are."""
        headings = dict.fromkeys(c.column for row in self.rows for c in row.cells if c.column)
        exact = [h for h in headings if plain(h) == plain(column)]
        if exact:
            return exact[0]
        near = [h for h in headings if max(fit(column, h), fit(_singular(column), h)) > MISSPELT]
        return near[0] if len(near) == 1 else None


def _singular(word: str) -> str:
    """Return "rents" as "rent": a column is called by one of its values."""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def find_tables(layout: Layout) -> Iterator[PageTable]:
    """Yield the visible tables that have rows of data."""
    heads = head_rows(layout)
    rows: dict[str, list[TableRow]] = {}
    cells: dict[str, list[Element]] = {}
    for element in layout.snapshot.elements:
        if not element.visible:
            continue
        above = list(layout.above(element))
        if element.role in _CELLS:
            row = next((e.id for e in above if e.role == "row"), "")
            cells.setdefault(row, []).append(element)
    for element in layout.snapshot.elements:
        if element.visible and element.role == "row" and element.id not in heads:
            table = next((e.id for e in layout.above(element) if e.role in _TABLES), "")
            rows.setdefault(table, []).append(TableRow(element, tuple(cells.get(element.id, ()))))
    yield from (PageTable(tuple(data)) for data in rows.values())


def _tables_with(column: str, layout: Layout) -> list[tuple[PageTable, str]]:
    named = [(table, table.heading(column)) for table in find_tables(layout)]
    return [(table, heading) for table, heading in named if heading is not None]


def cell_holds(condition: CellHolds, layout: Layout) -> Judged | None:
    """Judge what a cell holds; None if no table has such a column."""
    tables = _tables_with(condition.column, layout)
    if not tables:
        return None
    cells = [
        cell
        for table, heading in tables
        for row in _rows_meant(table, condition)
        if (cell := row.cell(heading)) is not None
    ]
    place = f"of '{condition.row}'" if condition.row else f"number {condition.row_number}"
    if not cells:
        return Judged(reason=f"no row {place} has a cell under '{condition.column}'")
    truths = {_cell_fits(cell, condition) for cell in cells}
    texts = " and ".join(dict.fromkeys(f"'{_text(cell)[:80]}'" for cell in cells[:4]))
    reason = f"'{condition.column}' in the row {place} is {texts}"
    elements = tuple(cell.id for cell in cells[:10])
    if len(truths) > 1:
        return Judged(reason=f"{reason}: {len(cells)} rows fit", elements=elements)
    return Judged(truth=truths.pop(), reason=reason, elements=elements)


def _rows_meant(table: PageTable, condition: CellHolds) -> Sequence[TableRow]:
    if condition.row_number is not None:
        number = condition.row_number
        index = number - 1 if number > 0 else len(table.rows) + number
        return table.rows[index : index + 1] if 0 <= index < len(table.rows) else ()
    # A row is called by a whole cell; "Ann" in "Annex" is only taken if no cell is called so.
    whole = [r for r in table.rows if any(plain(_text(c)) == plain(condition.row) for c in r.cells)]
    return whole or [row for row in table.rows if contains(condition.row, row.element.text)]


def _cell_fits(cell: Element, condition: CellHolds) -> bool | None:
    text = _text(cell)
    number, wanted = first_number(text), first_number(condition.text)
    if condition.comparison != "==":
        if number is None or wanted is None:
            return None
        return compare(number, condition.comparison, wanted)
    if condition.mode == "contains":
        return contains(condition.text, text)
    if plain(text) == plain(condition.text):
        return True
    # 4 is 4.00, and 36.5 is $36.50; "4 of 5" is not 4
    is_amount = _AMOUNT.fullmatch(text) is not None and _AMOUNT.fullmatch(condition.text)
    return bool(is_amount) and number is not None and number == wanted


_AMOUNT = re.compile(r"\s*[-+−]?\s*[$€£¥]?\s*[-+−]?\d[\d.,' ]*\s*[$€£¥%]?\s*")


def column_total(condition: ColumnTotal, layout: Layout) -> Judged:
    """Judge the sum, average, smallest or largest number of a column."""
    tables = _tables_with(condition.column, layout)
    if len(tables) != 1:
        return Judged(reason=_no_column(condition.column, len(tables)))
    table, heading = tables[0]
    cells = [row.cell(heading) for row in table.rows if not row.is_summary]
    texts = [_text(cell) for cell in cells if cell is not None and _text(cell)]
    numbers = [number for text in texts if (number := first_number(text)) is not None]
    wanted = first_number(condition.number)
    if not numbers or len(numbers) < len(texts) or wanted is None:
        return Judged(reason=f"not all cells of '{heading}' are numbers")
    total = {
        "sum": sum(numbers), "average": sum(numbers) / len(numbers),
        "smallest": min(numbers), "largest": max(numbers),
    }[condition.of]  # fmt: skip
    # An average is written with as many decimals as the sentence has: 38.17 for 38.1666.
    decimals = len(condition.number.rpartition(".")[2]) if "." in condition.number else 2
    total = round(total, min(max(decimals, 2), 6))
    return Judged(
        truth=compare(total, condition.comparison, wanted),
        reason=f"the {condition.of} of the {len(numbers)} cells of '{heading}' is {total:g}",
        elements=tuple(cell.id for cell in cells[:10] if cell is not None),
    )


def _no_column(column: str, count: int) -> str:
    if count:
        return f"{count} tables have a column '{column}'"
    return f"no table on the page has a column '{column}'"


def sorted_by(condition: SortedBy, layout: Layout) -> Judged:
    """Judge whether the rows of a table are sorted by a column; don't know with less than two."""
    tables = _tables_with(condition.column, layout)
    if len(tables) != 1:
        return Judged(reason=_no_column(condition.column, len(tables)))
    table, heading = tables[0]
    cells = [row.cell(heading) for row in table.rows if not row.is_summary]
    texts = [_text(cell) for cell in cells if cell is not None]
    if len(texts) < 2:
        return Judged(reason=f"{len(texts)} rows have no order")
    truths: set[bool] = set()
    wrong = ""
    for keys in _sort_keys(texts):
        pairs: list[tuple[Any, Any]] = list(pairwise(keys))
        in_order = [b <= a if condition.descending else a <= b for a, b in pairs]
        truths.add(all(in_order))
        if not all(in_order):
            at = in_order.index(False)
            wrong = f": '{texts[at]}' stands before '{texts[at + 1]}'"
    way = "descending" if condition.descending else "ascending"
    if len(truths) != 1:
        return Judged(reason=f"the dates of '{heading}' can be read in two ways")
    truth = truths.pop()
    reason = f"the rows are {'' if truth else 'not '}in {way} order by '{heading}'{wrong}"
    return Judged(truth=truth, reason=reason)


def _sort_keys(texts: Sequence[str]) -> Iterator[list[float] | list[str]]:
    """Yield what texts are sorted by: numbers, else dates in each way to read them, else words."""
    if all(_AMOUNT.fullmatch(text) for text in texts):
        numbers = [first_number(text) for text in texts]
        if all(number is not None for number in numbers):
            yield [number for number in numbers if number is not None]
            return
    dates = [keys for way in _DATE_FORMATS if (keys := _dates(texts, way)) is not None]
    unique = {tuple(keys): keys for keys in dates}
    if unique:
        yield from unique.values()
        return
    yield [plain(text).casefold() for text in texts]


_DAY_FIRST = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%d %B %Y",
              "%d %b %Y", "%B %d %Y", "%b %d %Y")  # fmt: skip
_DATE_FORMATS = (_DAY_FIRST, ("%m/%d/%Y", "%m-%d-%Y", *VOCABULARY.date_formats.get("date", ())))


def read_dates(texts: Sequence[str]) -> list[float] | None:
    """Return the times of texts that are all dates; None if not, or if they have two readings.

    Two ways that give the same order are one: of "3/4/2031" and "5/4/2031" the second is later.
    """
    ways = [keys for formats in _DATE_FORMATS if (keys := _dates(texts, formats)) is not None]
    orders = {tuple(sorted(range(len(keys)), key=keys.__getitem__)) for keys in ways}
    return ways[0] if len(orders) == 1 else None


def _dates(texts: Sequence[str], formats: Sequence[str]) -> list[float] | None:
    """Return the times of texts in seconds if one format reads them all."""
    for written in formats:
        try:
            return [
                datetime.strptime(text.replace(",", "").strip(), written)
                .replace(tzinfo=UTC)
                .timestamp()
                for text in texts
            ]
        except ValueError:
            continue
    return None


def _text(element: Element) -> str:
    return " ".join((element.text or element.name).split())
