"""Things in a place that has to be opened first."""

import pytest
from tests.plugins.web.runner.pages import element, page, text
from tests.plugins.web.runner.test_algorithm import Site, played

from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction
from sparring_plugins.web.grammar.steps import read_step

pytestmark = pytest.mark.anyio

YARD = page(element("link", "North wall", id="north"), element("link", "South wall", id="south"))
WALL = page(element("link", "Fig tree", id="fig"), element("link", "Vine", id="vine"))
BARE = page(text("Nothing grows here"))
SENTENCE = "Open the plant 'Fig tree' in the North wall list"


def lead(inside: PageView) -> Site:
    def answer(act: Act) -> PageView | None:
        return inside if isinstance(act, GuiAction) and act.target == "north" else None

    return Site(YARD, answer)


async def test_the_list_that_is_named_is_opened_first() -> None:
    site = lead(WALL)
    run = await played(site, [read_step(SENTENCE, number=1)])
    assert site.done == ["click north", "click fig"]
    assert run.records[0].outcome == "done"


async def test_what_is_not_in_the_place_either_is_not_done() -> None:
    site = lead(BARE)
    run = await played(site, [read_step(SENTENCE, number=1)])
    assert site.done == ["click north"]
    assert run.records[0].outcome == "inconclusive"
    assert "was opened, but there" in run.records[0].reason


async def test_nothing_is_opened_if_no_such_place_is_in_view() -> None:
    site = Site(page(element("link", "Herb bed", id="herbs")), lambda act: None)
    run = await played(site, [read_step(SENTENCE, number=1)])
    assert not site.done
    assert run.records[0].outcome == "inconclusive"
