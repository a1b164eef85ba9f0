"""What texts and values say, regardless of case, accents and endings."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from pydantic import JsonValue

LOOKED_AT = 20_000
"""Characters of an answer that are looked at."""

LONGEST_VALUE = 500
"""Characters of a value that are compared."""

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:[.'\u2019-][^\W_]+)*")


def folded(text: str) -> str:
    """A text in small letters without accents, its blanks single."""
    flat = unicodedata.normalize("NFKD", text[:LOOKED_AT].casefold())
    return " ".join("".join(c for c in flat if not unicodedata.combining(c)).split())


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [one.strip() for one in _SENTENCE.split(text[:LOOKED_AT]) if one.strip()]


def words(text: str) -> list[str]:
    """The words of a text in small letters."""
    return _WORD.findall(folded(text))


def names_one_of(text: str, phrases: Iterable[str]) -> bool:
    """Whether a folded text has one of some phrases in it, in the singular or plural."""
    return any(_pattern(phrase).search(text) for phrase in phrases if phrase.strip())


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    flat = re.escape(folded(phrase))
    stem = flat[:-1] + "(?:y|ies)" if flat.endswith("y") else flat
    return re.compile(rf"(?<!\w){stem}(?:s|es)?(?!\w)")


def plain_value(value: JsonValue) -> JsonValue:
    """A value as it is compared: texts folded, with blanks for underscores; whole numbers."""
    if isinstance(value, str):
        return folded(value[:LONGEST_VALUE].replace("_", " "))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
