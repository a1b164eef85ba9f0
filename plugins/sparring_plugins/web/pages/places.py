"""Where on a page something lies: in a row, under a heading, in a dialog, beside something."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sparring.model.page import Element, PageSnapshot
from sparring_plugins.web.pages.text_fit import FOLDED, MISSPELT, contains, fit, plain
from sparring_plugins.web.roles.step import Target

_GROUPS = frozenset({"row", "listitem", "article", "group", "region", "treeitem", "option", "form"})
_DIALOGS = frozenset({"dialog", "alertdialog"})


@dataclass(frozen=True)
class Layout:
    """The tree of a snapshot's elements."""

    snapshot: PageSnapshot
    by_id: Mapping[str, Element] = field(init=False)
    order: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        elements = self.snapshot.elements
        object.__setattr__(self, "by_id", {one.id: one for one in elements})
        object.__setattr__(self, "order", {one.id: n for n, one in enumerate(elements)})

    def above(self, element: Element) -> Iterator[Element]:
        """The elements that hold `element`, innermost first."""
        seen = {element.id}
        parent = element.parent
        while parent is not None and parent not in seen and parent in self.by_id:
            seen.add(parent)
            holder = self.by_id[parent]
            yield holder
            parent = holder.parent

    def holds(self, holder: Element, element: Element) -> bool:
        """Whether `element` lies within `holder`."""
        return any(one.id == holder.id for one in self.above(element))

    def form_of(self, element: Element) -> str | None:
        """The id of the form or dialog around `element`, where there is one."""
        for holder in self.above(element):
            if holder.role in _DIALOGS or holder.role == "form" or holder.tag == "form":
                return holder.id
        return None


def placed(
    candidates: Sequence[Element], target: Target, layout: Layout
) -> tuple[Sequence[Element], str]:
    """Those of `candidates` that lie where `target` says, and why none does.

    A row is the nearest table row, list item or card that has the row's text; where no such
    element is on the page, the smallest element that has both.
    """
    found: Sequence[Element] = candidates
    if target.region:
        found = _in_region(found, target.region, layout)
        if not found:
            return (), f"nothing that fits lies in '{target.region}'"
    if target.row:
        found = _in_row(found, target.row, target.row_kind, layout)
        if not found:
            return (), f"nothing that fits lies in the row of '{target.row}'"
    return found, ""


def _in_region(elements: Sequence[Element], region: str, layout: Layout) -> Sequence[Element]:
    named = [e for e in elements if _best(region, (*e.region, *_names(e, layout))) >= FOLDED]
    if named:
        return named
    named = [e for e in elements if _best(region, (*e.region, *_names(e, layout))) > MISSPELT]
    named = named or [e for e in elements if _under(e, region, layout)]
    return named or _titled(elements, region, layout)


def _titled(elements: Sequence[Element], title: str, layout: Layout) -> Sequence[Element]:
    """Those that lie in the smallest part of the page that begins with a text so called."""
    parts = {
        part.id: depth
        for one in layout.snapshot.elements
        if one.visible and not one.editable and fit(title, one.name or one.text) >= FOLDED
        for part, depth in _begun_by(one, layout)
    }
    depths = {e.id: max((parts.get(h.id, 0) for h in layout.above(e)), default=0) for e in elements}
    deepest = max(depths.values(), default=0)
    return [e for e in elements if deepest and depths[e.id] == deepest]


def _begun_by(title: Element, layout: Layout) -> Iterator[tuple[Element, int]]:
    """The elements around `title` whose text begins with it, with their depths."""
    said, above = plain(title.text or title.name), list(layout.above(title))
    for height, holder in enumerate(above):
        text = plain(holder.text)
        if text != said and text.startswith(said):
            yield holder, len(above) - height


def _names(element: Element, layout: Layout) -> tuple[str, ...]:
    kinds = ("dialog", "alertdialog", "form", "group", "region", "navigation", "main", "banner",
             "contentinfo", "complementary", "search", "table", "grid", "list", "listbox",
             "tabpanel", "article", "toolbar", "menu", "menubar", "tablist")  # fmt: skip
    return tuple(
        name
        for one in layout.above(element)
        if one.role in kinds
        for name in (one.name, one.title, one.role, one.attributes.get("id", ""))
        if name
    )


def _best(words: str, texts: Sequence[str]) -> float:
    return max((fit(words, text) for text in texts), default=0.0)


def _under(element: Element, heading: str, layout: Layout) -> bool:
    """Whether the last heading or bold text before `element` is the one."""
    elements = layout.snapshot.elements
    for index in range(layout.order[element.id] - 1, -1, -1):
        one = elements[index]
        if one.role == "heading" and one.frame == element.frame and one.visible:
            return fit(heading, one.name or one.text) >= MISSPELT
    return False


def _in_row(
    elements: Sequence[Element], row: str, kind: str | None, layout: Layout
) -> Sequence[Element]:
    found = [e for e in elements if e.row and _row_fits(row, kind, e, layout)]
    if not found:
        found = [e for e in elements if e.row and e.editable and contains(row, e.value or "")]
    if found:
        return found
    found = [e for e in elements if any(_group_has(g, e, row) for g in layout.above(e))]
    if found:
        return _closest(found, row, layout)
    return [e for e in elements if e.adjacent and contains(row, e.adjacent)]


def _row_fits(row: str, kind: str | None, element: Element, layout: Layout) -> bool:
    if not contains(row, element.row):
        return False
    return not kind or not _cells(element, kind, layout) or _cell_has(element, kind, row, layout)


def _cells(element: Element, kind: str, layout: Layout) -> list[Element]:
    rows = [one for one in layout.above(element) if one.role == "row"]
    if not rows:
        return []
    return [
        one
        for one in layout.snapshot.elements
        if one.column and fit(kind, one.column) > MISSPELT and layout.holds(rows[0], one)
    ]


def _cell_has(element: Element, kind: str, row: str, layout: Layout) -> bool:
    return any(contains(row, one.text or one.name) for one in _cells(element, kind, layout))


def _group_has(group: Element, element: Element, row: str) -> bool:
    return group.role in _GROUPS and contains(row, group.text) and group.id != element.id


def _closest(elements: Sequence[Element], row: str, layout: Layout) -> Sequence[Element]:
    """Those whose group with the text is the smallest."""

    def size(element: Element) -> int:
        groups = (len(g.text) for g in layout.above(element) if _group_has(g, element, row))
        return min(groups, default=1 << 30)

    least = min(size(e) for e in elements)
    return [e for e in elements if size(e) == least]
