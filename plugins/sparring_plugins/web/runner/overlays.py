"""What lies on a step's target for a while: a message is waited out, or else closed."""

from sparring.model.page import Box, Element, PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.controls import VOCABULARY, in_words
from sparring_plugins.web.pages.layout import DIALOGS, Layout
from sparring_plugins.web.pages.text_fit import plain
from sparring_plugins.web.roles import Judged

#: How long a message may stay beyond the page's patience: most go after three to six seconds.
WAIT_S = 5.0
#: How long what was closed may take to go.
CLOSING_S = 2.0
#: Signs for closing.
_CROSSES = frozenset({"x", "\u00d7", "\u2715", "\u2716"})


class Overlay:
    """What is done about a covered target: wait once more, then close what lies on it.

    A target behind an open dialog is not ready: the dialog wants an answer first.
    """

    def __init__(self) -> None:
        self._has_waited = self._has_closed = False
        self.wait_s = WAIT_S

    def relieve(self, view: PageView, readiness: Judged) -> tuple[bool, GuiAction | None]:
        """Return whether to go on waiting for the target, and an act to do before, if any."""
        target = _find_cover(view, readiness)
        if target is None or self._has_closed or has_dialog(view):
            return False, None
        if not self._has_waited:
            self._has_waited = True
            return True, None
        button = _closing_button(view, target)
        self._has_closed, self.wait_s = True, CLOSING_S
        if button is None:
            return False, None
        return True, GuiAction(action="click", target=button.id, described=in_words(button))


def _find_cover(view: PageView, readiness: Judged) -> Element | None:
    if readiness.truth is not False:
        return None
    elements = (view.snapshot.element(id_) for id_ in readiness.elements)
    return next((e for e in elements if e and e.visible and e.covered and not e.disabled), None)


def has_dialog(view: PageView) -> bool:
    """Return whether a dialog that the page draws is open."""
    return any(e.role in DIALOGS and e.visible for e in view.snapshot.elements)


def _closing_button(view: PageView, target: Element) -> Element | None:
    """Return the button that closes what lies on the target, if only one can be that."""
    layout = Layout(view.snapshot)
    buttons = [e for e in view.snapshot.elements if _closes(e) and _lies_on(e, target, layout)]
    return buttons[0] if len(buttons) == 1 else None


def _closes(element: Element) -> bool:
    if element.role != "button" or not element.visible or element.covered or element.disabled:
        return False
    names = {plain(text) for text in (element.name, element.text, element.title) if text}
    return bool(names & (VOCABULARY.close_names | _CROSSES))


def _lies_on(element: Element, target: Element, layout: Layout) -> bool:
    """Return whether an element, or a part of the page that holds only it, lies on the target."""
    holders = (element, *layout.above(element))
    return any(_overlap(h.box, target.box) for h in holders if not layout.holds(target, h))


def _overlap(one: Box | None, other: Box | None) -> bool:
    if one is None or other is None:
        return False
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )
