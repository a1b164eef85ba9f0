"""Date pickers and sliders that pages make themselves: set by clicks and keys."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from playwright.async_api import Error as PlaywrightError

from sparring.model.page import Element, PageSnapshot
from sparring.model.talk import GuiAction
from sparring_connectors.browser.context import (
    ActOutcome,
    ActTarget,
    PageContext,
    action_timeout_ms,
    find_target,
)
from sparring_connectors.browser.failures import ActRefused, act_refused
from sparring_connectors.browser.mouse import press_on

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\b", re.I)
_YEAR = re.compile(r"\b(?:19|20|21)\d\d\b")
_NUMBERED = re.compile(r"\b(0?[1-9]|1[0-2])\s*[/.-]\s*((?:19|20|21)\d\d)\b")
_WAYS = {
    1: re.compile(r"^(?:next|forward|later|\u203a|>|\u2192|\u25b6|\u25ba)|next month", re.I),
    -1: re.compile(r"^(?:prev|back|earlier|\u2039|<|\u2190|\u25c0|\u25c4)|previous month", re.I),
}
# Of "<<", "<", ">" and ">>" in a calendar the double ones turn by a year.
_BY_A_YEAR = re.compile(r"year|decade|\u00bb|\u00ab|>>|<<", re.I)
# Fifty years, for a date of birth; a calendar that does not turn is left after this.
_MOST_MONTHS = 600
_ACT = GuiAction(action="click")


def parse_day(text: str) -> date | None:
    """The day that a text names, month first if it may be either; `None` if it names none."""
    if len(text) > 40 or sum(sign.isdigit() for sign in text) < 3:
        return None
    import dateparser  # slow to load, and seldom needed

    wanted = ["day", "month", "year"]
    parsed = dateparser.parse(
        text, languages=["en"], settings={"DATE_ORDER": "MDY", "REQUIRE_PARTS": wanted}
    )
    return parsed.date() if parsed else None


async def pick_date(context: PageContext, target: ActTarget, text: str) -> ActOutcome:
    """Choose a day in the calendar that a field opens; raises ActRefused if none opens."""
    day = parse_day(text)
    if day is None:
        raise ActRefused("readonly", "fill: the field takes no typing, and the value is no date")
    before = await context.snapshot()
    seen = frozenset(element.id for element in before.elements if element.visible)
    await press_on(context, target, "fill")
    shown = await _find_calendar(context, seen)
    if shown is None:
        raise ActRefused("readonly", "fill: the field takes no typing, and opens no calendar")
    shown = await _turn_to_month(context, shown, seen, day)
    cell = _day_cell(shown, day.day)
    outcome = await press_on(context, await find_target(context, _ACT, cell.id), "fill")
    await context.wait_until_stable()
    return outcome


async def _find_calendar(context: PageContext, known: frozenset[str]) -> list[Element] | None:
    await context.wait_until_stable()
    return _calendar_elements(await context.snapshot(), known)


def _calendar_elements(snapshot: PageSnapshot, seen: frozenset[str]) -> list[Element] | None:
    """What a calendar shows: what came into sight, if a month and most of its days are in it."""
    fresh = [element for element in snapshot.elements if element.visible and element.id not in seen]
    days = {int(t) for element in fresh if (t := element.text.strip()).isdigit() and len(t) < 3}
    # 28 days, because February has no more, and some calendars leave out days that are over.
    whole = len(days & set(range(1, 32))) >= 28
    return fresh if whole and _shown_month(fresh) else None


def _shown_month(shown: Sequence[Element]) -> tuple[int, int] | None:
    """Year and month that a calendar is at, from its heading or its lists."""
    month = year = 0
    for element in shown:
        chosen = [option.label for option in element.options if option.selected]
        for text in chosen or [element.text]:
            if len(text) > 40:
                continue
            if match := _NUMBERED.search(text):
                return int(match[2]), int(match[1])
            if not month and (named := _NAMED.search(text)):
                month = _MONTHS.index(named[1].lower()) + 1
            if not year and (numbered := _YEAR.search(text)):
                year = int(numbered[0])
    return (year, month) if year and month else None


async def _turn_to_month(
    context: PageContext, shown: list[Element], known: frozenset[str], day: date
) -> list[Element]:
    """Turn the pages of a calendar to the month of a day."""
    for _ in range(_MOST_MONTHS):
        at = _shown_month(shown)
        if at is None:
            break
        away = (day.year - at[0]) * 12 + day.month - at[1]
        if away == 0:
            return shown
        control = _month_control(shown, 1 if away > 0 else -1)
        if control is None or control.disabled:
            raise ActRefused("no_option", f"fill: the calendar does not go on to {day:%B %Y}")
        await press_on(context, await find_target(context, _ACT, control.id), "fill")
        turned = await _find_calendar(context, known)
        if turned is None or _shown_month(turned) == at:
            raise ActRefused("no_option", f"fill: the calendar does not go on to {day:%B %Y}")
        shown = turned
    raise ActRefused("failed", "fill: the calendar's month cannot be read")


def _month_control(shown: Sequence[Element], way: int) -> Element | None:
    """What turns a calendar's page by a month."""
    controls = [
        element for element in shown if element.role != "text" and _turns_by_a_month(element, way)
    ]
    return min(
        controls,
        key=lambda element: (not element.interactive, element.role == "generic"),
        default=None,
    )


