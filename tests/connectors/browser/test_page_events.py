"""What happens between two looks is told: messages, dialogs, windows, files, errors."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import AppCrash, AppUnreachable, EnvironmentFailure
from sparring.model.page import PageEventKind
from sparring.model.talk import GuiAction

from .conftest import Visit, Visitor

pytestmark = pytest.mark.anyio

K = PageEventKind


@pytest.fixture
async def page(visitor: Visitor) -> Visitor:
    await visitor.open("/happens.html")
    return visitor


async def test_a_message_that_is_there_from_the_beginning_is_told(page: Visitor) -> None:
    assert page.event(K.MESSAGE).text == "Welcome back"
    assert page.observation is not None
    assert page.observation.text == "Welcome back"


@pytest.mark.parametrize(
    ("button", "text", "source"),
    [
        ("Toast", "Saved!", "class"),
        ("Brief", "Unnamed note", "brief"),
        ("Live", "3 results", "role"),
        ("Flash", "Hidden before", "brief"),
    ],
)
async def test_a_message_is_remembered_after_it_has_gone(
    page: Visitor, button: str, text: str, source: str
) -> None:
    before = page.session.events.now_s()
    await page.do("click", page.the("button", button))
    for _ in range(100):
        await page.look()
        assert page.view is not None
        found = [m for m in page.view.messages if m.text == text]
        if found and (found[0].gone_s is not None or button == "Live"):
            break
        await asyncio.sleep(0.02)
    (message,) = found
    assert message.details["source"] == source
    assert before <= message.at_s <= page.session.events.now_s()
    if button != "Live":
        assert message.gone_s is not None
        assert 0.4 < message.gone_s - message.at_s < 2
        assert text not in page.texts


async def test_a_message_of_a_page_that_was_left_is_remembered(page: Visitor) -> None:
    await page.do("click", page.the("button", "Toast and go"))
    assert page.page.title == "Second"
    assert "On my way" in [m.text for m in page.view.messages]  # type: ignore[union-attr]


async def test_the_label_of_a_control_is_no_message(page: Visitor) -> None:
    await page.do("click", page.the("button", "Show a button"))
    await page.do("wait", value=0.5)
    said = [one.text for one in page.view.messages]  # type: ignore[union-attr]
    assert "Welcome back" in said
    assert not {"Tell me", "Place order", "Quick sale"} & set(said)


async def test_what_is_hidden_for_good_is_no_message(page: Visitor) -> None:
    await page.do("click", page.the("button", "Hide the item"))
    assert page.view is not None
    assert "An item" not in [m.text for m in page.view.messages]


async def test_dialogs_are_answered_as_the_suite_says(page: Visitor, visit: Visit) -> None:
    await page.do("click", page.the("button", "Alert"))
    event = page.event(K.DIALOG)
    assert (event.text, event.details["type"]) == ("Hello there", "alert")
    await page.do("click", page.the("button", "Confirm"))
    assert page.page.title == "true"
    assert page.event(K.DIALOG).details["answer"] == "accept"
    await page.do("click", page.the("button", "Prompt"))
    assert page.page.title == "Ann"
    await page.do("answer_dialog", value="dismiss")
    await page.do("click", page.the("button", "Confirm"))
    assert page.page.title == "false"
    await page.do("answer_dialog", value="Bob")
    await page.do("click", page.the("button", "Prompt"))
    assert page.page.title == "Bob"

    cautious = await visit("/happens.html", dialogs="dismiss")
    await cautious.look()
    await cautious.do("click", cautious.the("button", "Confirm"))
    assert cautious.page.title == "false"


async def test_a_dialog_may_wait_for_its_answer(visit: Visit) -> None:
    page = await visit("/happens.html", dialogs="ask")
    await page.look()
    await page.do("click", page.the("button", "Prompt"))
    assert page.event(K.DIALOG).details["answer"] is None
    view = await page.do("click", page.the("button", "Alert"))
    assert view.hit is False
    assert page.event(K.REFUSED).details["why"] == "dialog"
    await page.do("answer_dialog", value={"accept": True, "text": "Eve"})
    assert page.page.title == "Eve"
    await page.do("click", page.the("button", "Two alerts"))
    assert page.event(K.DIALOG).text == "one"
    await page.do("answer_dialog")
    assert [e.text for e in page.view.events if e.kind == K.DIALOG] == ["one", "two"]  # type: ignore[union-attr]
    await page.do("answer_dialog")
    await page.do("click", page.the("button", "Alert"))  # and is left open: closing bears it


async def test_an_answer_that_is_given_before_its_dialog_is_kept_for_it(page: Visitor) -> None:
    await page.do("answer_dialog", value="dismiss")
    await page.do("click", page.the("button", "Confirm"))
    assert page.event(K.DIALOG).details["answer"] == "dismiss"
    assert page.page.title == "false"
    await page.do("click", page.the("button", "Confirm"))
    assert page.page.title == "true"  # it was for one dialog
    await page.do("answer_dialog", value="Grace")
    await page.do("click", page.the("button", "Prompt"))
    assert page.page.title == "Grace"
    await page.do("answer_dialog", value={"accept": False})
    await page.do("click", page.the("button", "Prompt"))
    assert page.page.title == "null"


@pytest.mark.parametrize("value", [["accept"], 3, 2.5])
async def test_what_is_no_answer_to_a_dialog_is_refused(page: Visitor, value: Any) -> None:
    assert (await page.do("answer_dialog", value=value)).hit is False
    assert page.event(K.REFUSED).details["why"] == "invalid"


async def test_windows_that_open_are_looked_at(page: Visitor) -> None:
    await page.do("click", page.the("button", "Open window"))
    assert (page.page.title, page.page.tabs) == ("Second", 2)
    assert K.POPUP in page.kinds()


async def test_downloads_are_kept_under_harmless_names(page: Visitor, run_folder: Path) -> None:
    await page.do("click", page.the("link", "Download"))
    event = page.event(K.DOWNLOAD)
    assert (event.text, event.details["bytes"]) == ("report.csv", 8)
    assert (run_folder / str(event.details["artifact"])).read_bytes() == b"a,b\n1,2\n"
    await page.do("click", page.the("link", "Download"))
    assert str(page.event(K.DOWNLOAD).details["artifact"]).endswith("/report-2.csv")
    await page.do("click", page.by("evil"))
    path = run_folder / str(page.event(K.DOWNLOAD).details["artifact"])
    assert path.is_file()
    assert path.resolve().is_relative_to(run_folder.resolve() / "artifacts")
    assert page.page.title == "What happens"


async def test_errors_of_the_page_and_of_the_server_are_told(page: Visitor) -> None:
    await page.do("click", page.the("button", "Console"))
    assert page.event(K.CONSOLE_ERROR).text == "it broke"
    await page.do("click", page.the("button", "Throw"))
    assert "undefinedFunction" in page.event(K.PAGE_ERROR).text
    await page.do("click", page.the("button", "Server error"))
    assert (
        page.event(K.HTTP_ERROR).details | {"main": False, "status": 500}
        == page.event(K.HTTP_ERROR).details
    )
    await page.do("click", page.the("link", "Missing page"))
    assert page.event(K.HTTP_ERROR).details["main"] is True
    assert page.the("heading", "Status 404")


async def test_addresses_and_documents_are_told_apart(page: Visitor) -> None:
    documents = page.page.document
    await page.do("click", page.the("button", "Push state"))
    assert (page.kinds().count(K.URL), page.kinds().count(K.DOCUMENT)) == (1, 0)
    assert page.page.url.endswith("/pushed")
    assert page.page.document == documents
    await page.open("/happens.html")
    await page.do("click", page.the("button", "Reload"))
    assert (page.kinds().count(K.URL), page.kinds().count(K.DOCUMENT)) == (0, 1)
    assert page.page.document == documents + 2
    await page.do("click", page.the("link", "Redirect"))
    assert page.page.title == "Second"


async def test_nothing_outside_is_reached_where_it_is_blocked(visit: Visit) -> None:
    page = await visit("/happens.html", block="outside")
    await page.look()
    await page.do("click", page.the("button", "Go outside"))
    assert page.event(K.BLOCKED).text == "http://192.0.2.1/x"
    with pytest.raises(AppUnreachable, match=r"192\.0\.2\.1"):
        await page.do("open", value="http://192.0.2.1/")
    assert (await page.open("/second.html")).title == "Second"


@pytest.mark.thorough
async def test_a_page_that_never_rests_is_waited_for_no_longer_than_it_takes(visit: Visit) -> None:
    page = await visit("/restless.html", settle={"cap_s": 6, "request_s": 0.4})
    await page.look()
    view = await page.do("click", page.the("button", "Do it"))
    assert "done" in page.texts
    assert view.settle_s < 3
    assert K.NOT_SETTLED not in page.kinds()
    view = await page.do("click", page.the("button", "Chaos"))
    assert view.settle_s >= 5.9
    assert page.event(K.NOT_SETTLED).text


async def test_a_slow_page_is_waited_for(visitor: Visitor) -> None:
    assert (await visitor.open("/slowpage")).title == "Slow"


async def test_a_page_that_crashes_is_an_app_that_crashed(visit: Visit) -> None:
    page = await visit("/second.html")
    await page.look()
    with pytest.raises(AppCrash, match="crashed"):
        await page.session.send(GuiAction(action="open", value="chrome://crash"))
    assert (await page.open("/second.html")).title == "Second"


@pytest.mark.thorough
async def test_a_browser_that_dies_is_started_again(visit: Visit, site: object) -> None:
    page = await visit("/second.html", own=True)
    await page.look()
    browser = page.session.context.browser
    await browser.close()
    with pytest.raises(EnvironmentFailure, match="the browser ended"):
        await page.look()
    again = await visit("/second.html", own=True)
    assert (await again.look()).title == "Second"


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("http://127.0.0.1:9/", AppUnreachable, "ERR_UNSAFE_PORT|CONNECTION_REFUSED"),
        ("http://nobody.invalid/", AppUnreachable, "ERR_NAME_NOT_RESOLVED"),
        ("/hang-up", AppCrash, "the app hung up"),
    ],
)
async def test_an_app_that_is_not_there_is_said_to_be(
    visitor: Visitor, address: str, error: type[Exception], message: str
) -> None:
    address = visitor.site.url + address if address.startswith("/") else address
    with pytest.raises(error, match=message):
        await visitor.do("open", value=address)
