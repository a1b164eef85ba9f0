"""Putting a value as the app asks for it: by its pattern, its example, its complaint, in part.

"Please use DD/MM/YYYY", "e.g. 2027-05-30" and "digits only" each say how "12 April 2027" or
"0170 555 918" is to be written. Dates are read with the parser that the extractor uses.
"""

import calendar
import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times, parse_date
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.fact_patterns import SIZE
from sparring_plugins.users.agenda.profile.value_parts import (
    digits_of,
    part_words,
    put_address,
    put_name,
)
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import any_of

_ANY_DAY = date(2000, 1, 3)
_PATTERN = re.compile(
    r"\b(?P<a>[DTJGMYA]{1,4})(?P<s>[-/. ])(?P<b>[DTJGMYA]{1,4})(?P=s)(?P<c>[DTJGMYA]{2,4})\b"
)
"""Letters that stand for day, month and year: "DD/MM/YYYY", "TT.MM.JJJJ"."""
_SMALL_PATTERN = re.compile(r"\b([dtjg])\1[-/. ](m)\2[-/. ]([yja])\3{3}\b")
""""dd/mm/aaaa" in small letters."""
_UNSEPARATED = re.compile(
    r"\b(?P<a>[DTG]{2}|MM|[YJA]{4})(?P<s>)(?P<b>MM|[DTG]{2})(?P<c>[YJA]{4}|[YJA]{2}|[DTG]{2})\b"
)
"""A pattern without marks between its parts: "Enter your date of birth as DDMMYYYY"."""
_NUMERIC = re.compile(r"\b(\d{1,4})([-/.])(\d{1,2})\2(\d{2,4})\b")
"""A date in digits, as an example: "Please type it like 24/03/2027"."""
# "for example 3 May 2026" wants the month in words.
_IN_WORDS = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z][a-z]+\.?(?: \d{4})?\b")
_COUNTED_DIGITS = re.compile(r"\b\w+ (?:digits|d[ií]gitos|cifras|ziffern|chiffres|cifre)\b", re.I)
""""It has 7 digits and begins with 4." wants nothing but digits."""
_CLOCK_24 = re.compile(r"\bHH[:.]?MM\b|\b24[- ]?h", re.IGNORECASE)
""""What time? [hh:mm]", and "24h"."""
# "3:30 pm" as an example wants a half of the day, "15:30" none.
_CLOCK_12 = re.compile(r"\b\d{1,2}(?::\d\d)? ?[ap]\.?m\b", re.IGNORECASE)
_EXAMPLE_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
_MONTHS = list(calendar.month_name)[1:]


def put_as_asked(text: str, kinds: frozenset[str], hint: str, times: int, language: str) -> str:
    """Return a value as `hint` asks for it; after `times` failures each time in another form."""
    if "date" in kinds:
        return _date(text, hint, times, language)
    if "time" in kinds:
        return _time(text, hint)
    if "phone" in kinds:
        return _phone(text, hint, times)
    if "code" in kinds:
        digits = digits_of(text, hint)
        return digits or (text if times % 2 == 0 else re.sub(r"[\s-]", "", text))
    if "address" in kinds:
        return put_address(text, hint, times)
    if kinds & {"name", "person"}:
        return put_name(text, hint)
    return _number(text, hint, times) if kinds & {"number", "age"} else text


def _number(text: str, hint: str, times: int) -> str:
    """A number in digits, if the app wants digits or has not taken it; a size as it is."""
    if SIZE.search(text) or not (times or _wants_digits(hint) or _RANGE.search(hint)):
        return text
    # "12 Chana masala · 13 Balti": a number is an entry there, and "2" is not two of anything
    counts = len(_NUMBERED.findall(hint)) < _FEWEST_ENTRIES
    return "".join(re.findall(r"\d+", text)) or (_in_digits(text) if counts else text)


# A menu of numbers in the hint ("1. red 2. blue") is no example of a number's format.
_NUMBERED = re.compile(r"(?:^|[\n·|;])\W*\d{1,3}[.):]? [^\W\d_]", re.MULTILINE)
_FEWEST_ENTRIES = 3


