"""Values that show by their looks what they are: ages, days, times, amounts, codes, numbers."""

import re
from collections.abc import Iterator

from sparring_plugins.language.candidates import date_spans, find_emails, find_times
from sparring_plugins.language.numbers import find_money, find_number_words
from sparring_plugins.users.agenda.profile.fact_patterns import (
    AGE,
    CLASS,
    CODE,
    IBAN,
    NUMBER,
    PHONE,
    PLATE,
    POSTCODE,
    SIZE,
    STREET,
    ages_of_several,
    joined_spans,
)


def values_in(clause: str) -> Iterator[tuple[str, str, int]]:
    """The values of a clause that show by their looks what they are: kind, text, start.

    Of values that overlap the first in the order of the finders is kept: an e-mail address before
    the number in it.
    """
    # "to 3 Quarry Road" counts nothing
    covered = [match.span() for match in STREET.finditer(clause)]
    values: list[tuple[str, str, int]] = []
    for kind, text, start in (*_values_by_pattern(clause), *_matched_values(clause)):
        end = start + len(text)
        if start >= 0 and all(end <= first or start >= last for first, last in covered):
            values.append((kind, text, start))
            covered.append((start, end))
    yield from sorted(values, key=lambda item: item[2])


def _values_by_pattern(clause: str) -> Iterator[tuple[str, str, int]]:
    """Ages, addresses of e-mail, dates, times and amounts of money."""
    for match in AGE.finditer(clause):
        value = next(group for group in match.groups() if group)
        yield "age", value, match.start() + match[0].index(value)
    yield from ages_of_several(clause)
    for span in find_emails(clause):
        yield "email", span.text, clause.find(span.text)
    for span in joined_spans(clause, date_spans(clause)):
        yield "date", span.text, clause.find(span.text)
    for span in find_times(clause):
        yield "time", span.text, clause.find(span.text)
    for span in find_money(clause):
        if _CURRENCY.search(span.text):  # "the cost centre is 4711" states no price
            yield "money", span.text, clause.find(span.text)


def _matched_values(clause: str) -> Iterator[tuple[str, str, int]]:
    """Codes, phone numbers, numbers and number words."""
    patterns = (
        ("iban", IBAN),
        ("number", SIZE),
        ("postcode", POSTCODE),
        ("code", PLATE),
        ("phone", PHONE),
        ("code", CODE),
        ("code", CLASS),
        ("number", NUMBER),
    )
    for kind, pattern in patterns:
        for match in pattern.finditer(clause):
            value = match[0].strip(" ./-")
            if kind == "number" and _is_threshold(clause, match):
                continue  # "persons over 60" counts nobody
            if kind == "phone" and not _is_phone(value):
                continue
            if kind == "code" and value.isdigit() and _has_unit(clause[match.end() :]):
                continue  # "61500 miles" is a number of miles
            yield kind, value, match.start()
    for span in find_number_words(clause):
        # "one" is mostly a pronoun, and "tens" is "you have" in Portuguese
        if span.text.lower() not in ("one", "tens"):
            yield "number", span.text, span.start
    for match in _ONE_MORE.finditer(clause):
        yield "number", match[1], match.start(1)


_ONE_MORE = re.compile(r"\b(?:\d+|two|three|four|five)\s[a-z]+(?:,|,? and)\s(one)\s(?=[a-z])")
"""One of something beside others: "two bedrooms and one bathroom"."""


def _is_threshold(clause: str, match: re.Match[str]) -> bool:
    """Whether a number is an age that one is above or below: "a rebate for persons over 60"."""
    before, after = clause[: match.start()], clause[match.end() :]
    return _ABOVE.search(before) is not None and _AS_AGE.match(after) is not None


_AS_AGE = re.compile(r"\s*(?:$|[.,;)]|(?:years?|jahren?|años|ans|anni|anos)\b)", re.IGNORECASE)
_ABOVE = re.compile(
    r"\b(?:over|under|above|below|older than|younger than|aged|über|unter|ab|mayores de|menores de"
    r"|más de|menos de|plus de|moins de|oltre|sotto|maiores de|menores de)\s$",
    re.IGNORECASE,
)


def _is_phone(value: str) -> bool:
    """Whether digits are a phone number: "2004417" may be the number of a card as well."""
    digits = sum(char.isdigit() for char in value)
    written = bool(re.search(r"[ ()/.+-]|^0", value))
    return digits >= _PHONE_DIGITS and (written or digits >= _BARE_PHONE_DIGITS)


# With marks or a "+" seven digits are a telephone number; bare ones need more, as "1234567" may be
# an order.
_PHONE_DIGITS = 7
_BARE_PHONE_DIGITS = 9


_CURRENCY = re.compile(
    r"[$€£]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?)\b", re.IGNORECASE
)


def _has_unit(after: str) -> bool:
    return bool(re.match(r"\s[a-zà-ÿ]{2,}", after)) and not re.match(r"\s(?:and|y|und|or)\b", after)
