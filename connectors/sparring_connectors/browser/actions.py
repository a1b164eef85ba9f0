"""The table of acts, and clicks: on a target, or on the words in it that are the value.

A click with a value on a list selects.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from playwright.async_api import Error as PlaywrightError

from sparring.model.talk import GuiAction
from sparring_connectors.browser import fields, mouse, navigation, text_selection
from sparring_connectors.browser.context import (
    ActOutcome,
    ActTarget,
    PageContext,
    find_target,
    read_text,
)
from sparring_connectors.browser.failures import ActRefused, act_refused
from sparring_connectors.browser.mouse import Button
from sparring_connectors.browser.text_selection import position_of_words

Action = Callable[[PageContext, GuiAction], Awaitable[ActOutcome]]


async def click(context: PageContext, act: GuiAction) -> ActOutcome:
    """Click with the left button."""
    return await _click_or_select(context, act)


async def double_click(context: PageContext, act: GuiAction) -> ActOutcome:
    """Click twice with the left button."""
    return await _click_or_select(context, act, count=2)


async def right_click(context: PageContext, act: GuiAction) -> ActOutcome:
    """Click with the right button."""
    return await _click_or_select(context, act, button="right")


async def _click_or_select(
    context: PageContext, act: GuiAction, *, count: int = 1, button: Button = "left"
) -> ActOutcome:
    target = await find_target(context, act)
    if act.value is not None and target.about["tag"] == "select":
        return await fields.select(context, act)
    if act.value is not None:
        target = await _aim_at_words(context, target, act)
    return await mouse.press_on(context, target, act.action, count=count, button=button)


async def _aim_at_words(context: PageContext, target: ActTarget, act: GuiAction) -> ActTarget:
    """Return the target with the place of some of its words as what is clicked.

    The words of a text that explains each one are no elements of their own, and a script that
    listens for clicks on the whole text asks where the click went.
    """
    words = read_text(context, act)
    try:
        point = await position_of_words(target, words)
    except PlaywrightError as err:
        raise act_refused(err, act.action) from None
    if point is None:
        raise ActRefused("not_there", f"{act.action}: the target has no words {words[:80]!r}")
    return replace(target, about={**target.about, "point": point})


ACTIONS: dict[str, Action] = {
    "open": navigation.open_address,
    "back": navigation.back,
    "forward": navigation.forward,
    "reload": navigation.reload,
    "wait": navigation.wait,
    "switch_tab": navigation.switch_tab,
    "close_tab": navigation.close_tab,
    "answer_dialog": navigation.answer_dialog,
    "screenshot": navigation.screenshot,
    "new_tab": navigation.new_tab,
    "mark": navigation.mark,
    "click": click,
    "double_click": double_click,
    "right_click": right_click,
    "hover": mouse.hover,
    "scroll": mouse.scroll,
    "drag": mouse.drag,
    "select_text": text_selection.select_text,
    "fill": fields.fill,
    "type": fields.type_in,
    "append": fields.append,
    "press": fields.press,
    "check": fields.check,
    "uncheck": fields.uncheck,
    "upload": fields.upload,
    "select": fields.select,
}