def _turns_by_a_month(element: Element, way: int) -> bool:
    labels = (element.name, element.title, element.text, element.attributes.get("class", ""))
    texts = [text.strip() for text in labels if text.strip()]
    # What turns a whole year is named alike, but goes too far.
    if any(_BY_A_YEAR.search(text) for text in texts[:1]):
        return False
    return any(_WAYS[way].search(text) for text in texts)


def _day_cell(shown: Sequence[Element], number: int) -> Element:
    """The day of the month; not that of the months before and after, which may be there too."""
    named = [
        element
        for element in shown
        if element.text.strip() == str(number) and element.role != "text"
    ]
    holders = {element.parent for element in named}
    cells = [element for element in named if element.id not in holders] or [
        element for element in shown if element.text.strip() == str(number)
    ]
    if not cells:
        raise ActRefused("no_option", f"fill: the calendar has no {number}")
    # A page of November also shows the 30th of October before, and the 1st of December after it.
    cell = cells[0] if number <= 15 else cells[-1]
    if cell.disabled:
        raise ActRefused("disabled", f"fill: {number} cannot be chosen in the calendar")
    return cell


# Sliders that a page makes itself: moved by keys until they show the value.

# "-12", "3.5" and "3,5"; U+2212 is the minus that pages print.
_NUMBER = re.compile(r"[-+\u2212]?\d+(?:[.,]\d+)?")
_MOST_KEYS = 1000
# A slider that snaps to steps of its own is approached again from where it stopped.
_ROUNDS = 6
_MORE, _LESS = "ArrowRight", "ArrowLeft"


def only_number(text: str) -> float | None:
    """The only number of a text; `None` if there is none, or several."""
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    return float(numbers[0].replace("\u2212", "-").replace(",", "."))


@dataclass
class _SliderValue:
    """The value of a slider: its ARIA value, or a number on the page.

    `place` is which of the page's numbers it is; found out by what moves with the slider.
    """

    context: PageContext
    target: ActTarget
    place: int | None = None

    async def read_aria_value(self) -> float | None:
        """What the slider itself says."""
        for name in ("aria-valuenow", "aria-valuetext"):
            value = only_number(await self.target.handle.get_attribute(name) or "")
            if value is not None:
                return value
        return None

    async def read_numbers(self) -> list[float | None]:
        """The numbers of all visible texts, in reading order."""
        shown = await self.context.snapshot()
        return [
            only_number(element.text)
            for element in shown.elements
            if element.role == "text" and element.visible
        ]

    async def read_value(self) -> float | None:
        """The value, if it is known how to read it."""
        await self.context.wait_until_stable()
        value = await self.read_aria_value()
        if value is not None or self.place is None:
            return value
        shown = await self.read_numbers()
        return shown[self.place] if self.place < len(shown) else None


async def move_slider(context: PageContext, target: ActTarget, text: str) -> ActOutcome:
    """Move a slider to a value by its arrow keys; raises ActRefused if it cannot stand there."""
    goal = only_number(text)
    if goal is None:
        raise ActRefused("malformed", f"fill: a slider takes a number, and not {text[:40]!r}")
    gauge = _SliderValue(context, target)
    try:
        await target.handle.focus()
        step = await _measure_step(gauge, goal)
        for _ in range(_ROUNDS):
            there = await gauge.read_value()
            if there is None or step == 0:
                break
            keys = round((goal - there) / step)
            if keys == 0 and abs(goal - there) < 1e-6:
                return ActOutcome(hit=True)
            if not keys:
                break
            for _ in range(min(abs(keys), _MOST_KEYS)):
                await target.handle.press(
                    _MORE if keys > 0 else _LESS, timeout=action_timeout_ms(context)
                )
    except PlaywrightError as err:
        raise act_refused(err, "fill") from None
    there = await gauge.read_value()
    if there is not None and abs(goal - there) < 1e-6:
        return ActOutcome(hit=True)
    stands = "does not say where it stands" if there is None else f"stands at {there:g}"
    raise ActRefused("malformed", f"fill: the slider cannot be set to {text[:40]!r}; it {stands}")


async def _measure_step(gauge: _SliderValue, goal: float) -> float:
    """Press a key, to see how far it moves the slider, and which number moves with it."""
    for key, sign in ((_MORE, 1.0), (_LESS, -1.0)):
        before, shown = await gauge.read_aria_value(), await gauge.read_numbers()
        if before == goal:
            return 1.0
        await gauge.target.handle.press(key, timeout=action_timeout_ms(gauge.context))
        await gauge.context.wait_until_stable()
        after = await gauge.read_aria_value()
        if before is not None and after is not None:
            if after != before:
                return sign * (after - before)
            continue
        moved = _moved_number(shown, await gauge.read_numbers())
        if moved is not None:
            gauge.place, way = moved
            return sign * way
    return 0.0


def _moved_number(
    before: list[float | None], after: list[float | None]
) -> tuple[int, float] | None:
    """The only number that is another one now, and by how much."""
    if len(before) != len(after):
        return None
    moved = [
        (place, new - old)
        for place, (old, new) in enumerate(zip(before, after, strict=True))
        if old is not None and new is not None and old != new
    ]
    return moved[0] if len(moved) == 1 else None
