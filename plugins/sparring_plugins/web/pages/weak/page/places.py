"""Which of several elements lies nearest to what a sentence names as its place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.model.page import Element
from sparring_plugins.web.grammar.free.places import points_back
from sparring_plugins.web.grammar.free.words import content, word_similarity
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.pages.weak.page.naming import Naming, proper_words

#: A place is called by a short text: a paragraph that has the words is none.
_LONGEST_PLACE = 12
_MOST_ANCHORS = 12


@dataclass(frozen=True)
class Neighbourhood:
    """Finds places on a page, and what is near them. `focus` is what was acted upon last."""

    layout: Layout
    focus: Element | None = None
    focus_name: str = ""

    def anchors(self, place: str) -> list[Element]:
        """Return the elements that a place names; none if its words are kinds alone."""
        named = proper_words(place)
        if not named:
            return self._find_focused() if points_back(place) else []
        fitting: list[tuple[float, int, Element]] = []
        for element in self.layout.snapshot.elements:
            if element.visible and (share := _share_of_name(named, element)):
                fitting.append((share, -len(element.text), element))
        best = max((share for share, _, _ in fitting), default=0.0)
        called = [e for share, _, e in fitting if share >= best - 0.05]
        # "the price column": its heading, not what else is called 'price'
        heads = [e for e in called if e.role == "columnheader" and "column" in place.split()]
        return (heads or called)[:_MOST_ANCHORS]

    def _find_focused(self) -> list[Element]:
        if self.focus is not None:
            return [self.focus]
        return self.anchors(self.focus_name) if self.focus_name else []

    def nearest(self, elements: Sequence[Element], places: Iterable[str]) -> list[Element]:
        """Return the elements nearest to the places; all of them if no place decides."""
        rest: list[Element] = list(elements)
        for place in places:
            if len(rest) < 2:
                break
            anchors = self.anchors(place)
            if not anchors:
                continue
            keys = {e.id: min(self._distance(e, a) for a in anchors) for e in rest}
            least = min(keys.values())
            # where none shares a row, a heading or a part with the place, it says nothing
            groups = {key[:4] for key in keys.values()}
            if len(groups) == 1 and least[:3] == (1, 1, 1) and least[3] == 0:
                continue
            rest = [e for e in rest if keys[e.id] == least]
        return rest

    def is_near(self, element: Element, places: Iterable[str]) -> bool:
        """Return whether an element shares a row, a heading or a small part with a place."""
        for place in places:
            for anchor in self.anchors(place):
                inside, row, region, *_ = self._distance(element, anchor)
                if 0 in (inside, row, region):
                    return True
        return False

    def _distance(self, element: Element, anchor: Element) -> tuple[int, ...]:
        """Return how far an element is from a place: smaller is nearer, first figures first."""
        layout = self.layout
        cells = [h for h in (anchor, *layout.above(anchor)) if h.role in _CELLS][:1]
        inside = (
            element.id == anchor.id
            or layout.holds(anchor, element)
            or any(layout.holds(cell, element) for cell in cells)
        )
        same_row = bool(element.row) and element.row in (anchor.row, anchor.text)
        title = plain(anchor.name or anchor.text)
        under = any(plain(name) == title for name in element.region[-2:])
        order = layout.order[element.id] - layout.order[anchor.id]
        depth = self._common_depth(element, anchor)
        return (not inside, not same_row, not under, -depth, order < 0, abs(order))

    def _common_depth(self, element: Element, anchor: Element) -> int:
        holders = {h.id for h in (element, *self.layout.above(element))}
        above = [anchor, *self.layout.above(anchor)]
        common = next((n for n, holder in enumerate(above) if holder.id in holders), len(above))
        return len(above) - common


_CELLS = frozenset({"cell", "gridcell", "columnheader", "rowheader", "listitem", "treeitem", "tab"})


def _share_of_name(named: Sequence[str], element: Element) -> float:
    """Return which part of a name of the element the words are; 0 if one of them is missing."""
    texts = [element.name, element.title, element.label, element.placeholder]
    if element.role in ("text", "heading", "cell", "columnheader", "rowheader", "link", "button"):
        texts.append(element.text.split("\n", 1)[0])
    if element.editable:
        texts.append(element.value or "")
    best = 0.0
    for text in texts:
        words = content(text) if text and len(text) < 160 else ()
        if not words or len(words) > _LONGEST_PLACE:
            continue
        if all(any(word_similarity(word, other) >= 0.75 for other in words) for word in named):
            said = sum(
                any(word_similarity(word, other) >= 0.75 for word in named) for other in words
            )
            best = max(best, said / len(words))
    return best


def most_specific(namings: Sequence[Naming], said: str) -> list[Naming]:
    """Return those whose whole name is said, the longest first: "Close all tabs" is 'close all'."""
    words = set(plain(said).split())
    whole = {n.element.id: _whole_length(n.element, words) for n in namings}
    longest = max(whole.values(), default=0)
    return [n for n in namings if whole[n.element.id] == longest] if longest > 1 else list(namings)


def _whole_length(element: Element, words: set[str]) -> int:
    name = plain(element.name or element.text or element.value or "").split()
    return len(name) if name and set(name) <= words else 0
