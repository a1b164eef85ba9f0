"""Things that a page repeats without saying that they are a list: siblings that look alike."""

from collections.abc import Iterator, Sequence

from sparring.model.page import Element
from sparring_plugins.web.pages.layout import Layout

_HOLDERS = frozenset({"generic", "group", "region", "link", "button", "section", "figure"})
_ALREADY = frozenset({"row", "listitem", "article", "treeitem", "option", "tab", "menuitem"})
_EDGES = frozenset({"navigation", "menu", "menubar", "contentinfo", "banner", "tablist", "toolbar"})
_FEWEST_LINES = 2
_MOST_WORDS = 60
_FEWEST_IN_ROW = 3


def find_repeated(elements: Sequence[Element], layout: Layout) -> Iterator[list[Element]]:
    """Yield groups of at least two parts of one kind and class, each with several lines of text.

    Menus and what stands in rows, lists and the edges of the page are left out: their parts are
    known already. Parts below different headings are no group: "Discover" and "All books".
    """
    groups: dict[tuple[str | None, str, str, tuple[str, ...]], list[Element]] = {}
    for element in elements:
        if element.role not in _HOLDERS:
            continue
        lines = [line for line in element.text.split("\n") if line.strip()]
        if len(lines) < _FEWEST_LINES or any(
            holder.role in _ALREADY | _EDGES for holder in layout.above(element)
        ):
            continue
        key = (element.parent, element.role, _kind_of(element), element.region)
        groups.setdefault(key, []).append(element)
    for group in groups.values():
        # what is longer is a part of the page, with lists of its own
        are_small = all(len(e.text.split()) <= _MOST_WORDS for e in group)
        if len(group) > 1 and are_small and not _have_rows(group):
            yield group


def _have_rows(group: Sequence[Element]) -> bool:
    """Return whether the parts stand in rows of their own, which are known already.

    A row that all of them share is the section around them: eight books and the buttons to sort.
    """
    rows = {element.row for element in group}
    return rows != {""} and (len(rows) > 1 or len(group) < _FEWEST_IN_ROW)


def _kind_of(element: Element) -> str:
    """Return the class that alike parts share; states such as "active" come and go."""
    return (element.attributes.get("class", "").split() or [""])[0]
