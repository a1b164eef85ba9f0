"""What an act needs: its target, the reasons why it cannot be carried out, and what came of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import ElementHandle, Frame, Position
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from sparring.model.talk import GuiAction
from sparring_connectors.browser.documents import asked
from sparring_connectors.browser.failures import is_leaving, is_over
from sparring_connectors.browser.in_page import call

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_ABOUT = call("about")
_REASONS = (
    ("covered", r"intercepts pointer events"),
    ("disabled", r"element is not enabled"),
    ("hidden", r"element is not visible"),
    ("readonly", r"element is not editable"),
    ("out_of_reach", r"element is outside of the viewport"),
    ("unstable", r"element is not stable"),
    ("stale", r"not attached to the DOM"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an act: whether it hit its target with a real event; the view where known."""

    hit: bool | None = None


class Refused(Exception):
    """An act was not carried out, and why: ``stale``, ``disabled``, ``covered`` ..."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


@dataclass(frozen=True, slots=True)
class Target:
    """The node that an act means, and what is known of it before the act."""

    id: str
    frame: Frame
    token: str
    number: int
    handle: ElementHandle
    about: Mapping[str, Any]

    @property
    def position(self) -> Position | None:
        """Where to point at, from the element's corner; None for its middle."""
        point = self.about["point"]
        return Position(x=point["x"], y=point["y"]) if point else None


async def target_of(
    session: "BrowserSession", act: GuiAction, identifier: str | None = None
) -> Target:
    """The node that an act means; raises Refused where it is gone."""
    wanted = identifier or act.target
    if not wanted:
        raise Refused("invalid", f"the action {act.action!r} needs a target")
    found = session.documents.place(wanted)
    if found is None:
        raise Refused("stale", f"the element {wanted[:40]!r} is not on the page any more")
    frame, token, number = found
    try:
        handle = await session.documents.handle(frame, token, number)
        about = await asked(frame, _ABOUT, number) if handle is not None else None
    except PlaywrightError as err:
        if not (is_leaving(err) or is_over(err)):
            raise  # a script of Sparring's own failed: that does not make the element stale
        handle = about = None
    if handle is None or about is None:
        raise Refused("stale", f"the element {wanted!r} is not on the page any more")
    target = Target(wanted, frame, token, number, handle, about)
    if identifier is None:
        session.aimed(target)
    return target


def refusal(err: PlaywrightError, action: str) -> Refused:
    """Why Playwright did not carry an act out, from what it logged."""
    text = err.message
    if not isinstance(err, PlaywrightTimeout):
        for why, pattern in _REASONS:
            if re.search(pattern, text):
                return Refused(why, f"{action}: {_first(text)}")
        return Refused("failed", f"{action}: {_first(text)}")
    found = [
        (place.end(), why, place)
        for why, pattern in _REASONS
        for place in re.finditer(pattern, text)
    ]
    if not found:
        return Refused("timeout", f"{action}: the target was not ready in time")
    _, why, place = max(found, key=lambda each: each[0])
    line = text[text.rfind("\n", 0, place.start()) + 1 :].split("\n", 1)[0]
    return Refused(why, f"{action}: {line.strip(' -')[:300]}")


def _first(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "it failed"
    return re.sub(r"^\w+\.\w+: ", "", first)[:300]


def limit_ms(session: "BrowserSession") -> float:
    """How long a target may take to be ready, in milliseconds."""
    return session.config.timeout.action_s * 1000


def text_value(session: "BrowserSession", act: GuiAction) -> str:
    """The text of an act, with the values of variables; raises Refused where it has none."""
    if act.value is None or isinstance(act.value, (dict, list)):
        raise Refused("invalid", f"the action {act.action!r} needs a text as its value")
    value = act.value
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return session.variables.filled(text)
