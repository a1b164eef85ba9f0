"""The table of acts, and clicks, which select when the target is a list and they carry a value."""

from collections.abc import Awaitable, Callable

from sparring.model.talk import GuiAction
from sparring_connectors.browser import fields, mouse, navigation, text_selection
from sparring_connectors.browser.context import ActOutcome, PageContext, find_target
from sparring_connectors.browser.mouse import Button

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
    return await mouse.press_on(context, target, act.action, count=count, button=button)


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
