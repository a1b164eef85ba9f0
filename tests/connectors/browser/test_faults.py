"""Faults on purpose: the kinds that take something away that an act brings about."""

from typing import Any

import pytest

from sparring.model.page import PageEventKind

from .conftest import Visit, Visitor

pytestmark = pytest.mark.anyio


async def faulty(visit: Visit, **fault: Any) -> Visitor:
    page = await visit("/faulty.html", faults=[fault])
    await page.look()
    return page


def came_to_bear(page: Visitor, kind: str) -> bool:
    assert page.view is not None
    return any(e.kind is PageEventKind.FAULT and e.text == kind for e in page.view.events)


async def test_a_link_leads_elsewhere(visit: Visit) -> None:
    page = await faulty(
        visit, kind="link_elsewhere", on={"role": "link", "name": "Terms"}, value="/happens.html"
    )
    assert came_to_bear(page, "link_elsewhere")
    await page.do("click", page.by("terms"))
    assert page.page.url.endswith("/happens.html")


async def test_a_message_never_appears(visit: Visit) -> None:
    page = await faulty(visit, kind="message_missing", text="item saved")
    view = await page.do("click", page.by("save"))
    assert came_to_bear(page, "message_missing")
    assert "Item saved" not in page.texts
    assert [one.text for one in view.messages] == []


async def test_a_dialog_of_the_page_never_appears(visit: Visit) -> None:
    page = await faulty(visit, kind="dialog_missing", on={"role": "dialog", "name": "Settings"})
    assert came_to_bear(page, "dialog_missing")
    await page.do("click", page.by("open"))
    assert not [e for e in page.page.elements if e.role == "dialog" and e.visible]


async def test_a_dialog_of_the_browser_never_appears_and_is_not_confirmed(visit: Visit) -> None:
    page = await faulty(visit, kind="native_dialog_missing", text="Really delete?")
    await page.do("click", page.by("ask"))
    assert came_to_bear(page, "native_dialog_missing")
    assert PageEventKind.DIALOG not in page.kinds()
    assert page.page.title == "false"
    await page.do("click", page.by("name"))  # another dialog is as ever
    assert page.page.title == "Ann"


async def test_an_error_of_a_click_comes_before_what_the_click_does(visit: Visit) -> None:
    """A link may have left the page by the next task, and the error with it."""
    page = await faulty(visit, kind="page_error", on={"role": "button", "name": "Errors"})
    await page.do("click", page.by("errors"))
    assert came_to_bear(page, "page_error")
    assert page.page.title == "1 errors"
    assert PageEventKind.PAGE_ERROR in page.kinds()


async def test_a_click_within_a_closed_shadow_root_is_dead(visit: Visit) -> None:
    """Outside of such a root an event has the host as its target."""
    fault = {"kind": "dead", "on": {"role": "button", "name": "Closed button"}}
    page = await visit("/frames.html", faults=[fault])
    await page.look()
    (button,) = (one for one in page.page.elements if one.name == "Closed button")
    await page.do("click", button)
    assert came_to_bear(page, "dead")
    assert "Pressed closed" not in page.texts
