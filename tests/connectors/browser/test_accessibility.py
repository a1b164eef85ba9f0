"""Examining the states of a page with axe-core."""

from typing import Any

import pytest

from sparring.model.page import PageEventKind

from .conftest import Visit, Visitor

pytestmark = pytest.mark.anyio


def examinations(page: Visitor) -> list[dict[str, list[str]]]:
    """What each examination of the latest act found: targets by rule."""
    assert page.view is not None
    events = [e for e in page.view.events if e.kind is PageEventKind.EXAMINED]
    found: list[dict[str, list[str]]] = []
    for event in events:
        listed: Any = event.details["violations"]
        found.append({v["id"]: [node["target"] for node in v["nodes"]] for v in listed})
    return found


async def test_each_state_is_examined_once_with_its_frames(visit: Visit) -> None:
    page = await visit("/unlabelled.html", accessibility=True)
    await page.look()
    assert examinations(page) == [{"label": ["#street"], "select-name": ["iframe #size"]}]
    await page.look()
    assert examinations(page) == []
    await page.do("click", page.by("open"))
    assert examinations(page)[0]["image-alt"] == ["#cup"]


async def test_the_page_notices_nothing_of_it(visit: Visit) -> None:
    page = await visit("/unlabelled.html", accessibility=True)
    await page.look()
    own = await page.session.tab.page.evaluate("[window.axe, window.heard]")
    assert own == ["the page's own", 0]


async def test_what_is_excluded_and_other_rules_are_not_examined(visit: Visit) -> None:
    settings = {"exclude": ["iframe", "#street"]}
    page = await visit("/unlabelled.html", accessibility=settings)
    await page.look()
    assert examinations(page) == [{}]
    assert page.view is not None
    assert page.view.events[-1].text == "no rule violated"


async def test_nothing_is_examined_unless_the_suite_says_so(visit: Visit) -> None:
    page = await visit("/unlabelled.html")
    await page.look()
    assert examinations(page) == []


async def test_an_examination_that_takes_too_long_is_told(visit: Visit) -> None:
    page = await visit("/unlabelled.html", accessibility={"timeout_s": 0.001})
    await page.look()
    assert page.view is not None
    event = next(e for e in page.view.events if e.kind is PageEventKind.EXAMINED)
    assert event.details["error"] == "it took longer than 0.001 s (accessibility.timeout_s)"
