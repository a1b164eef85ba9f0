"""What a page has several of, and what it says of each thing: rows, items, facts, messages.

A fact is a label with its value: a cell with the heading of its column, a term with its
definition, a field with what it holds, "Total: 12.00" in a text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest

from sparring.model.page import Element, PageEventKind, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.free.words import FREE, split_words
from sparring_plugins.web.pages.controls import is_a_box, takes_text
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.pages.weak.page.repeated import find_repeated
from sparring_plugins.web.pages.weak.page.text_pairs import pair_stacked, pair_texts, pair_tiles

_CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
_ITEMS = frozenset({"listitem", "article", "treeitem", "option"})
_LIVE = frozenset({"alert", "status", "alertdialog", "log"})
_LONGEST_ITEM = 1_200
_MOST_LABEL_WORDS = 4
RECENT_PAGES = 4
"""How many earlier pages are looked at: what was shown longer ago may be of another list."""
NOTHING = " (empty)"
"""The value of a fact if its field holds nothing."""
_IN_TABLES = _CELLS | {"row", "listitem", "option", "navigation", "menu"}
_ERROR_CLASS = re.compile(r"^(?!has-|no-|is-).*(?:errors?|invalid)(?:[-_]|$)")
# "Total: 12.00", and "A : 3" with the blank in the label. A label ends in a blank only then: if any
# could, a line of blanks would be divided in all ways between the label and what is around it.
_LABEL = re.compile(
    r"^\s*+([^:\s](?:[^:\n]{0,38}?[^:\s]|[^\S\n]))\s*+:\s++(\S.{0,200})$",
)


#: "Open daily · Next meeting: 12 June" has two lines in one.
_LINES = re.compile(r"\n|\s[·•|]\s")
#: "Error: the box is too small" says of itself what it is, whatever its markup.
_MESSAGE_LEAD = re.compile(r"\s*(?:warning|error|notice|success)\s*[:!]\s*\S.{3,300}$", re.I)


_CLASS_WORD = re.compile(r"[A-Z]?[a-z]+")
_SHORTEST_KIND = 4


@dataclass(frozen=True)
class Item:
    """One of several: a table's row with its cells by heading, a list item or a card."""

    text: str
    element: str | None = None
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the item."""
        return split_words(self.text)


@dataclass(frozen=True)
class Collection:
    """The rows of a table, the items of a list, or cards: in order, with what they are called."""

    kind: str
    items: tuple[Item, ...]
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    key: str = ""

    @property
    def data(self) -> tuple[Item, ...]:
        """The items without a last row that sums the others up: "Total | 24"."""
        cells = [text for _, text in self.items[-1].cells if text.strip()] if self.items else []
        is_sum = bool(cells) and plain(cells[0]).strip(" :") in FREE.summing and len(self.items) > 1
        return self.items[:-1] if is_sum else self.items


@dataclass(frozen=True)
class Fact:
    """A label and its value; `row` is the text of the row or card in which they stand.

    `is_entered` means that the case itself put the value into this field.
    """

    label: str
    value: str
    row: str = ""
    element: str | None = None
    is_entered: bool = False


# A content keeps its view and acts alive, so that no other object gets their ids.
_KEPT: "dict[tuple[int, tuple[int, ...]], PageContent]" = {}
_MOST_KEPT = 16


def page_content(view: PageView, acts: Sequence[GuiAction] = ()) -> "PageContent":
    """Return the content of a view, kept for the next readings of the same view and acts.

    Each poll judges an assertion by many readings, which look at the same few pages.
    """
    key = (id(view), tuple(map(id, acts)))
    content = _KEPT.pop(key, None) or PageContent(view, tuple(acts))
    _KEPT[key] = content  # the last one is the newest
    if len(_KEPT) > _MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)  # another thread may have been faster
    return content


def _heading(cell: Element) -> str:
    """Return what a column is called: 'Status' of the name 'Status: Activate to sort'."""
    shown = " ".join(cell.text.split())
    hint = cell.name[len(shown) :].strip()
    has_hint = shown and cell.name.lower().startswith(shown.lower()) and hint[:1] in (":", ";", ",")
    return shown if has_hint else cell.name or cell.text


def _headings(heads: list[list[Element]], items: list[Item]) -> list[str]:
    if heads:
        return [_heading(cell) for cell in heads[0]]
    return [column for column, _ in items[0].cells if column] if items else []


def _are_properties(items: list[Item]) -> bool:
    """Return whether rows without headings are no several things: a label and a value each."""
    return len(items) < 2 or any(len(item.cells) == 2 for item in items)


def _is_pager(group: Collection) -> bool:
    """Return whether a list only leads to further pages: "1", "2", "Next »"."""
    usual = (*FREE.next_names, *FREE.previous_names, *FREE.first_names, *FREE.last_names, "…")
    names = {plain(name) for name in usual}
    texts = [plain(item.text) for item in group.items]
    return any(t.isdigit() for t in texts) and all(t.isdigit() or t in names for t in texts)


@dataclass(frozen=True)
class PageContent:
    """What can be learned from a view without knowing the application.

    `acts` are those of the case so far: what they entered is known from the case, not the page.
    """

    view: PageView
    acts: Sequence[GuiAction] = ()

    @cached_property
    def visible(self) -> VisibleContent:
        """The text that can be read."""
        return VisibleContent(self.view, self.acts)

    @property
    def layout(self) -> Layout:
        """The tree of the elements."""
        return self.visible.layout

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """The elements that can be seen."""
        return tuple(e for e in self.view.snapshot.elements if e.visible)

    # Collections

    @cached_property
    def tables(self) -> tuple[Collection, ...]:
        """The tables that show data: with headings, or with several rows that are no form."""
        rows: dict[str, list[Element]] = {}
        for element in self.elements:
            if element.role == "row":
                table = next(
                    (h.id for h in self.layout.above(element)
                     if h.role in ("table", "grid", "treegrid")), "",
                )  # fmt: skip
                rows.setdefault(table, []).append(element)
        tables = (self._table(table, group) for table, group in rows.items())
        return tuple(table for table in tables if table is not None)

    @cached_property
    def main_tables(self) -> tuple[Collection, ...]:
        """The tables with headings over several columns; all tables if none has them.

        Beside a table of orders, the balance of each customer in a column of its own is a summary.
        """
        headed = [t for t in self.tables if sum(bool(head.strip()) for head in t.columns) > 1]
        return tuple(headed) or self.tables

    def _table(self, table: str, rows: list[Element]) -> Collection | None:
        pairs = [(row, self._cells(row)) for row in rows if row.text.strip()]
        filled = [(row, cells) for row, cells in pairs if cells]
        heads = [cells for _, cells in filled if {c.role for c in cells} == {"columnheader"}]
        items = [
            Item(row.text, row.id, tuple((c.column, self._cell_text(c)) for c in cells))
            for row, cells in filled
            if cells not in heads
        ]
        columns = _headings(heads, items)
        if not columns and _are_properties(items):
            return None
        holder = self.layout.by_id.get(table)
        key = holder.attributes.get("id", "") if holder else ""
        return Collection("table", tuple(items), self._names(table), tuple(columns), key)

    def _cell_text(self, cell: Element) -> str:
        """Return what a cell says; of an icon alone its name: 'Yes' for a tick below 'Paid'."""
        if cell.text or cell.name:
            return cell.text or cell.name
        icons = [e.name for e in self._within.get(cell.id, ()) if e.role == "img" and e.name]
        return icons[0] if len(icons) == 1 else ""

    def _names(self, holder_id: str) -> tuple[str, ...]:
        """Return the name of a table or list, and of the heading above it."""
        holder = self.layout.by_id.get(holder_id)
        names = (holder.name, *holder.region[-1:]) if holder else ()
        return tuple(name for name in names if name)

    def cells_of(self, item: Item) -> list[Element]:
        """Return the cells of a table's row, in order."""
        row = self.layout.by_id.get(item.element or "")
        return self._cells(row) if row is not None else []

    def _cells(self, row: Element) -> list[Element]:
        return [e for e in self._children.get(row.id, ()) if e.role in _CELLS]

    @cached_property
    def _children(self) -> dict[str, list[Element]]:
        children: dict[str, list[Element]] = {}
        for element in self.elements:
            for holder in self.layout.above(element):
                children.setdefault(holder.id, []).append(element)
                if holder.role in ("row", "listitem", "article"):
                    break
        return children

    def elements_in(self, item: Item) -> Sequence[Element]:
        """Return the elements of a row, item or card."""
        if item.element in self.layout.by_id:
            return self._within.get(item.element or "", ())
        return self._by_row.get(item.text, ())

    @cached_property
    def _within(self) -> dict[str, list[Element]]:
        """All elements within each one, at any depth."""
        within: dict[str, list[Element]] = {}
        for element in self.elements:
            for holder in self.layout.above(element):
                within.setdefault(holder.id, []).append(element)
        return within

    @cached_property
    def _by_row(self) -> dict[str, list[Element]]:
        rows: dict[str, list[Element]] = {}
        for element in self.elements:
            rows.setdefault(element.row, []).append(element)
        return rows

    @cached_property
    def lists(self) -> tuple[Collection, ...]:
        """The lists and groups of cards, menus left out."""
        groups: dict[tuple[str, str | None], list[Item]] = {}
        for element in self.elements:
            if (
                element.role in _ITEMS
                and element.text.strip()
                and len(element.text) < _LONGEST_ITEM
            ):
                if any(h.role in ("navigation", "menu", "contentinfo", "banner")
                       for h in self.layout.above(element)):  # fmt: skip
                    continue
                key = (element.role, element.parent)
                groups.setdefault(key, []).append(Item(element.text, element.id))
        lists = [self._list(role, parent, items) for (role, parent), items in groups.items()]
        return (*(group for group in lists if not _is_pager(group)), *self._cards())

    def _list(self, role: str, parent: str | None, items: list[Item]) -> Collection:
        names = (*self._names(parent or ""), *self._kinds(items))
        return Collection(role, tuple(items), names)

    def _kinds(self, items: list[Item]) -> tuple[str, ...]:
        """Return the words that all items of a list have in their classes: "comment"."""
        classes = [
            {
                word.lower()
                for word in _CLASS_WORD.findall(holder.attributes.get("class", ""))
                if len(word) >= _SHORTEST_KIND
            }
            for item in items
            if (holder := self.layout.by_id.get(item.element or "")) is not None
        ]
        if len(classes) < 2:
            return ()
        return tuple(sorted(word for word in classes[0] if all(word in each for each in classes)))

    def _cards(self) -> Iterator[Collection]:
        """Yield the cards that a page made of plain elements: what has its row's text in common."""
        rows: dict[tuple[str | None, tuple[str, ...]], dict[str, None]] = {}
        for element in self.elements:
            if not element.row or any(
                h.role in ("row", "listitem", "article", "navigation")
                for h in self.layout.above(element)
            ):
                continue
            parent = next((h.id for h in self.layout.above(element) if not h.interactive), None)
            rows.setdefault((parent, element.region[:1]), {})[element.row] = None
        for texts in rows.values():
            if len(texts) > 1:
                yield Collection("card", tuple(Item(text) for text in texts))
        for group in find_repeated(self.elements, self.layout):
            names = group[0].region[-1:]
            yield Collection("repeated", tuple(Item(e.text, e.id) for e in group), names)

    @cached_property
    def several(self) -> tuple[Collection, ...]:
        """The lists and groups of cards that have several items.

        Parts that only look alike are none: there may be more of the kind that look otherwise.
        """
        groups = (group for group in self.lists if group.kind != "repeated")
        return tuple(group for group in groups if len(group.items) > 1)

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        """All collections, tables first."""
        return (*self.tables, *self.lists)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The texts of all rows, items and cards, and of small parts with a heading."""
        texts = [item.text for collection in self.collections for item in collection.items]
        texts += [e.row for e in self.elements if e.row]
        texts += [
            e.text
            for e in self.elements
            if e.role in ("row", "listitem", "article", "group", "region", "definition", "term")
            and 0 < len(e.text) < 400
        ]
        return tuple(dict.fromkeys(texts))

    # Facts

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """All labels with their values."""
        facts = [
            *self._cell_facts(),
            *self._field_facts(),
            *self._group_facts(),
            *self._term_facts(),
            *self._text_facts(),
            *self._pair_facts(),
        ]
        return tuple(dict.fromkeys(f for f in facts if f.label.strip() and f.value.strip()))

    def _cell_facts(self) -> Iterator[Fact]:
        for element in self.elements:
            if element.role in _CELLS and element.column and element.role != "columnheader":
                yield Fact(element.column, element.text or element.name, element.row, element.id)
            if element.role == "row":
                cells = self._cells(element)
                # a table of properties: a heading, or a text with a colon, and its value
                for label, value in pairwise(cells):
                    heads = label.role in (
                        "rowheader",
                        "columnheader",
                    ) or label.text.strip().endswith(":")
                    own = not label.column or label.role == "rowheader"
                    if heads and own and value.role in ("cell", "gridcell"):
                        yield Fact(label.text or label.name, value.text, "", value.id)

    def _field_facts(self) -> Iterator[Fact]:
        for element in self.elements:
            value = self._held(element)
            if value is None:
                continue
            key = element.attributes.get("name", "").replace("_", " ")
            for label in dict.fromkeys((element.label, element.name, element.adjacent, key)):
                if label:
                    entered = bool(value) and self.visible.has_entered(element, value)
                    yield Fact(label, value or NOTHING, element.row, element.id, entered)

    def _group_facts(self) -> Iterator[Fact]:
        """Yield the name of each group of radio buttons with the one that is chosen."""
        for element in self.elements:
            if element.role != "radio" or not element.checked:
                continue
            holders = (h for h in self.layout.above(element) if h.role in ("radiogroup", "group"))
            group = next((h.name for h in holders if h.name), "")
            if group and element.name:
                yield Fact(group, element.name, "", element.id)

    def _held(self, element: Element) -> str | None:
        if element.options:
            return ", ".join(o.label for o in element.options if o.selected)
        if is_a_box(element) or element.input_type in ("submit", "button", "password", "hidden"):
            return None
        if takes_text(element) or element.role in ("combobox", "slider", "spinbutton"):
            return element.value or (element.text if element.role == "combobox" else "")
        return None

    def _term_facts(self) -> Iterator[Fact]:
        terms = [e for e in self.elements if e.role in ("term", "definition")]
        for term, definition in pairwise(terms):
            if term.role == "term" and definition.role == "definition":
                yield Fact(term.text, definition.text, term.row, definition.id)

    def _text_facts(self) -> Iterator[Fact]:
        """Yield "Total: 12.00" in one text, and "Total:" with the next text."""
        texts = [e for e in self.elements if e.role == "text"]
        for element, following in zip_longest(texts, texts[1:]):
            for line in _LINES.split(element.text):
                if match := _LABEL.match(line):
                    yield Fact(match[1], match[2], element.row, element.id)
            head = element.text.strip()
            # the labels of two fields follow each other, too, and say nothing of each other
            is_value = following is not None and not following.text.strip().endswith(":")
            if following is not None and is_value and head.endswith(":") and len(head) < 40:
                yield Fact(head, following.text, element.row, following.id)

    def _pair_facts(self) -> Iterator[Fact]:
        """Yield what stands beside its label: "Members", "4"; also as a row of two texts."""
        pairs = (pair_texts, pair_tiles, pair_stacked)
        for label, value in (pair for find in pairs for pair in find(self.elements)):
            yield Fact(label.text.strip(" :"), value.text, "", value.id)
        rows: dict[str, list[Element]] = {}
        for element in self.elements:
            if element.role == "text" and element.row:
                rows.setdefault(element.row, []).append(element)
        for texts in rows.values():
            in_table = any(h.role in _IN_TABLES for h in self.layout.above(texts[0]))
            head = texts[0].text.strip()
            is_short = len(head.split()) <= _MOST_LABEL_WORDS
            is_label = is_short and not head.endswith((".", "!", "?"))
            if len(texts) == 2 and not in_table and is_label:
                yield Fact(texts[0].text.strip(" :"), texts[1].text, "", texts[1].id)

    # Messages and headings

    @cached_property
    def messages(self) -> tuple[str, ...]:
        """Messages: live regions, what is drawn as one, and toasts since the last act."""
        texts = [e.text for e in self.elements if e.text and self._is_message(e)]
        texts += [line for line in self.text_lines if _MESSAGE_LEAD.match(line)]
        kinds = (PageEventKind.MESSAGE, PageEventKind.DIALOG)
        texts += [event.text for event in self.view.events if event.kind in kinds]
        return tuple(dict.fromkeys(text for text in texts if text.strip()))

    def _is_message(self, element: Element) -> bool:
        if element.role in _LIVE or element.attributes.get("aria-live") in ("polite", "assertive"):
            return True
        for holder in (element, *self.layout.above(element)):
            classes = holder.attributes.get("class", "").lower().split()
            if any(name in FREE.message_classes for name in classes) and len(holder.text) < 600:
                return True
            # "input-errors", "error-block": beside a field, with a class of the page's own
            if any(_ERROR_CLASS.search(name) for name in classes) and len(holder.text) < 200:
                return True
        return False

    @cached_property
    def headings(self) -> tuple[str, ...]:
        """The texts of headings, the page's title last."""
        texts = [e.name or e.text for e in self.elements if e.role in ("heading", "caption")]
        return (*texts, self.view.snapshot.title)

    @cached_property
    def offered(self) -> frozenset[str]:
        """The labels of boxes: "Quiet hours apply" is offered there, and not said."""
        boxes = (e for e in self.elements if is_a_box(e))
        return frozenset(plain(text) for e in boxes for text in (e.label, e.name) if text)

    @cached_property
    def dialogs(self) -> tuple[Element, ...]:
        """Dialogs and menus that are open."""
        return tuple(
            e for e in self.elements
            if e.role in ("dialog", "alertdialog", "menu", "listbox") or "dropdown-menu" in
            e.attributes.get("class", "")
        )  # fmt: skip

    @cached_property
    def text_lines(self) -> tuple[str, ...]:
        """The lines that can be read, with what fields hold."""
        held = tuple(text for _, text in self.visible.held)
        named = tuple(text for _, text in self.visible.named)
        return (*self.visible.blocks, *held, *named)

    @cached_property
    def text(self) -> str:
        """All that can be read in one line, for comparison; what fields hold is not read."""
        named = tuple(text for _, text in self.visible.named)
        return plain(" ".join((*self.visible.blocks, *named, *self.messages)))
