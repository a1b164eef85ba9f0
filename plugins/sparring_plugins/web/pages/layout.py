"""The layout of a page: which elements lie in a row, region or dialog.

`Layout` is the tree of a snapshot's elements, `placed` filters elements by the place that a step
names.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sparring.model.page import Element, PageSnapshot
from sparring_plugins.web.pages.controls import VOCABULARY
from sparring_plugins.web.pages.text_fit import (
    FOLDED,
    MISSPELT,
    contains,
    fit,
    plain,
)
from sparring_plugins.web.step import Target

_TABLES = frozenset({"table", "grid", "treegrid"})
DIALOGS = frozenset({"dialog", "alertdialog"})


@dataclass(frozen=True)
class Layout:
    """The tree of a snapshot's elements."""

    snapshot: PageSnapshot
    by_id: Mapping[str, Element] = field(init=False)
    order: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        elements = self.snapshot.elements
        object.__setattr__(self, "by_id", {element.id: element for element in elements})
        object.__setattr__(self, "order", {e.id: index for index, e in enumerate(elements)})

    def above(self, element: Element) -> Iterator[Element]:
        """Yield the ancestors of `element`, innermost first."""
        seen = {element.id}
        parent = element.parent
        while parent is not None and parent not in seen and parent in self.by_id:
            seen.add(parent)
            holder = self.by_id[parent]
            yield holder
            parent = holder.parent

    def holds(self, holder: Element, element: Element) -> bool:
        """Return whether `element` lies within `holder`."""
        return any(ancestor.id == holder.id for ancestor in self.above(element))

    def form_of(self, element: Element) -> str | None:
        """Return the id of the form or dialog around `element`, or None."""
        for holder in self.above(element):
            if holder.role in DIALOGS or holder.role == "form" or holder.tag == "form":
                return holder.id
        return None


def placed(
    candidates: Sequence[Element], target: Target, layout: Layout
) -> tuple[Sequence[Element], str]:
    """Return the candidates at the place that `target` names, or the reason why none is there.

    A row is the nearest table row, list item or card that has the row's text; if there is no such
    element on the page, the smallest element that has both.
    """
    in_place: Sequence[Element] = candidates
    if target.region:
        in_place = _in_region(in_place, target.region, layout)
        if not in_place:
            return (), f"nothing that fits lies in '{target.region}'"
    if target.row_number:
        row = _data_row(target.row_number, layout)
        in_place = [e for e in in_place if row and (e is row or layout.holds(row, e))]
        if not in_place:
            return (), f"nothing that fits lies in row number {target.row_number} of the table"
    if target.row:
        in_place = _in_row(in_place, target.row, target.row_kind, layout)
        if not in_place:
            return (), f"nothing that fits lies in the row of '{target.row}'"
    return in_place, ""


def _data_row(number: int, layout: Layout) -> Element | None:
    """Return the n-th row of data of the page's table, from the end if negative.

    Of several tables the one with the most rows is meant, if one has more than the others.
    """
    tables: dict[str, list[Element]] = {}
    heads = head_rows(layout)
    for row in layout.snapshot.elements:
        if row.visible and row.role == "row" and row.id not in heads:
            table = next((e.id for e in layout.above(row) if e.role in _TABLES), "")
            tables.setdefault(table, []).append(row)
    largest = sorted(tables.values(), key=len, reverse=True)[:2]
    if not largest or (len(largest) == 2 and len(largest[0]) == len(largest[1])):
        return None
    index = number - 1 if number > 0 else len(largest[0]) + number
    return largest[0][index] if 0 <= index < len(largest[0]) else None


def head_rows(layout: Layout) -> set[str]:
    """Return the ids of the rows that hold the headings of columns."""
    return {
        holder.id
        for cell in layout.snapshot.elements
        if cell.role == "columnheader"
        for holder in layout.above(cell)
        if holder.role == "row"
    }


def _in_region(elements: Sequence[Element], region: str, layout: Layout) -> Sequence[Element]:
    fits = {e.id: _best_fit(region, (*e.region, *_region_names(e, layout))) for e in elements}
    return (
        [e for e in elements if fits[e.id] >= FOLDED]
        or [e for e in elements if fits[e.id] > MISSPELT]
        or [e for e in elements if _is_under(e, region, layout)]
        or _find_titled_part(elements, region, layout)
        or _on_side(elements, region, layout)
    )


