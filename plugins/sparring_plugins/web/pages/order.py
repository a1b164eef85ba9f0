"""Whether something stands before something else on a page, in reading order."""

from sparring.model.page import Element
from sparring_plugins.web.pages.displayed import MeantElements, displayed
from sparring_plugins.web.pages.visible_content import VisibleContent
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.step import Ordered, Target


def ordered(condition: Ordered, content: VisibleContent) -> Judged:
    """Judge whether the first target stands before the other one.

    False if it stands behind or either is not there; don't know if they take turns.
    """
    for target in (condition.target, condition.other):
        shown = displayed(target, content, positive=False)
        if shown.truth is not True:
            return shown
    firsts = _places(condition.target, content)
    others = _places(condition.other, content)
    names = f"'{condition.target.text}'", f"'{condition.other.text}'"
    ids = tuple(e.id for e in (*firsts[:3], *others[:3]))
    order = content.layout.order
    first, other = [order[e.id] for e in firsts], [order[e.id] for e in others]
    if not first or not other or set(first) & set(other):
        return Judged(reason=f"{names[0]} and {names[1]} stand in one text", elements=ids)
    if max(first) < min(other):
        return Judged(truth=True, reason=f"{names[0]} stands before {names[1]}", elements=ids)
    if max(other) < min(first):
        return Judged(truth=False, reason=f"{names[0]} stands behind {names[1]}", elements=ids)
    return Judged(reason=f"{names[0]} stands before and behind {names[1]}", elements=ids)


def _places(target: Target, content: VisibleContent) -> list[Element]:
    """Return the smallest elements that have the target's words."""
    sure = MeantElements.of(target, content).sure
    texts = [element for element in sure if element.role == "text"]
    return texts or [
        element
        for element in sure
        if not any(content.layout.holds(element, other) for other in sure)
    ]
