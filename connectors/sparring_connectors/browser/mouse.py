"""Acts of the mouse: pressing on a target, hover, scroll, drag."""

from typing import Any, Literal

from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageEventKind
from sparring.model.talk import GuiAction
from sparring_connectors.browser.context import (
    ActOutcome,
    ActTarget,
    PageContext,
    action_timeout_ms,
    find_target,
)
from sparring_connectors.browser.failures import ActRefused, act_refused, is_over, was_performed
from sparring_connectors.browser.in_page import ask_frame, call

Button = Literal["left", "right"]
_OBSTACLE = call("obstacle")
_LIES_ON = """(label) => {
  const box = label.getBoundingClientRect(), x = (box.left + box.right) / 2;
  return !!label.control
    && label.getRootNode().elementFromPoint(x, (box.top + box.bottom) / 2) === label.control;
}"""
"""Whether a label's box lies on it, unseen, and takes its clicks."""
_COVERED_BY_LABEL = """(box) => {
  const place = box.getBoundingClientRect(), x = (place.left + place.right) / 2;
  const top = box.getRootNode().elementFromPoint(x, (place.top + place.bottom) / 2);
  return !!top && [...(box.labels || [])].some((label) => label.contains(top));
}"""
"""Whether what lies on a box is a part of its own label, as a switch that a page draws itself."""
_COVERED_BY_SHAPE = """(text) => {
  const label = text.nodeType === 3 ? text.parentElement : text;
  if (!label || !label.ownerSVGElement || !label.closest('text, tspan')) return false;
  const place = label.getBoundingClientRect();
  const x = (place.left + place.right) / 2, y = (place.top + place.bottom) / 2;
  const top = label.getRootNode().elementFromPoint(x, y);
  for (let group = label.closest('g'), n = 0; top && group && n < 3; n++) {
    const shape = group.getBoundingClientRect();
    if (shape.width >= 400 || shape.height >= 120) return false;
    if (group.contains(top)) return true;
    group = group.parentElement.closest('g');
  }
  return false;
}"""
"""Whether what lies on a text of a drawing is of the same shape, as the box of a node."""
_BY_SCRIPT = frozenset({"out_of_reach", "unstable"})
_DIRECTIONS = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}
# Libraries of drag and drop want several moves before they see a drag; one jump is a click to
# them.
_STEPS = 12


async def press_on(
    context: PageContext, target: ActTarget, action: str, *, count: int = 1,
    button: Button = "left",
) -> ActOutcome:  # fmt: skip
    """Press on a target with real events; by a script only if it cannot be reached at all."""
    target = await _label_if_hidden(context, target)
    try:
        if target.about["picture"]:
            # its picture under the mouse is fetched only now: till then there is nothing to press
            timeout = action_timeout_ms(context)
            await target.handle.hover(position=target.position, timeout=timeout)
        await target.handle.click(
            click_count=count,
            button=button,
            position=target.position,
            timeout=action_timeout_ms(context),
        )
    except PlaywrightError as err:
        if is_over(err) or was_performed(err):
            return ActOutcome(hit=True)
        reason = act_refused(err, action)
        if reason.why == "failed":
            return await _click_at_middle(context, target, action, count=count, button=button)
        if reason.why == "covered" and await _lies_under_its_own(target):
            return await _click_at_middle_of(context, target, count=count, button=button)
        if reason.why in _BY_SCRIPT and context.config.script_click and button == "left":
            return await _click_by_script(context, target, reason, count)
        raise reason from None
    return ActOutcome(hit=True)


async def _label_if_hidden(context: PageContext, target: ActTarget) -> ActTarget:
    """The label that is seen in the place of a box that is hidden behind it."""
    about = target.about
    if about["type"] not in ("checkbox", "radio", "file") or about["shown"] or not about["label"]:
        return target
    number = context.documents.number(target.frame, target.token)
    label = await find_target(context, GuiAction(action="click"), f"{number}.{about['label']}")
    return target if await label.handle.evaluate(_LIES_ON) else label


async def _click_at_middle(
    context: PageContext,
    target: ActTarget,
    action: str,
    *,
    count: int,
    button: Button,
) -> ActOutcome:
    """Click at the target's place, on pages that Playwright's own checks stumble over.

    A form whose fields are called ``getAttribute`` or ``children`` is such a page.
    """
    await target.handle.evaluate("(element) => element.scrollIntoView({block: 'center'})")
    why = await ask_frame(target.frame, _OBSTACLE, target.number)
    if why:
        raise ActRefused(why, f"{action}: the element {target.id} cannot be clicked: {why}")
    return await _click_at_middle_of(context, target, count=count, button=button)


