"""What opens the menu or the folded part in which a hidden control lies."""

from collections.abc import Sequence

from sparring.model.page import Element
from sparring_plugins.web.pages.controls import takes_clicks, takes_text
from sparring_plugins.web.pages.layout import Layout

#: A menu lies close to what opens it: further up, a container holds half of the page.
_MOST_HOLDERS = 5
_MOST_BETWEEN = 3
_POPS = ("toggle", "dropdown", "trigger", "opener", "collapsed", "hamburger")


def find_opener(hidden: Element, clickable: Sequence[Element], layout: Layout) -> Element | None:
    """Return the visible control that unfolds the part with `hidden`; None if it is not clear.

    Either it names that part (`aria-controls`), or it says that it unfolds something and stands
    beside it: the name of a user, with "Sign out" in the menu below it.
    """
    holders = list(layout.above(hidden))
    ids = {h.attributes["id"] for h in holders if h.attributes.get("id")}
    naming = [e for e in clickable if ids & set(e.attributes.get("aria-controls", "").split())]
    if len(naming) == 1:
        return naming[0]
    for holder in holders[:_MOST_HOLDERS]:
        beside = [e for e in clickable if _stands_in(e, holder, layout) and _unfolds(e)]
        if beside:
            return beside[0] if len(beside) == 1 else None
    beside_list = _find_neighbour(holders, clickable) or _find_toggle(holders, clickable, layout)
    beside_list = beside_list or _find_right_before(holders, clickable, layout)
    return beside_list or _find_heading(hidden, clickable, layout)


def _find_heading(hidden: Element, clickable: Sequence[Element], layout: Layout) -> Element | None:
    """Return the only link or button in the nearest heading above a folded part."""
    heading = hidden.region[-1].strip() if hidden.region else ""
    inside = [
        e for e in clickable
        if heading and (e.name or e.text).strip() == heading
        and any(h.role == "heading" for h in layout.above(e))
    ]  # fmt: skip
    return inside[0] if len(inside) == 1 else None


def _find_neighbour(holders: Sequence[Element], clickable: Sequence[Element]) -> Element | None:
    """Return the only control that stands in view right beside the hidden list.

    In many a bar an item holds a link without a name, and the list that it unfolds.
    """
    lists = [h for h in holders if not h.visible and h.role in ("list", "menu") and h.parent]
    for folded in lists[-1:]:  # the outermost: lists within it are reached after it
        beside = [e for e in clickable if e.parent == folded.parent]
        return beside[0] if len(beside) == 1 else None
    return None


def _find_toggle(
    holders: Sequence[Element], clickable: Sequence[Element], layout: Layout
) -> Element | None:
    """Return the control that unfolds something and stands right before the hidden list.

    The box around a button with a drop-down and its list is no element of a snapshot.
    """
    lists = [h for h in holders if not h.visible and h.role in ("list", "menu")]
    for folded in lists[-1:]:
        place = layout.order[folded.id]
        before = [e for e in clickable if layout.order[e.id] < place and e.parent == folded.parent]
        last = max(before, key=lambda e: layout.order[e.id], default=None)
        if last is None or not _unfolds(last):
            return None
        between = layout.snapshot.elements[layout.order[last.id] + 1 : place]
        return last if all(layout.holds(last, e) for e in between) else None
    return None


def _find_right_before(
    holders: Sequence[Element], clickable: Sequence[Element], layout: Layout
) -> Element | None:
    """Return the control that unfolds something, with nothing between it and the hidden part.

    A button "Filter" unfolds a form behind it: the box that it names has no role, and is no
    element of a snapshot.
    """
    hidden = [h for h in holders if not h.visible]
    place = layout.order[hidden[-1].id] if hidden else 0
    before = [e for e in clickable if layout.order[e.id] < place]
    last = max(before, key=lambda e: layout.order[e.id], default=None)
    if last is None or not _unfolds(last):
        return None
    between = layout.snapshot.elements[layout.order[last.id] + 1 : place]
    return last if all(layout.holds(last, e) for e in between) else None


def _stands_in(element: Element, holder: Element, layout: Layout) -> bool:
    near = list(layout.above(element))[:_MOST_BETWEEN]
    return any(above.id == holder.id for above in near)


def _unfolds(element: Element) -> bool:
    if element.expanded is True:
        return False
    pops = element.attributes.get("aria-haspopup", "false") != "false"
    classes = element.attributes.get("class", "").lower()
    return pops or element.expanded is False or any(word in classes for word in _POPS)


def hidden_controls(layout: Layout) -> list[Element]:
    """Return the controls that are hidden for now, each with the name that its text gives it.

    What is hidden has no name for assistive technology; the text in it says what it will be.
    """
    inner: dict[str, str] = {}
    for text in layout.snapshot.elements:
        if text.role == "text" and not text.visible and text.parent:
            inner[text.parent] = f"{inner.get(text.parent, '')} {text.text}".strip()
    return [
        e if e.name or e.text or e.title else e.model_copy(update={"name": inner.get(e.id, "")})
        for e in layout.snapshot.elements
        if takes_clicks(e) and not e.visible and not e.disabled and not takes_text(e)
    ]
