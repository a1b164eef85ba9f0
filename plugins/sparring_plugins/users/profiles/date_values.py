"""Values from ``{date: ...}``: given, random, relative to today, in a range, or impossible."""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from typing import Any, cast

from sparring.documents.checking import nearest, shown
from sparring_plugins.users.profiles.number_ranges import MOST_VALUES

KEYS = ("random", "set", "range", "fake", "custom")
MOST_FAKE = 1_000

_TODAY = re.compile(r"\s*+today\s*+(?:([-+])\s*+([0-9]{1,6}))?\s*+")
""""today", "today+5"."""
_SET = re.compile(r"\s*([<>])\s*today\s*\(\s*([0-9]{1,9})\s*\)\s*")
"""Days before or after today: ">today(3)"."""
_STEP = re.compile(r"\s*(day|month|year|linspace)s?\s*\(\s*([0-9]{1,9})\s*\)\s*")
"""The step of a series of days: "days(4)", "year(1)"."""
_YEAR = 365


@dataclass(frozen=True)
class DateMaker:
    """Makes the dates of one variable; everything random comes from its own stream.

    `sensei` makes them as SENSEI's code does: months of 30 and years of 365 days, a range that
    may run over its end, and dates of the years 0 to 3000.
    """

    today: Callable[[], date]
    random: Random
    sensei: bool = False

    def make(self, data: Any) -> list[str]:
        """The dates as texts, generated ones before given ones; raises ValueError."""
        if not isinstance(data, dict):
            raise ValueError(f"expected one or more of {', '.join(KEYS)}, found {shown(data)}")
        spec = cast("dict[Any, Any]", data)
        for key in spec:
            if key not in KEYS:
                raise ValueError(f"unknown key {shown(key)} in the dates.{nearest(str(key), KEYS)}")
        days: list[str] = []
        if "random" in spec:
            days += self._any_days(_count(spec["random"], "random"))
        if "set" in spec:
            days += self._around_today(spec["set"])
        if "range" in spec:
            days += self._range(spec["range"])
        if "fake" in spec:
            days += self._impossible(_count(spec["fake"], "fake", MOST_FAKE))
        return days + _custom(spec.get("custom"))

    def _any_days(self, count: int) -> list[str]:
        if self.sensei:
            return [self._sensei_day() for _ in range(count)]
        first = date(1900, 1, 1)
        days = (date(2100, 1, 1) - first).days
        return [_show_day(first + timedelta(days=n)) for n in self._offsets(days, count)]

    def _sensei_day(self) -> str:
        year, month = self.random.randint(0, 3000), self.random.randint(1, 12)
        leap = month == 2 and year % 4 == 0
        longest = 29 if leap else calendar.monthrange(2001, month)[1]
        return f"{self.random.randint(1, longest)}/{month}/{year}"

    def _offsets(self, days: int, count: int) -> list[int]:
        """`count` numbers of days from 0 on, below `days`; all different if there are enough."""
        if count <= days:
            return self.random.sample(range(days), count)
        return [self.random.randrange(days) for _ in range(count)]

    def _around_today(self, text: Any) -> list[str]:
        match = _SET.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ValueError(f"expected >today(n) or <today(n) for set, found {shown(text)}")
        sign = 1 if match[1] == ">" else -1
        count = _count(int(match[2]), "set")
        if self.sensei:
            days = [self.random.randint(1, _YEAR) for _ in range(count)]
        else:
            days = [offset + 1 for offset in self._offsets(_YEAR, count)]
        return [_show_day(self.today() + timedelta(days=sign * n)) for n in days]

    def _range(self, data: Any) -> list[str]:
        if not isinstance(data, dict):
            raise ValueError(f"expected min, max and step for range, found {shown(data)}")
        spec = cast("dict[Any, Any]", data)
        keys = ("min", "max", "step", "random")
        for key in spec:
            if key not in keys:
                raise ValueError(f"unknown key {shown(key)} in range.{nearest(str(key), keys)}")
        first, last = self._day(spec.get("min"), "min"), self._day(spec.get("max"), "max")
        if first > last:
            raise ValueError(f"min {_show_day(first)} is later than max {_show_day(last)}")
        if ("step" in spec) == ("random" in spec):
            raise ValueError("the range of dates needs either step or random")
        if "random" in spec:
            return self._within(first, last, _count(spec["random"], "random"))
        return [_show_day(day) for day in self._step_dates(first, last, spec["step"])]

    def _within(self, first: date, last: date, count: int) -> list[str]:
        days = (last - first).days + 1
        if self.sensei:
            picked = [self.random.randint(0, days - 1) for _ in range(count)]
        else:
            picked = self._offsets(days, count)
        return [_show_day(first + timedelta(days=offset)) for offset in picked]

    def _step_dates(self, first: date, last: date, text: Any) -> list[date]:
        match = _STEP.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            forms = "day(n), month(n), year(n) or linspace(n)"
            raise ValueError(f"expected {forms} for step, found {shown(text)}")
        unit, by = match[1], _count(int(match[2]), "step")
        if unit == "linspace":
            return _sensei_spaced(first, last, by) if self.sensei else _space_dates(first, last, by)
        if self.sensei:
            return _overrunning(first, last, by * {"day": 1, "month": 30, "year": 365}[unit])
        days = [first]
        while (
            following := _move_date(first, unit, by * len(days))
        ) is not None and following <= last:
            days.append(following)
            _guard(len(days))
        return days

    def _day(self, value: Any, key: str) -> date:
        if isinstance(value, datetime):
            return value.date()
        if isinstance(value, date):
            return value
        if isinstance(value, str):
            if match := _TODAY.fullmatch(value):
                days = int(match[2] or 0) * (-1 if match[1] == "-" else 1)
                return self.today() + timedelta(days=days)
            for form in ("%d/%m/%Y", "%Y-%m-%d"):
                try:
                    return datetime.strptime(value.strip(), form).date()  # noqa: DTZ007
                except ValueError:
                    continue
        forms = "dd/mm/yyyy, yyyy-mm-dd, or today, today+n, today-n"
        raise ValueError(f"expected a date for {key} ({forms}), found {shown(value)}")

    def _impossible(self, count: int) -> list[str]:
        """Different dates that no calendar has: the day, the month or both are out of bounds."""
        if self.sensei:
            return self._sensei_impossible(count)
        days: dict[str, None] = {}
        while len(days) < count:
            year = self.random.randint(2000, 2099)
            if self.random.random() < 0.4:
                day, month = self.random.randint(1, 99), self.random.randint(13, 99)
            else:
                day, month = self.random.randint(29, 32), self.random.randint(1, 12)
            if month > 12 or day > calendar.monthrange(year, month)[1]:
                days[f"{day:02}/{month:02}/{year}"] = None
        return list(days)

    def _sensei_impossible(self, count: int) -> list[str]:
        """SENSEI draws twice, once to check and once to keep, so that dates may be equal."""
        drawn: list[str] = []
        while len(drawn) < count:
            if self._sensei_impossible_day() not in drawn:
                drawn.append(self._sensei_impossible_day())
        return drawn

    def _sensei_impossible_day(self) -> str:
        day, month = self.random.randint(29, 99), self.random.randint(13, 99)
        return f"{day}/{month}/{self.random.randint(2000, 2099)}"


