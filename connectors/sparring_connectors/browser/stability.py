"""Waiting until a page is stable, and noticing one that has stopped answering."""

import asyncio
import time
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from sparring_connectors.browser.config import SettleConfig
from sparring_connectors.browser.in_page import ask_frame, call
from sparring_connectors.browser.tabs import Tab

_SETTLED = call("settled", "argument[0], argument[1]")
_LOOK_AGAIN_S = 0.01
# A new tab is "about:blank" until its first answer comes; one that stays so is what the app
# opened.
_FIRST_DOCUMENT_S = 1.0
_GRACE_S = 1.0


async def wait_until_stable(tab: Tab, config: SettleConfig, cap_s: float | None = None) -> str:
    """Wait until a tab is quiet; returns what still goes on if it never was.

    Quiet means: no request that may still end is open, and for `quiet_ms` the document has not
    changed, no short timer of the page's was running and nothing was being animated.
    """
    end = time.monotonic() + (config.cap_s if cap_s is None else cap_s)
    reason = ""
    await _wait_for_first_document(tab)
    while (left := end - time.monotonic()) > 0 and not _cannot_be_asked(tab):
        pending = tab.waiting_for(config.request_s)
        if pending:
            reason = f"{len(pending)} requests are open, such as {pending[0].url[:200]}"
            await asyncio.sleep(_LOOK_AGAIN_S)
            continue
        reason = await _wait_for_quiet_document(tab, config.quiet_ms, left)
        if not reason and not tab.waiting_for(config.request_s):
            return ""
    return "" if _cannot_be_asked(tab) else reason or "the page kept loading"


async def _wait_for_first_document(tab: Tab) -> None:
    """Wait for the page that a new window was opened for, and not for what it is at first."""
    end = time.monotonic() + _FIRST_DOCUMENT_S
    while not tab.documents and time.monotonic() < end and not _cannot_be_asked(tab):
        if tab.page.url in ("", "about:blank") and not tab.open:
            return
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _wait_for_quiet_document(tab: Tab, quiet_ms: int, left_s: float) -> str:
    """Wait for the document alone; a navigation under way or a dialog ends it."""
    ask = asyncio.ensure_future(ask_frame(tab.page.main_frame, _SETTLED, [quiet_ms, left_s * 1000]))
    try:
        end = time.monotonic() + left_s + _GRACE_S
        while not ask.done():
            await asyncio.wait([ask], timeout=0.1)
            if _cannot_be_asked(tab):
                return ""
            if time.monotonic() > end:
                return "the page does not answer"
        return str(ask.result())
    except PlaywrightError:  # the document went away under the question
        await asyncio.sleep(_LOOK_AGAIN_S)
        return "the page is going to another"
    finally:
        if not ask.done():
            ask.cancel()
        elif not ask.cancelled():
            ask.exception()


def _cannot_be_asked(tab: Tab) -> bool:
    """Whether nothing can be asked: the tab is closed, crashed, or shows a dialog."""
    return tab.page.is_closed() or tab.crashed or tab.dialog is not None


# Whether a page still answers while something is done on it.


class HangDetector:
    """Asks a page for an answer again and again, so that one that hangs is noticed.

    Most questions to a page have no time limit of their own in Playwright: a page that hangs
    between two of them (``setTimeout(() => { while (true) {} }, 300)``) would be waited for until
    the whole case has timed out.
    """

    def __init__(self) -> None:
        self._page: Page | None = None
        self._question: asyncio.Task[Any] | None = None
        self._asked_at = 0.0

    def unanswered_s(self, page: Page | None) -> float:
        """Return for how many seconds a page has not answered; ask again if it has.

        Call it regularly. `None` stands for a page that cannot answer now, because a dialog is
        open: the time begins again afterwards.
        """
        now = asyncio.get_running_loop().time()
        if page is None or page.is_closed():
            self.end()
            return 0.0
        if self._question is None or self._question.done() or self._page is not page:
            self.end()
            self._page = page
            self._question = asyncio.ensure_future(page.main_frame.evaluate("1"))
            self._question.add_done_callback(_forget)
            self._asked_at = now
        return now - self._asked_at

    def end(self) -> None:
        """Wait for no answer any more."""
        if self._question is not None:
            self._question.cancel()
        self._page = self._question = None


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # an error is an answer, too: the document may just have gone