_WITH_COUNTRY = re.compile(r"\+[1-9]\d{0,2}(?=[\s()-]?\d)")
"""The code of a country with which an example of a phone number begins: "like +49 30 1234567"."""


_RANGE = re.compile(r"\b\d{1,3}\s?(?:-|\u2013|to|bis|a|à)\s?\d{1,3}\b")
"""From which to which number an app takes: "Number of guests (1-6)?"."""


def _in_digits(text: str) -> str:
    """A number word in digits: "two" as "2"; a text without one as it is."""
    numbers = list(spelled_numbers(folded(text)))
    return str(numbers[0].value) if len(numbers) == 1 else text


def _wants_digits(hint: str) -> bool:
    """Whether a hint wants digits alone: "only digits", "nine digits"."""
    return bool(_COUNTED_DIGITS.search(hint)) or says(folded(hint), "digits_only")


def _phone(text: str, hint: str, times: int) -> str:
    """A phone number: as written, in digits alone, in groups as the example has it."""
    digits = re.sub(r"[^\d+]", "", text)
    if "+" in digits and re.search(r"without (?:the )?country code", hint, re.IGNORECASE):
        digits = "0" + digits[3:]
    example = _WITH_COUNTRY.search(hint)
    if example is not None and not text.startswith("+"):
        # "0049 30 1234" as "+49 30 1234"; a number without its country is of the example's
        text = re.sub(r"^00(?=[1-9])|^0", lambda m: "+" if m[0] == "00" else f"{example[0]} ", text)
        digits = re.sub(r"[^\d+]", "", text)
    if _wants_digits(hint) and not re.search(r"\d[ -]\d{2,}", hint):
        return digits
    return digits if times % 2 else text


def _time(text: str, hint: str) -> str:
    """A time of day by the clock that the app's pattern or example shows."""
    clock = _clock_of(text)
    if clock is None:
        return text
    hour, minute, has_half = clock
    if _CLOCK_24.search(hint) or (
        has_half and _EXAMPLE_CLOCK.search(hint) and not _CLOCK_12.search(hint)
    ):
        return f"{hour:02}:{minute}"
    if _CLOCK_12.search(hint) and not _EXAMPLE_CLOCK.search(_CLOCK_12.sub("", hint)):
        past = "" if minute == "00" else f":{minute}"
        return f"{(hour - 1) % 12 + 1}{past} {'pm' if hour >= 12 else 'am'}"
    return text


