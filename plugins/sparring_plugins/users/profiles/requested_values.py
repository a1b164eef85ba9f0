"""How many values ``any(...)`` asks for, and of what."""

import re
from typing import NamedTuple

from sparring_plugins.language.numbers import number_words

MOST = 50
"""The most values that one ``any(...)`` may ask for."""

_FILLER = re.compile(
    r"(?:(?:an?\s)?(?:list|set|couple|choice|number)\sof|some|any|the|an?|about|around|different"
    r"|unas?|unos|algun[oa]s?)\s+",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(\d{1,6}|[^\W\d_]{2,12})\s+(?=\S)")


class Wanted(NamedTuple):
    """`many` is None where the text says no number; a single thing counts as one."""

    what: str
    many: int | None


def wanted(text: str) -> Wanted:
    """Take ``3 soda drinks`` apart; raises LookupError for a number that is too large."""
    rest, count = " ".join(text.split()), None
    while True:
        filler = _FILLER.match(rest)
        if filler is not None:
            if filler[0].strip().casefold() in ("a", "an") and count is None:
                count = 1
            rest = rest[filler.end() :]
            continue
        match = _NUMBER.match(rest)
        said = None if match is None else _said(match[1])
        if match is None or said is None or count is not None:
            break
        rest, count = rest[match.end() :], said
    if count is not None and not 1 <= count <= MOST:
        raise LookupError(f"asks for {count} values; 1 to {MOST} are possible")
    return Wanted(rest, count)


def _said(word: str) -> int | None:
    return int(word) if word.isdigit() else number_words(word)
