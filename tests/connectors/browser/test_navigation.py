"""Going back, forward and loading again while the page itself is on its way."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("playwright.async_api", reason="Playwright is not installed")

from playwright.async_api import Error as PlaywrightError

from sparring.errors import AppUnreachable
from sparring.model.talk import GuiAction
from sparring_connectors.browser.navigation import reload

from .conftest import Visitor

pytestmark = pytest.mark.anyio

BETWEEN = "Page.reload: Protocol error (Page.reload): Not attached to an active page"


class Page:
    """A page that refuses to be loaded again so often."""

    url = "http://shop.test/"

    def __init__(self, message: str, refusals: int) -> None:
        self.message, self.refusals, self.asked = message, refusals, 0

    async def reload(self, **_: Any) -> None:
        self.asked += 1
        if self.asked <= self.refusals:
            raise PlaywrightError(self.message)


def session(page: Page, limit_s: float) -> Any:
    async def wait_until_stable() -> None:
        await asyncio.sleep(0)

    timeout = SimpleNamespace(navigation_s=limit_s)
    return SimpleNamespace(
        tab=SimpleNamespace(page=page), config=SimpleNamespace(timeout=timeout),
        wait_until_stable=wait_until_stable, shown=str,
    )  # fmt: skip


async def test_a_page_between_two_documents_is_waited_for() -> None:
    page = Page(BETWEEN, 2)
    await reload(session(page, 30), GuiAction(action="reload"))
    assert page.asked == 3


async def test_but_no_longer_than_a_page_may_take() -> None:
    with pytest.raises(AppUnreachable, match="Not attached"):
        await reload(session(Page(BETWEEN, 10**6), 0.2), GuiAction(action="reload"))


async def test_any_other_refusal_is_told_at_once() -> None:
    page = Page("Page.reload: net::ERR_CONNECTION_REFUSED", 1)
    with pytest.raises(AppUnreachable, match="REFUSED"):
        await reload(session(page, 30), GuiAction(action="reload"))
    assert page.asked == 1


async def test_a_page_with_a_very_long_address_is_a_document_too(visitor: Visitor) -> None:
    await visitor.open("/second.html")
    before = visitor.page.document
    await visitor.do("open", value=f"data:text/html,<h1>Long</h1>{'x' * 30_000}")
    assert visitor.page.document == before + 1