def _show_day(day: date) -> str:
    return f"{day.day:02}/{day.month:02}/{day.year:04}"


def _count(value: Any, key: str, most: int = MOST_VALUES) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most:
        return value
    raise ValueError(f"expected a whole number from 1 to {most:,} for {key}, found {shown(value)}")


def _guard(count: int) -> None:
    if count > MOST_VALUES:
        raise ValueError(f"gives more than {MOST_VALUES:,} dates")


def _custom(value: Any) -> list[str]:
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    days: list[str] = []
    for item in items if value is not None else []:
        if isinstance(item, (date, datetime)):
            days.append(item.isoformat())
        elif isinstance(item, str) and item.strip():
            days.append(item)
        else:
            raise ValueError(f"expected dates as text for custom, found {shown(item)}")
    return days


def _move_date(first: date, unit: str, by: int) -> date | None:
    """A date some days, months or years later; the last day of shorter months."""
    try:
        if unit == "day":
            return first + timedelta(days=by)
        months = first.month - 1 + (by if unit == "month" else 12 * by)
        year, month = first.year + months // 12, months % 12 + 1
        return first.replace(
            year=year, month=month, day=min(first.day, calendar.monthrange(year, month)[1])
        )
    except (ValueError, OverflowError, IndexError):
        return None


def _space_dates(first: date, last: date, count: int) -> list[date]:
    days = (last - first).days
    if count == 1:
        return [first]
    return [first + timedelta(days=days * index // (count - 1)) for index in range(count)]


def _sensei_spaced(first: date, last: date, count: int) -> list[date]:
    """SENSEI divides seconds, so that rounding may lose a day."""
    gap = (last - first).days * 86_400.0 / (count - 1) if count > 1 else 0
    start = datetime(first.year, first.month, first.day)  # noqa: DTZ001
    return [(start + timedelta(seconds=gap * index)).date() for index in range(count)]


def _overrunning(first: date, last: date, days: int) -> list[date]:
    """SENSEI's steps: the last one may lie behind the end of the range."""
    _guard((last - first).days // days + 2)
    steps = [first]
    while steps[-1] < last:
        steps.append(steps[-1] + timedelta(days=days))
    return steps
