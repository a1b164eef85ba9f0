"""What an act works with: the page's context, its target, its outcome."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.async_api import ElementHandle, Frame, Position
from playwright.async_api import Error as PlaywrightError

from sparring.model.page import PageSnapshot
from sparring.model.talk import GuiAction
from sparring_connectors.browser.config import BrowserConfig
from sparring_connectors.browser.evidence import Evidence
from sparring_connectors.browser.failures import ActRefused, is_leaving, is_over
from sparring_connectors.browser.in_page import Documents, ask_frame, call
from sparring_connectors.browser.page_events import PageEventLog
from sparring_connectors.browser.tabs import Dialogs, Tab, Tabs
from sparring_connectors.browser.variables import Variables

_ABOUT = call("about")


@dataclass(frozen=True, slots=True)
class ActOutcome:
    """The result of an act: whether it hit its target with a real event, `None` if unknown."""

    hit: bool | None = None


@dataclass(frozen=True, slots=True)
class ActTarget:
    """The node that an act means, and what is known of it before the act."""

    id: str
    frame: Frame
    token: str
    number: int
    handle: ElementHandle
    about: Mapping[str, Any]

    @property
    def position(self) -> Position | None:
        """The point to click, from the element's corner; `None` for its middle."""
        point = self.about["point"]
        return Position(x=point["x"], y=point["y"]) if point else None


class PageContext(Protocol):
    """What an act, a chat or a wait needs of the session whose page it works on."""

    config: BrowserConfig
    base_dir: Path
    variables: Variables
    documents: Documents
    events: PageEventLog
    dialogs: Dialogs
    tabs: Tabs
    evidence: Evidence
    marks: list[str]

    @property
    def tab(self) -> Tab:
        """The current tab; raises AppCrash if there is none, or if it crashed."""
        ...

    async def open_tab(self) -> Tab:
        """The current tab, or a new one if it is closed or has crashed."""
        ...

    async def snapshot(self, apart: str = "") -> PageSnapshot:
        """What the current tab shows, with the texts that match `apart` on their own."""
        ...

    async def wait_until_stable(self) -> None:
        """Wait until the current tab neither loads nor changes, within the suite's limits."""
        ...

    def note_target(self, target: "ActTarget") -> None:
        """Remember what an act is aimed at: whether it changed is reported with the next view."""
        ...

    def note_typed(self, field: ElementHandle, text: str) -> None:
        """Remember the field that a text was put into: secrets are veiled in screenshots."""
        ...

    def address(self, value: str) -> str:
        """Return a whole address from one that may be relative; raises ConfigurationError."""
        ...

    def shown(self, text: str) -> str:
        """Return a text that may quote the app with its secrets replaced by their names."""
        ...


async def find_target(
    context: PageContext, act: GuiAction, identifier: str | None = None
) -> ActTarget:
    """Find the node that an act means; raises ActRefused if it is gone."""
    wanted = identifier or act.target
    if not wanted:
        raise ActRefused("invalid", f"the action {act.action!r} needs a target")
    place = context.documents.place(wanted)
    if place is None:
        raise ActRefused("stale", f"the element {wanted[:40]!r} is not on the page any more")
    frame, token, number = place
    try:
        handle = await context.documents.handle(frame, token, number)
        about = await ask_frame(frame, _ABOUT, number) if handle is not None else None
    except PlaywrightError as err:
        if not (is_leaving(err) or is_over(err)):
            raise  # a script of Sparring's own failed: that does not make the element stale
        handle = about = None
    if handle is None or about is None:
        raise ActRefused("stale", f"the element {wanted!r} is not on the page any more")
    target = ActTarget(wanted, frame, token, number, handle, about)
    if identifier is None:
        context.note_target(target)
    return target


def action_timeout_ms(context: PageContext) -> float:
    """How long a target may take to be ready, in milliseconds."""
    return context.config.timeout.action_s * 1000


def read_text(context: PageContext, act: GuiAction) -> str:
    """The text of an act, with the values of variables; raises ActRefused if it has none."""
    if act.value is None or isinstance(act.value, (dict, list)):
        raise ActRefused("invalid", f"the action {act.action!r} needs a text as its value")
    value = act.value
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return context.variables.fill(text)
