"""Deeds that take several acts: through the menu of a row, its page, the form behind a button."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.plugins.web.runner.pages import element, options, page, text
from tests.plugins.web.runner.test_algorithm import Site, played

from sparring.model.page import Element, PageView
from sparring.model.talk import Act, GuiAction
from sparring_plugins.web.grammar.steps import read_step, read_steps
from sparring_plugins.web.step import Step

pytestmark = pytest.mark.anyio


def one(sentence: str) -> list[Step]:
    return [read_step(sentence, number=1)]


def row(name: str, *more: Element, state: str = "moored") -> list[Element]:
    """A row of a table with the name of a boat, its state, and what else it has."""
    words = f"{name} {state}"
    cells = [
        element("row", words, id=f"row-{name}", text=words, parent="t"),
        element("cell", name, id=f"cell-{name}", parent=f"row-{name}", row=words, column="Boat"),
        element("cell", state, id=f"s-{name}", parent=f"row-{name}", row=words, column="State"),
    ]
    held = [e.model_copy(update={"parent": f"row-{name}", "row": words}) for e in more]
    return [*cells, *held]


def menu(name: str) -> Element:
    return element("button", "Actions", id=f"menu-{name}", expanded=False)


FLEET = page(
    element("table", "", id="t"),
    *row("Heron", menu("Heron")),
    *row("Stork", menu("Stork")),
    element("button", "Towed", id="filter"),
)
OPENED = page(
    element("table", "", id="t"),
    *row("Heron", menu("Heron")),
    *row("Stork", menu("Stork")),
    element("button", "Towed", id="filter"),
    element("button", "Tow", id="tow"),
    element("button", "Scrap", id="scrap"),
)
FORM = page(
    element("dialog", "Tow", id="d"),
    element("combobox", "Harbour", id="harbour", parent="d", options=options("Oban", "Ayr")),
    element("textbox", "Reason", id="reason", parent="d"),
    element("button", "Cancel", id="cancel", parent="d"),
    element("button", "Tow", id="send", parent="d"),
)
DONE = page(text("Towed away"))
TOWING = {"menu-Stork": OPENED, "tow": FORM, "send": DONE}


class Harbour(Site):
    """A site whose fields keep what is entered, and whose buttons lead to other views."""

    def __init__(self, start: PageView, views: Mapping[str, PageView] | None = None) -> None:
        super().__init__(start, self.answer_act)
        self.views = views or {}

    def answer_act(self, act: Act) -> PageView | None:
        """Return the view that a click leads to, or the same one with what was entered."""
        if not isinstance(act, GuiAction) or act.target is None:
            return None
        if act.action == "click":
            return self.views.get(act.target)
        changes: dict[str, Any] = {"checked": True} if act.action == "check" else {}
        if act.action in ("fill", "select"):
            changes = {"value": str(act.value)}
        elements = self.view.snapshot.elements
        if act.action == "select":
            chosen = next(e for e in elements if e.id == act.target).options
            changes["options"] = options(*(o.label for o in chosen), selected=str(act.value))
        entered = [e.model_copy(update=changes) if e.id == act.target else e for e in elements]
        return page(*entered)


async def test_a_deed_goes_through_the_menu_of_the_row_and_the_form_behind() -> None:
    """Not the filter 'Towed', which the whole page has, and whose name is as near."""
    site = Harbour(FLEET, TOWING)
    run = await played(site, one('Tow the Stork to Ayr, give "sunk" as reason'))
    assert site.done == [
        "click menu-Stork", "click tow", "select harbour", "fill reason", "click send"
    ]  # fmt: skip
    assert [record.outcome for record in run.records] == ["done"]


async def test_what_comes_behind_a_deed_is_no_fault_of_the_app() -> None:
    listed = [*one("Tow the Stork to Ayr"), read_step("Check that 'Painted' is shown", number=2)]
    run = await played(Harbour(FLEET, TOWING), listed)
    assert run.records[-1].outcome == "inconclusive"


async def test_what_takes_something_away_is_not_clicked_on_unasked() -> None:
    site = Harbour(FLEET, TOWING)
    run = await played(site, one("Varnish the Stork with lime oil"))
    assert "click scrap" not in site.done
    assert "click tow" not in site.done
    assert run.records[-1].outcome == "inconclusive"


async def test_a_form_is_sent_by_a_later_step_if_one_says_so() -> None:
    site = Harbour(FLEET, TOWING)
    steps = read_steps("Tow the Stork to Ayr") + read_steps("Press 'Tow'", number=2)
    await played(site, list(steps))
    assert site.done[:3] == ["click menu-Stork", "click tow", "select harbour"]


LOG = page(
    element("form", "", id="f"),
    element("textbox", "Your entry", id="entry", parent="f", tag="textarea"),
    element("button", "Add entry", id="add", parent="f"),
)


async def test_a_button_with_a_field_beside_it_is_pressed_when_that_is_filled_in() -> None:
    site = Harbour(LOG, {"add": DONE})
    await played(site, one("Add an entry saying the mast is cracked"))
    assert site.done == ["fill entry", "click add"]


STEERING = page(
    element("radio", "Dim", id="dim", checked=False),
    element("radio", "Bright", id="bright", checked=True),
    element("textbox", "Letter size", id="size", input_type="number"),
)


async def test_all_values_of_a_sentence_are_entered_in_the_form_in_view() -> None:
    site = Harbour(STEERING)
    await played(site, list(read_steps("Choose the dim light and a letter size of 18")))
    assert site.done == ["check dim", "fill size"]


QUAY = page(
    element("heading", "Overview of piers"),
    element("link", "North pier", id="north", url="http://shop.test/piers/1"),
    url="http://shop.test/piers",
)
PIER = page(element("heading", "North pier"), text("Three boats"), url="http://shop.test/piers/1")


@pytest.mark.parametrize(
    ("sentence", "opened"),
    [
        ("Go back to the register of piers", ["open None"]),
        # no page that was seen is called so; nobody says that it was seen before
        ("Go back to the harbour master", []),
        ("Go to the register of piers", []),
    ],
)
async def test_a_page_that_was_seen_is_opened_again_if_no_link_leads_there(
    sentence: str, opened: list[str]
) -> None:
    site = Harbour(QUAY, {"north": PIER})
    steps = [read_step("Click on 'North pier'", number=1), read_step(sentence, number=2)]
    await played(site, steps)
    assert site.done == ["click north", *opened]
    urls = [act.value for act in site.acts if isinstance(act, GuiAction) and act.action == "open"]
    assert urls == (["http://shop.test/piers"] if opened else [])
