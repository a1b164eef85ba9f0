"""Dates that count from today, as a sentence names them and as a page writes them.

"Enter tomorrow's date into the field 'Arrival'" is read as entering ``%today+1d%``, which becomes a
date when the step is carried out, in the field's own format.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final

from sparring_plugins.web.grammar.phrases.vocabulary import WORDS, base_form

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
                   "seven": 7, "eight": 8, "nine": 9, "ten": 10, "fourteen": 14}  # fmt: skip
_NAMED: Final = {"today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2,
                 "day before yesterday": -2}  # fmt: skip
# Ours: "tomorrow" becomes %today+1d%, which is reckoned when the case is played.
_MARK = re.compile(r"%(today|next|this|last)(?:([+-]\d{1,4})([dwm])|-([a-z]+day))?%")

_COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month)s?"
# "the  day  after  tomorrow": with one more space it must not be read as tomorrow.
_PHRASE = re.compile(
    (
        r"(?:the )?(?:(?:date|day) (?:of |that is |which is )?)?(?:"
        rf"in {_COUNT} {_UNIT}(?:['\u2019]s? time)?"
        rf"|{_COUNT.replace('?P<n>', '?P<n2>')} {_UNIT.replace('?P<unit>', '?P<unit2>')}"
        r" (?P<way>from (?:now|today)|later|ahead|ago)"
        rf"|(?P<which>next|this|last|coming) (?P<weekday>{'|'.join(WEEKDAYS)})(?:['\u2019]s date)?"
        r"|(?P<named>(?:the )?day after tomorrow|(?:the )?day before yesterday|today|tomorrow"
        r"|yesterday)"
        r"(?:['\u2019]s? date)?)(?!\w|['\u2019]s\b)"  # no date: "Choose today's menu"
    ).replace(" ", r"\s+"),
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
# After "is" or "shows" a date is what the page says; after "type" it is what is entered.
_SHOWN = re.compile(
    r"(?:is|are|be|shows?|contains?|holds?|has|equals?|reads?|displays?|for)\s+$", re.I
)


def mark_dates(sentence: str, quotations: Sequence[tuple[int, int]]) -> str:
    """Return a sentence with its relative dates as quoted marks: ``'%today+1d%'``.

    Dates are values of acts that enter something, and what a check says that something is. What
    lies in `quotations` is left as it is.
    """
    parts: list[str] = []
    at = 0
    begin = _find_entering(sentence, quotations)
    for match in _PHRASE.finditer(sentence):
        start, end = match.span()
        if any(start < last and first < end for first, last in quotations):
            continue
        if not (start > begin or _SHOWN.search(sentence[:start])):
            continue
        parts += [sentence[at:start], f"'{_mark(match)}'"]
        at = end
    return "".join((*parts, sentence[at:]))


def _find_entering(sentence: str, quotations: Sequence[tuple[int, int]]) -> int:
    """Return where a clause begins that enters something; the sentence's length if none does.

    "Click on 'Go' and I enter tomorrow into 'Start'" enters from its sixth word on; "the set date"
    sets nothing, so only what may stand before a verb counts: "and", "then I", a comma, a quote.
    """
    before = ""
    end = 0
    for match in _WORD.finditer(sentence):
        start = match.start()
        if any(first <= start < last for first, last in quotations):
            continue
        word = match[0].casefold()
        leads = not before or sentence[end:start].strip() != "" or before in _words_before_verbs()
        if leads and base_form(word) in WORDS.dating_verbs:
            return start
        before, end = word, match.end()
    return len(sentence)


@cache
def _words_before_verbs() -> frozenset[str]:
    phrases = (*WORDS.subjects, *(p for leads in WORDS.clause_leads.values() for p in leads))
    return WORDS.clause_fillers | {phrase[-1] for phrase in phrases}


def _mark(match: re.Match[str]) -> str:
    if match["weekday"]:
        which = {"coming": "this"}.get(match["which"].lower(), match["which"].lower())
        return f"%{which}-{match['weekday'].lower()}%"
    if match["named"]:
        days = _NAMED[" ".join(match["named"].lower().split()).removeprefix("the ")]
        return f"%today{days:+d}d%" if days else "%today%"
    number = (match["n"] or match["n2"]).lower()
    count = int(number) if number.isdigit() else _NUMBERS[number]
    unit = (match["unit"] or match["unit2"]).lower()[0]
    return f"%today{-count if match['way'] == 'ago' else count:+d}{unit}%"


def today() -> date:
    """Return the machine's date."""
    return datetime.now().astimezone().date()


def is_mark(text: str) -> bool:
    """Return whether a text is the mark of a date, such as ``%today+1d%``."""
    return _MARK.fullmatch(text) is not None


def find_date(text: str, now: date) -> date | None:
    """Return the date that a mark such as ``%today+1d%`` stands for; None if the text is none."""
    match = _MARK.fullmatch(text)
    if match is None:
        return None
    which, count, unit, weekday = match.groups()
    if weekday is not None:
        return _find_weekday(which, weekday, now) if weekday in WEEKDAYS else None
    if which != "today":
        return None
    number = int(count or 0)
    if unit == "m":
        return _add_months(now, number)
    return now + timedelta(days=number * (7 if unit == "w" else 1))


def _find_weekday(which: str, weekday: str, now: date) -> date:
    """Return the weekday after today (next), from today on (this), or before today (last)."""
    days = (WEEKDAYS.index(weekday) - now.weekday()) % 7
    if which == "last":
        return now - timedelta(days=7 - days)
    return now + timedelta(days=days or (7 if which == "next" else 0))


def _add_months(day: date, months: int) -> date:
    month = day.month - 1 + months
    first = date(day.year + month // 12, month % 12 + 1, 1)
    last = (date(first.year + first.month // 12, first.month % 12 + 1, 1) - timedelta(days=1)).day
    return first.replace(day=min(day.day, last))


def write_forms(day: date) -> tuple[str, ...]:
    """Return how pages write a date, where its format is not known."""
    forms = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y")
    month, short = day.strftime("%B"), day.strftime("%b")
    words = tuple(
        text
        for name in dict.fromkeys((month, short))
        for text in (f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}")
    )
    return tuple(dict.fromkeys((*(day.strftime(form) for form in forms), *words)))


# "dd/mm/yyyy" after a relative date says how it is written.
_FORMAT = re.compile(r"\b([dmy]{1,4})([./ -])([dmy]{1,4})\2([dmy]{2,4})\b", re.IGNORECASE)
_PARTS: Final = {"d": "%d", "m": "%m", "y": "%Y"}


def write_date(day: date, *hints: str) -> str:
    """Write a date in the format that one of a field's texts names, "dd/mm/yyyy"; else as ISO."""
    for hint in hints:
        match = _FORMAT.search(hint)
        if match is None:
            continue
        first, separator, second, third = match.groups()
        if {first[0].lower(), second[0].lower(), third[0].lower()} != {"d", "m", "y"}:
            continue
        parts = [
            "%y" if part.lower() == "yy" else "%b" if part.lower() == "mmm" else
            "%B" if part.lower() == "mmmm" else _PARTS[part[0].lower()]
            for part in (first, second, third)
        ]  # fmt: skip
        return day.strftime(separator.join(parts))
    return day.isoformat()
