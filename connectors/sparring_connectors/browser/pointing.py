"""Acts of the mouse: click, hover, scroll, drag."""

from typing import TYPE_CHECKING, Any, Literal

from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring.model.talk import GuiAction
from sparring_connectors.browser.acting import (
    Outcome,
    Refused,
    Target,
    limit_ms,
    refusal,
    target_of,
)
from sparring_connectors.browser.documents import asked
from sparring_connectors.browser.failures import is_over
from sparring_connectors.browser.in_page import call

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_OBSTACLE = call("obstacle")
_LIES_ON = """(label) => {
  const box = label.getBoundingClientRect(), x = (box.left + box.right) / 2;
  return !!label.control
    && label.getRootNode().elementFromPoint(x, (box.top + box.bottom) / 2) === label.control;
}"""
"""Whether a label's box lies on it, unseen, and takes its clicks."""
_BY_SCRIPT = frozenset({"out_of_reach", "unstable"})
_DIRECTIONS = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
_STEPS = 12


async def click(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Click with the left button."""
    return await pressed(session, act)


async def double_click(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Click twice with the left button."""
    return await pressed(session, act, count=2)


async def right_click(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Click with the right button."""
    return await pressed(session, act, button="right")


async def pressed(
    session: "BrowserSession", act: GuiAction, *, count: int = 1,
    button: Literal["left", "right"] = "left",
) -> Outcome:  # fmt: skip
    """Press a button of the mouse on the target of an act."""
    target = await target_of(session, act)
    if act.value is not None and target.about["tag"] == "select":
        from sparring_connectors.browser.choosing import select

        return await select(session, act)
    return await press_on(session, target, act.action, count=count, button=button)


async def press_on(
    session: "BrowserSession", target: Target, action: str, *, count: int = 1,
    button: Literal["left", "right"] = "left",
) -> Outcome:  # fmt: skip
    """Press on a target with real events; by a script only where it cannot be reached at all."""
    target = await _with_label(session, target)
    try:
        await target.handle.click(
            click_count=count, button=button, position=target.position, timeout=limit_ms(session)
        )
    except PlaywrightError as err:
        if is_over(err):
            return Outcome(hit=True)
        reason = refusal(err, action)
        if reason.why == "failed":
            return await _by_hand(session, target, action, count=count, button=button)
        if reason.why in _BY_SCRIPT and session.config.script_click and button == "left":
            return await _by_script(session, target, reason, count)
        raise reason from None
    return Outcome(hit=True)


async def _with_label(session: "BrowserSession", target: Target) -> Target:
    """The label that is seen in the place of a box that is hidden behind it."""
    about = target.about
    if about["type"] not in ("checkbox", "radio", "file") or about["shown"] or not about["label"]:
        return target
    number = session.documents.number(target.frame, target.token)
    label = await target_of(session, GuiAction(action="click"), f"{number}.{about['label']}")
    return target if await label.handle.evaluate(_LIES_ON) else label


async def _by_hand(
    session: "BrowserSession",
    target: Target,
    action: str,
    *,
    count: int,
    button: Literal["left", "right"],
) -> Outcome:
    """Press where the target is, on pages that Playwright's own checks stumble over.

    A form whose fields are called ``getAttribute`` or ``children`` is such a page.
    """
    await target.handle.evaluate("(element) => element.scrollIntoView({block: 'center'})")
    why = await asked(target.frame, _OBSTACLE, target.number)
    if why:
        raise Refused(why, f"{action}: the element {target.id} cannot be clicked: {why}")
    x, y = await _middle(target)
    await session.tab.page.mouse.click(x, y, click_count=count, button=button)
    return Outcome(hit=True)


async def _by_script(
    session: "BrowserSession", target: Target, reason: Refused, count: int
) -> Outcome:
    for _ in range(count):
        await target.handle.evaluate("(element) => element.click()")
    session.happenings.add(PageEventKind.SCRIPT_CLICK, str(reason), why=reason.why, id=target.id)
    return Outcome(hit=False)


async def hover(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Move the mouse onto the target."""
    target = await target_of(session, act)
    try:
        await target.handle.hover(position=target.position, timeout=limit_ms(session))
    except PlaywrightError as err:
        raise refusal(err, act.action) from None
    return Outcome(hit=True)


async def scroll(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Scroll the page or what the target lies in; to the target where no direction is given."""
    amount = _amount(session, act.value)
    page = session.tab.page
    if act.target:
        target = await target_of(session, act)
        try:
            await target.handle.scroll_into_view_if_needed(timeout=limit_ms(session))
            if amount is None:
                return Outcome(hit=True)
            await target.handle.hover(position=target.position, timeout=limit_ms(session))
        except PlaywrightError as err:
            raise refusal(err, act.action) from None
        await page.mouse.wheel(*amount)
        return Outcome(hit=True)
    if amount is None:
        raise Refused("invalid", "scroll needs a target, a direction or a number of pixels")
    if abs(amount[1]) >= _FAR:
        await page.main_frame.evaluate("(end) => window.scrollTo(0, end)", max(0, amount[1]))
        return Outcome()
    size = session.config.viewport
    await page.mouse.move(size.width / 2, size.height / 2)
    await page.mouse.wheel(*amount)
    return Outcome()


_FAR = 1_000_000


def _amount(session: "BrowserSession", value: Any) -> tuple[float, float] | None:
    """How far to scroll to the right and down, in pixels."""
    if isinstance(value, str):
        word = value.strip().lower().removeprefix("to the ").removeprefix("the ")
        if word in ("bottom", "end"):
            return (0, _FAR)
        if word in ("top", "start", "beginning"):
            return (0, -_FAR)
        if word in _DIRECTIONS:
            x, y = _DIRECTIONS[word]
            size = session.config.viewport
            return (x * size.width * 0.8, y * size.height * 0.8)
        try:
            return (0, float(word))
        except ValueError:
            return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (0, float(value))
    if isinstance(value, dict):
        x, y = value.get("x", 0), value.get("y", 0)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(x, (int, float)) and isinstance(y, (int, float)):
            return (float(x), float(y))
    return None


async def drag(session: "BrowserSession", act: GuiAction) -> Outcome:
    """Press on the target, move to the destination (or by ``{x, y}`` pixels), and let go."""
    start = await target_of(session, act)
    try:
        await start.handle.hover(position=start.position, timeout=limit_ms(session))
        begin = await _middle(start)
        if act.destination:
            goal = await target_of(session, act, act.destination)
            await goal.handle.scroll_into_view_if_needed(timeout=limit_ms(session))
            begin, end = await _middle(start), await _middle(goal)
        else:
            by = _amount(session, act.value)
            if by is None:
                raise Refused("invalid", "drag needs a destination, or {x, y} as its value")
            end = (begin[0] + by[0], begin[1] + by[1])
    except PlaywrightError as err:
        raise refusal(err, act.action) from None
    mouse = session.tab.page.mouse
    await mouse.move(*begin)
    await mouse.down()
    await mouse.move(*end, steps=_STEPS)
    await mouse.move(*end)  # some pages take the place of the drop from a second event
    await mouse.up()
    return Outcome(hit=True)


async def _middle(target: Target) -> tuple[float, float]:
    box = await target.handle.bounding_box()
    if box is None:
        raise Refused("hidden", f"the element {target.id} has no place on the page")
    if point := target.position:
        return (box["x"] + point["x"], box["y"] + point["y"])
    return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
