"""Sliders that a page makes itself: moved by keys until they show the value."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from sparring_connectors.browser.acting import Outcome, Refused, Target, limit_ms, refusal

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_NUMBER = re.compile(r"[-+\u2212]?\d+(?:[.,]\d+)?")
_MOST_KEYS = 1000
_ROUNDS = 6
_MORE, _LESS = "ArrowRight", "ArrowLeft"


def number_of(text: str) -> float | None:
    """The only number of a text; None where there is none, or several."""
    found = _NUMBER.findall(text)
    if len(found) != 1:
        return None
    return float(found[0].replace("\u2212", "-").replace(",", "."))


@dataclass
class _Gauge:
    """Where a slider's value can be read: in its ARIA value, or in a number on the page.

    `place` is which of the page's numbers it is; found out by what moves with the slider.
    """

    session: "BrowserSession"
    target: Target
    place: int | None = None

    async def stated(self) -> float | None:
        """What the slider itself says."""
        for name in ("aria-valuenow", "aria-valuetext"):
            told = number_of(await self.target.handle.get_attribute(name) or "")
            if told is not None:
                return told
        return None

    async def numbers(self) -> list[float | None]:
        """The numbers of all visible texts, in reading order."""
        shown = await self.session.snapshot()
        return [number_of(one.text) for one in shown.elements if one.role == "text" and one.visible]

    async def now(self) -> float | None:
        """The value, where it is known how to read it."""
        await self.session.settle()
        told = await self.stated()
        if told is not None or self.place is None:
            return told
        shown = await self.numbers()
        return shown[self.place] if self.place < len(shown) else None


async def slide(session: "BrowserSession", target: Target, text: str) -> Outcome:
    """Move a slider to a value by its arrow keys; raises Refused where it cannot stand there."""
    goal = number_of(text)
    if goal is None:
        raise Refused("malformed", f"fill: a slider takes a number, and not {text[:40]!r}")
    gauge = _Gauge(session, target)
    try:
        await target.handle.focus()
        step = await _tried(gauge, goal)
        for _ in range(_ROUNDS):
            there = await gauge.now()
            if there is None or step == 0:
                break
            keys = round((goal - there) / step)
            if keys == 0 and abs(goal - there) < 1e-6:
                return Outcome(hit=True)
            if not keys:
                break
            for _ in range(min(abs(keys), _MOST_KEYS)):
                await target.handle.press(_MORE if keys > 0 else _LESS, timeout=limit_ms(session))
    except PlaywrightError as err:
        raise refusal(err, "fill") from None
    there = await gauge.now()
    if there is not None and abs(goal - there) < 1e-6:
        return Outcome(hit=True)
    stands = "does not say where it stands" if there is None else f"stands at {there:g}"
    raise Refused("malformed", f"fill: the slider cannot be set to {text[:40]!r}; it {stands}")


async def _tried(gauge: _Gauge, goal: float) -> float:
    """Press a key, to see how far it moves the slider, and which number moves with it."""
    for key, sign in ((_MORE, 1.0), (_LESS, -1.0)):
        told, shown = await gauge.stated(), await gauge.numbers()
        if told == goal:
            return 1.0
        await gauge.target.handle.press(key, timeout=limit_ms(gauge.session))
        await gauge.session.settle()
        now = await gauge.stated()
        if told is not None and now is not None:
            if now != told:
                return sign * (now - told)
            continue
        moved = _moved(shown, await gauge.numbers())
        if moved is not None:
            gauge.place, way = moved
            return sign * way
    return 0.0


def _moved(before: list[float | None], after: list[float | None]) -> tuple[int, float] | None:
    """The only number that is another one now, and by how much."""
    if len(before) != len(after):
        return None
    found = [
        (place, new - old)
        for place, (old, new) in enumerate(zip(before, after, strict=True))
        if old is not None and new is not None and old != new
    ]
    return found[0] if len(found) == 1 else None