def _on_side(elements: Sequence[Element], side: str, layout: Layout) -> Sequence[Element]:
    """Return the elements on a side of the page: in what is called so, else in that half.

    "readme.txt in the left panel" lies in a part with the class 'panel-left', or in the left half.
    """
    if side.lower() not in _SIDES:
        return ()
    called = [e for e in elements if any(side.lower() in _marks(h) for h in layout.above(e))]
    if called:
        return called
    width = max((e.box.x + e.box.width for e in layout.snapshot.elements if e.box), default=0.0)
    is_left = side.lower() == "left"
    boxes = {e.id: e.box for e in elements if e.box is not None and e.visible}
    halves = {key: box.x + box.width / 2 < width / 2 for key, box in boxes.items()}
    # what is in one half only was not told apart by its side
    if len(set(halves.values())) < 2:
        return ()
    return [e for e in elements if halves.get(e.id) is is_left]


_SIDES = frozenset({"left", "right"})


def _marks(element: Element) -> list[str]:
    marks = (element.attributes.get(key, "") for key in ("class", "id", "data-testid"))
    return " ".join(marks).lower().replace("-", " ").replace("_", " ").split()


def _find_titled_part(elements: Sequence[Element], title: str, layout: Layout) -> Sequence[Element]:
    """Return the elements in the smallest part of the page that begins with the text `title`.

    "'Yes' under 'By rank'": filters are groups whose first text says what they are.
    """
    parts = {
        part.id: depth
        for heading in layout.snapshot.elements
        if heading.visible
        and not heading.editable
        and fit(title, heading.name or heading.text) >= FOLDED
        for part, depth in _parts_begun_by(heading, layout)
    }
    depths = {e.id: max((parts.get(h.id, 0) for h in layout.above(e)), default=0) for e in elements}
    deepest = max(depths.values(), default=0)
    return [e for e in elements if deepest and depths[e.id] == deepest]


def _parts_begun_by(title: Element, layout: Layout) -> Iterator[tuple[Element, int]]:
    """Yield the elements around `title` whose text begins with it, with their depths."""
    start, above = plain(title.text or title.name), list(layout.above(title))
    for height, holder in enumerate(above):
        text = plain(holder.text)
        if text != start and text.startswith(start):
            yield holder, len(above) - height


def _region_names(element: Element, layout: Layout) -> tuple[str, ...]:
    return tuple(
        name
        for holder in layout.above(element)
        if holder.role in VOCABULARY.regions
        for name in (holder.name, holder.title, holder.role, holder.attributes.get("id", ""))
        if name
    )


def _best_fit(words: str, texts: Sequence[str]) -> float:
    return max((fit(words, text) for text in texts), default=0.0)


def _is_under(element: Element, heading: str, layout: Layout) -> bool:
    """Return whether the last heading before `element` is the one."""
    for other in reversed(layout.snapshot.elements[: layout.order[element.id]]):
        if other.role == "heading" and other.frame == element.frame and other.visible:
            return fit(heading, other.name or other.text) >= MISSPELT
    return False


def _in_row(
    elements: Sequence[Element], row: str, kind: str | None, layout: Layout
) -> Sequence[Element]:
    in_rows = [e for e in elements if e.row]
    return (
        [e for e in in_rows if _row_fits(row, kind, e, layout)]
        # A row of fields: "the field in the row of 'Buy milk'" is the one that holds it.
        or [e for e in in_rows if e.editable and contains(row, e.value or "")]
        or _in_smallest_group(elements, row, layout)
        or [e for e in elements if e.adjacent and contains(row, e.adjacent)]
    )


def _in_smallest_group(elements: Sequence[Element], row: str, layout: Layout) -> Sequence[Element]:
    """Return the elements whose list item or card with the text is the smallest."""
    sizes = {e.id: size for e in elements if (size := _smallest_group(e, row, layout)) is not None}
    least = min(sizes.values(), default=0)
    return [e for e in elements if sizes.get(e.id) == least]


def _row_fits(row: str, kind: str | None, element: Element, layout: Layout) -> bool:
    """Return whether the row of `element` has the text, in the column `kind` if it has one."""
    if not contains(row, element.row):
        return False
    cells = _cells(element, kind, layout) if kind else []
    return not cells or any(contains(row, cell.text or cell.name) for cell in cells)


def _cells(element: Element, column: str, layout: Layout) -> list[Element]:
    table_row = next((e for e in layout.above(element) if e.role == "row"), None)
    if table_row is None:
        return []
    return [
        cell
        for cell in layout.snapshot.elements
        if cell.column and fit(column, cell.column) > MISSPELT and layout.holds(table_row, cell)
    ]


def _smallest_group(element: Element, row: str, layout: Layout) -> int | None:
    """Return the length of the shortest group around `element` that has the text, if any."""
    return min(
        (
            len(group.text)
            for group in layout.above(element)
            if group.role in VOCABULARY.groups and contains(row, group.text)
        ),
        default=None,
    )
