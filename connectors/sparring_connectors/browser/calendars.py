"""Dates for fields that take no typing: chosen in the calendar that they open."""

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import GuiAction
from sparring_connectors.browser.acting import Outcome, Refused, Target, target_of
from sparring_connectors.browser.pointing import press_on

if TYPE_CHECKING:
    from sparring_connectors.browser.session import BrowserSession

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\b", re.I)
_YEAR = re.compile(r"\b(?:19|20|21)\d\d\b")
_NUMBERED = re.compile(r"\b(0?[1-9]|1[0-2])\s*[/.-]\s*((?:19|20|21)\d\d)\b")
_WAYS = {
    1: re.compile(r"^(?:next|forward|later|\u203a|>|\u2192|\u25b6|\u25ba)|next month", re.I),
    -1: re.compile(r"^(?:prev|back|earlier|\u2039|<|\u2190|\u25c0|\u25c4)|previous month", re.I),
}
_BY_A_YEAR = re.compile(r"year|decade|\u00bb|\u00ab|>>|<<", re.I)
_MOST_MONTHS = 600
_ACT = GuiAction(action="click")


def date_of(text: str) -> date | None:
    """The day that a text names, month first where it may be either; None where it names none."""
    if len(text) > 40 or sum(sign.isdigit() for sign in text) < 3:
        return None
    import dateparser  # slow to load, and seldom needed

    wanted = ["day", "month", "year"]
    found = dateparser.parse(
        text, languages=["en"], settings={"DATE_ORDER": "MDY", "REQUIRE_PARTS": wanted}
    )
    return found.date() if found else None


async def pick(session: "BrowserSession", target: Target, text: str) -> Outcome:
    """Choose a day in the calendar that a field opens; raises Refused where none opens."""
    day = date_of(text)
    if day is None:
        raise Refused("readonly", "fill: the field takes no typing, and the value is no date")
    before = await session.snapshot()
    known = frozenset(one.id for one in before.elements if one.visible)
    await press_on(session, target, "fill")
    shown = await _looked(session, known)
    if shown is None:
        raise Refused("readonly", "fill: the field takes no typing, and opens no calendar")
    shown = await _turned(session, shown, known, day)
    cell = _day(shown, day.day)
    outcome = await press_on(session, await target_of(session, _ACT, cell.id), "fill")
    await session.settle()
    return outcome


async def _looked(session: "BrowserSession", known: frozenset[str]) -> list[Element] | None:
    await session.settle()
    return _calendar(await session.snapshot(), known)


def _calendar(snapshot: PageSnapshot, known: frozenset[str]) -> list[Element] | None:
    """What a calendar shows: what came into sight, where a month and most of its days are in it."""
    fresh = [one for one in snapshot.elements if one.visible and one.id not in known]
    days = {int(t) for one in fresh if (t := one.text.strip()).isdigit() and len(t) < 3}
    whole = len(days & set(range(1, 32))) >= 28
    return fresh if whole and _month(fresh) else None


def _month(shown: Sequence[Element]) -> tuple[int, int] | None:
    """Year and month that a calendar is at, from its heading or its lists."""
    month = year = 0
    for one in shown:
        chosen = [option.label for option in one.options if option.selected]
        for text in chosen or [one.text]:
            if len(text) > 40:
                continue
            if found := _NUMBERED.search(text):
                return int(found[2]), int(found[1])
            if not month and (named := _NAMED.search(text)):
                month = _MONTHS.index(named[1].lower()) + 1
            if not year and (numbered := _YEAR.search(text)):
                year = int(numbered[0])
    return (year, month) if year and month else None


async def _turned(
    session: "BrowserSession", shown: list[Element], known: frozenset[str], day: date
) -> list[Element]:
    """Turn the pages of a calendar to the month of a day."""
    for _ in range(_MOST_MONTHS):
        at = _month(shown)
        if at is None:
            break
        away = (day.year - at[0]) * 12 + day.month - at[1]
        if away == 0:
            return shown
        control = _control(shown, 1 if away > 0 else -1)
        if control is None or control.disabled:
            raise Refused("no_option", f"fill: the calendar does not go on to {day:%B %Y}")
        await press_on(session, await target_of(session, _ACT, control.id), "fill")
        turned = await _looked(session, known)
        if turned is None or _month(turned) == at:
            raise Refused("no_option", f"fill: the calendar does not go on to {day:%B %Y}")
        shown = turned
    raise Refused("failed", "fill: the calendar's month cannot be read")


def _control(shown: Sequence[Element], way: int) -> Element | None:
    """What turns a calendar's page by a month."""
    found = [one for one in shown if one.role != "text" and _turns(one, way)]
    return min(found, key=lambda one: (not one.interactive, one.role == "generic"), default=None)


def _turns(element: Element, way: int) -> bool:
    said = (element.name, element.title, element.text, element.attributes.get("class", ""))
    texts = [text.strip() for text in said if text.strip()]
    if any(_BY_A_YEAR.search(text) for text in texts[:1]):
        return False
    return any(_WAYS[way].search(text) for text in texts)


def _day(shown: Sequence[Element], number: int) -> Element:
    """The day of the month; not that of the months before and after, which may be there too."""
    named = [one for one in shown if one.text.strip() == str(number) and one.role != "text"]
    holders = {one.parent for one in named}
    cells = [one for one in named if one.id not in holders] or [
        one for one in shown if one.text.strip() == str(number)
    ]
    if not cells:
        raise Refused("no_option", f"fill: the calendar has no {number}")
    cell = cells[0] if number <= 15 else cells[-1]
    if cell.disabled:
        raise Refused("disabled", f"fill: {number} cannot be chosen in the calendar")
    return cell
