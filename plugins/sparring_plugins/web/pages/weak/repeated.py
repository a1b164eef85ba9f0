"""Things that a page repeats without saying that they are a list: siblings that look alike."""

from collections.abc import Iterator, Sequence

from sparring.model.page import Element
from sparring_plugins.web.pages.layout import Layout

_HOLDERS = frozenset({"generic", "group", "region", "link", "button", "section", "figure"})
_ALREADY = frozenset({"row", "listitem", "article", "treeitem", "option", "tab", "menuitem"})
_EDGES = frozenset({"navigation", "menu", "menubar", "contentinfo", "banner", "tablist", "toolbar"})
_FEWEST_LINES = 2
_MOST_WORDS = 60


def find_repeated(elements: Sequence[Element], layout: Layout) -> Iterator[list[Element]]:
    """Yield groups of at least two parts of one kind and class, each with several lines of text.

    Menus and what stands in rows, lists and the edges of the page are left out: their parts are
    known already.
    """
    groups: dict[tuple[str | None, str, str], list[Element]] = {}
    for element in elements:
        if element.role not in _HOLDERS or element.row:
            continue
        lines = [line for line in element.text.split("\n") if line.strip()]
        if len(lines) < _FEWEST_LINES or any(
            holder.role in _ALREADY | _EDGES for holder in layout.above(element)
        ):
            continue
        key = (element.parent, element.role, _kind_of(element))
        groups.setdefault(key, []).append(element)
    for group in groups.values():
        # what is longer is a part of the page, with lists of its own
        if len(group) > 1 and all(len(e.text.split()) <= _MOST_WORDS for e in group):
            yield group


def _kind_of(element: Element) -> str:
    """Return the class that alike parts share; states such as "active" come and go."""
    return (element.attributes.get("class", "").split() or [""])[0]
