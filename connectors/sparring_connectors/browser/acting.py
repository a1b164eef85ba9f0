"""What can be done on a page."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.errors import AppCrash, AppProtocolError, AppTimeout, AppUnreachable
from sparring.model.talk import GuiAction

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle

    from sparring_connectors.browser.session import BrowserSession


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an act: whether it hit its target, and whether that changed."""

    hit: bool | None = None
    changed: bool | None = None


class Refused(Exception):
    """An act was not carried out, and why: ``stale``, ``disabled``, ``covered`` ..."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


Action = Callable[["BrowserSession", GuiAction], Awaitable[Outcome]]


async def open_address(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Go to an address."""
    address = session.address(str(act.value or ""))
    try:
        await session.tab.page.goto(
            address, wait_until="commit", timeout=session.config.timeout.navigation_s * 1000
        )
    except PlaywrightTimeout:
        raise AppTimeout(f"{address}: no answer within the time for navigation") from None
    except PlaywrightError as err:
        raise _navigation_error(address, err.message) from None
    return Outcome()


def _navigation_error(address: str, message: str) -> Exception:
    first = message.splitlines()[0] if message else ""
    if "ERR_ABORTED" in message:
        return AppProtocolError(f"{address}: there is no page: {first}")
    if "crashed" in message:
        return AppCrash(f"{address}: the page crashed")
    return AppUnreachable(f"{address}: {first}")


async def target_of(session: "BrowserSession", act: GuiAction) -> "ElementHandle":
    """The node that an act means; raises Refused where it is gone."""
    if not act.target:
        raise Refused("invalid", f"the action {act.action!r} needs a target")
    handle = await session.documents.handle(act.target)
    if handle is None:
        raise Refused("stale", f"the element {act.target} is not on the page any more")
    return handle


async def click(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Click with the mouse."""
    handle = await target_of(session, act)
    try:
        await handle.click(timeout=session.config.timeout.action_s * 1000)
    except PlaywrightTimeout as err:
        raise Refused("timeout", err.message.splitlines()[0]) from None
    return Outcome(hit=True)


async def fill(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Put a text into a field in the place of what it holds."""
    handle = await target_of(session, act)
    text = session.variables.filled(str(act.value if act.value is not None else ""))
    try:
        await handle.fill(text, timeout=session.config.timeout.action_s * 1000)
    except PlaywrightError as err:
        raise Refused("not_editable", err.message.splitlines()[0]) from None
    return Outcome(hit=True)


ACTIONS: dict[str, Action] = {"open": open_address, "click": click, "fill": fill}
