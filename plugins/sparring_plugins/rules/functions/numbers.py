"""Numbers and currencies in texts: `extract_float` and `currency`."""

import re

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.language.first_number import first_number

SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
NAMES = {"dollar": "USD", "euro": "EUR", "pound": "GBP", "yen": "JPY", "rupee": "INR"}

_CURRENCY = re.compile(
    r"(?P<symbol>[$€£¥₹])"
    r"|\b(?P<code>USD|EUR|GBP|JPY|INR)\b"
    r"|\b(?P<name>dollar|euro|pound|yen|rupee)s?\b",
    re.IGNORECASE,
)


def reading_cost(text: object) -> int:
    """The work of reading a text once."""
    return 2 + (len(text) >> 3 if isinstance(text, str) else 0)


@rule_function(cost=reading_cost)
def extract_float(text: str | float) -> float | None:
    """The first number in a text; None where there is none; a number is itself.

    ``"-5"`` is -5.0, ``"$1,000.50"`` 1000.5, ``"1.234,50 €"`` 1234.5 and ``"1,5"`` 1.5: a comma
    before exactly three digits separates thousands, any other comma between digits is a
    decimal mark. Raises TypeError for None and for what is neither text nor number.
    """
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        return float(text)
    _need_text("extract_float", text)
    return first_number(str(text))


@rule_function(cost=reading_cost)
def currency(text: str) -> str | None:
    """The ISO code of the first currency named in a text; None where there is none.

    A currency is named by its symbol, its code or its English name: US dollar, euro, pound,
    yen, Indian rupee. Raises TypeError for what is not text.
    """
    _need_text("currency", text)
    match = _CURRENCY.search(text)
    if match is None:
        return None
    if match["symbol"]:
        return SYMBOLS[match["symbol"]]
    return match["code"].upper() if match["code"] else NAMES[match["name"].lower()]


def _need_text(function: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{function}() needs a text, not {type(value).__name__!r}")
