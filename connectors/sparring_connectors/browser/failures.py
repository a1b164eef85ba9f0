"""Whose a failure is: the app's, the machine's or Sparring's own.

A page that hangs, crashes or closes itself is the app's. A browser that died or answers nothing,
and a machine on which not even a blank page answers, are the environment's. What a script of
Sparring's own comes to grief on is the tool's.
"""

import asyncio
import re
from typing import Any

from playwright.async_api import Browser, BrowserContext
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppUnreachable,
    ConfigurationError,
    EnvironmentFailure,
    MachineBusy,
    PartError,
    SparringError,
)

_OVER = ("has been closed", "Target closed", "Connection closed")
_LEAVING = (
    "Execution context was destroyed", "Cannot find context", "Frame was detached",
    "Not attached to an active page", "interrupted by another navigation", "Navigating frame",
)  # fmt: skip
_SHARE = 0.25
"""Share of a time-out within which a blank page has to answer, for the time-out to be the app's.

A blank page takes a tenth of a second. If it takes 8 s, nobody knows what a page with scripts and
pictures would have done in the 30 s that it was given on a machine that is not as busy.
"""
_LEAST_S = 2.0
# An empty page answers in milliseconds: so long takes only a browser that hangs.
_ALIVE_S = 10.0

#: The server closed the connection before it answered, or answered what is no HTTP.
_HUNG_UP = re.compile(r"ERR_(EMPTY_RESPONSE|CONNECTION_RESET|CONNECTION_CLOSED)|NS_ERROR_NET_RESET")
# Chromium's names for an answer that came and is no HTTP: the app's fault, not the network's.
_BAD_ANSWER = re.compile(
    r"ERR_(TOO_MANY_REDIRECTS|INVALID_(HTTP_)?RESPONSE|INVALID_REDIRECT|RESPONSE_HEADERS_\w+"
    r"|CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED_ENCODING|CONTENT_DECODING_FAILED)"
)
#: The address is none that a browser opens, such as `http://127.0.0.1:99999/`.
_BAD_ADDRESS = re.compile(r"invalid URL|ERR_(INVALID_URL|(UNKNOWN|DISALLOWED)_URL_SCHEME)")


def first_line(err: PlaywrightError) -> str:
    """Return the first line of an error of Playwright's, without the call log below it."""
    return err.message.splitlines()[0] if err.message.strip() else "the browser failed"


def is_over(err: PlaywrightError) -> bool:
    """Whether an error only says that the page, its browser or the connection to it is closed."""
    return any(words in err.message for words in _OVER)


def is_leaving(err: PlaywrightError) -> bool:
    """Whether an error comes from a document that went away while it was asked."""
    return any(words in err.message for words in _LEAVING)


def navigation_failure(address: str, message: str) -> SparringError:
    """Return the error for an address that could not be opened, by what the browser says of it."""
    first = re.sub(r"^\w+\.\w+: ", "", message.splitlines()[0] if message else "")
    if "crashed" in message:
        return AppCrash(f"{address}: the page crashed")
    if _BAD_ADDRESS.search(message):
        return ConfigurationError(f"{address}: no browser opens such an address: {first}")
    if "ERR_ABORTED" in message:
        return AppProtocolError(f"{address}: there is no page: {first}")
    if _BAD_ANSWER.search(message):
        return AppProtocolError(f"{address}: the app's answer is no page: {first}")
    if _HUNG_UP.search(message):
        return AppCrash(f"{address}: the app hung up: {first}")
    return AppUnreachable(f"{address}: {first}")


def script_failure(call: str, what: str) -> PartError:
    """Return the error for a page that Sparring's own script could not deal with."""
    return PartError("connector", "browser", call, what)


