"""Acts on the whole tab: open, back, forward, reload, wait, tabs, dialogs, pictures."""

import asyncio
import re
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.errors import AppTimeout
from sparring.model.talk import GuiAction
from sparring_connectors.browser.context import ActOutcome, PageContext
from sparring_connectors.browser.failures import ActRefused, is_over, navigation_failure
from sparring_connectors.browser.tabs import Tab

# "Wait 3000000 seconds" is a slip of the keyboard; the case's own limit is shorter anyway.
_LONGEST_WAIT_S = 600.0
_LOOK_AGAIN_S = 0.1
# A navigation that failed because the page went elsewhere itself is over when that has loaded.
_AFTERMATH_S = 2.0
#: What the browser says while one document takes the place of another.
_BETWEEN = "Not attached to an active page"
_DOWNLOAD = "Download is starting"
_INTERRUPTED = "interrupted by another navigation"
# "2", "2 seconds", "1.5 min" and "500ms".
_DURATION = re.compile(r"\s*+(\d+(?:\.\d+)?)\s*+(ms|milli\w*|s|secs?|seconds?|min\w*)?\s*+", re.I)


async def open_address(context: PageContext, act: GuiAction) -> ActOutcome:
    """Go to an address, relative to the suite's."""
    address = context.address("" if act.value is None else str(act.value))
    tab = await context.open_tab()
    limit = context.config.timeout.navigation_s
    try:
        await tab.page.goto(address, wait_until="commit", timeout=limit * 1000)
    except PlaywrightTimeout:
        raise AppTimeout(f"{context.shown(address)}: no page within {limit:g} s") from None
    except PlaywrightError as err:
        # A page may go on to another one before it is there itself, by a script in its head.
        if not (_DOWNLOAD in err.message or _INTERRUPTED in err.message):
            if is_over(err):
                raise
            await _wait_after_failure(tab, err.message)
            message = "crashed" if tab.crashed else err.message
            raise navigation_failure(context.shown(address), context.shown(message)) from None
    return ActOutcome()


async def _wait_after_failure(tab: Tab, message: str) -> None:
    """Wait for the browser's own error page, or for word of a crash, which come afterwards."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _AFTERMATH_S
    shows_error = "ERR_" in message and "ERR_ABORTED" not in message
    while loop.time() < end and not tab.crashed and not tab.page.is_closed():
        if shows_error and tab.page.url.startswith("chrome-error:"):
            return
        await asyncio.sleep(_LOOK_AGAIN_S / 10)


async def back(context: PageContext, act: GuiAction) -> ActOutcome:
    """Go back in the tab's history."""
    return await _move_in_history(context, "go_back")


async def forward(context: PageContext, act: GuiAction) -> ActOutcome:
    """Go forward in the tab's history."""
    return await _move_in_history(context, "go_forward")


async def reload(context: PageContext, act: GuiAction) -> ActOutcome:
    """Load the page again."""
    return await _move_in_history(context, "reload")


async def _move_in_history(context: PageContext, how: str) -> ActOutcome:
    page = context.tab.page
    limit = context.config.timeout.navigation_s
    end = asyncio.get_running_loop().time() + limit
    while True:
        try:
            await getattr(page, how)(wait_until="commit", timeout=limit * 1000)
        except PlaywrightTimeout:
            raise AppTimeout(f"{context.shown(page.url)}: no page within {limit:g} s") from None
        except PlaywrightError as err:
            if _BETWEEN in err.message and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(_LOOK_AGAIN_S)  # the page itself is going somewhere just now
                await context.wait_until_stable()
                continue
            if _INTERRUPTED in err.message:
                return ActOutcome()
            if is_over(err):
                raise
            raise navigation_failure(context.shown(page.url), context.shown(err.message)) from None
        return ActOutcome()


