"""Days that a profile names by another one: "the day after", "el viernes anterior".

They are counted from the day that the user asked for first. The answer is written as the app
writes that day if it offers it, else as the first day is written.
"""

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from sparring_plugins.language.candidates import date_spans
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.formats import any_day_of
from sparring_plugins.users.agenda.words.knowledge import says

_WEEK = 7
_COMMON_YEAR = date(2001, 1, 1)
"""From which days without a year are counted: 1 March comes after 28 February."""


def is_of_later_event(stated: str, agreed: str) -> bool:
    """Return whether a sentence says when something else happens than what was agreed on.

    "The shoes are ready on Saturday." after "Drop-off on Wednesday. OK?" moves no drop-off.
    """
    return says(folded(stated), "later_events") and not says(folded(agreed), "later_events")


def without_later_events(text: str, agreed: str) -> str:
    """Return a text without the sentences on what happens after what was agreed on."""
    return "\n".join(part for part in sentences(text) if not is_of_later_event(part, agreed))


def day_by_another(wish: str, first: str, offered: str, language: str) -> str | None:
    """Return the day that a wish names by the first one, or None if it names no day so.

    Args:
        wish: What the profile takes instead: "the day before would do".
        first: The day that was asked for: "Tuesday 4 May".
        offered: What the app says, which may name that day.
        language: The language of the conversation.
    """
    first_day = any_day_of(first, language, _COMMON_YEAR)
    if first_day is None:
        return None
    step = _step(wish, _weekday_of(first, first_day))
    if step is None:
        return None
    day = first_day + timedelta(days=step)
    for span in date_spans(offered):
        other = any_day_of(span.text, language, _COMMON_YEAR)
        if other is not None and (other.month, other.day) == (day.month, day.day):
            return span.text.rstrip(".")
    return _written(first, first_day, day)


def names_day_by_another(wish: str) -> bool:
    """Return whether a wish names a day by another one."""
    return _step(wish, weekday=0) is not None


def _step(wish: str, weekday: int | None) -> int | None:
    """How many days a wish is after a day on some weekday, negative if it is before that day."""
    words = folded(wish)
    for what, days in (("week_after", _WEEK), ("after", 1), ("before", -1)):
        if _names(words, what):
            return days
    earlier, later = _names(words, "earlier"), _names(words, "later")
    if weekday is None or not (earlier or later):
        return None
    named = _weekday_in(words)
    if named is None:
        return None
    return -((weekday - named) % _WEEK or _WEEK) if earlier else (named - weekday) % _WEEK or _WEEK


def _weekday_of(text: str, day: date) -> int | None:
    """The weekday that a text names, else that of its day if it has a year, or None."""
    named = _weekday_in(folded(text))
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


def _weekday_in(words: str) -> int | None:
    """The weekday that folded words name, 0 for Monday: "Mondays" and "montags", too."""
    rows = enumerate(_words().weekdays)
    return next((at for at, names in rows if any(contains(words, n) for n in names)), None)


def _names(words: str, what: str) -> bool:
    return any(contains(words, phrase) for phrase in getattr(_words(), what))


_Folded = Annotated[str, AfterValidator(folded)]


class _RelativeDayWords(BaseModel):
    """The word lists of days that are named by another one, folded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    after: tuple[_Folded, ...]
    before: tuple[_Folded, ...]
    week_after: tuple[_Folded, ...]
    later: tuple[_Folded, ...]
    earlier: tuple[_Folded, ...]
    weekdays: tuple[tuple[_Folded, ...], ...]


@lru_cache(maxsize=1)
def _words() -> _RelativeDayWords:
    path = "relative_days.yaml"
    data = bundled_yaml("sparring_plugins.users.agenda.profile", path)
    return _RelativeDayWords.model_validate(data)
