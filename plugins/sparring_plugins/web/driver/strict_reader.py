"""Reading by plain rules: fields by their labels, terms, rows and columns of tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import Element, PageSnapshot
from sparring_plugins.web.grammar.words.quotes import quotations
from sparring_plugins.web.pages.control_kinds import offers_choices, takes_text
from sparring_plugins.web.pages.places import Layout
from sparring_plugins.web.pages.text_fit import COUNTED, contains, fit, plain
from sparring_plugins.web.roles.driver import PageReading, ReadTask, ReadValue, WantedValue

_CELLS = ("cell", "gridcell")
_HEADS = ("columnheader", "rowheader")
_LONGEST = 500


@dataclass(frozen=True)
class Labelled:
    """A value with its element and how it was found."""

    text: str
    element: str
    by: str


class StrictPageReader(Agent[ReadTask, PageReading, PluginConfig]):
    """Role ``page_reader``: takes a value only where one thing on the page is called so.

    Where two things with different values are, it leaves the value out. Rows of tables are taken
    where the columns are called as the wanted values of a list. What the instruction quotes must
    stand in the row.
    """

    role = "page_reader"

    async def act(self, task: ReadTask) -> PageReading:
        return Pieces(task.view.snapshot, quoted_words(task.instruction)).read(task.wanted)


def quoted_words(text: str) -> tuple[str, ...]:
    """What a text quotes."""
    return tuple(one.text for one in quotations(text))


@dataclass(frozen=True)
class Pieces:
    """What a page shows, as labels and values."""

    snapshot: PageSnapshot
    quoted: tuple[str, ...] = ()
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self.snapshot))

    def read(self, wanted: Sequence[WantedValue]) -> PageReading:
        """Everything that is surely there."""
        single = [one for one in wanted if "*" not in one.path.split(".")]
        found = [read for one in single for read in self.value(one)]
        lists: dict[str, list[WantedValue]] = {}
        for one in wanted:
            if one not in single:
                lists.setdefault(one.path.split(".*")[0], []).append(one)
        for together in lists.values():
            found += self.rows(together)
        return PageReading(found=tuple(found))

    def value(self, wanted: WantedValue) -> Iterator[ReadValue]:
        """The one value that is called so; nothing where there is none, or several that differ."""
        for finder in (self._fields, self._terms, self._texts, self._columns):
            found = list(finder(wanted))
            if found and len({plain(one.text) for one in found}) == 1:
                yield _read(wanted, found[0])
            if found:
                return

    def rows(self, wanted: Sequence[WantedValue]) -> list[ReadValue]:
        """The rows of the one table that has a column for each wanted value, or for most."""
        rated = [(table, self._headings(table, wanted)) for table in self._tables()]
        most = max((len(columns) for _, columns in rated), default=0)
        best = [(table, columns) for table, columns in rated if columns and len(columns) == most]
        if len(best) != 1:
            return []
        table, columns = best[0]
        found: list[ReadValue] = []
        for number, cells in enumerate(self._cells_by_row(table)):
            for one in wanted:
                heading = columns.get(one.path)
                cell = next((c for c in cells if heading and plain(c.column) == heading), None)
                if cell is not None and (text := _shown(cell)):
                    by = f"column '{cell.column}'"
                    found.append(_read(one, Labelled(text, cell.id, by), number))
        return found

    # Single values

    def _fields(self, wanted: WantedValue) -> Iterator[Labelled]:
        for element in self._visible():
            if not (takes_text(element) or offers_choices(element) or element.checked is not None):
                continue
            if self._is_called(wanted, element.label, element.name) and self._in_row(element):
                text = _held(element)
                if text is not None:
                    yield Labelled(text, element.id, "field of that label")

    def _terms(self, wanted: WantedValue) -> Iterator[Labelled]:
        elements = list(self._visible())
        for number, element in enumerate(elements):
            if element.role not in ("term", "rowheader") or not self._in_row(element):
                continue
            if not self._is_called(wanted, element.text or element.name):
                continue
            for other in elements[number + 1 :]:
                if other.role in (element.role, "row", "columnheader"):
                    break
                if other.role in ("definition", *_CELLS) and (text := _shown(other)):
                    yield Labelled(text, other.id, f"{element.role} '{_shown(element)[:60]}'")
                    break

    def _texts(self, wanted: WantedValue) -> Iterator[Labelled]:
        """``Total: 12.50`` in one piece of text; two cells side by side in a row without a head."""
        for element in self._visible():
            if element.role == "text":
                label, colon, text = element.text.partition(":")
                there = bool(colon and text.strip()) and len(text) <= _LONGEST
                if there and self._is_called(wanted, label) and self._in_row(element):
                    yield Labelled(" ".join(text.split()), element.id, f"text after '{label}:'")
            elif element.role == "row":
                cells = [c for c in self._inside(element) if c.role in _CELLS]
                if len(cells) != 2 or any(c.column for c in cells):
                    continue
                if self._is_called(wanted, _shown(cells[0])) and (text := _shown(cells[1])):
                    yield Labelled(text, cells[1].id, f"cell beside '{_shown(cells[0])[:60]}'")

    def _columns(self, wanted: WantedValue) -> Iterator[Labelled]:
        for element in self._visible():
            if element.role not in _CELLS or not self._is_called(wanted, element.column):
                continue
            if self._in_row(element) and (text := _shown(element)):
                yield Labelled(text, element.id, f"column '{element.column}'")

    # Tables

    def _tables(self) -> list[Element]:
        return [e for e in self._visible() if e.role in ("table", "grid", "treegrid")]

    def _headings(self, table: Element, wanted: Sequence[WantedValue]) -> dict[str, str]:
        """The heading of each wanted value, where the table has one that no other one wants."""
        heads = {plain(e.column) for e in self._inside(table) if e.column}
        found: dict[str, str] = {}
        for one in wanted:
            fitting = [h for h in heads if any(fit(w, h) >= COUNTED for w in one.words)]
            if len(fitting) == 1 and fitting[0] not in found.values():
                found[one.path] = fitting[0]
        return found

    def _cells_by_row(self, table: Element) -> Iterator[list[Element]]:
        for row in self._inside(table):
            if row.role != "row" or not self._in_row_text(row.text):
                continue
            cells = [e for e in self._inside(row) if e.role in (*_CELLS, "rowheader") and e.column]
            if cells:
                yield cells

    # What they share

    def _visible(self) -> Iterator[Element]:
        return (one for one in self.snapshot.elements if one.visible)

    def _inside(self, holder: Element) -> list[Element]:
        start = self.layout.order[holder.id] + 1
        found: list[Element] = []
        ids = {holder.id}
        for element in self.snapshot.elements[start:]:
            if element.parent not in ids:
                if element.frame == holder.frame:
                    break
                continue
            ids.add(element.id)
            if element.visible:
                found.append(element)
        return found

    def _is_called(self, wanted: WantedValue, *names: str) -> bool:
        return any(fit(word, name) >= COUNTED for word in wanted.words for name in names if name)

    def _in_row(self, element: Element) -> bool:
        """Whether it lies where the quoted words are, or its place says nothing of them."""
        return not element.row or self._in_row_text(element.row)

    def _in_row_text(self, row: str) -> bool:
        known = [one for one in self.quoted if any(contains(one, r) for r in self._row_texts())]
        return all(contains(one, row) for one in known)

    def _row_texts(self) -> set[str]:
        return {e.row for e in self._visible() if e.row}


def _read(wanted: WantedValue, found: Labelled, item: int = 0) -> ReadValue:
    return ReadValue(
        path=wanted.path, text=found.text, element=found.element, item=item, by=found.by
    )


def _shown(element: Element) -> str:
    return " ".join((element.text or element.name).split())[:_LONGEST]


def _held(element: Element) -> str | None:
    """What a field holds, as text; None for one that holds nothing."""
    if element.checked is not None:
        return {True: "yes", False: "no"}.get(element.checked is True)
    chosen = [option.label for option in element.options if option.selected]
    if chosen:
        return chosen[0] if len(chosen) == 1 else None
    return element.value or None
