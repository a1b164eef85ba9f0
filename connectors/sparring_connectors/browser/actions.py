"""The table of acts."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from sparring.model.talk import GuiAction
from sparring_connectors.browser import choosing, entering, navigating, pointing
from sparring_connectors.browser.acting import Outcome

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

Action = Callable[["BrowserSession", GuiAction], Awaitable[Outcome]]

ACTIONS: dict[str, Action] = {
    "open": navigating.open_address,
    "back": navigating.back,
    "forward": navigating.forward,
    "reload": navigating.reload,
    "wait": navigating.wait,
    "switch_tab": navigating.switch_tab,
    "close_tab": navigating.close_tab,
    "answer_dialog": navigating.answer_dialog,
    "screenshot": navigating.screenshot,
    "click": pointing.click,
    "double_click": pointing.double_click,
    "right_click": pointing.right_click,
    "hover": pointing.hover,
    "scroll": pointing.scroll,
    "drag": pointing.drag,
    "fill": entering.fill,
    "type": entering.type_in,
    "press": entering.press,
    "check": entering.check,
    "uncheck": entering.uncheck,
    "upload": entering.upload,
    "select": choosing.select,
}
