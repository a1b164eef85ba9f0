"""Values that are said loosely: times in words, days without a month, codes without a label."""

import re
from datetime import date, timedelta
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import (
    MAX_CANDIDATES,
    VALUE_WORDS,
    ValueCandidate,
    date_spans,
    find_identifiers,
    find_times,
    parse_date,
)
from sparring_plugins.language.yaml_files import bundled_yaml


class LooseWords(BaseModel):
    """The data file: words by which loosely said values are found, as regular expressions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hours: dict[str, tuple[str, ...]]
    parts_of_an_hour: dict[str, tuple[str, ...]]
    before_an_hour: dict[str, tuple[str, ...]]
    no_hours: tuple[str, ...]
    every: dict[str, tuple[str, ...]]
    before_a_day: dict[str, tuple[str, ...]]
    short_weekdays: dict[str, tuple[str, ...]]
    day_first_formats: tuple[str, ...]
    month_first_formats: tuple[str, ...]

    def pattern(self, table: str) -> str:
        """A group of all alternatives in a table."""
        entries: dict[str, tuple[str, ...]] | tuple[str, ...] = getattr(self, table)
        groups = [entries] if isinstance(entries, tuple) else list(entries.values())
        return f"(?:{'|'.join(word for group in groups for word in group)})"


LOOSE_WORDS = LooseWords.model_validate(
    bundled_yaml("sparring_plugins.language", "loose_values.yaml")
)

_HOUR = rf"(?:{LOOSE_WORDS.pattern('hours')}|1[0-2]|[1-9])"
_PART_OF_HOUR = re.compile(
    rf"\b{LOOSE_WORDS.pattern('parts_of_an_hour')} {_HOUR}\b(?:\s?[ap]\.?m\b)?", re.IGNORECASE
)
# "at five" and "um 13" are hours; "at 5 euros", "by two people" and "at 5.50" are none.
_BARE_HOUR = re.compile(
    rf"\b{LOOSE_WORDS.pattern('before_an_hour')} (?P<hour>{LOOSE_WORDS.pattern('hours')}"
    rf"|1\d|2[0-3]|[1-9])(?![\w:/%€$£]|[.,]\d|-\w| ?(?:{VALUE_WORDS.pattern('time_units')}"
    rf"|{VALUE_WORDS.pattern('months')}|{LOOSE_WORDS.pattern('no_hours')})\b|(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}")


def find_spoken_times(text: str) -> list[ValueCandidate]:
    """Times of day in digits or words: ``13:30``, ``half past nine``, and ``five`` after "at".

    A time that stands in a numeric date is left out: 16.04.2026 has no 16:04 in it.
    """
    dates = [match.span() for match in _NUMERIC.finditer(text)]
    times = [
        time
        for time in find_times(text)
        if not any(start <= time.start < end for start, end in dates)
    ]
    time_spans = [(time.start, time.end) for time in times]
    for pattern, certainty in ((_PART_OF_HOUR, 0.9), (_BARE_HOUR, 0.5)):
        for match in pattern.finditer(text):
            start, end = match.span("hour" if "hour" in pattern.groupindex else 0)
            if not any(start < stop and begin < end for begin, stop in [*time_spans, *dates]):
                value_text = text[start:end]
                times.append(ValueCandidate(value_text, value_text, start, end, certainty))
                time_spans.append((start, end))
    return sorted(times, key=lambda time: time.start)[:MAX_CANDIDATES]


# Days without a month or a year.

_MONTH = VALUE_WORDS.pattern("months")
_WEEKDAY = rf"(?:{VALUE_WORDS.pattern('weekdays')}|{LOOSE_WORDS.pattern('short_weekdays')}\b\.?)"
# "12/03" is a day only after a word such as "on", or a weekday: "3/4 of it" is a share.
_DAY_AND_MONTH = re.compile(
    rf"(?:\b{LOOSE_WORDS.pattern('before_a_day')}|{_WEEKDAY},?|[:\u2013-])\s?(?:the\s)?"
    r"(?P<day>\d{1,2}[/.]\d{1,2}\.?)(?![\w/%€$£]|[.,:]\d|\s?(?:of|[ap]\.?m|uhr|h)\b)",
    re.IGNORECASE,
)
# "Monday 23" is a day; of "Monday 10:30", "Monday 9 pm" and "Monday 5 minutes" only "Monday" is.
_WEEKDAY_AND_DAY = re.compile(
    rf"\b(?P<day>{_WEEKDAY},?\s(?:the\s|den\s|le\s)?\d{{1,2}}(?:st|nd|rd|th|\.)?)"
    rf"(?![\d:/]|[.,]\d|\s?(?:of\s)?{_MONTH}\b|\s?(?:[ap]\.?m|uhr|h|{VALUE_WORDS.pattern('time_units')})\b)",
    re.IGNORECASE,
)
_DAY_OF_RANGE = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s?(?:-|\u2013|to|until|till|bis(?: zum)?|al?|au)\s?"
    rf"\d{{1,2}}(?:st|nd|rd|th|\.)?\s?(?:of\s|de\s)?(?P<month>{_MONTH})\b(?P<year>,?\s\d{{4}})?",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)
def loose_dates(text: str) -> tuple[ValueCandidate, ...]:
    """Dates as `date_spans` finds them, and days whose month or year is to be understood.

    "On 12/03" and "Monday the 23rd" are days, and of "14 to 16 August" both ends are.
    """
    days = list(date_spans(text))
    for match in _DAY_OF_RANGE.finditer(text):
        date_text = f"{match['day']} {match['month']}{match['year'] or ''}"
        days.append(ValueCandidate(date_text, date_text, *match.span("day"), 0.95))
    for pattern in (_DAY_AND_MONTH, _WEEKDAY_AND_DAY):
        for match in pattern.finditer(text):
            start, end = match.span("day")
            surer = (day for day in days if day.certainty >= 0.9)
            if not any(start < day.end and day.start < end for day in surer):
                days.append(ValueCandidate(match["day"], match["day"], start, end, 0.9))
    # of "Monday the 23rd" and "Thursday, 12 March" the weekday alone says less
    single = [
        day
        for day in days
        if not (_leads_to_date(text, day, days) or _recurs(text, day) or _is_within(day, days))
    ]
    return tuple(sorted(single, key=lambda day: day.start)[:MAX_CANDIDATES])


def _is_within(day: ValueCandidate, days: list[ValueCandidate]) -> bool:
    """Whether a day is a part of a longer one."""
    return any(
        other.start <= day.start
        and day.end <= other.end
        and other.end - other.start > day.end - day.start
        for other in days
    )


_GAP = re.compile(r",?\s(?:the\s|den\s|le\s|el\s|dem\s)?", re.IGNORECASE)


def _leads_to_date(text: str, day: ValueCandidate, days: list[ValueCandidate]) -> bool:
    """Whether a weekday stands right before the date that it belongs to."""
    return any(
        day.end < other.start <= day.end + 7
        and day.certainty < other.certainty
        and _GAP.fullmatch(text[day.end : other.start])
        for other in days
    )


_EVERY = re.compile(rf"\b{LOOSE_WORDS.pattern('every')}\s$", re.IGNORECASE)
_TO_WEEKDAY = re.compile(
    rf"\s?(?:-|\u2013|to|through|until|bis|al?|au)\s?{_WEEKDAY}", re.IGNORECASE
)
_FROM_WEEKDAY = re.compile(
    rf"{_WEEKDAY}\s?(?:-|\u2013|to|through|until|bis|al?|au)\s?$", re.IGNORECASE
)


def _recurs(text: str, day: ValueCandidate) -> bool:
    """Whether a weekday names no single day: "every Monday", "Tuesday to Friday"."""
    if any(map(str.isdigit, day.text)):
        return False
    before = text[max(0, day.start - 16) : day.start]
    return bool(
        _EVERY.search(before) or _FROM_WEEKDAY.search(before) or _TO_WEEKDAY.match(text, day.end)
    )


_ORDINAL_DAY = re.compile(
    rf"(?P<weekday>{_WEEKDAY}),?\s(?:the\s|den\s|le\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?",
    re.IGNORECASE,
)
_TWO_PARTS = re.compile(r"(\d{1,2})[/.](\d{1,2})\.?")


@lru_cache(maxsize=1024)
def loose_date(written: str, today: date, language: str, day_first: bool) -> date | None:
    """The day that a loosely written date means: the next one that fits, counted from `today`."""
    if match := _ORDINAL_DAY.fullmatch(written):
        return _next_day(int(match["day"]), today)
    if match := _TWO_PARTS.fullmatch(written):
        first, second = int(match[1]), int(match[2])
        day, month = (first, second) if day_first else (second, first)
        return _nearest_year(day, month, today)
    if written.casefold() in ("yesterday", "gestern", "ayer", "hier"):
        return today - timedelta(days=1)
    return parse_date(written, today, language, day_first)


def _next_day(day: int, today: date) -> date | None:
    """The next date with this day of the month; None if there is no such day."""
    # The next 31st is at most 60 days away: on 1 April it is that of May.
    days = (today + timedelta(days=ahead) for ahead in range(62))
    return next((candidate for candidate in days if candidate.day == day), None)


def _nearest_year(day: int, month: int, today: date) -> date | None:
    """The date nearest to today with this day and month, the past only by a few weeks."""
    for year in (today.year, today.year + 1):
        try:
            candidate = date(year, month, day)
        except ValueError:
            continue
        # In November "28/10" is past, as the date of an order; "20/10" and "05/01" are next year's.
        if candidate >= today - timedelta(days=31):
            return candidate
    return None


# Codes without a word such as "number" before them.

_CODE = re.compile(
    r"(?<![\w\-/.@$€£:])#?(?P<code>[A-Za-z0-9](?:[A-Za-z0-9]|[-_/](?=[A-Za-z0-9])){2,40})(?![\w@])"
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{1,3}(?:-\d{1,3})?")


def find_codes(text: str) -> list[ValueCandidate]:
    """Identifiers after a label, and, less certainly, whatever is written as a code.

    A code has both letters and digits, or at least four digits; dates and clock times are none.
    """
    codes = list(find_identifiers(text))
    code_spans = [(code.start, code.end) for code in codes]
    for match in _CODE.finditer(text):
        code = match["code"]
        has_digit, has_letter = any(map(str.isdigit, code)), any(map(str.isalpha, code))
        # "AB-12" is a code, and "4711" less surely; "mp3" in small letters is a word.
        mixed = has_digit and has_letter and (code.upper() == code or "-" in code)
        long_number = has_digit and not has_letter and len(code) >= 4
        start, end = match.span("code")
        free = not any(start < stop and begin < end for begin, stop in code_spans)
        if (mixed or long_number) and free and not _ISO.fullmatch(code):
            codes.append(ValueCandidate(code, code, start, end, 0.5 if mixed else 0.3))
    return sorted(codes, key=lambda code: code.start)[:MAX_CANDIDATES]


# The order of day and month, by what the conversation shows.


_FULL = re.compile(r"(?<![\w/.\-])(\d{1,2})([-/.])(\d{1,2})[-/.](?:\d{4}|\d{2})(?![\w/\-])")
_DAY_FORMAT = re.compile(LOOSE_WORDS.pattern("day_first_formats"), re.IGNORECASE)
_MONTH_FORMAT = re.compile(LOOSE_WORDS.pattern("month_first_formats"), re.IGNORECASE)


def day_first_by_evidence(app: list[str], user: list[str], today: date, language: str) -> bool:
    """Whether the app writes the day before the month, as the conversation shows.

    Evidence, strongest first: the format that the app asks for; a numeric date of the app that is
    one only in one order; one beside a weekday, or equal to a day that was named in words
    ("tomorrow"); a date that is soon in one order only; the currency; the language.
    """
    votes = 0.0
    app_text = "\n".join(app)
    # "Please give the date as DD/MM/YYYY" says more than one date that is only likely (2 to 4).
    votes += 8.0 * bool(_DAY_FORMAT.search(app_text)) - 8.0 * bool(_MONTH_FORMAT.search(app_text))
    named = {
        day
        for text in [*app, *user]
        for span in date_spans(text)
        if not span.text[:1].isdigit() or any(map(str.isalpha, span.text))
        if (day := loose_date(span.text, today, language, True)) is not None
    }
    for match in _FULL.finditer(app_text):
        votes += _vote(match, named, today, app_text)
    for text in app:
        for span in loose_dates(text):
            if _TWO_PARTS.fullmatch(span.text):
                readings = [
                    loose_date(span.text, today, language, order) for order in (True, False)
                ]
                votes += 4.0 * ((readings[0] in named) - (readings[1] in named))
    votes += 1.5 * bool(re.search(r"[€£]|\bEUR\b|\beuros?\b|\bpounds?\b", app_text))
    votes -= 1.0 * bool(re.search(r"\$|\bUSD\b", app_text))
    votes += -1.0 if language.lower() == "english" else 2.0
    return votes > 0


def _vote(match: re.Match[str], named: set[date], today: date, text: str) -> float:
    """What one numeric date says: positive for the day first."""
    first, mark, second = int(match[1]), match[2], int(match[3])
    if first > 12 >= second:
        return 6.0
    if second > 12 >= first:
        return -6.0
    # "03.04.2026", with points, is mostly written where the day stands first.
    vote = 2.0 if mark == "." else 0.0
    readings = {
        order: parse_date(match.group(), today, "english", order) for order in (True, False)
    }
    weekday = re.search(
        rf"({VALUE_WORDS.pattern('weekdays')}),?\s(?:the\s|den\s)?$",
        text[: match.start()][-24:],
        re.IGNORECASE,
    )
    for order, sign in ((True, 1.0), (False, -1.0)):
        day = readings[order]
        if day is None or readings[True] == readings[False]:
            continue
        if day in named:
            vote += 4.0 * sign
        if weekday and (near := parse_date(weekday[1], day, "english", True)) is not None:
            vote += 4.0 * sign if (near - day).days % 7 == 0 else 0.0
        # bookings and deadlines are within weeks more often than months away
        if 0 <= (day - today).days <= 60:
            vote += 2.5 * sign
    return vote