def _clock_of(text: str) -> tuple[int, str, bool] | None:
    """The hour of 24, the minutes, and whether a time of day says "am" or "pm", or None."""
    clock = re.search(
        r"\b(\d{1,2})(?::|\.|h)?(\d\d)?\s?([ap])?\.?m?\b", text.strip(), re.IGNORECASE
    )
    if clock is None or not find_times(text):
        return None
    hour, minute, half = int(clock[1]), clock[2] or "00", (clock[3] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return (hour, minute, bool(half)) if hour <= 23 else None


def _date(text: str, hint: str, times: int, language: str) -> str:
    """A date by the pattern or the example of a hint, else in another usual form each time."""
    short = _SHORT_PATTERN.search(hint)
    if short is not None and (found := any_day_of(text, language)) is not None:
        parts = ("D" if "M" not in short["a"] else "M", "D" if "M" not in short["b"] else "M")
        written = [f"{found.day:02}" if part == "D" else f"{found.month:02}" for part in parts]
        return short["s"].join(written) + (short["end"] or "")
    return _whole_date(text, hint, times, language)


def _whole_date(text: str, hint: str, times: int, language: str) -> str:
    """A date with its year by the pattern or the example of a hint, else in another usual form."""
    put = _by_pattern(hint) or _by_example(hint)
    day = day_of(text, language) or (_day_in_year_of(text, hint, language) if put else None)
    if day is None:
        return text
    if put is not None and (times < 3 or times % 2):
        return put(day)
    if not times:
        return text
    ways: tuple[Callable[[date], str], ...] = (_words, _iso, _slashes, _dots)
    return ways[(times - 1) % len(ways)](day)


_SHORT_PATTERN = re.compile(
    r"(?<![YJA][-/.])\b(?P<a>[DTJG]{2}|M{2})(?P<s>[-/.])(?P<b>M{2}|[DTJG]{2})(?P<end>\.)?(?![-/.]?[YJA\d])",
    re.ASCII,
)
"""A pattern without a year: "DD.MM.", "MM/DD"."""


def any_day_of(text: str, language: str, today: date = _ANY_DAY) -> date | None:
    """Return the day of a text, in the year from `today` if it names none; None for "tomorrow"."""
    for span in date_spans(text):
        if any(char.isdigit() for char in span.text):
            return parse_date(span.text, today, language, day_first=True)
    return None


def _day_in_year_of(text: str, hint: str, language: str) -> date | None:
    """The day of a text without a year, in the year of the app's example that its weekday fits.

    "Saturday the 20th of March" is in 2027 if the app's example is 24-12-2027. Without a weekday
    the year of the example counts.
    """
    day = any_day_of(text, language)
    years = sorted({int(year) for year in re.findall(r"\b20\d\d\b", hint)})
    if day is None or not years:
        return None
    named = [
        at for at, name in enumerate(calendar.day_name) if folded(name) in folded(text).split()
    ]
    for year in (*years, *(year + 1 for year in years)):
        try:
            candidate = day.replace(year=year)
        except ValueError:
            continue
        if not named or candidate.weekday() in named:
            return candidate
    return None


def days_in(text: str, language: str) -> frozenset[tuple[int, int]]:
    """Return the days and months that a text names, in the words or figures of its language."""
    spans = (span.text for span in date_spans(text) if any(c.isdigit() for c in span.text))
    days = (parse_date(span, _ANY_DAY, language, day_first=True) for span in spans)
    return frozenset((day.month, day.day) for day in days if day is not None)


def day_of(text: str, language: str) -> date | None:
    """The calendar day that a text names with its year; None for "tomorrow" or no date."""
    for span in date_spans(text):
        day = parse_date(span.text, _ANY_DAY, language, day_first=language.lower() != "american")
        # what is counted from today has no form of its own: "tomorrow" stays as it is
        if day is not None and (str(day.year) in text or re.search(r"\d[./-]\d+[./-]\d", text)):
            return day
    return None


def is_day_first(hint: str) -> bool | None:
    """Whether a pattern such as ``DD/MM/YYYY`` has the day first; None if there is none."""
    match = _PATTERN.search(hint)
    if match is None or len(match["a"]) > 2:
        return None
    return "M" not in match["a"]


def _by_pattern(hint: str) -> Callable[[date], str] | None:
    """How a pattern such as ``DD/MM/YYYY``, ``TT.MM.JJJJ`` or ``AAAA-MM-DD`` writes a date."""
    hint = _SMALL_PATTERN.sub(lambda small: small[0].upper(), hint)
    match = _PATTERN.search(hint) or _UNSEPARATED.search(hint)
    if match is None:
        return None
    separator, parts = match["s"], (match["a"], match["b"], match["c"])

    def put(day: date) -> str:
        return separator.join(_part(part, parts, day) for part in parts)

    return put


def _part(part: str, parts: tuple[str, ...], day: date) -> str:
    """One part of a pattern: years have four letters or are Y, months M, days the rest.

    "JJ/MM/AAAA" is French and "TT.MM.JJJJ" German: the letter J is a year if it stands four times.
    """
    if "M" in part:
        return f"{day.month:0{len(part)}}"
    is_year = len(part) == 4 or "Y" in part or (part[0] == "A" and len(part) >= 2)
    if is_year:
        return f"{day.year}"[-len(part) :]
    return f"{day.day:0{len(part)}}"


def _by_example(hint: str) -> Callable[[date], str] | None:
    """How an example date in a hint writes a date; None if there is none."""
    match = _NUMERIC.search(hint)
    if match is not None:
        first, separator, second, last = match.groups()
        if len(first) == 4:
            return lambda day: f"{day.year}{separator}{day.month:02}{separator}{day.day:02}"
        if int(second) > 12:
            return lambda day: f"{day.month:02}{separator}{day.day:02}{separator}{day.year}"
        short = len(last) == 2
        return lambda day: (
            f"{day.day:02}{separator}{day.month:02}{separator}"
            f"{day.year % 100 if short else day.year}"
        )
    if _IN_WORDS.search(hint) and any(folded(month) in folded(hint) for month in _MONTHS):
        return _words
    return None


def _words(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _iso(day: date) -> str:
    return day.isoformat()


def _slashes(day: date) -> str:
    return f"{day.day:02}/{day.month:02}/{day.year}"


def _dots(day: date) -> str:
    return f"{day.day:02}.{day.month:02}.{day.year}"


def shape_of(code: str) -> str:
    """The shape of a code: letters as A, digits as 9, the rest as written, without blanks."""
    return re.sub(r"[A-Za-z]", "A", re.sub(r"\d", "9", code.replace(" ", "")))


# "e.g. AB-123", "such as 10:30", "format: DD/MM/YYYY".
_EXAMPLE = r"([A-Z0-9][A-Za-z0-9-]*(?: [A-Z0-9]+(?![a-z]))*)"


@lru_cache(maxsize=8)
def _after_lead(shape: str) -> re.Pattern[str]:
    """A pattern for an example of some shape: "e.g. " and what the shape matches."""
    leads = any_of(part_words().example_leads)
    return re.compile(rf"\b{leads}[:,]?\s+[\"'„“«]?{shape}")


def example_in(hint: str, shape: str) -> re.Match[str] | None:
    """Return the example of a hint that has the shape of a pattern, or None if there is none."""
    return _after_lead(shape).search(hint)


_STARTS = re.compile(
    r"(?:begins?|starts?|starting|beginning|empieza|beginnt|commence) (?:with|por|con|mit|par) "
    r"(?:the letters? |an? )?[\"']?([A-Z]{1,4}|\d{1,3})\b"
    r"|\(([A-Z]{1,4})-?(?:\.\.\.|…)"
    r"|\bis ([A-Z]{1,4}) and\b|\bes ([A-Z]{1,4}) y\b"
)
"""How a number begins: "Please enter your number (11 digits, starting with 07)"."""
_DIGIT_COUNT = re.compile(
    r"\b(\d{1,2}|three|four|five|six|seven|eight|nine|ten|vier|cuatro|quatre|fünf|cinco|cinq|sechs"
    r"|seis|six|sieben|siete|sept|acht|ocho|huit|neun|nueve|neuf|zehn|diez|dix)[ -]?"
    r"(?:digits?|figures?|ziffern|stellen|d[ií]gitos|cifras|chiffres)\b"
    r"|\b(\d{1,2}|vier|fünf|sechs|sieben|acht|neun|zehn)-?stellig",
    re.IGNORECASE,
)
"""How many digits it has: "It has 7 digits and begins with 4"."""
_COUNTS = {
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "vier": 4,
    "cuatro": 4,
    "quatre": 4,
    "fünf": 5,
    "cinco": 5,
    "cinq": 5,
    "sechs": 6,
    "seis": 6,
    "sieben": 7,
    "siete": 7,
    "sept": 7,
    "acht": 8,
    "ocho": 8,
    "huit": 8,
    "neun": 9,
    "nueve": 9,
    "neuf": 9,
    "zehn": 10,
    "diez": 10,
    "dix": 10,
}


def wants_digits(hint: str) -> bool:
    """Return whether a text says that an answer consists of digits: "all 11 digits"."""
    return bool(_DIGIT_COUNT.search(hint)) or _wants_digits(hint)


def shape_fit(code: str, hint: str) -> float:
    """How well a code has the shape that a hint describes: 1 it has, -1 it has not, 0 unknown."""
    checks: list[bool] = []
    for match in _after_lead(_EXAMPLE).finditer(hint):
        if any(char.isdigit() for char in match[1]):
            checks.append(shape_of(match[1]) == shape_of(code))
    for match in _STARTS.finditer(hint):
        start = next(group for group in match.groups() if group)
        checks.append(code.upper().startswith(start.upper()))
    for match in _DIGIT_COUNT.finditer(hint):
        number = match[1] or match[2]
        count = _COUNTS.get(number.lower()) or int(number)
        if "last" not in hint.lower():
            checks.append(sum(char.isdigit() for char in code) == count)
    if not checks:
        return 0.0
    return 1.0 if all(checks) else -1.0
