"""Amounts of money in a text."""

import re

from sparring_plugins.language.candidate import MAX_CANDIDATES, Candidate
from sparring_plugins.language.numbers import number_words

_NUMBER = r"\d{1,15}(?:[.,'\u00a0]\d{1,6}){0,5}"
_SIGN = r"(?:(?:US|CA|AU|NZ|HK)?\$|[€£¥₹₽₩₺])"
_CODE = r"(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|INR|MXN|BRL|CNY|ARS|COP|CLP|SEK|NOK|DKK|PLN)"
_NAME = (
    r"(?:(?:us\s)?dollars?|bucks?|euros?|pounds?(?:\ssterling)?|quid|yen|rupees?|pesos?|francs?"
    r"|cents?|pence|c[eé]ntimos?|d[oó]lares|d[oó]lar|libras?|reais|real|zloty|kr(?:onor|oner)?)"
)
_MARKED = re.compile(
    rf"(?<![\w.,])(?:{_SIGN}\s?{_NUMBER}|{_CODE}\s?{_NUMBER}"
    rf"|{_NUMBER}\s?(?:{_SIGN}|{_CODE}(?![A-Za-z])|{_NAME}(?!\w)))",
    re.IGNORECASE,
)
_SPELT = re.compile(rf"(?<![a-z])((?:[a-z]{{2,12}}[ \-]){{1,4}}){_NAME}(?!\w)", re.IGNORECASE)
_TO = re.compile(r"\s?(?:-|\u2013|to|a|hasta|bis|\u00e0)\s?", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|y|et|und|e)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|entre|zwischen|tra|from|de|desde)\s$", re.IGNORECASE)
_EACH = re.compile(
    r"\s?(?:each|per|apiece|a (?:piece|can|bottle|slice|unit|month)|cada|por|/)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:costs?|prices?|total|amount|pay|charged?|fee|cuesta|precio|importe|vale)\b"
    rf"[^\d\n.;?!]{{0,25}}(?<![\w.,])({_NUMBER})(?![\w%:/]|\s?(?:min|hour|day|d[ií]a|hora|x\b))",
    re.IGNORECASE,
)


def find_money(text: str, *, ranges: bool = True) -> list[Candidate]:
    """Amounts of money as written, such as ``$10.50``, ``15 dollars`` and ``12,50 €``.

    A range, such as ``$50 to $100``, is one value unless `ranges` is false. Only numbers beside a
    currency count, and, less certainly, numbers right after a word such as "costs" or "total".
    Amounts per piece are less certain, too. Spelt-out amounts become digits: ``twelve dollars`` is
    ``12 dollars``.
    """
    marked = [match.span() for match in _MARKED.finditer(text)]
    found = [
        _candidate(text[start:end], start, 0.7 if _EACH.match(text, end) else 1.0)
        for start, end in (_ranges(text, marked) if ranges else marked)
    ]
    found += _spelt(text)
    taken = [(one.start, one.end) for one in found if one]
    for match in _BARE.finditer(text):
        start, end = match.span(1)
        if not any(start < stop and begin < end for begin, stop in taken):
            found.append(_candidate(match.group(1), start, 0.5))
    kept = sorted((one for one in found if one), key=lambda one: one.start)
    return kept[:MAX_CANDIDATES]


def _ranges(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of amounts, where two that make a range are one."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start - found[-1][1] < 12:
            first, last = found[-1]
            gap = text[last:start]
            between = _AND.fullmatch(gap) and _BETWEEN.search(text[max(0, first - 12) : first])
            if between or _TO.fullmatch(gap):
                found[-1] = (first, end)
                continue
        found.append((start, end))
    return found


def amount(text: str) -> float | None:
    """The number in an amount of money, None where there is none."""
    from price_parser.parser import Price

    try:
        price = Price.fromstring(text[:60])
    except (ValueError, ArithmeticError):
        return None
    return price.amount_float


def _candidate(written: str, start: int, certainty: float) -> Candidate | None:
    shown = " ".join(written.split())
    if amount(shown) is None:
        return None
    return Candidate(shown, shown, start, start + len(written), certainty)


def _spelt(text: str) -> list[Candidate | None]:
    found: list[Candidate | None] = []
    for match in _SPELT.finditer(text):
        spelt = number_words(match.group(1))
        if spelt is not None:
            unit = match.group()[len(match.group(1)) :]
            shown = f"{spelt} {unit}"
            found.append(Candidate(shown, match.group(), match.start(), match.end(), 0.9))
    return found
