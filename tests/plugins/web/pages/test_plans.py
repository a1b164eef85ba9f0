"""What real pages taught: how a step is carried out where markup and looks differ."""

from typing import Any

import pytest
from tests.plugins.web.pages.test_grounding import click, fill, plan
from tests.plugins.web.runner.pages import element, options, page, text

from sparring.model.page import Element
from sparring_plugins.web.pages.controls import native_value
from sparring_plugins.web.pages.plans import Planner
from sparring_plugins.web.roles import PageTask
from sparring_plugins.web.step import Reading, Step, Target

SELECT = element("combobox", "", id="s", parent="w", options=options("Red", "Blue"), visible=False)
INSTEAD = element("generic", "", id="d", parent="w", interactive=True, text="Red")
OTHER = element("button", "Go", id="go", parent="w")
EXPANDED = Reading(action="click", target=Target(text="Terms", role="section"))
CHOOSE = Reading(action="select", value="Search", target=Target(text="", role=None))
GROUPED = (
    element("group", "", id="g1", text="By staff Yes No"), text("By staff", parent="g1"),
    element("link", "Yes", id="a", parent="g1", url="/?staff=1"),
    element("group", "", id="g2", text="By rank Yes No"), text("By rank", parent="g2"),
    element("link", "Yes", id="b", parent="g2", url="/?rank=1"),
)  # fmt: skip


def pick(value: str) -> Reading:
    return Reading(action="select", value=value, target=Target(text="", role="combobox"))


@pytest.mark.parametrize(
    ("elements", "reading", "chosen"),
    [
        pytest.param([element("generic", "", id="a", text="More", interactive=True)],
                     click("More", role="link"), "a", id="a piece of text that works as a link"),
        pytest.param([element("link", "Buy", id="a"), element("button", "Buy", id="b")],
                     click("Buy", role="button"), "b", id="a button before a link that looks so"),
        pytest.param([element("link", "Groups", id="a", url="/g", row="one"),
                      element("link", "Groups", id="b", url="/g", row="two")],
                     click("Groups"), "a", id="two links to one address"),
        pytest.param([element("textbox", "Search", id="a"), element("button", "Search", id="b")],
                     click("Search"), "b", id="the button beside the field of its name"),
        pytest.param([element("tab", "Terms", id="a", expanded=False)], EXPANDED, "a",
                     id="what expands is a section"),
        pytest.param(GROUPED, click("Yes", region="By rank"), "b", id="by the text a part begins with"),
        pytest.param([element("button", "Close", id="a")], click("x"), "a", id="a cross closes"),
        pytest.param([element("textbox", "", id="a"),
                      element("textbox", "", id="b", input_type="password")],
                     fill("Password"), "b", id="a field by what it takes"),
        pytest.param([element("textbox", "", id="a", row="Buy", value="Buy milk"),
                      element("textbox", "", id="b", row="Buy", value="Read")],
                     fill("", row="Buy milk", role="field"), "a", id="by the value in its row"),
        pytest.param([element("generic", id="w"), SELECT, INSTEAD, OTHER], pick("Blue"), "d",
                     id="what is drawn in the place of a hidden list"),
        pytest.param([element("checkbox", "Milk", id="a", visible=False),
                      element("generic", "", id="b", tag="label", text="Milk")],
                     click("Milk"), "b", id="a text that is seen before a box that is not"),
        pytest.param([element("textbox", "Search", id="a", covered=True),
                      element("link", "Search ctrl-f", id="b", text="Search ctrl-f")],
                     CHOOSE, "b", id="an entry of a menu over the field of its name"),
    ],
)  # fmt: skip
def test_the_control_that_a_person_would_take_is_taken(
    elements: list[Element], reading: Reading, chosen: str
) -> None:
    made = plan(page(*elements), reading)
    assert [act.target for act in made.acts] == [chosen], made.reason


@pytest.mark.parametrize(
    ("elements", "reading"),
    [
        pytest.param([text("Click on the x to close it")], click("x"), id="a word of a paragraph"),
        pytest.param([text("Select 5 as the number")],
                     Reading(action="select", value="5"), id="a value in a paragraph"),
        pytest.param([element("link", "Like", id="a", url="#", row="one"),
                      element("link", "Like", id="b", url="#", row="two")],
                     click("Like"), id="links with a script behind them"),
        pytest.param([element("generic", id="w"), SELECT,
                      element("button", "Go", id="go")], pick("Blue"), id="a button elsewhere"),
    ],
)  # fmt: skip
def test_nothing_is_done_where_a_person_would_wonder(
    elements: list[Element], reading: Reading
) -> None:
    made = plan(page(*elements), reading)
    assert made.acts == ()
    assert made.truth is not True


def _holding_names(role: str) -> list[Element]:
    """Return something that takes all clicks, and three names in it."""
    holder = element(
        role, "Boiler Pump Valve", id="all", interactive=True, text="Boiler Pump Valve"
    )
    names = [text(name, parent="all") for name in ("Boiler", "Pump", "Valve")]
    return [holder, *names]


def test_a_name_on_a_board_that_takes_all_clicks_is_clicked_on_itself() -> None:
    """The middle of a diagram is any other node."""
    planned = plan(page(*_holding_names("generic")), click("Pump"))
    assert [act.target for act in planned.acts] == ["text-Pump"]


def test_an_entry_of_a_tree_is_clicked_on_as_a_whole() -> None:
    """Its line unfolds it, and its name may be a link that leads elsewhere."""
    entry = element("treeitem", "Pump", id="all", interactive=True, text="Pump")
    names = [text(name, parent="all") for name in ("Pump", "1", "2")]
    planned = plan(page(entry, *names), click("Pump"))
    assert [act.target for act in planned.acts] == ["all"]


def test_of_controls_that_look_the_same_the_first_is_taken_only_where_the_suite_says_so() -> None:
    same = page(element("button", "OK", id="a"), element("button", "OK", id="b"))
    other = page(element("button", "OK", id="a", row="one"), element("button", "OK", id="b"))

    def chosen(view: Any, twins: Any) -> list[str | None]:
        step = Step(number=1, text="a step", readings=(click("OK"),))
        made = Planner(PageTask(step=step, reading=click("OK"), view=view), twins).plan()
        return [act.target for act in made.acts]

    assert (chosen(same, "unsure"), chosen(same, "first")) == ([], ["a"])
    assert chosen(other, "first") == []


@pytest.mark.parametrize(
    ("written", "kind", "taken"),
    [
        ("02/25/2016", "date", "2016-02-25"),
        ("25/02/2016", "date", "2016-02-25"),
        ("March 3rd, 2026", "date", "2026-03-03"),
        ("3rd of May 2027", "date", "2027-05-03"),
        ("3rd of May, 2027", "text", "3rd of May, 2027"),
        ("2026-03-01", "date", "2026-03-01"),
        ("3-May-2027", "date", "2027-05-03"),
        ("12:16 AM", "time", "00:16"),
        ("3pm", "time", "15:00"),
        ("14:05", "time", "14:05"),
        ("May 2026", "month", "2026-05"),
        ("tomorrow", "date", "tomorrow"),
        ("02/25/2016", "text", "02/25/2016"),
        ("%date%", "date", "%date%"),
    ],
)
def test_dates_and_times_are_given_as_the_browser_takes_them(
    written: str, kind: str, taken: str
) -> None:
    assert native_value(written, kind) == taken
