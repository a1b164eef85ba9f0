"""Numbers, ordinals, durations and amounts in words and in digits."""

import re
from typing import Final

from sparring_plugins.web.grammar.words.tokens import Token

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
CARDINALS: Final[dict[str, int]] = {word: n for n, word in enumerate(_SMALL)} | {
    "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12, "single": 1,
}  # fmt: skip
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
]
ORDINALS: Final[dict[str, int]] = {word: n for n, word in enumerate(_ORDINALS, 1)} | {
    "last": -1, "final": -1, "penultimate": -2, "second-to-last": -2, "second-last": -2,
    "next-to-last": -2, "third-to-last": -3, "third-last": -3, "topmost": 1, "bottommost": -1,
    "1st": 1,
}  # fmt: skip
TIMES: Final[dict[str, int]] = {"once": 1, "twice": 2, "thrice": 3}

_ORDINAL_DIGITS = re.compile(r"(\d{1,4})(?:st|nd|rd|th)")
_WHOLE = re.compile(r"\d{1,9}|\d{1,3}(?:,\d{3}){1,2}")
AMOUNT = re.compile(r"[-+−]?[$€£¥]?\s?\d{1,15}(?:[.,]\d{1,9})*\s?(?:[%€$£°]|USD|EUR|GBP)?", re.I)
_LONGEST = 18


def cardinal(token: Token) -> int | None:
    """The whole number that a token says, in digits or in words."""
    said = token.text.strip() if token.quoted else token.low
    if len(said) <= _LONGEST and said.isascii() and _WHOLE.fullmatch(said):
        return int(said.replace(",", ""))
    return CARDINALS.get(said.casefold())


def ordinal(token: Token) -> int | None:
    """The place that a token says: 2 for ``second`` and ``2nd``, -1 for ``last``."""
    if token.kind != "word":
        return None
    digits = _ORDINAL_DIGITS.fullmatch(token.low)
    if digits and digits[1].isascii():
        return int(digits[1]) or None
    found = ORDINALS.get(token.low)
    front, last, _ = token.low.rpartition("-last")
    if found is None and last:
        from_end = ORDINALS.get(front.removesuffix("-to"))
        found = -from_end if from_end and from_end > 0 else None
    return found


def is_amount(text: str) -> bool:
    """Whether a text is a number or an amount of money, and nothing else."""
    return len(text) <= 40 and AMOUNT.fullmatch(text.strip()) is not None


_UNITS: Final[dict[str, float]] = {
    "": 1.0, "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "ms": 0.001, "msec": 0.001, "millisecond": 0.001, "milliseconds": 0.001,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip
_DURATION = re.compile(r"(\d{1,6}(?:[.,]\d{1,3})?)\s*([a-z]*)")


def seconds(words: tuple[str, ...]) -> str | None:
    """A duration as seconds: ``2``, ``0.5`` for ``500 ms``; None where it is none."""
    said = [word for word in words if word not in ("a", "an", "about", "for", "of", "the")]
    if said[:1] == ["half"]:
        return _plain(0.5 * _UNITS[said[1]]) if len(said) == 2 and said[1] in _UNITS else None
    if said[:2] == ["couple"] or said[:1] == ["couple"]:
        said = ["2", *said[1:]]
    if said[:1] == ["few"]:
        said = ["3", *said[1:]]
    if len(said) == 1 and said[0] in ("second", "minute", "moment", "bit"):
        return _plain(_UNITS.get(said[0], 1.0))
    if said and said[0] in CARDINALS:
        said = [str(CARDINALS[said[0]]), *said[1:]]
    match = _DURATION.fullmatch(" ".join(said)) if said else None
    if match is None or match[2] not in _UNITS or not match[1].isascii():
        return None
    return _plain(float(match[1].replace(",", ".")) * _UNITS[match[2]])


def _plain(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")
