"""Days, hours, numbers, names and addresses in what customers write, and how they are shown."""

import re
from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta

from botkit.words import folded

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip
_MONTH = {name.casefold(): number for number, name in enumerate(MONTHS, 1)} | {
    name.casefold()[:3]: number for number, name in enumerate(MONTHS, 1)
}
_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
          "eleven", "twelve")  # fmt: skip
_NUMBERS = {word: number for number, word in enumerate(_UNITS)} | {"a dozen": 12, "single": 1}
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_PHONE = re.compile(r"(?<![\w-])\+?\(?\d(?:[ ()/-]{0,2}\d){2,17}(?![\d-])")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_DAY_MONTH = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?(?:,? (\d{4}))?\b")
_MONTH_DAY = re.compile(r"\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?\b(?!:)")
_NUMERIC = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_TIME = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))? ?(am|pm|a\.m\.|p\.m\.|o'clock|h\b)?(?![\d/-])")
_WEEKDAY = re.compile(rf"\b(?:on )?(?:next )?(?:{'|'.join(WEEKDAYS)}|tomorrow|today)\b")
_NAME = re.compile(r"[^\W\d_][\w'.-]*(?: [^\W\d_][\w'.-]*){0,3}")


def find_day(text: str, today: date) -> date | None:
    """The first day named: a date, a weekday from tomorrow on, today or tomorrow."""
    plain = folded(text)
    for year, month, day in _dates(plain, today):
        try:
            return date(year, month, day)
        except ValueError:
            continue
    if re.search(r"\btomorrow\b", plain):
        return today + timedelta(1)
    if re.search(r"\btoday\b", plain):
        return today
    found = re.search(rf"\b({'|'.join(WEEKDAYS)})\b", plain)
    if found is None:
        return None
    return today + timedelta((WEEKDAYS.index(found[1]) - today.weekday() - 1) % 7 + 1)


def _dates(plain: str, today: date) -> Iterator[tuple[int, int, int]]:
    for found in _ISO.finditer(plain):
        yield int(found[1]), int(found[2]), int(found[3])
    for found in _NUMERIC.finditer(plain):
        yield int(found[3]), int(found[2]), int(found[1])
    named = [(found[1], found[2], found[3]) for found in _DAY_MONTH.finditer(plain)]
    named += [(found[2], found[1], found[3]) for found in _MONTH_DAY.finditer(plain)]
    for day, month, year in named:
        if month in _MONTH:
            yield int(year or today.year), _MONTH[month], int(day)


def find_time(text: str) -> time | None:
    """The first time of day named with minutes, with am or pm, or with o'clock."""
    plain = _ISO.sub(" ", _NUMERIC.sub(" ", folded(text)))
    if re.search(r"\bnoon\b", plain):
        return time(12)
    for found in _TIME.finditer(plain):
        hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").replace(".", "")
        if found[2] is None and not half:
            continue
        if half in ("am", "pm"):
            hour = hour % 12 + (12 if half == "pm" else 0)
        if hour < 24 and minute < 60:
            return time(hour, minute)
    return None


def find_number(text: str) -> int | None:
    """The first number, in digits or in words up to twelve."""
    plain = folded(text)
    words = "|".join(sorted(_NUMBERS, key=len, reverse=True))
    found = re.search(rf"\b(\d{{1,6}}|{words})\b", plain)
    if found is None:
        return None
    return int(found[1]) if found[1].isdecimal() else _NUMBERS[found[1]]


def find_phone(text: str) -> str | None:
    """The first phone number, with its blanks and brackets left out."""
    found = _PHONE.search(_ISO.sub(" ", text))
    return re.sub(r"[^\d+]", "", found[0]) if found else None


def find_email(text: str) -> str | None:
    """The first e-mail address."""
    found = _EMAIL.search(text)
    return found[0] if found else None


def find_name(text: str) -> str | None:
    """The whole text, where it looks like a name."""
    words = text.strip().rstrip(".!")
    return words if _NAME.fullmatch(words) and len(words) <= 60 else None


def find_choice(text: str, entity: Mapping[str, tuple[str, ...]]) -> str | None:
    """The value of an entity whose longest phrase occurs in a text."""
    plain = folded(text)
    best: tuple[int, str] | None = None
    for value, phrases in entity.items():
        for phrase in (value, *phrases):
            words = folded(phrase)
            if re.search(rf"(?<!\w){re.escape(words)}(?:s|es)?(?!\w)", plain):
                best = max(best or (0, ""), (len(words), value), key=lambda one: one[0])
    return best[1] if best else None


def without_moments(plain: str) -> str:
    """A folded text without the days and hours in it, which say nothing of what is wanted."""
    for pattern in (_ISO, _NUMERIC, _WEEKDAY):
        plain = pattern.sub(" ", plain)
    plain = re.sub(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:{'|'.join(_MONTH)})(?: \d{{4}})?\b", " ", plain
    )
    return re.sub(r"\b(?:at )?\d{1,2}(?:[:.]\d{2})? ?(?:am|pm|o'clock)?(?!\w)", " ", plain)


def show_day(day: date) -> str:
    """A day as customers read it: ``Tuesday 2 March 2027``."""
    weekday = WEEKDAYS[day.weekday()].capitalize()
    return f"{weekday} {day.day} {MONTHS[day.month - 1]} {day.year}"


def show_time(moment: time) -> str:
    """A time as customers read it: ``9 am``, ``2:30 pm``."""
    minutes = f":{moment.minute:02d}" if moment.minute else ""
    return f"{moment.hour % 12 or 12}{minutes} {'am' if moment.hour < 12 else 'pm'}"


def show(value: object) -> str:
    """Any value of a field in words."""
    if isinstance(value, date):
        return show_day(value)
    return show_time(value) if isinstance(value, time) else str(value)


def clock(text: str) -> time:
    """A time of a definition, as ``17:30``; raises ValueError."""
    return time.fromisoformat(text.zfill(5))
