"""Clicks that land on the link in a text, and clicks on texts that lead nowhere."""

import pytest
from tests.plugins.web.runner.pages import element, page, text
from tests.plugins.web.runner.test_algorithm import Site, played

from sparring.model.page import PageView
from sparring.model.talk import Act, GuiAction
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.pages.layout import Layout
from sparring_plugins.web.roles import Navigation
from sparring_plugins.web.runner.aim import aim_at_links
from sparring_plugins.web.step import Step

pytestmark = pytest.mark.anyio


def read_all(*sentences: str) -> list[Step]:
    return [read_step(sentence, number=number) for number, sentence in enumerate(sentences, 1)]


def aimed(*links: tuple[str, str, str]) -> str | None:
    """Return what is clicked instead of a heading 'Copper beech' with these links."""
    inner = [element("link", name, id=id, url=url, parent="h") for id, name, url in links]
    view = page(element("heading", "Copper beech", id="h"), *inner)
    navigation = Navigation(acts=(GuiAction(action="click", target="h"),))
    return aim_at_links(navigation, Layout(view.snapshot)).acts[0].target


def test_the_link_in_a_heading_is_clicked() -> None:
    assert aimed(("a", "Copper beech", "/beech")) == "a"


def test_a_title_that_is_split_into_two_links_is_one() -> None:
    assert aimed(("a", "Copper", "/beech"), ("b", "beech", "/beech")) == "a"


@pytest.mark.parametrize(
    "links",
    [
        (),
        (("a", "Copper", "/copper"), ("b", "beech", "/beech")),
        (("a", "beech", "/beech"),),
    ],
)
def test_a_heading_stays_if_no_link_is_clearly_its_title(
    links: tuple[tuple[str, str, str], ...],
) -> None:
    assert aimed(*links) == "h"


def stay(act: Act) -> PageView | None:
    return None


async def test_the_app_is_not_blamed_behind_a_click_on_a_mere_text() -> None:
    """Nobody can click on the heading: that nothing opened shows no fault."""
    site = Site(page(element("heading", "Copper beech", id="h"), text("Trees")), stay)
    run = await played(site, read_all("Open Copper beech", "Check that 'Height' is shown"))
    assert site.done == ["click h"]
    assert run.records[-1].outcome == "inconclusive"


async def test_a_button_that_does_nothing_is_a_fault() -> None:
    site = Site(page(element("button", "Measure", id="m")), stay)
    run = await played(site, read_all("Click on 'Measure'", "Check that 'Height' is shown"))
    assert run.records[-1].outcome == "false"
