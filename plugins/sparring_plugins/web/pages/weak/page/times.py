"""Times and dates as people write them: "8:30" is "08:30", "20 April 2024" is "2024-04-20".

Every check reads those of a whole page, so that it has to be quick and sure: only English, and what
is written out. `language.candidates` also takes "tomorrow", other languages and "at 5", which are
no dates of a page, and asks dateparser for each.
"""

import re
from collections.abc import Iterator

_CLOCK = re.compile(
    r"(?<![\w:.,/-])(?P<hour>[01]?\d|2[0-3])(?::(?P<minute>[0-5]\d)(?::00)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?(?![\w:/-]|[.,]\d)",
    re.I,
)


def find_times(text: str) -> Iterator[tuple[int, str]]:
    """Yield the times of a text as minutes since midnight, with how they are written there.

    A number alone is none: it takes minutes, or "am" and "pm".
    """
    for match in _CLOCK.finditer(text):
        if match["minute"] is None and match["half"] is None:
            continue
        hour = int(match["hour"])
        if match["half"] is not None:
            hour = hour % 12 + 12 * (match["half"].lower() == "p")
        yield hour * 60 + int(match["minute"] or 0), match[0]


_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = r"(?P<{0}>" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS) + r"|sept)\.?"
_DATE = re.compile(
    r"(?<![\w.,:/-])(?:(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH.format('month')}"
    r"(?:,? (?P<year>\d{4}))?"
    rf"|{_MONTH.format('first')} (?P<second>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<last>\d{{4}}))?)"
    r"(?![\w:/-]|[.,]\d)",
    re.I,
)


def find_dates(text: str) -> Iterator[tuple[tuple[int, int, int], str]]:
    """Yield the dates of a text as year (0 if none is said), month and day, and as written."""
    for match in _DATE.finditer(text):
        if match["iso"]:
            year, month, day = map(int, match["iso"].split("-"))
        else:
            name = (match["month"] or match["first"]).lower()[:3]
            month = next(i for i, m in enumerate(_MONTHS, 1) if m.startswith(name))
            day = int(match["day"] or match["second"])
            year = int(match["year"] or match["last"] or 0)
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield (year, month, day), match[0]


def write_times_as(sentence: str, shown: str) -> str:
    """Return a sentence whose times and dates are written as in `shown`, if it has them."""
    for minutes, text in list(find_times(sentence)):
        forms = {written for other, written in find_times(shown) if other == minutes}
        sentence = _write_as(sentence, text, forms, shown)
    for (year, *day), text in list(find_dates(sentence)):
        forms = {
            written for (other, *its_day), written in find_dates(shown)
            if day == its_day and (year == other or 0 in (year, other))
        }  # fmt: skip
        sentence = _write_as(sentence, text, forms, shown)
    return sentence


def _write_as(sentence: str, text: str, forms: set[str], shown: str) -> str:
    pattern = rf"(?<![\w:/-]){re.escape(text)}(?![\w:/-])"
    if len(forms) != 1 or re.search(pattern, shown):
        return sentence
    return re.sub(pattern, forms.pop(), sentence)
