"""Acts on the whole tab: open, back, forward, reload, wait, tabs, dialogs, pictures."""

import asyncio
import re
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.errors import AppTimeout
from sparring.model.talk import GuiAction
from sparring_connectors.browser.acting import Outcome, Refused
from sparring_connectors.browser.failures import is_over, navigation_failure

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession
    from sparring_connectors.browser.tabs import Tab

_LONGEST_WAIT_S = 600.0
_LOOK_AGAIN_S = 0.1
_AFTERMATH_S = 2.0
#: What the browser says while one document takes the place of another.
_BETWEEN = "Not attached to an active page"
_INTERRUPTED = "interrupted by another navigation"
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ms|milli\w*|s|secs?|seconds?|min\w*)?\s*", re.I)


async def open_address(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Go to an address, relative to the suite's."""
    address = session.address("" if act.value is None else str(act.value))
    tab = await session.living_tab()
    limit = session.config.timeout.navigation_s
    try:
        await tab.page.goto(address, wait_until="commit", timeout=limit * 1000)
    except PlaywrightTimeout:
        raise AppTimeout(f"{session.shown(address)}: no page within {limit:g} s") from None
    except PlaywrightError as err:
        # A page may go on to another one before it is there itself, by a script in its head.
        if not (session.began_download(err) or _INTERRUPTED in err.message):
            if is_over(err):
                raise
            await _after_failure(tab, err.message)
            message = "crashed" if tab.crashed else err.message
            raise navigation_failure(session.shown(address), session.shown(message)) from None
    return Outcome()


async def _after_failure(tab: "Tab", message: str) -> None:
    """Wait for the browser's own error page, or for word of a crash, which come afterwards."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _AFTERMATH_S
    shows_error = "ERR_" in message and "ERR_ABORTED" not in message
    while loop.time() < end and not tab.crashed and not tab.page.is_closed():
        if shows_error and tab.page.url.startswith("chrome-error:"):
            return
        await asyncio.sleep(_LOOK_AGAIN_S / 10)


async def back(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Go back in the tab's history."""
    return await _turned(session, "go_back")


async def forward(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Go forward in the tab's history."""
    return await _turned(session, "go_forward")


async def reload(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Load the page again."""
    return await _turned(session, "reload")


async def _turned(session: "BrowserSession", how: str) -> Outcome:
    page = session.tab.page
    limit = session.config.timeout.navigation_s
    end = asyncio.get_running_loop().time() + limit
    while True:
        try:
            await getattr(page, how)(wait_until="commit", timeout=limit * 1000)
        except PlaywrightTimeout:
            raise AppTimeout(f"{session.shown(page.url)}: no page within {limit:g} s") from None
        except PlaywrightError as err:
            if _BETWEEN in err.message and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(_LOOK_AGAIN_S)  # the page itself is going somewhere just now
                await session.settle()
                continue
            if _INTERRUPTED in err.message:
                return Outcome()
            if is_over(err):
                raise
            raise navigation_failure(session.shown(page.url), session.shown(err.message)) from None
        return Outcome()


async def wait(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Wait for a number of seconds, for a text to be seen, or until the page is quiet."""
    value: Any = act.value
    seconds = _seconds(value)
    if seconds is not None:
        await asyncio.sleep(min(max(seconds, 0.0), _LONGEST_WAIT_S))
        return Outcome()
    if value in (None, "", "quiet"):
        return Outcome()
    text, limit = value, session.config.timeout.wait_s
    if isinstance(value, dict):
        text, limit = value.get("text"), _seconds(value.get("seconds")) or limit  # pyright: ignore
    if not isinstance(text, str) or not text.strip():
        raise Refused("invalid", "wait needs seconds, a text, or quiet as its value")
    await _until_seen(session, " ".join(text.split()).casefold(), min(limit, _LONGEST_WAIT_S))
    return Outcome()


async def _until_seen(session: "BrowserSession", text: str, limit_s: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_s
    while loop.time() < end:
        shown = await session.snapshot()
        for one in shown.elements:
            if one.visible and text in " ".join(f"{one.text} {one.name}".split()).casefold():
                return
        await asyncio.sleep(_LOOK_AGAIN_S)
    raise Refused("timeout", f"wait: {text[:80]!r} was not seen within {limit_s:g} s")


def _seconds(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    unit = (found[2] or "s").lower()
    scale = 0.001 if unit.startswith("m") and unit[1] in "si" and unit[:3] != "min" else 1.0
    return float(found[1]) * (60.0 if unit.startswith("min") else scale)


async def switch_tab(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Look at another tab: by its place from 0, or by what its title or address contains."""
    tab = await _tab(session, act.value)
    session.tabs.switch(tab)
    await tab.page.bring_to_front()
    return Outcome()


async def close_tab(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Close a tab, named as for `switch_tab`; the current one where the value is empty."""
    if len(session.tabs.all) < 2:
        raise Refused("last_tab", "close_tab: this is the only tab")
    tab = session.tab if act.value is None else await _tab(session, act.value)
    await tab.page.close()
    return Outcome()


async def _tab(session: "BrowserSession", wanted: Any) -> "Tab":
    tabs = session.tabs.all
    try:
        place = int(str(wanted))
        if -len(tabs) <= place < len(tabs):
            return tabs[place]
    except ValueError:
        text = str(wanted).casefold()
        for tab in tabs:
            if text in (await tab.page.title()).casefold() or text in tab.page.url.casefold():
                return tab
    raise Refused("no_tab", f"there are {len(tabs)} tabs, and none is {str(wanted)[:80]!r}")


async def answer_dialog(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Answer the dialog that is open, or else the next: accept, dismiss, or a text for a prompt."""
    await session.dialogs.answer(act.value)
    return Outcome()


async def screenshot(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Take a picture of the page; a value of ``failure`` marks the case as failed."""
    session.evidence.wants_picture = True
    if act.value == "failure":
        session.evidence.failed = True
    return Outcome()
