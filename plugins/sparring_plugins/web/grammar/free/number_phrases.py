"""Numbers and limits in the words of testers: "three", "£20", "no more than a single one"."""

import re

from sparring_plugins.language.number_words import number_words
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.step import Comparison

_COUNT_WORDS = {**FREE.numbers, "no": "0", "zero": "0", "single": "1"}
_NUMBER = re.compile(r"^[£$€]?\d+(?:[.,]\d+)*%?$")
_LIMITS: tuple[tuple[str, Comparison], ...] = (
    (r"at least|no fewer than|not fewer than", ">="),
    (r"at most|no more than|not more than|up to", "<="),
    (r"more than|over|greater than|above|higher than", ">"),
    (r"fewer than|less than|below|lower than|under|cheaper than", "<"),
)
#: Any of these phrases: "at least", "fewer than".
LIMIT = "|".join(pattern for pattern, _ in _LIMITS)
LIMIT_AT = re.compile(rf"\b(?:{LIMIT})\b")


def read_number(word: str) -> float | None:
    """Return the number that a word is: "3", "three", "£62.40", "25%"."""
    low = word.lower().strip(".,;:!?()")
    if low in _COUNT_WORDS:
        return float(_COUNT_WORDS[low])
    if _NUMBER.match(low):
        digits = low.strip("£$€%")
        # "1,250.00" and "12,50": a comma before three digits groups them
        digits = re.sub(r",(?=\d{3}\b)", "", digits).replace(",", ".")
        try:
            return float(digits)
        except ValueError:
            return None
    # "due" and "once" are numbers in other languages only
    is_english = all(part in FREE.number_words for part in low.split("-"))
    spelt = number_words(low.replace("-", " ")) if is_english else None
    return float(spelt) if spelt is not None else None


def find_limit(low: str) -> tuple[Comparison, float | None]:
    """Return the comparison in a text in lower case, and its number; ``==`` without a limit."""
    for pattern, sign in _LIMITS:
        if match := re.search(rf"\b(?:{pattern})\b (?:\w+ )?([£$€]?\d\S*)", low):
            return sign, read_number(match[1])
        # "more than three", "no more than a single one"
        for limit in re.finditer(rf"\b(?:{pattern}) (?:an? )?([a-z-]+)", low):
            if (number := read_number(limit[1])) is not None:
                return sign, number
    return "==", None
