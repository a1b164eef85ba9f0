"""AMAZON.DATE, AMAZON.TIME and AMAZON.DURATION: spoken words as Alexa writes them."""

from collections.abc import Callable, Sequence
from datetime import date, time, timedelta

from sparring_connectors.alexa.vocabulary import VOCABULARY
from sparring_connectors.alexa.words import parse_digits, parse_number, parse_ordinal

_MONTH_NUMBERS = {
    **{name: number for number, name in enumerate(VOCABULARY.months, start=1)},
    **{name[:3]: number for number, name in enumerate(VOCABULARY.months, start=1)},
    "sept": 9,
}
_LEADING = ("on", "the", "in", "for", "at", "of")
_SPANS = {"day": 1, "days": 1, "week": 7, "weeks": 7}


def parse_date(words: Sequence[str], today: date) -> str | None:
    """The value of AMAZON.DATE for words, seen from `today`; `None` if they are no date."""
    rest = list(words)
    while rest and rest[0] in _LEADING and len(rest) > 1:
        # "in july" is July, but "in five days" counts from today.
        if rest[0] == "in" and rest[-1] in (*_SPANS, "month", "months", "year", "years"):
            break
        rest = rest[1:]
    for reader in _READERS:
        value = reader(rest, today)
        if value is not None:
            return value
    return None


def _parse_near_day(words: list[str], today: date) -> str | None:
    if words in (["now"], ["right", "now"]):
        return "PRESENT_REF"
    shift = VOCABULARY.spoken_days.get(tuple(words))
    return None if shift is None else _shift_days(today, shift)


