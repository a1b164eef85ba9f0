"""Numbers in a text: digits in either notation, and number words."""

import re
from collections.abc import Mapping

from sparring_plugins.language.candidate import MAX_CANDIDATES, Candidate
from sparring_plugins.language.text import folded, words
from sparring_plugins.language.vocabulary import number_names

_NUMBER = re.compile(
    r"(?<![\w.,:/#])[-+\u2212]?(?<!\w-)\d{1,15}(?:[.,'\u00a0]\d{3}(?!\d)){0,4}(?:[.,]\d{1,12})?(?!\w|[:/]\d)"
)
_AND = ("and", "y", "et", "und", "e")
_UNIT = re.compile(r"\s?(?:%|[ap]\.?m\b|(?:st|nd|rd|th)\b)", re.IGNORECASE)


def find_numbers(text: str) -> list[Candidate]:
    """Numbers written in digits, with their value; ordinals, clock times and shares count less."""
    found: list[Candidate] = []
    for match in _NUMBER.finditer(text):
        value = number(match.group())
        if value is None:
            continue
        sure = 0.6 if _UNIT.match(text, match.end()) else 1.0
        found.append(Candidate(value, match.group(), match.start(), match.end(), sure))
        if len(found) == MAX_CANDIDATES:
            break
    return found


def find_number_words(text: str) -> list[Candidate]:
    """Numbers written as words, such as ``twenty-five``."""
    found: list[Candidate] = []
    known = number_names(folded(text))
    for match in re.finditer(r"[^\W\d_]+(?:-[^\W\d_]+)?", text):
        if not all(part in known for part in words(match.group().replace("-", " "))):
            continue
        value = number_words(match.group(), known)
        if value is not None and match.group().lower() not in ("one", "una", "uno", "once"):
            found.append(Candidate(value, match.group(), match.start(), match.end(), 0.7))
    return found[:MAX_CANDIDATES]


def number(text: str) -> int | float | None:
    """The number that digits say, whichever mark is the decimal one; None where it is none."""
    digits = (
        text.strip().replace("\u00a0", "").replace(" ", "").replace("'", "").replace("\u2212", "-")
    )
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


def number_words(text: str, known: Mapping[str, int] | None = None) -> int | None:
    """The number that the last words of a text say, None where they say none.

    `known` are the number words to look for; else those of the languages that the text may be in.
    """
    known = number_names(folded(text[:200])) if known is None else known
    total, current, seen = 0, 0, False
    for word in words(text[:200].replace("-", " ")):
        if word not in known:
            total, current, seen = (total, current, seen) if word in _AND else (0, 0, False)
            continue
        value, seen = known[word], True
        if value >= 100:
            current = max(current, 1) * value
            total, current = (total + current, 0) if value >= 1000 else (total, current)
        else:
            current += value
    return total + current if seen else None