async def machine_failure(
    context: BrowserContext, limit_s: float, *, is_closed: bool
) -> EnvironmentFailure | None:
    """Return why the machine and not the page is to blame, or `None` if the browser works.

    The browser's own process is asked first: when it answers, all its earlier events, such as its
    death, have arrived. Then a blank page is opened, in a process of its own. `limit_s` is
    how long the page in question was waited for; `is_closed` whether that page is closed.
    """
    browser = context.browser
    try:
        async with asyncio.timeout(_ALIVE_S):
            await context.cookies()
    except TimeoutError:
        return EnvironmentFailure(
            f"the browser itself has not answered for {_ALIVE_S:g} s: something on this machine "
            "has stopped it, or it lacks memory"
        )
    except PlaywrightError:
        if is_closed and (browser is None or browser.is_connected()):
            return None  # a script closed its own page together with the context
        return EnvironmentFailure(
            "the browser ended in the middle of the case: something on this machine has killed it "
            "(out of memory?), or it crashed itself; run the case again, and see that there is "
            "memory for as many browsers as `concurrency` says"
        )
    return await _blank_page_failure(browser, max(_LEAST_S, _SHARE * limit_s))


async def _blank_page_failure(browser: Browser | None, limit_s: float) -> EnvironmentFailure | None:
    if browser is None:
        return None
    look = asyncio.ensure_future(_open_blank_page(browser))
    look.add_done_callback(_forget)  # it may end after nobody waits for it any more
    await asyncio.wait([look], timeout=limit_s)
    if not look.done():
        return MachineBusy(
            f"the page did not answer in time, but neither did a blank one within {limit_s:g} s: "
            "this machine is too busy; run it again with less beside it, or lower `concurrency`"
        )
    failure = look.exception()
    if failure is None:
        return None
    reason = first_line(failure) if isinstance(failure, PlaywrightError) else str(failure)
    return EnvironmentFailure(f"the browser cannot even show a blank page: {reason}")


async def _open_blank_page(browser: Browser) -> None:
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.evaluate("1")
    finally:
        await context.close()


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


_REFUSAL_PATTERNS = (
    ("covered", r"intercepts pointer events"),
    ("disabled", r"element is not enabled"),
    ("hidden", r"element is not visible"),
    ("readonly", r"element is not editable"),
    ("out_of_reach", r"element is outside of the viewport"),
    ("unstable", r"element is not stable"),
    ("stale", r"not attached to the DOM"),
)


_CLICKING = "performing click action"
# Playwright's log of a click that still looks for its element; after "performing click action" it
# was done.
_NOT_YET = re.compile(r"intercepts pointer|retrying|waiting for element|not attached|is not ")


#: Refusals that a page on a machine with more processor time may not have come to.
LATE = frozenset({"timeout", "unstable"})


class ActRefused(Exception):
    """An act was not carried out, and why: ``stale``, ``disabled``, ``covered`` ..."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


def was_performed(err: PlaywrightError) -> bool:
    """Return whether a click that ran into its limit had reached the page before.

    Playwright goes on waiting for a page that is busy with the click: one that calculates for five
    seconds, or a server that takes as long for the next page. What it logs last tells it from a
    click that was tried again because something lay on the target.
    """
    attempt = err.message.rpartition(_CLICKING)
    return bool(attempt[1]) and not _NOT_YET.search(attempt[2])


def act_refused(err: PlaywrightError, action: str) -> ActRefused:
    """Why Playwright did not carry an act out, from what it logged."""
    text = err.message
    if not isinstance(err, PlaywrightTimeout):
        for why, pattern in _REFUSAL_PATTERNS:
            if re.search(pattern, text):
                return ActRefused(why, f"{action}: {_first_line(text)}")
        return ActRefused("failed", f"{action}: {_first_line(text)}")
    matches = [
        (place.end(), why, place)
        for why, pattern in _REFUSAL_PATTERNS
        for place in re.finditer(pattern, text)
    ]
    if not matches:
        return ActRefused("timeout", f"{action}: the target was not ready in time")
    _, why, place = max(matches, key=lambda each: each[0])
    line = text[text.rfind("\n", 0, place.start()) + 1 :].split("\n", 1)[0]
    return ActRefused(why, f"{action}: {line.strip(' -')[:300]}")


def _first_line(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "it failed"
    return re.sub(r"^\w+\.\w+: ", "", first)[:300]