async def wait(context: PageContext, act: GuiAction) -> ActOutcome:
    """Wait for a number of seconds, for a text to be seen, or until the page is quiet."""
    value: Any = act.value
    seconds = _parse_seconds(value)
    if seconds is not None:
        await asyncio.sleep(min(max(seconds, 0.0), _LONGEST_WAIT_S))
        return ActOutcome()
    if value in (None, "", "quiet"):
        return ActOutcome()
    text, limit = value, context.config.timeout.wait_s
    if isinstance(value, dict):
        text, limit = value.get("text"), _parse_seconds(value.get("seconds")) or limit  # pyright: ignore
    if not isinstance(text, str) or not text.strip():
        raise ActRefused("invalid", "wait needs seconds, a text, or quiet as its value")
    await _wait_for_text(context, " ".join(text.split()).casefold(), min(limit, _LONGEST_WAIT_S))
    return ActOutcome()


async def _wait_for_text(context: PageContext, text: str, limit_s: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_s
    while loop.time() < end:
        shown = await context.snapshot()
        for element in shown.elements:
            if (
                element.visible
                and text in " ".join(f"{element.text} {element.name}".split()).casefold()
            ):
                return
        await asyncio.sleep(_LOOK_AGAIN_S)
    raise ActRefused("timeout", f"wait: {text[:80]!r} was not seen within {limit_s:g} s")


def _parse_seconds(value: Any) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    unit = (match[2] or "s").lower()
    scale = 0.001 if unit.startswith("m") and unit[1] in "si" and unit[:3] != "min" else 1.0
    return float(match[1]) * (60.0 if unit.startswith("min") else scale)


async def switch_tab(context: PageContext, act: GuiAction) -> ActOutcome:
    """Look at another tab: by its place from 0, or by what its title or address contains."""
    tab = await _find_tab(context, act.value)
    context.tabs.switch(tab)
    await tab.page.bring_to_front()
    return ActOutcome()


async def new_tab(context: PageContext, act: GuiAction) -> ActOutcome:
    """Open an empty tab, and look at it."""
    tab = await context.tabs.open()
    if tab is None:
        raise ActRefused("no_tab", "new_tab: the acts of a wrapped page stay on it")
    context.tabs.switch(tab)
    return ActOutcome()


_MOST_MARKS = 50
_LONGEST_SELECTOR = 500
_IS_SELECTOR = "(text) => { document.createDocumentFragment().querySelector(text); }"


async def mark(context: PageContext, act: GuiAction) -> ActOutcome:
    """Name the elements that match CSS selectors in all snapshots to come: a list of selectors."""
    selectors = act.value if isinstance(act.value, list) else [act.value]
    for selector in selectors:
        if not isinstance(selector, str) or not 0 < len(selector) <= _LONGEST_SELECTOR:
            raise ActRefused("invalid", "mark needs CSS selectors as its value")
        try:
            await context.tab.page.evaluate(_IS_SELECTOR, selector)
        except PlaywrightError as err:
            if is_over(err):
                raise
            raise ActRefused("invalid", f"{selector!r} is no CSS selector") from None
        if selector not in context.marks and len(context.marks) < _MOST_MARKS:
            context.marks.append(selector)
    return ActOutcome()


async def close_tab(context: PageContext, act: GuiAction) -> ActOutcome:
    """Close a tab, named as for `switch_tab`; the current one if the value is empty."""
    if len(context.tabs.all) < 2:
        raise ActRefused("last_tab", "close_tab: this is the only tab")
    tab = context.tab if act.value is None else await _find_tab(context, act.value)
    await tab.page.close()
    return ActOutcome()


async def _find_tab(context: PageContext, wanted: Any) -> Tab:
    tabs = context.tabs.all
    try:
        place = int(str(wanted))
        if -len(tabs) <= place < len(tabs):
            return tabs[place]
    except ValueError:
        text = str(wanted).casefold()
        for tab in tabs:
            if text in (await tab.page.title()).casefold() or text in tab.page.url.casefold():
                return tab
    raise ActRefused("no_tab", f"there are {len(tabs)} tabs, and none is {str(wanted)[:80]!r}")


async def answer_dialog(context: PageContext, act: GuiAction) -> ActOutcome:
    """Answer the dialog that is open, or else the next: accept, dismiss, or a text for a prompt."""
    await context.dialogs.answer(act.value)
    return ActOutcome()


async def screenshot(context: PageContext, act: GuiAction) -> ActOutcome:
    """Take a picture of the page; a value of ``failure`` marks the case as failed."""
    context.evidence.wants_picture = True
    if act.value == "failure":
        context.evidence.failed = True
    return ActOutcome()
