"""The page reader ``strict``: values by plain rules, from fields, terms, rows and columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import Element, PageSnapshot
from sparring_plugins.web.driver.cards import WORDS, Card, PageStructure, Part
from sparring_plugins.web.grammar.phrases.tokens import find_quotations
from sparring_plugins.web.pages.controls import offers_choices, takes_text
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import COUNTED, contains, fit, plain
from sparring_plugins.web.roles import PageReading, ReadTask, ReadValue, WantedValue

_CELLS = ("cell", "gridcell")
_HEADS = ("columnheader", "rowheader")
# "Description: …" is followed by a value, not by the rest of the page.
_MAX_TEXT = 500


@dataclass(frozen=True)
class LabelledText:
    """A text with its element and how it was found."""

    text: str
    element: str
    by: str


class StrictPageReader(Agent[ReadTask, PageReading, PluginConfig]):
    """Role ``page_reader``: takes a value only if one thing on the page has its name.

    If two things with different values have it, the value is left out. Rows of tables are taken
    if the columns have the names of the wanted values of a list. What the instruction quotes must
    stand in the row.
    """

    role = "page_reader"

    async def act(self, task: ReadTask) -> PageReading:
        return LabelledContent.of(task.view.snapshot, task.instruction).read(task.wanted)


@dataclass(frozen=True)
class LabelledContent:
    """The content of a page as labels and values; `quoted` must stand in the row of a value."""

    snapshot: PageSnapshot
    quoted: tuple[str, ...] = ()
    instruction: str = ""
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", Layout(self.snapshot))

    @classmethod
    def of(cls, snapshot: PageSnapshot, instruction: str) -> "LabelledContent":
        """Return the content of a page for an instruction, whose quotations name a row."""
        quoted = tuple(quotation.text for quotation in find_quotations(instruction))
        return cls(snapshot, quoted, instruction)

    @cached_property
    def _structure(self) -> PageStructure:
        return PageStructure(self.snapshot)

    def read(self, wanted: Sequence[WantedValue]) -> PageReading:
        """Read every value that is surely there."""
        lists: dict[str, list[WantedValue]] = {}
        values: list[ReadValue] = []
        for value in wanted:
            if "*" in value.path.split("."):
                lists.setdefault(value.path.split(".*")[0], []).append(value)
            else:
                values += self._read_value(value)
        for columns in lists.values():
            values += self._read_rows(columns)
        return PageReading(found=tuple(values))

    def _read_value(self, wanted: WantedValue) -> Iterator[ReadValue]:
        """Yield the value with this name; nothing if there is none, or several that differ."""
        finders = (self._fields, self._terms, self._texts, self._columns, self._card_parts)
        for find in finders:
            texts = list(find(wanted))
            if texts:
                if len({plain(labelled.text) for labelled in texts}) == 1:
                    yield _read_value(wanted, texts[0])
                return

    def _read_rows(self, wanted: Sequence[WantedValue]) -> list[ReadValue]:
        """Read the rows of the one table that has columns for most of the wanted values."""
        rated = [(table, self._headings(table, wanted)) for table in self._tables()]
        most = max((len(columns) for _, columns in rated), default=0)
        best = [(table, columns) for table, columns in rated if columns and len(columns) == most]
        if len(best) != 1:
            return [] if best else self._read_cards(wanted)
        table, columns = best[0]
        values: list[ReadValue] = []
        for number, cells in enumerate(self._cells_by_row(table)):
            for value in wanted:
                heading = columns.get(value.path)
                cell = next((c for c in cells if heading and plain(c.column) == heading), None)
                if cell is not None and (text := _text_of(cell)):
                    labelled = LabelledText(text, cell.id, f"column '{cell.column}'")
                    values.append(_read_value(value, labelled, number))
        return values

    def _read_cards(self, wanted: Sequence[WantedValue]) -> list[ReadValue]:
        """Read the cards of the one collection that has most of the wanted values."""
        rated: list[tuple[tuple[int, bool], list[ReadValue]]] = []
        for collection in self._structure.collections:
            cards = [c for c in collection.cards if self._in_row_text(c.words)]
            values = [
                _read_value(value, LabelledText(part.text, part.element, part.by), number)
                for number, card in enumerate(cards)
                for value in wanted
                if (part := _part_of(card, value)) is not None
            ]
            filled = len({value.path for value in values})
            if filled * 2 > len(wanted) and not collection.aside:
                rated.append(((filled, collection.about(self.instruction)), values))
        most = max((rank for rank, _ in rated), default=None)
        best = [values for rank, values in rated if rank == most]
        return best[0] if len(best) == 1 else []

    # Single values

    def _card_parts(self, wanted: WantedValue) -> Iterator[LabelledText]:
        """Yield the part of the card with the quoted words, or of a page that is one text."""
        cards: list[Card] = [self._structure.whole()]
        if self.quoted:
            every = [card for c in self._structure.collections for card in c.cards]
            cards = [c for c in every if all(contains(words, c.words) for words in self.quoted)]
        for card in cards:
            if (part := _part_of(card, wanted)) is not None:
                yield LabelledText(part.text, part.element, part.by)

    def _fields(self, wanted: WantedValue) -> Iterator[LabelledText]:
        for element in self._visible():
            if not (takes_text(element) or offers_choices(element) or element.checked is not None):
                continue
            if self._is_called(wanted, element.label, element.name) and self._in_row(element):
                text = _field_value(element)
                if text is not None:
                    yield LabelledText(text, element.id, "field of that label")

    def _terms(self, wanted: WantedValue) -> Iterator[LabelledText]:
        elements = list(self._visible())
        for index, element in enumerate(elements):
            if element.role not in ("term", "rowheader") or not self._in_row(element):
                continue
            if not self._is_called(wanted, element.text or element.name):
                continue
            for other in elements[index + 1 :]:
                if other.role in (element.role, "row", "columnheader"):
                    break
                if other.role in ("definition", *_CELLS) and (text := _text_of(other)):
                    by = f"{element.role} '{_text_of(element)[:60]}'"
                    yield LabelledText(text, other.id, by)
                    break

    def _texts(self, wanted: WantedValue) -> Iterator[LabelledText]:
        for element in self._visible():
            if element.role == "text":
                yield from self._text_after_colon(element, wanted)
            elif element.role == "row":
                yield from self._second_cell(element, wanted)

    def _text_after_colon(self, element: Element, wanted: WantedValue) -> Iterator[LabelledText]:
        """Yield the value of ``Total: 12.50`` in one text."""
        label, _, text = element.text.partition(":")
        is_value = bool(text.strip()) and len(text) <= _MAX_TEXT
        if is_value and self._is_called(wanted, label) and self._in_row(element):
            yield LabelledText(" ".join(text.split()), element.id, f"text after '{label}:'")

    def _second_cell(self, row: Element, wanted: WantedValue) -> Iterator[LabelledText]:
        """Yield the second of two cells in a table without headings."""
        cells = [c for c in self._inside(row) if c.role in _CELLS]
        if len(cells) != 2 or any(c.column for c in cells):
            return
        label, text = _text_of(cells[0]), _text_of(cells[1])
        if text and self._is_called(wanted, label):
            yield LabelledText(text, cells[1].id, f"cell beside '{label[:60]}'")

    def _columns(self, wanted: WantedValue) -> Iterator[LabelledText]:
        for element in self._visible():
            if element.role not in _CELLS or not self._is_called(wanted, element.column):
                continue
            if self._in_row(element) and (text := _text_of(element)):
                yield LabelledText(text, element.id, f"column '{element.column}'")

    # Tables

    def _tables(self) -> list[Element]:
        return [e for e in self._visible() if e.role in ("table", "grid", "treegrid")]

    def _headings(self, table: Element, wanted: Sequence[WantedValue]) -> dict[str, str]:
        """Return the heading of each wanted value that has exactly one of its own."""
        columns = {plain(e.column) for e in self._inside(table) if e.column}
        headings: dict[str, str] = {}
        for value in wanted:
            fitting = [c for c in columns if any(fit(word, c) >= COUNTED for word in value.words)]
            if len(fitting) == 1 and fitting[0] not in headings.values():
                headings[value.path] = fitting[0]
        return headings

    def _cells_by_row(self, table: Element) -> Iterator[list[Element]]:
        for row in self._inside(table):
            if row.role != "row" or not self._in_row_text(row.text):
                continue
            cells = [e for e in self._inside(row) if e.role in (*_CELLS, "rowheader") and e.column]
            if cells:
                yield cells

    # Both

    def _visible(self) -> Iterator[Element]:
        return (element for element in self.snapshot.elements if element.visible)

    def _inside(self, holder: Element) -> list[Element]:
        start = self.layout.order[holder.id] + 1
        inside: list[Element] = []
        ids = {holder.id}
        for element in self.snapshot.elements[start:]:
            if element.parent not in ids:
                if element.frame == holder.frame:
                    break
                continue
            ids.add(element.id)
            if element.visible:
                inside.append(element)
        return inside

    def _is_called(self, wanted: WantedValue, *names: str) -> bool:
        return any(fit(word, name) >= COUNTED for word in wanted.words for name in names if name)

    def _in_row(self, element: Element) -> bool:
        """Return whether it lies in a row with the quoted words, or in no row."""
        return not element.row or self._in_row_text(element.row)

    def _in_row_text(self, row: str) -> bool:
        """Return whether a row has all quotations that stand in any row of the page."""
        rows = {e.row for e in self._visible() if e.row}
        row_words = [words for words in self.quoted if any(contains(words, r) for r in rows)]
        return all(contains(words, row) for words in row_words)


def _read_value(wanted: WantedValue, labelled: LabelledText, item: int = 0) -> ReadValue:
    return ReadValue(
        path=wanted.path, text=labelled.text, element=labelled.element, item=item, by=labelled.by
    )


def _part_of(card: Card, wanted: WantedValue) -> Part | None:
    """Return what a card has under such a label, or as the part that the name stands for."""
    for word in wanted.words:
        for label, part in card.labelled.items():
            if fit(word, label) >= COUNTED:
                return part
    names = (WORDS.part(word) or "" for word in wanted.words)
    return next((card.parts[name] for name in names if name in card.parts), None)


def _text_of(element: Element) -> str:
    return " ".join((element.text or element.name).split())[:_MAX_TEXT]


def _field_value(element: Element) -> str | None:
    """Return what a field holds as text, or None if it is empty."""
    if element.checked is not None:
        return "yes" if element.checked is True else "no"
    selected = [option.label for option in element.options if option.selected]
    if selected:
        return selected[0] if len(selected) == 1 else None
    return element.value or None
