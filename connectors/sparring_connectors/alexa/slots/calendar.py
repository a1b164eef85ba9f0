"""AMAZON.DATE: dates, weeks, weekends, months, years, decades and seasons as Alexa writes them."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from sparring_connectors.alexa.shapes import listed
from sparring_connectors.alexa.slots.numbers import digits_of, number_of, ordinal_of

DAYS = listed("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = listed(
    "january february march april may june july august september october november december"
)
_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
SEASONS = {"winter": "WI", "spring": "SP", "summer": "SU", "fall": "FA", "autumn": "FA"}
_DECADES = {
    "twenties": 2, "thirties": 3, "forties": 4, "fifties": 5,
    "sixties": 6, "seventies": 7, "eighties": 8, "nineties": 9,
}  # fmt: skip
_SPOKEN_DAYS: dict[tuple[str, ...], int] = {
    ("today",): 0,
    ("tonight",): 0,
    ("this", "evening"): 0,
    ("tomorrow",): 1,
    ("tomorrow", "night"): 1,
    ("tomorrow", "morning"): 1,
    ("day", "after", "tomorrow"): 2,
    ("yesterday",): -1,
    ("day", "before", "yesterday"): -2,
}
_LEADING = ("on", "the", "in", "for", "at", "of")
_SPANS = {"day": 1, "days": 1, "week": 7, "weeks": 7}


def spoken_date(words: Sequence[str], today: date) -> str | None:
    """The value of AMAZON.DATE for words, seen from `today`; None where they are no date."""
    rest = list(words)
    while rest and rest[0] in _LEADING and len(rest) > 1:
        if rest[0] == "in" and rest[-1] in (*_SPANS, "month", "months", "year", "years"):
            break
        rest = rest[1:]
    for reader in _READERS:
        found = reader(rest, today)
        if found is not None:
            return found
    return None


def _near(words: list[str], today: date) -> str | None:
    if words in (["now"], ["right", "now"]):
        return "PRESENT_REF"
    shift = _SPOKEN_DAYS.get(tuple(words))
    return None if shift is None else _shifted(today, shift)


def _shifted(today: date, days: int) -> str | None:
    try:
        return (today + timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _weekday(words: list[str], today: date) -> str | None:
    lead, rest = _lead(words)
    if len(rest) == 2 and rest[1] in ("morning", "night", "evening", "afternoon"):
        rest = rest[:1]
    if len(rest) != 1 or rest[0] not in DAYS:
        return None
    ahead = (DAYS.index(rest[0]) - today.weekday()) % 7
    if lead == "next":
        ahead += 7
    elif lead == "last":
        ahead -= 7
    return _shifted(today, ahead)


def _lead(words: list[str]) -> tuple[str, list[str]]:
    if words and words[0] in ("next", "this", "last", "coming"):
        return words[0], words[1:]
    return "", words


def _span(words: list[str], today: date) -> str | None:
    lead, rest = _lead(words)
    step = {"next": 1, "last": -1}.get(lead, 0)
    if rest == ["weekend"]:
        return f"{_week(today + timedelta(weeks=step))}-WE"
    if not lead:
        return None
    if rest == ["week"]:
        return _week(today + timedelta(weeks=step))
    if rest == ["month"]:
        month = today.year * 12 + today.month - 1 + step
        return f"{month // 12:04d}-{month % 12 + 1:02d}"
    if rest == ["year"]:
        return f"{today.year + step:04d}"
    return None


def _week(day: date) -> str:
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def _season(words: list[str], today: date) -> str | None:
    lead, rest = _lead(words)
    if not rest or rest[0] not in SEASONS:
        return None
    step = {"next": 1, "last": -1}.get(lead, 0)
    year = _year(rest[1:]) if len(rest) > 1 else today.year + step
    return None if year is None else f"{year:04d}-{SEASONS[rest[0]]}"


def _distance(words: list[str], today: date) -> str | None:
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
    many = 1 if words[:-1] in (["a"], ["an"], ["one"]) else number_of(words[:-1])
    if not isinstance(many, int) or many > 10_000:
        return None
    if (days := _SPANS.get(words[-1])) is not None:
        return _shifted(today, sign * many * days)
    if words[-1] in ("year", "years"):
        return f"{today.year + sign * many:04d}" if 0 < today.year + sign * many < 10_000 else None
    if words[-1] in ("month", "months"):
        month = today.year * 12 + today.month - 1 + sign * many
        return f"{month // 12:04d}-{month % 12 + 1:02d}"
    return None


def _month(words: list[str]) -> int | None:
    if len(words) != 1:
        return None
    return MONTHS.index(words[0]) + 1 if words[0] in MONTHS else _SHORT_MONTHS.get(words[0])


def _day(words: list[str]) -> int | None:
    found = ordinal_of(words)
    if found is None:
        number = number_of(words)
        found = number if isinstance(number, int) else None
    return found if found is not None and 1 <= found <= 31 else None


def _year(words: list[str]) -> int | None:
    """A year with four digits: ``2025``, ``twenty twenty five``, ``two thousand and five``."""
    number = number_of(words)
    if isinstance(number, int) and 1000 <= number <= 2999:
        return number
    digits = digits_of(words)
    return int(digits) if len(digits) == 4 and digits[0] in "12" else None


def _in_month(words: list[str], today: date) -> str | None:
    """``july``, ``july fourth``, ``the fourth of july 2026``, ``july 2026``."""
    plain = [word for word in words if word not in ("the", "of")]
    for index, word in enumerate(plain):
        month = _month([word])
        if month is None:
            continue
        before, after = plain[:index], plain[index + 1 :]
        if before:
            return _full(_day(before), month, after, today)
        for cut in range(len(after), 0, -1):
            day = _day(after[:cut])
            if day is not None:
                return _full(day, month, after[cut:], today)
        return _full(None, month, after, today, whole=True)
    return None


def _full(
    day: int | None, month: int, year_words: list[str], today: date, *, whole: bool = False
) -> str | None:
    year = _year(year_words) if year_words else None
    if (year_words and year is None) or (day is None and not whole):
        return None
    if day is None:
        first = today.year + (month < today.month)
        return f"{year or first:04d}-{month:02d}"
    return _coming(day, month, year, today)


def _coming(day: int, month: int, year: int | None, today: date) -> str | None:
    """A day of a month: of the year, or the next one to come."""
    for guess in [year] if year else range(today.year, today.year + 9):
        try:
            found = date(guess, month, day)
        except ValueError:
            continue
        if year or found >= today:
            return found.isoformat()
    return None


def _numeric(words: list[str], today: date) -> str | None:
    """``2025-06-15`` and ``6/15/2025``."""
    if len(words) != 1:
        return None
    for mark, order in (("-", (0, 1, 2)), ("/", (2, 0, 1))):
        parts = words[0].split(mark)
        if len(parts) in (2, 3) and all(part.isdigit() and len(part) <= 4 for part in parts):
            numbers = [int(part) for part in parts]
            if len(numbers) == 2:
                return _coming(numbers[1], numbers[0], None, today) if mark == "/" else None
            year, month, day = (numbers[place] for place in order)
            try:
                return date(year, month, day).isoformat()
            except ValueError:
                return None
    return None


def _year_alone(words: list[str], today: date) -> str | None:
    if len(words) == 1 and words[0] in _DECADES:
        return f"{19 if _DECADES[words[0]] > 3 else 20}{_DECADES[words[0]]}X"
    if len(words) == 2 and words[1] in _DECADES and words[0] in ("nineteen", "twenty", "eighteen"):
        century = {"eighteen": 18, "nineteen": 19, "twenty": 20}[words[0]]
        return f"{century}{_DECADES[words[1]]}X"
    if len(words) == 1 and words[0].endswith("0s") and words[0][:-1].isdigit():
        return f"{words[0][:-2]}X" if len(words[0]) == 5 else None
    year = _year(words)
    return None if year is None else f"{year:04d}"


def _day_alone(words: list[str], today: date) -> str | None:
    """``the fifteenth``: of this month or the next that has one."""
    day = ordinal_of(words)
    if day is None or not 1 <= day <= 31:
        return None
    for ahead in range(13):
        month = today.year * 12 + today.month - 1 + ahead
        try:
            found = date(month // 12, month % 12 + 1, day)
        except ValueError:
            continue
        if found >= today:
            return found.isoformat()
    return None


_READERS: tuple[Callable[[list[str], date], str | None], ...] = (
    _near, _weekday, _span, _season, _distance, _in_month, _numeric, _year_alone, _day_alone,
)  # fmt: skip
