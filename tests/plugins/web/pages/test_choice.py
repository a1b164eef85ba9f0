"""Which of several controls that fit equally well a person means."""

import pytest
from tests.plugins.web.runner.pages import element, page

from sparring.model.page import Element
from sparring.model.talk import GuiAction
from sparring_plugins.web.pages.choice import Choice
from sparring_plugins.web.pages.layout import Layout

MAIN = element("main", id="main")
HEADER = element("banner", id="header")
FOOTER = element("contentinfo", id="footer")


def _pick(elements: list[Element], *acts: GuiAction) -> tuple[str | None, str]:
    candidates = [e for e in elements if e.name == "Apply"]
    pick = Choice(Layout(page(*elements).snapshot), acts).pick(candidates)
    return (pick.element.id if pick.element else None), pick.reason


def _apply(identifier: str, **more: object) -> Element:
    return element("button", "Apply", id=identifier, **more)


@pytest.mark.parametrize(
    ("elements", "chosen", "reason"),
    [
        pytest.param(
            [_apply("a"), element("dialog", id="d"), _apply("b", parent="d")],
            "b", "in the dialog on top", id="the dialog on top"),
        pytest.param(
            [element("dialog", id="d", visible=False), _apply("b", parent="d"), _apply("a")],
            None, "", id="a dialog that is not shown is not on top"),
        pytest.param(
            [HEADER, _apply("a", parent="header"), MAIN, _apply("b", parent="main"),
             FOOTER, _apply("c", parent="footer")],
            "b", "in the main content", id="main content before header and footer"),
        pytest.param([_apply("a", in_viewport=False), _apply("b")], "b", "in view", id="in view"),
        pytest.param(
            [_apply("a", row="Tea 3.00"), _apply("b"), _apply("c", row="Oats 2.00")],
            "b", "outside of all rows", id="the page's own beside those of its cards"),
        pytest.param(
            [_apply("a", row="Tea 3.00"), _apply("b", row="Oats 2.00", in_viewport=False)],
            None, "", id="rows are not chosen by the scroll position"),
        pytest.param([_apply("a"), _apply("b")], None, "", id="nothing separates them"),
    ],
)  # fmt: skip
def test_what_lies_where_decides(elements: list[Element], chosen: str | None, reason: str) -> None:
    picked, why = _pick(elements)
    assert picked == chosen
    assert reason in why


def test_what_is_nearest_to_the_last_act_is_meant() -> None:
    elements = [
        element("row", id="r1", row="Ada"),
        element("checkbox", id="box1", parent="r1"),
        _apply("a", parent="r1", row="Ada"),
        element("row", id="r2", row="Bob"),
        element("checkbox", id="box2", parent="r2"),
        _apply("b", parent="r2", row="Bob"),
    ]
    assert _pick(elements, GuiAction(action="check", target="box2"))[0] == "b"
    assert _pick(elements, GuiAction(action="check", target="gone"))[0] is None


def test_a_part_that_holds_nearly_all_of_the_page_is_not_near() -> None:
    elements = [MAIN, element("checkbox", id="box", parent="main"),
                _apply("a", parent="main"), _apply("b")]  # fmt: skip
    assert _pick(elements, GuiAction(action="check", target="box"))[0] is None


def test_what_is_lost_for_ever_is_not_chosen_by_the_scroll_position() -> None:
    candidates = [
        element("button", "Delete", id="a", in_viewport=False),
        element("button", "Delete", id="b"),
    ]
    assert Choice(Layout(page(*candidates).snapshot)).pick(candidates).element is None