def _shift_days(today: date, days: int) -> str | None:
    try:
        return (today + timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _parse_weekday(words: list[str], today: date) -> str | None:
    lead, rest = _split_lead(words)
    if len(rest) == 2 and rest[1] in ("morning", "night", "evening", "afternoon"):
        rest = rest[:1]
    if len(rest) != 1 or rest[0] not in VOCABULARY.days:
        return None
    # On a Monday, "friday" is this week's, "next friday" that of the week after.
    ahead = (VOCABULARY.days.index(rest[0]) - today.weekday()) % 7
    if lead == "next":
        ahead += 7
    elif lead == "last":
        ahead -= 7
    return _shift_days(today, ahead)


def _split_lead(words: list[str]) -> tuple[str, list[str]]:
    if words and words[0] in ("next", "this", "last", "coming"):
        return words[0], words[1:]
    return "", words


def _parse_week_or_month(words: list[str], today: date) -> str | None:
    lead, rest = _split_lead(words)
    step = {"next": 1, "last": -1}.get(lead, 0)
    if rest == ["weekend"]:
        return f"{_iso_week(today + timedelta(weeks=step))}-WE"
    if not lead:
        return None
    if rest == ["week"]:
        return _iso_week(today + timedelta(weeks=step))
    if rest == ["month"]:
        month = today.year * 12 + today.month - 1 + step
        return f"{month // 12:04d}-{month % 12 + 1:02d}"
    if rest == ["year"]:
        return f"{today.year + step:04d}"
    return None


def _iso_week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def _parse_season(words: list[str], today: date) -> str | None:
    lead, rest = _split_lead(words)
    if not rest or rest[0] not in VOCABULARY.seasons:
        return None
    step = {"next": 1, "last": -1}.get(lead, 0)
    year = _parse_year(rest[1:]) if len(rest) > 1 else today.year + step
    return None if year is None else f"{year:04d}-{VOCABULARY.seasons[rest[0]]}"


def _parse_distance(words: list[str], today: date) -> str | None:
    """``in five days``, ``two weeks ago``, ``three days from now``."""
    sign = 0
    if words[:1] == ["in"]:
        sign, words = 1, words[1:]
    elif words[-1:] == ["ago"]:
        sign, words = -1, words[:-1]
    elif words[-2:] in (["from", "now"], ["from", "today"]):
        sign, words = 1, words[:-2]
    if not sign or len(words) < 2:
        return None
    many = 1 if words[:-1] in (["a"], ["an"], ["one"]) else parse_number(words[:-1])
    if not isinstance(many, int) or many > 10_000:
        return None
    if (days := _SPANS.get(words[-1])) is not None:
        return _shift_days(today, sign * many * days)
    if words[-1] in ("year", "years"):
        return f"{today.year + sign * many:04d}" if 0 < today.year + sign * many < 10_000 else None
    if words[-1] in ("month", "months"):
        month = today.year * 12 + today.month - 1 + sign * many
        return f"{month // 12:04d}-{month % 12 + 1:02d}"
    return None


def _parse_month(words: list[str]) -> int | None:
    return _MONTH_NUMBERS.get(words[0]) if len(words) == 1 else None


def _parse_day(words: list[str]) -> int | None:
    day = parse_ordinal(words)
    if day is None:
        number = parse_number(words)
        day = number if isinstance(number, int) else None
    return day if day is not None and 1 <= day <= 31 else None


def _parse_year(words: list[str]) -> int | None:
    """A year with four digits: ``2025``, ``twenty twenty five``, ``two thousand and five``."""
    number = parse_number(words)
    if isinstance(number, int) and 1000 <= number <= 2999:
        return number
    digits = parse_digits(words)  # "twenty twenty five" is no number in words
    return int(digits) if len(digits) == 4 and digits[0] in "12" else None


def _parse_in_month(words: list[str], today: date) -> str | None:
    """``july``, ``july fourth``, ``the fourth of july 2026``, ``july 2026``."""
    plain = [word for word in words if word not in ("the", "of")]
    for index, word in enumerate(plain):
        month = _parse_month([word])
        if month is None:
            continue
        before, after = plain[:index], plain[index + 1 :]
        if before:
            return _date_in_month(_parse_day(before), month, after, today)
        # "july fourth twenty thirty": the longest beginning that is a day, then the year.
        for cut in range(len(after), 0, -1):
            day = _parse_day(after[:cut])
            if day is not None:
                return _date_in_month(day, month, after[cut:], today)
        return _date_in_month(None, month, after, today, whole=True)
    return None


def _date_in_month(
    day: int | None, month: int, year_words: list[str], today: date, *, whole: bool = False
) -> str | None:
    year = _parse_year(year_words) if year_words else None
    if (year_words and year is None) or (day is None and not whole):
        return None
    if day is None:
        # In June, "december" is this year's and "may" the next year's.
        first = today.year + (month < today.month)
        return f"{year or first:04d}-{month:02d}"
    return _next_occurrence(day, month, year, today)


def _next_occurrence(day: int, month: int, year: int | None, today: date) -> str | None:
    """A day of a month: of the year, or the next one to come."""
    # "february twenty ninth" may be up to eight years away, as around 2100.
    for guess in [year] if year else range(today.year, today.year + 9):
        try:
            occurrence = date(guess, month, day)
        except ValueError:
            continue
        if year or occurrence >= today:
            return occurrence.isoformat()
    return None


def _parse_numeric(words: list[str], today: date) -> str | None:
    """``2025-06-15`` and ``6/15/2025``."""
    if len(words) != 1:
        return None
    for mark, order in (("-", (0, 1, 2)), ("/", (2, 0, 1))):
        parts = words[0].split(mark)
        if len(parts) in (2, 3) and all(part.isdigit() and len(part) <= 4 for part in parts):
            numbers = [int(part) for part in parts]
            if len(numbers) == 2:
                return (
                    _next_occurrence(numbers[1], numbers[0], None, today) if mark == "/" else None
                )
            year, month, day = (numbers[place] for place in order)
            try:
                return date(year, month, day).isoformat()
            except ValueError:
                return None
    return None


def _parse_year_alone(words: list[str], today: date) -> str | None:
    if len(words) == 1 and words[0] in VOCABULARY.decades:
        # "the nineties" are 199X, "the twenties" 202X.
        return f"{19 if VOCABULARY.decades[words[0]] > 3 else 20}{VOCABULARY.decades[words[0]]}X"
    if (
        len(words) == 2
        and words[1] in VOCABULARY.decades
        and words[0] in ("nineteen", "twenty", "eighteen")
    ):
        century = {"eighteen": 18, "nineteen": 19, "twenty": 20}[words[0]]
        return f"{century}{VOCABULARY.decades[words[1]]}X"
    if len(words) == 1 and words[0].endswith("0s") and words[0][:-1].isdigit():
        return f"{words[0][:-2]}X" if len(words[0]) == 5 else None
    year = _parse_year(words)
    return None if year is None else f"{year:04d}"


def _parse_day_alone(words: list[str], today: date) -> str | None:
    """``the fifteenth``: of this month or the next that has one."""
    day = parse_ordinal(words)
    if day is None or not 1 <= day <= 31:
        return None
    for ahead in range(13):
        month = today.year * 12 + today.month - 1 + ahead
        try:
            occurrence = date(month // 12, month % 12 + 1, day)
        except ValueError:
            continue
        if occurrence >= today:
            return occurrence.isoformat()
    return None


_READERS: tuple[Callable[[list[str], date], str | None], ...] = (
    *(_parse_near_day, _parse_weekday, _parse_week_or_month, _parse_season, _parse_distance),
    *(_parse_in_month, _parse_numeric, _parse_year_alone, _parse_day_alone),
)


# AMAZON.TIME and AMAZON.DURATION.

_FIXED = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_UNITS = {
    "year": ("Y", False), "month": ("M", False), "week": ("W", False), "day": ("D", False),
    "hour": ("H", True), "minute": ("M", True), "second": ("S", True),
}  # fmt: skip


def parse_time(words: Sequence[str], now: time) -> str | None:
    """The value of AMAZON.TIME: ``14:00``, or MO, AF, EV, NI; `None` if it is no time."""
    rest = [word for word in words if word not in ("at", "the", "in", "this", "around")]
    if rest == ["now"]:
        return f"{now.hour:02d}:{now.minute:02d}"
    if len(rest) == 1 and rest[0] in VOCABULARY.day_parts | _FIXED:
        return VOCABULARY.day_parts.get(rest[0]) or _FIXED[rest[0]]
    half, rest = _split_half_of_day(rest)
    moment = _parse_hours_minutes(rest)
    if moment is None:
        return None
    hour, minute = moment
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def _split_half_of_day(words: list[str]) -> tuple[str, list[str]]:
    if words[-2:] in (["p", "m"], ["a", "m"]):
        return words[-2] + "m", words[:-2]
    if words and words[-1] in ("pm", "am"):
        return words[-1], words[:-1]
    if len(words) > 1 and words[-1] in VOCABULARY.day_parts:
        return "am" if words[-1] == "morning" else "pm", words[:-1]
    if words and words[-1][:-2].isdigit() and words[-1][-2:] in ("am", "pm"):
        return words[-1][-2:], [*words[:-1], words[-1][:-2]]
    return "", words


def _parse_hours_minutes(words: list[str]) -> tuple[int, int] | None:
    if not words:
        return None
    plain = [word for word in words if word not in ("o'clock", "oclock", "hours")]
    if len(plain) == 1 and ":" in plain[0]:
        hour, _, minute = plain[0].partition(":")
        return (int(hour), int(minute)) if hour.isdigit() and minute.isdigit() else None
    for mark, sign in (("past", 1), ("after", 1), ("to", -1), ("till", -1)):
        if mark in plain[1:-1]:
            return _parse_minutes_past_or_to(plain, plain.index(mark, 1), sign)
    return _parse_hour_then_minutes(plain, can_have_minutes=len(plain) == len(words))


def _parse_hour_then_minutes(words: list[str], *, can_have_minutes: bool) -> tuple[int, int] | None:
    """``ten``, ``ten thirty``, ``ten oh five``; after "o'clock" there are no minutes."""
    shortest = 1 if can_have_minutes else len(words)
    for cut in range(len(words), shortest - 1, -1):
        hours = parse_number(words[:cut])
        rest = [word for word in words[cut:] if word != "oh"]
        minutes = 0 if cut == len(words) else parse_number(rest)
        if isinstance(hours, int) and isinstance(minutes, int) and hours < 24 and minutes < 60:
            return hours, minutes
    return None


def _parse_minutes_past_or_to(words: list[str], middle: int, sign: int) -> tuple[int, int] | None:
    before = words[:middle]
    quarter = {"quarter": 15, "half": 30}.get(before[-1])
    minute = quarter if quarter is not None else parse_number([w for w in before if w != "minutes"])
    hour = parse_number(words[middle + 1 :])
    if not isinstance(minute, int) or not isinstance(hour, int) or not 0 <= minute < 60:
        return None
    total = (hour * 60 + sign * minute) % (24 * 60)
    return total // 60, total % 60


def parse_duration(words: Sequence[str]) -> str | None:
    """The value of AMAZON.DURATION in ISO 8601, such as ``PT5M``; `None` if it is none."""
    parts: dict[str, float] = {}
    pending: list[str] = []
    unit = ""
    for word in (word for word in words if word not in ("for", "the")):
        name = word.rstrip("s")
        if name in _UNITS and pending:
            many = _parse_amount(pending)
            if many is None:
                return None
            unit = name
            parts[unit] = parts.get(unit, 0) + many
            pending = []
        else:
            pending.append(word)
    # "an hour and a half" and "two and a half hours" are both half of the unit.
    if unit and pending in (["and", "a", "half"], ["and", "half"]):
        parts[unit] += 0.5
        pending = []
    return _to_iso(parts) if parts and not pending else None


def _parse_amount(words: list[str]) -> float | None:
    plain = words[1:] if words[0] == "and" and len(words) > 1 else words
    if plain in (["a"], ["an"]):
        return 1
    if plain in (["half", "a"], ["half", "an"], ["half"]):
        return 0.5
    half = 0.0
    for ending in (["and", "a", "half"],):
        if plain[-3:] == ending:
            plain, half = plain[:-3], 0.5
    amount = parse_number(plain)
    return None if amount is None or not 0 <= amount < 10**9 else amount + half


def _to_iso(parts: dict[str, float]) -> str:
    """Units in order, half hours and half minutes as the next smaller unit."""
    for larger, smaller in (("hour", "minute"), ("minute", "second")):
        rest = parts.get(larger, 0) % 1
        if rest:
            parts[larger] -= rest
            parts[smaller] = parts.get(smaller, 0) + round(rest * 60)
    days = "".join(
        _format_unit(parts, name) for name, (_, is_time) in _UNITS.items() if not is_time
    )
    times = "".join(_format_unit(parts, name) for name, (_, is_time) in _UNITS.items() if is_time)
    return f"P{days}" + (f"T{times}" if times else "") if days or times else "PT0S"


def _format_unit(parts: dict[str, float], name: str) -> str:
    many = parts.get(name, 0)
    return f"{many:g}{_UNITS[name][0]}" if many else ""
