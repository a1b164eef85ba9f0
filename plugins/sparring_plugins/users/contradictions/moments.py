"""Days and hours that do not go together: a wrong weekday, another day than was agreed on."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from sparring_plugins.language.candidates import (
    VALUE_WORDS,
    date_spans,
    find_times,
    parse_date,
)
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.profile.relative_days import is_of_later_event
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    confirmations,
    contradiction,
    contradiction_words,
    names_any,
)

_ANY_DAY = date(2000, 1, 1)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
"""Only a date with its year falls on one weekday: "Monday, 2 March 2027"."""
_WEEKDAY = re.compile(rf"\b{VALUE_WORDS.pattern('weekdays')}\b", re.IGNORECASE)
_NEAR = 16
"""Characters before a date in which its weekday stands."""
_MONDAY = date(2024, 1, 1)  # a Monday: the day that names of weekdays are counted from


def wrong_weekdays(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find dates with a year beside a weekday that they do not fall on: "Monday, 2 March 2027"."""
    for message in messages:
        for span in date_spans(message.text):
            if span.certainty < 1 or not _YEAR.search(span.text):
                continue
            day = _unambiguous(span.text)
            before = message.text[max(0, span.start - _NEAR) : span.start]
            weekdays = list(_WEEKDAY.finditer(f"{before}{span.text}"))
            if day is None or len(weekdays) != 1:
                continue
            named = _weekday(weekdays[0].group())
            gap = before[weekdays[0].end() :]
            if named is None or named == day.weekday() or len(gap.split()) > 2:
                continue
            text = f"{day.isoformat()} is a {day:%A}"
            place = (message.index, f"{before[weekdays[0].start() :]}{span.text}")
            yield contradiction("weekday", text, place, (message.index, message.text))


def _weekday(name: str) -> int | None:
    """The number of a weekday by its name in any language, 0 for Monday; None if unknown."""
    day = parse_date(name, _MONDAY, "", True)
    return None if day is None else day.weekday()


def weekdays_of(text: str) -> list[str]:
    """The weekdays that a text names or has a date with its year on, in English, sorted."""
    dates = (_unambiguous(span.text) for span in date_spans(text) if _YEAR.search(span.text))
    return sorted({f"{day:%A}" for day in dates if day is not None} | set(_weekdays(text)))


def _unambiguous(written: str) -> date | None:
    """The day that is written, if it reads the same with the day first and the month first."""
    days = {parse_date(written, _ANY_DAY, "English", first) for first in (True, False)}
    return days.pop() if len(days) == 1 else None


def changed_moments(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find confirmations with another day, hour or weekday than what the user said yes to."""
    for before, after in confirmations(messages):
        reply = after.reply
        # a question in the same reply may belong to the next matter
        asks = not reply.statements or reply.asks("confirm", "open", "select")
        if asks and not reply.done and not reply.asks_what_else:
            continue
        for read in (_days, _weekdays, _hours):
            agreed, stated = read(before.text), read(_statements(after))
            if len(agreed) != 1 or len(stated) != 1 or not all((*agreed, *stated)):
                continue
            (was,), (became,) = agreed.items(), stated.items()
            if _may_be_same(was[0], became[0]):
                continue
            sentence = became[1]
            if names_any(sentence, contradiction_words().other_moments):
                continue
            if is_of_later_event(sentence, was[1]):
                continue
            text = f"The user agreed to {was[0]}, and the confirmation says {became[0]}"
            yield contradiction(
                "agreed", text, (before.index, before.text), (after.index, sentence)
            )
            break


def _statements(message: Message) -> str:
    return "\n".join(message.reply.statements)


def _days(text: str) -> dict[str, str]:
    """The calendar days of a text as month and day, each with its sentence."""
    days: dict[str, str] = {}
    for sentence in sentences(text):
        for span in date_spans(sentence):
            if span.certainty < 1:
                continue
            days.setdefault(" or ".join(_readings(span.text)), sentence)
    return days


def _readings(written: str) -> list[str]:
    """The days that a date may mean, "09/05" two of them."""
    days = {parse_date(written, _ANY_DAY, "English", first) for first in (True, False)}
    return sorted(f"{day:%d %B}" for day in days if day is not None)


def _may_be_same(moment: str, other: str) -> bool:
    return bool(set(moment.split(" or ")) & set(other.split(" or ")))


def _weekdays(text: str) -> dict[str, str]:
    """The weekdays of a text, each with its sentence."""
    days: dict[str, str] = {}
    for sentence in sentences(text):
        for match in _WEEKDAY.finditer(sentence):
            number = _weekday(match.group().rstrip("s"))
            if number is not None:
                days.setdefault(f"{date(2024, 1, 1 + number):%A}", sentence)
    return days


def _hours(text: str) -> dict[str, str]:
    """The times of day of a text, each with its sentence; those of ranges, too."""
    hours: dict[str, str] = {}
    for sentence in sentences(text):
        for span in find_times(sentence):
            hours.setdefault(clock(span.text), sentence)
    return hours


def clock(written: str) -> str:
    """A time of day as hours and minutes: "8 pm" and "20:00" are the same."""
    numbers = re.findall(r"\d+", written)
    if not numbers:
        return folded(written)
    hour, minute = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    low = folded(written).replace(" ", "")
    if low.endswith("pm") and hour < 12:
        hour += 12
    return f"{hour:02d}:{minute:02d}"
