"""The first number in a text, in either notation."""

import re

_LONGEST = 400
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f'](?=\d{3}(?!\d))")
_DOTTED_THOUSANDS = re.compile(r"(?<=\d)\.(?=\d{3}(?:\.\d{3}){0,5},\d)")
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.])[-+\u2212])?(?(sign)[$€£¥₹]?)(?P<digits>\d*\.\d+|\d+)", re.ASCII
)


def first_number(text: str) -> float | None:
    """The first number in a text, read as `extract_float` does; None where there is none."""
    match = _NUMBER.search(_plain_digits(text))
    if match is None:
        return None
    value = float(match["digits"][:_LONGEST])
    sign = (match["sign"] or "").strip()
    return -value if sign in ("-", "\u2212") else value


def _plain_digits(text: str) -> str:
    """The text with its thousands marks removed and decimal commas made points."""
    text = _DOTTED_THOUSANDS.sub("", text) if "," in text else text
    text = _THOUSANDS.sub("", text)
    return re.sub(r"(?<=\d),(?=\d)", ".", text) if "," in text else text
