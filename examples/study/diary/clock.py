"""Days, times and lengths of time, as people say them."""

import re
from datetime import date, time, timedelta
from itertools import pairwise
from typing import TypeVar

from diary.appointments import TODAY

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Moment = TypeVar("Moment", date, time)
_TAKEN_BACK = re.compile(r"\b(?:no|sorry|wait|rather|make that|i mean)(?: [a-z]+){0,3} $")
_MONTHS = {"april": 4, "may": 5}
_PART = "am|pm|in the morning|in the afternoon|in the evening|at night"
_DAY = re.compile(
    r"\b(?:"
    r"(?P<over>day after tomorrow)|(?P<tomorrow>tomorrow)"
    r"|(?P<counted>\d{1,2}) days? from (?:now|today)|in (?P<days>\d{1,2}) days?"
    rf"|(?:a|1) week from (?P<after>{'|'.join(WEEKDAYS)})"
    r"|(?P<week>(?:a|1) week from (?:now|today)|in (?:a|1) week)"
    r"|(?P<today>today|tonight)"
    rf"|(?P<weekday>{'|'.join(WEEKDAYS)})(?P<later> (?:of )?(?:next )?week)?"
    r"|(?P<day>\d{1,2})(?:st|nd|rd|th)(?: of)?(?: (?P<month>april|may))?"
    r"|(?P<first_month>april|may) (?:the )?(?P<second_day>\d{1,2})(?:st|nd|rd|th)?"
    r")\b"
)
_TIME = re.compile(
    r"\b(?:at )?(?:"
    r"(?:(?P<hour>\d{1,2})[:.]|(?<=at )(?P<said>\d{1,2}) )(?P<minute>[0-5]\d)(?! minute)"
    r"|half (?:past )?(?P<half>\d{1,2})"
    r"|(?:a )?quarter (?P<quarter>past|to) (?P<quarter_hour>\d{1,2})"
    r"|(?P<noon>noon|midday)"
    rf"|(?P<whole>\d{{1,2}})(?= (?:{_PART}|o clock|sharp))"
    r"|(?<=at )(?P<bare>\d{1,2})(?! (?:minute|hour|day|week))"
    rf")(?: o clock)?(?: (?P<part>{_PART}))?\b"
)
_LENGTH = (
    r"(?:(\d{1,3}) minutes?|(half an hour)|(3 quarters? of an hour)"
    r"|(an? hour and a half|1 and a half hours?)|(\d|an) hours?)"
)
_REMINDER = re.compile(rf"\b{_LENGTH} (?:before|earlier|ahead|in advance)\b")
_FOR = re.compile(rf"\b{_LENGTH}\b")
_HOURS = ("hour", "said", "half", "quarter_hour", "whole", "bare")
_MORNING_STARTS = 8
"""Earlier hours are in the afternoon where nobody says so."""


def day_in(words: str) -> date | None:
    """The day that is named; of several the first that is not taken back."""
    return _meant(words, [(match, _day(match)) for match in _DAY.finditer(words)])


def time_in(words: str) -> time | None:
    """The time of day that is named; of several the first that is not taken back."""
    return _meant(words, [(match, _time(match)) for match in _TIME.finditer(words)])


def _meant(words: str, found: list[tuple[re.Match[str], Moment | None]]) -> Moment | None:
    known = [(match, value) for match, value in found if value is not None]
    for (match, value), (after, _) in pairwise(known):
        if not _TAKEN_BACK.search(words[match.end() : after.start()]):
            return value
    return known[-1][1] if known else None


def reminder_in(words: str) -> tuple[int | None, str]:
    """How many minutes before somebody is to be reminded, and the words without it."""
    return _length(_REMINDER, words)


def length_in(words: str) -> tuple[int | None, str]:
    """How many minutes something takes, and the words without it."""
    return _length(_FOR, words)


def spoken_day(day: date) -> str:
    """A day as it is said, such as ``Friday, 16 April``."""
    return f"{WEEKDAYS[day.weekday()].capitalize()}, {day.day} {day:%B}"


def _length(pattern: re.Pattern[str], words: str) -> tuple[int | None, str]:
    """The last length of time; one that something is said to be for goes before others."""
    found = [*pattern.finditer(words)]
    if not found:
        return None, words
    last = next((one for one in found if words[: one.start()].endswith("for ")), found[-1])
    minutes, half, three_quarters, _, hours = last.groups()
    if minutes:
        length = int(minutes)
    elif hours:
        length = 60 if hours == "an" else 60 * int(hours)
    else:
        length = 30 if half else 45 if three_quarters else 90
    return length, f"{words[: last.start()]} | {words[last.end() :]}"


def _day(match: re.Match[str]) -> date | None:
    if match["today"]:
        return TODAY
    if match["tomorrow"] or match["over"] or match["week"]:
        return TODAY + timedelta(days=1 if match["tomorrow"] else 2 if match["over"] else 7)
    if match["counted"] or match["days"]:
        return TODAY + timedelta(days=int(match["counted"] or match["days"]))
    if match["after"]:
        return _coming(match["after"]) + timedelta(days=7)
    if match["weekday"]:
        coming = _coming(match["weekday"])
        this_week = coming.weekday() > TODAY.weekday()
        return coming + timedelta(days=7) if match["later"] and this_week else coming
    month = _MONTHS[match["month"] or match["first_month"] or "april"]
    try:
        return date(TODAY.year, month, int(match["day"] or match["second_day"]))
    except ValueError:
        return None


def _coming(weekday: str) -> date:
    return TODAY + timedelta(days=(WEEKDAYS.index(weekday) - TODAY.weekday()) % 7 or 7)


def _time(match: re.Match[str]) -> time | None:
    if match["noon"]:
        return time(12)
    hour = int(next(match[name] for name in _HOURS if match[name]))
    minute = int(match["minute"] or 0) or 30 * bool(match["half"])
    if match["quarter"]:
        hour, minute = (hour, 15) if match["quarter"] == "past" else (hour - 1, 45)
    hour += 12 * _later(match["part"], hour)
    return time(hour, minute) if 0 <= hour < 24 and minute < 60 else None


def _later(part: str | None, hour: int) -> bool:
    """Whether an hour is meant that is twelve hours later."""
    if part is None:
        return 0 < hour < _MORNING_STARTS
    return part not in ("am", "in the morning") and hour < 12
