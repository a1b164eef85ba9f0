"""Numbers in a text, in digits of either notation or in words, and amounts of money."""

import re

from sparring_plugins.language.candidates import MAX_CANDIDATES, VALUE_WORDS, ValueCandidate
from sparring_plugins.language.number_words import spelled_numbers

# "#12", "12:30" and "a1" are names and times, no numbers.
_NUMBER = re.compile(
    r"(?<![\w.,:/#])[-+\u2212]?(?<!\w-)\d{1,15}(?:[.,'\u00a0]\d{3}(?!\d)){0,4}(?:[.,]\d{1,12})?(?!\w|[:/]\d)"
)
# "one of them", "una cosa", "uno de ellos" and English "once" count nothing.
_PRONOUNS = ("one", "una", "uno", "once")
_UNIT = re.compile(r"\s?(?:%|[ap]\.?m\b|(?:st|nd|rd|th)\b)", re.IGNORECASE)


def find_numbers(text: str) -> list[ValueCandidate]:
    """Numbers written in digits, with their value; ordinals, clock times and shares count less."""
    numbers: list[ValueCandidate] = []
    for match in _NUMBER.finditer(text):
        value = number(match.group())
        if value is None:
            continue
        sure = 0.6 if _UNIT.match(text, match.end()) else 1.0
        numbers.append(ValueCandidate(value, match.group(), match.start(), match.end(), sure))
        if len(numbers) == MAX_CANDIDATES:
            break
    return numbers


def find_number_words(text: str) -> list[ValueCandidate]:
    """Numbers written as words, such as ``twenty-five``; "one" alone is mostly a pronoun."""
    return [
        ValueCandidate(number.value, text[number.start : number.end], number.start, number.end, 0.7)
        for number in spelled_numbers(text)[:MAX_CANDIDATES]
        if text[number.start : number.end].lower() not in _PRONOUNS
    ]


def number(text: str) -> int | float | None:
    """The number that digits say, whichever mark is the decimal one; `None` if it is none."""
    digits = (
        text.strip().replace("\u00a0", "").replace(" ", "").replace("'", "").replace("\u2212", "-")
    )
    # "1,234" is 1234, "1.234" a decimal, "1.234,5" is 1234.5 and "1,5" one and a half
    last = max(digits.rfind(","), digits.rfind("."))
    if last >= 0:
        mark, tail = digits[last], len(digits) - last - 1
        other = "," if mark == "." else "."
        grouped = digits.count(mark) > 1 or (mark == "," and tail == 3 and other not in digits)
        digits = digits.replace(other, "")
        digits = digits.replace(mark, "" if grouped else ".")
    try:
        return float(digits) if "." in digits else int(digits)
    except ValueError:
        return None


# Amounts of money in a text.

_AMOUNT = r"\d{1,15}(?:[.,'\u00a0]\d{1,6}){0,5}"
_SIGN = r"(?:(?:US|CA|AU|NZ|HK)?\$|[€£¥₹₽₩₺])"
_CODE = VALUE_WORDS.pattern("currency_codes")
_NAME = VALUE_WORDS.pattern("currency_names")
_MARKED = re.compile(
    rf"(?<![\w.,])(?:{_SIGN}\s?{_AMOUNT}|{_CODE}\s?{_AMOUNT}"
    rf"|{_AMOUNT}\s?(?:{_SIGN}|{_CODE}(?![A-Za-z])|{_NAME}(?!\w)))",
    re.IGNORECASE,
)
_CURRENCY = re.compile(rf"[ \-]{_NAME}(?!\w)", re.IGNORECASE)
# "$50 to $100" is one range.
_TO = re.compile(r"\s?(?:-|\u2013|to|a|hasta|bis|\u00e0)\s?", re.IGNORECASE)
_BETWEEN_AMOUNTS = re.compile(r"\s(?:and|y|et|und|e)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|entre|zwischen|tra|from|de|desde)\s$", re.IGNORECASE)
# "$5 each" is a price per piece, and less surely the amount that somebody asks for.
_EACH = re.compile(
    r"\s?(?:each|per|apiece|a (?:piece|can|bottle|slice|unit|month)|cada|por|/)",
    re.IGNORECASE,
)
# "It costs 12" is money; "total time: 20 min" is not, because a unit follows.
_BARE = re.compile(
    r"\b(?:costs?|prices?|total|amount|pay|charged?|fee|cuesta|precio|importe|vale)\b"
    rf"[^\d\n.;?!]{{0,25}}(?<![\w.,])({_AMOUNT})(?![\w%:/]|\s?(?:min|hour|day|d[ií]a|hora|x\b))",
    re.IGNORECASE,
)


def find_money(text: str, *, ranges: bool = True) -> list[ValueCandidate]:
    """Amounts of money as written, such as ``$10.50``, ``15 dollars`` and ``12,50 €``.

    A range, such as ``$50 to $100``, is one value unless `ranges` is false. Only numbers beside a
    currency count, and, less certainly, numbers right after a word such as "costs" or "total".
    Amounts per piece are less certain, too. Spelt-out amounts become digits: ``twelve dollars`` is
    ``12 dollars``.
    """
    marked = [match.span() for match in _MARKED.finditer(text)]
    amounts = [
        _candidate(text[start:end], start, 0.7 if _EACH.match(text, end) else 1.0)
        for start, end in (_merge_ranges(text, marked) if ranges else marked)
    ]
    amounts += _find_spelt(text)
    spans = [(amount.start, amount.end) for amount in amounts if amount]
    # "the total is 10" means money, though less surely than "$10"
    for match in _BARE.finditer(text):
        start, end = match.span(1)
        if not any(start < stop and begin < end for begin, stop in spans):
            amounts.append(_candidate(match.group(1), start, 0.5))
    in_order = sorted((amount for amount in amounts if amount), key=lambda amount: amount.start)
    return in_order[:MAX_CANDIDATES]


def _merge_ranges(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of amounts, if two that make a range are one."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start - merged[-1][1] < 12:
            first, last = merged[-1]
            gap = text[last:start]
            # "between $5 and $10" is a range, "5 euros and 10 euros" are two amounts
            between = _BETWEEN_AMOUNTS.fullmatch(gap) and _BETWEEN.search(
                text[max(0, first - 12) : first]
            )
            if between or _TO.fullmatch(gap):
                merged[-1] = (first, end)
                continue
        merged.append((start, end))
    return merged


def amount(text: str) -> float | None:
    """The number in an amount of money, `None` if there is none."""
    from price_parser.parser import Price

    try:
        price = Price.fromstring(text[:60])
    except (ValueError, ArithmeticError):
        return None
    return price.amount_float


def _candidate(written: str, start: int, certainty: float) -> ValueCandidate | None:
    shown = " ".join(written.split())
    if amount(shown) is None:
        return None
    return ValueCandidate(shown, shown, start, start + len(written), certainty)


def _find_spelt(text: str) -> list[ValueCandidate | None]:
    amounts: list[ValueCandidate | None] = []
    for spelled in spelled_numbers(text):
        currency = _CURRENCY.match(text, spelled.end)
        if currency is not None:
            end = currency.end()
            shown = f"{spelled.value} {currency.group()[1:]}"
            amounts.append(
                ValueCandidate(shown, text[spelled.start : end], spelled.start, end, 0.9)
            )
    return amounts
