"""Values found in a text: addresses, phone numbers, dates, times, durations, identifiers."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from itertools import chain

from pydantic import BaseModel, ConfigDict, JsonValue

from sparring_plugins.language.yaml_files import bundled_yaml


class ValueWords(BaseModel):
    """The data file: words by which values are found, as regular expressions by language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    months: dict[str, tuple[str, ...]]
    weekdays: dict[str, tuple[str, ...]]
    time_units: dict[str, tuple[str, ...]]
    named_times: dict[str, tuple[str, ...]]
    relative_days: dict[str, tuple[str, ...]]
    duration_phrases: dict[str, tuple[str, ...]]
    duration_numbers: dict[str, tuple[str, ...]]
    currency_names: dict[str, tuple[str, ...]]
    currency_codes: tuple[str, ...]

    def pattern(self, table: str) -> str:
        """A group of all alternatives in a table."""
        words: dict[str, tuple[str, ...]] | tuple[str, ...] = getattr(self, table)
        alternatives = words if isinstance(words, tuple) else chain.from_iterable(words.values())
        return f"(?:{'|'.join(alternatives)})"


VALUE_WORDS = ValueWords.model_validate(
    bundled_yaml("sparring_plugins.language", "value_words.yaml")
)


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value, the text it was read from, and where that stands in the plain text.

    `certainty` in (0, 1] says how sure the form alone makes it to be a value of its type.
    """

    value: JsonValue
    text: str
    start: int
    end: int
    certainty: float = 1.0


MAX_CANDIDATES = 60
"""Values of one type that are looked at per answer."""


# E-mail addresses, phone numbers and web addresses in a text.

# The last part has letters only, so that the full stop after "a@shop.co.uk." is no part of it.
_EMAIL = re.compile(
    r"(?<![\w.+%-])[A-Za-z0-9][\w.+%-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}"
    r"\.[A-Za-z]{2,24}\b"
)
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"'()\[\]]{3,400}", re.IGNORECASE)
# "#600123456" is an order and "$600123456" an amount: no phone numbers.
_DIGITS = re.compile(r"(?<![\w.,$€£#/])\(?\+?\d[\d \-./()]{5,20}\d(?![\w%€$£])")
# Words before a number that is no valid one but still meant as one: "call 555 0199".
_NEAR = re.compile(
    r"phone|tel[eé]?f?o?n?o?\b|\btel\b|call|dial|llam|m[oó]vil|mobile|whatsapp|fax|n[uú]mero|number",
    re.IGNORECASE,
)
_REGIONS = {
    "english": ("US", "GB"),
    "spanish": ("ES", "MX"),
    "french": ("FR",),
    "german": ("DE",),
    "italian": ("IT",),
    "portuguese": ("PT", "BR"),
}


# "01632 960 118" and "+44 1632 960118", but neither "01-02-2026 10" nor "Order 0012345678".
_DIALLED = re.compile(
    r"(?:\+\d{1,3}[ \-]?)?\(?(?:0[1-9]\d{0,4}|(?<=[ \-])[1-9]\d{0,4})\)?(?:[ \-]?\d{3,8}){1,3}"
)


def find_emails(text: str) -> list[ValueCandidate]:
    """E-mail addresses."""
    return [
        ValueCandidate(match.group(), match.group(), match.start(), match.end())
        for match in _EMAIL.finditer(text)
    ][:MAX_CANDIDATES]


def find_urls(text: str) -> list[ValueCandidate]:
    """Web addresses, without the punctuation after them."""
    urls: list[ValueCandidate] = []
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?")
        urls.append(ValueCandidate(url, url, match.start(), match.start() + len(url)))
    return urls[:MAX_CANDIDATES]


def find_phones(text: str, language: str = "English") -> list[ValueCandidate]:
    """Phone numbers as written.

    These are valid ones of the language's regions; less surely, numbers that begin as one dials
    them ("0", "+"), and digits after a word such as "phone".
    """
    phones: list[ValueCandidate] = []
    for match in _DIGITS.finditer(text):
        written = match.group().strip(" .-/")
        # "(600) 123456" keeps its brackets; of "(600 123456" the first is the sentence's
        written = written if written.count("(") == written.count(")") else written.strip("()")
        # "Call us any time on our line 555 0199": the word need not stand right before the number.
        near = bool(_NEAR.search(text[max(0, match.start() - 40) : match.start()]))
        valid = any(
            _is_valid_phone(written, region)
            for region in _REGIONS.get(language.lower(), ("US", "GB", "ES"))
        )
        digits = sum(char.isdigit() for char in written)
        # E.164 allows 15 digits, and a local number such as "555 0199" has seven. Numbers that are
        # reserved for examples are not valid, such as 01632 960118, but begin like one.
        dialled = 10 <= digits <= 15 and _DIALLED.fullmatch(written)
        if valid or dialled or (near and 7 <= digits <= 15):
            start = match.start() + match.group().find(written)
            sure = 1.0 if valid else 0.6
            phones.append(ValueCandidate(written, written, start, start + len(written), sure))
    return phones[:MAX_CANDIDATES]


def _is_valid_phone(written: str, region: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(written, region))
    except phonenumbers.NumberParseException:
        return False


# Dates, times of day and durations in a text.

# "$12.30" is no time of day, and in French and German "8h 30" is one.
_CLOCK = re.compile(
    r"(?<![\w:.,$€£])(?:"
    r"(?:[01]?\d|2[0-3])[:.h][0-5]\d(?::[0-5]\d)?(?!\d)(?:\s?(?:[ap]\.?\s?m\b\.?|hrs?\b|h\b|uhr\b))?"
    r"|(?:1[0-2]|0?[1-9])\s?[ap]\.?\s?m\b\.?"
    r"|(?:1[0-2]|[1-9])\s?o['\u2019]?clock\b"
    r"|(?:[01]?\d|2[0-3])(?:[:.][0-5]\d)?\s?(?:uhr|heures?|h)\b(?:\s?[0-5]\d\b)?"
    r")",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b{VALUE_WORDS.pattern('named_times')}\b", re.IGNORECASE)
_UNIT = VALUE_WORDS.pattern("time_units")
# "20-25 minutes" is one duration, and "$5 minutes" none.
_DURATION = re.compile(
    rf"(?<![\w.,:$€£])\d{{1,4}}(?:[.,]\d{{1,2}})?(?:\s?(?:-|\u2013|to|a|or|o|and|y)\s?\d{{1,4}})?"
    rf"[\s-]?(?:business\s|working\s)?{_UNIT}\b"
    rf"|\b{VALUE_WORDS.pattern('duration_phrases')}\b"
    rf"|\b{VALUE_WORDS.pattern('duration_numbers')}\s(?:business\s|working\s)?{_UNIT}\b",
    re.IGNORECASE,
)
# Three parts are needed: "3/4 of it" is a share.
_NUMERIC_DATE = re.compile(
    r"(?<![\w/.\-$€£])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![\w/\-])"
)
_MONTH = VALUE_WORDS.pattern("months")
# "May 5 10:30" names a day and a time: the 10 is no year.
_NAMED_DATE = re.compile(
    rf"\b{_MONTH}\.?\s(?:the\s)?\d{{1,2}}(?:st|nd|rd|th)?(?![\d:])(?:,?\s(?:of\s)?\d{{4}})?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s(?:of\s|de\s)?{_MONTH}\b\.?(?:,?\s(?:de\s|del\s)?\d{{4}})?",
    re.IGNORECASE,
)
_WEEKDAY = VALUE_WORDS.pattern("weekdays")
# "guten Morgen" and "por la mañana" name no day.
_RELATIVE = re.compile(
    rf"\b(?:{VALUE_WORDS.pattern('relative_days')}"
    rf"|(?:(?:next|this|coming|on|el|este|pr[oó]ximo)\s)?{_WEEKDAY})\b",
    re.IGNORECASE,
)
_CODES = {"english": "en", "spanish": "es", "french": "fr", "german": "de", "italian": "it",
          "portuguese": "pt"}  # fmt: skip


def find_times(text: str) -> list[ValueCandidate]:
    """Times of day as written, such as ``13:30`` and ``1pm``."""
    return [*_times(text)]


@lru_cache(maxsize=1024)
def _times(text: str) -> tuple[ValueCandidate, ...]:
    times = [
        _written_candidate(match)
        for pattern in (_CLOCK, _NAMED)
        for match in pattern.finditer(text)
    ]
    return tuple(sorted(times, key=lambda time: time.start)[:MAX_CANDIDATES])


def find_durations(text: str) -> list[ValueCandidate]:
    """Lengths of time as written, such as ``25 minutes`` and ``half an hour``."""
    return [_written_candidate(match) for match in _DURATION.finditer(text)][:MAX_CANDIDATES]


def date_spans(text: str) -> list[ValueCandidate]:
    """Dates as written; certainty is lower for those relative to today."""
    return [*_dates(text)]


# A simulated user reads the same few messages and values again with each turn.
@lru_cache(maxsize=1024)
def _dates(text: str) -> tuple[ValueCandidate, ...]:
    spans = [_written_candidate(match) for match in _NUMERIC_DATE.finditer(text)]
    spans += [_written_candidate(match) for match in _NAMED_DATE.finditer(text)]
    spans += [_written_candidate(match, 0.7) for match in _RELATIVE.finditer(text)]
    return tuple(sorted(spans, key=lambda span: span.start)[:MAX_CANDIDATES])


_FIGURES = re.compile(r"(\d{1,4})[-/.](\d{1,2})[-/.](\d{4}|\d{2})")


def _day_in_figures(numeric: re.Match[str], day_first: bool) -> date | None:
    """The day of "2027-03-01" or "1/3/2027"; None if a year has no four figures, or none fits."""
    first, second, third = numeric.groups()
    if len(first) == 4:
        parts = first, second, third
    elif len(first) <= 2 and len(third) == 4:
        parts = (third, second, first) if day_first else (third, first, second)
    else:
        return None
    try:
        return date(*map(int, parts))
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def parse_date(written: str, today: date, language: str, day_first: bool) -> date | None:
    """The day that a short text names, counted from `today` if it is relative."""
    numeric = _FIGURES.fullmatch(written)
    if numeric is not None and (day := _day_in_figures(numeric, day_first)) is not None:
        return day
    import dateparser  # takes a second, which most conversations need not pay

    order = "YMD" if re.match(r"\d{4}", written) else "DMY" if day_first else "MDY"
    code = _CODES.get(language.lower())
    text = re.sub(
        rf"^(?:on|next|this|coming|el|este|pr[oó]ximo)\s(?={_WEEKDAY})", "", written, flags=re.I
    )
    text = re.sub(r"^tonight$", "today", text, flags=re.I)
    # dateparser reads "3 mayo" and not "3º mayo".
    text = re.sub(r"(\d)(?:st|nd|rd|th|º)\b", r"\1", text)
    parsed = dateparser.parse(
        text,
        languages=sorted({code, "en", "es"} if code else {*_CODES.values()}),
        settings={
            "RELATIVE_BASE": datetime(today.year, today.month, today.day),  # noqa: DTZ001
            "PREFER_DATES_FROM": "future",
            "DATE_ORDER": order,
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    return parsed.date() if parsed else None


def day_first(texts: list[str], language: str) -> bool:
    """Whether days stand before months: as numeric dates show, else as the language has it."""
    for text in texts:
        for match in _NUMERIC_DATE.finditer(text):
            parts = re.split(r"[-/.]", match.group())
            if len(parts[0]) == 4:
                continue
            # "25/12/2026" can only have the day first.
            if int(parts[0]) > 12 >= int(parts[1]):
                return True
            if int(parts[1]) > 12 >= int(parts[0]):
                return False
    return language.lower() != "english"


def _written_candidate(match: re.Match[str], certainty: float = 1.0) -> ValueCandidate:
    shown = " ".join(match.group().split())
    # "at 12 pm." ends a sentence; "12 p.m." does not have to
    if shown.count(".") == 1 and shown.endswith("m."):  # the full stop after "12 pm"
        shown = shown[:-1]
    return ValueCandidate(shown, shown, match.start(), match.end(), certainty)


# Identifiers in a text: order numbers, booking codes, references.

_TOKEN = re.compile(
    r"(?<![\w\-/.@$€£])#?\s?([A-Za-z0-9](?:[A-Za-z0-9]|[-_/](?=[A-Za-z0-9])){1,40})"
)
_LABEL = re.compile(
    r"\b(?:ids?|identifier|numbers?|no|nr|code|reference|ref|ticket|tracking|confirmation|booking"
    r"|pin|n[uú]mero|num[eé]ro|[a-zß-ü]{0,20}nummer|kennung|codice|c[oó]digo|r[eé]f[eé]rence|riferimento|refer[eê]ncia|referencia|identificador|localizador|folio)\b\.?|#|№|nº",
    re.IGNORECASE,
)
_NEAREST = 40
_HEX = frozenset("abcdef")


def find_identifiers(text: str) -> list[ValueCandidate]:
    """Codes right after a word such as "id", "number" or "reference", or after ``#``.

    A code has a digit in it, is written in capitals, or is hexadecimal; units, prices and times are
    none.
    """
    identifiers: list[ValueCandidate] = []
    labels = [match.end() for match in _LABEL.finditer(text)][:MAX_CANDIDATES]
    for end in labels:
        for match in _TOKEN.finditer(text, end, min(len(text), end + _NEAREST + 42)):
            if match.start() > end + _NEAREST or re.search(
                r"[.;!?]\s|\n\s*\n", text[end : match.start()]
            ):
                break
            code = match.group(1)
            if _is_code(code, text, match.end()):
                gap = text[end : match.start(1)]
                sure = (
                    1.0
                    if len(gap) <= 8 or re.search(r"[:#=]|\b(?:is|es|est|ist|lautet)\b|è|é", gap)
                    else 0.7
                )
                identifiers.append(ValueCandidate(code, code, match.start(1), match.end(1), sure))
                break
    return identifiers


_SHORTEST_SHOUT = 2
"""Words of a text in capitals that may still be a label and its code: "CODE ABCD"."""


def _is_code(code: str, text: str, end: int) -> bool:
    if any(char.isdigit() for char in code):
        after = text[end : end + 12]
        unit = re.match(
            r"\s?(?:[$€£%]|[.,:]\d|min|hour|day|am\b|pm\b|dollar|euro|item|pizza)", after
        )
        clock = re.fullmatch(r"\d{1,2}(?:am|pm|h|st|nd|rd|th)", code, re.IGNORECASE)
        # "number of people: 4 pizzas" and "ticket: $12" name no code
        return not (unit or clock) and len(code) >= 2
    # "deadbeef" is a code without a digit. So is "facade", which nobody gives as one.
    if len(code) >= 6 and set(code) <= _HEX:
        return True
    # "code ABCD" names one; the capitals of "code: OK" and "ID: YES" are an answer, and in a text
    # that is all capitals, "REF FORMAT XX-NN", they say nothing.
    if text.isupper() and len(text.split()) > _SHORTEST_SHOUT:
        return False
    return len(code) >= 4 and code.isupper() and "-" not in code[:1]
