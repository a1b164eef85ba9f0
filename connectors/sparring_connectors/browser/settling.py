"""Waiting until a page is quiet: its network, its DOM, its navigation."""

import asyncio
import time

from playwright.async_api import Error as PlaywrightError

from sparring_connectors.browser.config import SettleConfig
from sparring_connectors.browser.documents import asked
from sparring_connectors.browser.in_page import call
from sparring_connectors.browser.tabs import Tab

_SETTLED = call("settled", "argument[0], argument[1]")
_LOOK_AGAIN_S = 0.01
_FIRST_DOCUMENT_S = 1.0
_GRACE_S = 1.0


async def settle(tab: Tab, config: SettleConfig, cap_s: float | None = None) -> str:
    """Wait until a tab is quiet; returns what still goes on where it never was.

    Quiet means: no request that may still end is open, and for `quiet_ms` the document has not
    changed, no short timer of the page's was running and nothing was being animated.
    """
    end = time.monotonic() + (config.cap_s if cap_s is None else cap_s)
    reason = ""
    await _first_document(tab)
    while (left := end - time.monotonic()) > 0 and not _is_out(tab):
        pending = tab.waiting_for(config.request_s)
        if pending:
            reason = f"{len(pending)} requests are open, such as {pending[0].url[:200]}"
            await asyncio.sleep(_LOOK_AGAIN_S)
            continue
        reason = await _quiet(tab, config.quiet_ms, left)
        if not reason and not tab.waiting_for(config.request_s):
            return ""
    return "" if _is_out(tab) else reason or "the page kept loading"


async def _first_document(tab: Tab) -> None:
    """Wait for the page that a new window was opened for, and not for what it is at first."""
    end = time.monotonic() + _FIRST_DOCUMENT_S
    while not tab.documents and time.monotonic() < end and not _is_out(tab):
        if tab.page.url in ("", "about:blank") and not tab.open:
            return
        await asyncio.sleep(_LOOK_AGAIN_S)


async def _quiet(tab: Tab, quiet_ms: int, left_s: float) -> str:
    """Wait for the document alone; a navigation under way or a dialog ends it."""
    ask = asyncio.ensure_future(asked(tab.page.main_frame, _SETTLED, [quiet_ms, left_s * 1000]))
    try:
        end = time.monotonic() + left_s + _GRACE_S
        while not ask.done():
            await asyncio.wait([ask], timeout=0.1)
            if _is_out(tab):
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


def _is_out(tab: Tab) -> bool:
    """Whether nothing can be asked: the tab is closed, crashed, or shows a dialog."""
    return tab.page.is_closed() or tab.crashed or tab.dialog is not None
