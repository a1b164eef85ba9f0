"""What lies on a step's target is waited out or closed, unless it is a dialog."""

from sparring.model.page import Box, Element
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.overlays import Overlay

from .pages import element, page

TARGET = element("link", "Basket", id="t", covered=True, box=Box(x=0, y=0, width=90, height=20))
ALERT = element("alert", id="m", box=Box(x=40, y=0, width=200, height=40))
CLOSE = element("button", "Close", id="c", parent="m", box=Box(x=200, y=5, width=20, height=20))
NOT_READY = Judged(truth=False, reason="covered", elements=("t",))


def _reliefs(*elements: Element) -> list[str | None]:
    """Return what is done, one after the other: waiting, or the target that is clicked."""
    overlay, view, steps = Overlay(), page(*elements), list[str | None]()
    while len(steps) < 5:
        goes_on, act = overlay.relieve(view, NOT_READY)
        if not goes_on:
            break
        steps.append(act.target if act else "wait")
    return steps


def test_a_message_is_waited_out_and_then_closed() -> None:
    assert _reliefs(TARGET, ALERT, CLOSE) == ["wait", "c"]


def test_what_has_no_button_to_close_it_is_waited_out_only() -> None:
    assert _reliefs(TARGET, ALERT) == ["wait"]


def test_a_button_elsewhere_does_not_close_what_lies_on_the_target() -> None:
    far = CLOSE.model_copy(update={"parent": None, "box": Box(x=500, y=500, width=20, height=20)})
    assert _reliefs(TARGET, ALERT, far) == ["wait"]


def test_a_dialog_wants_an_answer_first() -> None:
    assert _reliefs(TARGET, element("dialog", id="d"), CLOSE) == []


def test_a_target_that_is_not_covered_is_not_waited_for() -> None:
    disabled = TARGET.model_copy(update={"disabled": True, "covered": False})
    assert _reliefs(disabled, ALERT, CLOSE) == []