async def _click_at_middle_of(
    context: PageContext, target: ActTarget, *, count: int, button: Button
) -> ActOutcome:
    x, y = await _middle_of(target)
    await context.tab.page.mouse.click(x, y, click_count=count, button=button)
    return ActOutcome(hit=True)


async def _lies_under_its_own(target: ActTarget) -> bool:
    """Return whether a part of its own label or shape covers a target, and takes clicks for it."""
    try:
        return any(
            [await target.handle.evaluate(js) for js in (_COVERED_BY_LABEL, _COVERED_BY_SHAPE)]
        )
    except PlaywrightError:  # the target went away
        return False


async def _click_by_script(
    context: PageContext, target: ActTarget, reason: ActRefused, count: int
) -> ActOutcome:
    for _ in range(count):
        await target.handle.evaluate("(element) => element.click()")
    context.events.add(PageEventKind.SCRIPT_CLICK, str(reason), why=reason.why, id=target.id)
    return ActOutcome(hit=False)


async def hover(context: PageContext, act: GuiAction) -> ActOutcome:
    """Move the mouse onto the target."""
    target = await find_target(context, act)
    try:
        await target.handle.hover(position=target.position, timeout=action_timeout_ms(context))
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    return ActOutcome(hit=True)


async def scroll(context: PageContext, act: GuiAction) -> ActOutcome:
    """Scroll the page or what the target lies in; to the target if no direction is given."""
    amount = _scroll_distance(context, act.value)
    page = context.tab.page
    if act.target:
        target = await find_target(context, act)
        try:
            await target.handle.scroll_into_view_if_needed(timeout=action_timeout_ms(context))
            if amount is None:
                return ActOutcome(hit=True)
            await target.handle.hover(position=target.position, timeout=action_timeout_ms(context))
        except PlaywrightError as err:
            raise act_refused(err, act.action) from None
        await page.mouse.wheel(*amount)
        return ActOutcome(hit=True)
    if amount is None:
        raise ActRefused("invalid", "scroll needs a target, a direction or a number of pixels")
    if abs(amount[1]) >= _FAR:
        await page.main_frame.evaluate("(end) => window.scrollTo(0, end)", max(0, amount[1]))
        return ActOutcome()
    size = context.config.viewport
    await page.mouse.move(size.width / 2, size.height / 2)
    await page.mouse.wheel(*amount)
    return ActOutcome()


_FAR = 1_000_000


def _scroll_distance(context: PageContext, value: Any) -> tuple[float, float] | None:
    """How far to scroll to the right and down, in pixels."""
    if isinstance(value, str):
        word = value.strip().lower().removeprefix("to the ").removeprefix("the ")
        if word in ("bottom", "end"):
            return (0, _FAR)
        if word in ("top", "start", "beginning"):
            return (0, -_FAR)
        if word in _DIRECTIONS:
            x, y = _DIRECTIONS[word]
            size = context.config.viewport
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


async def drag(context: PageContext, act: GuiAction) -> ActOutcome:
    """Press on the target, move to the destination (or by ``{x, y}`` pixels), and let go."""
    start = await find_target(context, act)
    try:
        await start.handle.hover(position=start.position, timeout=action_timeout_ms(context))
        begin = await _middle_of(start)
        if act.destination:
            goal = await find_target(context, act, act.destination)
            await goal.handle.scroll_into_view_if_needed(timeout=action_timeout_ms(context))
            begin, end = await _middle_of(start), await _middle_of(goal)
        else:
            by = _scroll_distance(context, act.value)
            if by is None:
                raise ActRefused("invalid", "drag needs a destination, or {x, y} as its value")
            end = (begin[0] + by[0], begin[1] + by[1])
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    mouse = context.tab.page.mouse
    await mouse.move(*begin)
    await mouse.down()
    await mouse.move(*end, steps=_STEPS)
    await mouse.move(*end)  # some pages take the place of the drop from a second event
    await mouse.up()
    return ActOutcome(hit=True)


async def _middle_of(target: ActTarget) -> tuple[float, float]:
    box = await target.handle.bounding_box()
    if box is None:
        raise ActRefused("hidden", f"the element {target.id} has no place on the page")
    if point := target.position:
        return (box["x"] + point["x"], box["y"] + point["y"])
    return (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
