"""Days that a profile names by another one: "the day after", "den Samstag davor".

They are counted from the day that the user asked for first, and put as the app offers the day, if
it does, else in the words of that first day.
"""

import re
from datetime import date, timedelta
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, parse_date
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml

_WEEK = 7
_ANY_DAY = date(2001, 1, 1)
"""A Monday, from which days without a year are counted."""


def day_by_another(wish: str, first: str, offered: str, language: str) -> str | None:
    """Return the day that a wish names by the first one; None if it names none so.

    Args:
        wish: What the profile takes instead: "you take the day after".
        first: The day that was asked for: "Monday 8 March".
        offered: What the app says, which may name that day.
        language: The language of the conversation.
    """
    first_day = _day_of(first, language)
    if first_day is None:
        return None
    step = _step(folded(wish), _weekday_of(first, first_day))
    if step is None:
        return None
    day = first_day + timedelta(days=step)
    for span in date_spans(offered):
        found = _day_of(span.text, language)
        if found is not None and (found.month, found.day) == (day.month, day.day):
            return span.text.rstrip(".")
    return _written(first, first_day, day)


def names_day_by_another(wish: str) -> bool:
    """Return whether a wish names a day by another one."""
    return any(_step(folded(wish), weekday) is not None for weekday in (0, 1))


def _step(wish: str, weekday: int | None) -> int | None:
    """How many days a wish is after a day on some weekday; below 0 before it."""
    for what, days in (("week_after", _WEEK), ("after", 1), ("before", -1)):
        if any(contains(wish, phrase) for phrase in _words(what)):
            return days
    named = next((at for at, names in enumerate(_weekdays()) if names & set(wish.split())), None)
    if named is None or weekday is None:
        return None
    if any(contains(wish, word) for word in _words("earlier")):
        return -((weekday - named) % _WEEK or _WEEK)
    if any(contains(wish, word) for word in _words("later")):
        return (named - weekday) % _WEEK or _WEEK
    return None


def _day_of(text: str, language: str) -> date | None:
    for span in date_spans(text):
        if any(char.isdigit() for char in span.text):
            return parse_date(span.text, _ANY_DAY, language, day_first=True)
    return None


def _weekday_of(text: str, day: date) -> int | None:
    """The weekday that a text names, else that of its day if it has a year; None for neither."""
    words = set(folded(text).split())
    named = next((at for at, names in enumerate(_weekdays()) if names & words), None)
    return named if named is not None else day.weekday() if str(day.year) in text else None


def _written(first: str, first_day: date, day: date) -> str:
    """Another day in the words or figures of the first one, without its weekday."""
    span = next(span.text for span in date_spans(first) if any(map(str.isdigit, span.text)))
    if day.month == first_day.month:
        old = re.search(rf"(?<!\d)0?{first_day.day}(?!\d)(?=\D|$)", span)
        if old is not None:
            width = len(old[0])
            return f"{span[: old.start()]}{day.day:0{width}}{span[old.end() :]}"
    year = f"{day.year}" if str(first_day.year) in first else ""
    return f"{day:%d.%m.}{year}"


@lru_cache(maxsize=8)
def _words(what: str) -> tuple[str, ...]:
    return tuple(folded(str(word)) for word in _lists()[what])


@lru_cache(maxsize=1)
def _weekdays() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(folded(str(name)) for name in row) for row in _lists()["weekdays"])


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    return dict(bundled_yaml("sparring_plugins.users.agenda.profile", "relative_days.yaml"))
