"""What has opened under a heading, what the open tab lists, what a page says there is none of."""

import pytest
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.pages.weak.checks.judging import judge_freely
from sparring_plugins.web.runner.misreadings import lost_entry


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that a card headed 'Grey heron' has opened", True),
        ("Check that a card headed Grey heron opens", True),
        ("Check that a card titled 'Stork' has opened", False),
        # a part of a heading, and a text that is none
        ("Check that a card headed 'Grey' has opened", None),
        ("Check that a card headed 'Reed' has opened", None),
    ],
)
def test_what_is_headed_so_has_just_that_heading(sentence: str, truth: bool | None) -> None:
    view = page(element("heading", "Grey heron"), text("Reed"))
    assert judge_freely(sentence, view).truth is truth


def tabs(*links: str) -> PageView:
    """The tabs 'Waders' and 'Ducks', and a panel with links."""
    listed = [element("link", name, parent="panel") for name in links]
    return page(
        element("tablist", id="tabs"),
        element("tab", "Waders", id="waders", parent="tabs"),
        element("tab", "Ducks", id="ducks", parent="tabs"),
        element("tabpanel", id="panel", parent="tabs", text="\n".join(links)),
        *listed,
        element("link", "Stork"),
    )


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Check that 'Curlew' is among the waders", True),
        ("Check that Curlew is a wader as well", True),
        # it is a link elsewhere on the page
        ("Check that 'Stork' is among the waders", False),
        ("Check that 'Stork' is not among the waders", True),
        ("Check that 'Avocet' is among the waders", None),
    ],
)
def test_what_is_among_a_kind_is_listed_below_its_tab(sentence: str, truth: bool | None) -> None:
    acts = (GuiAction(action="click", target="waders", described="tab 'Waders'"),)
    assert judge_freely(sentence, tabs("Curlew", "Pied Avocet"), (), acts).truth is truth


def test_another_tab_says_nothing_of_a_kind() -> None:
    acts = (GuiAction(action="click", target="ducks", described="tab 'Ducks'"),)
    judged = judge_freely("Check that 'Stork' is among the waders", tabs("Eider"), (), acts)
    assert judged.truth is not False


@pytest.mark.parametrize(
    ("shown", "truth"),
    [(["0 herons"], False), (["3 herons"], None), (["0 herons", "2 herons"], None), ([], None)],
)
def test_a_page_that_counts_none_has_not_one(shown: list[str], truth: bool | None) -> None:
    step = read_step("Check that at least one heron is found", number=1)
    condition = step.readings[0].condition
    assert condition is not None
    assert holds(condition, page(text("Birds"), *map(text, shown))).truth is truth


@pytest.mark.parametrize(("value", "lost"), [("Short pier", True), ("Long pier", False)])
def test_what_was_entered_into_a_field_is_meant_to_the_letter(value: str, lost: bool) -> None:
    step = read_step("Check that the berth field still holds Long pier", number=1)
    condition = step.readings[0].condition
    assert condition is not None
    judged = holds(condition, page(element("textbox", "Berth", value=value)))
    entered = GuiAction(action="fill", target="b", value="Long pier", described="textbox 'Berth'")
    assert lost_entry(step, judged, (entered,)) is lost
    assert not lost_entry(step, judged, ())
