"""What a user may say for something that a module wants to know, and what its answers hold."""

import re
from typing import Any

from sparring_taskyto.modules import Data

_MOST = 12

_KINDS: tuple[tuple[str, str], ...] = (
    (r"e_?mail", "email"),
    (r"phone|mobile|telephone", "phone"),
    (r"price|cost|money|total|ticket|bill", "money"),
    (r"date|day", "date"),
    (r"time|hour", "time"),
    (r"url|link|website", "url"),
    (r"num|number|count|amount|quantity|people|guests|age", "int"),
    (r"name", "name"),
)
_INVENTED: dict[str, list[Any]] = {
    "email": ["ana@example.com", "jo@example.org"],
    "phone": ["202-555-0143", "202-555-0178"],
    "money": ["20 dollars", "50 dollars"],
    "date": ["tomorrow", "next Friday"],
    "time": ["10:00", "16:30"],
    "url": ["https://example.com"],
    "int": [1, 2, 3],
    "float": [1.5, 2.0],
    "bool": ["yes", "no"],
    "name": ["Ana Diaz", "Jo Miller"],
}
_DECLARED = {
    "integer": "int",
    "int": "int",
    "number": "int",
    "float": "float",
    "boolean": "bool",
    "bool": "bool",
    "date": "date",
    "time": "time",
    "email": "email",
    "phone": "phone",
    "money": "money",
    "url": "url",
}
_HELD: tuple[tuple[str, str], ...] = (
    ("email", r"[\w.+-]+@[\w-]+\.\w+"),
    ("money", r"[$€£]\s?\d|\d\s?(?:[$€£]|(?:euros?|dollars?|pounds?|usd|eur|gbp)\b)"),
    ("time", r"\b\d{1,2}(?::\d{2})?\s?[ap]\.?m\b|\b\d{1,2}:\d{2}\b"),
    ("phone", r"\+?\d[\d ()-]{7,}\d"),
    ("url", r"https?://"),
)


def kind_of(data: Data) -> str:
    """What sort of value it is: a type that an output may have, or ``name``."""
    declared = _DECLARED.get(data.type.lower())
    if declared not in (None, "string"):
        return str(declared)
    if data.type.lower() == "enum":
        return "string"
    return _by_name(data.name)


def values_of(data: Data) -> tuple[list[Any], bool]:
    """Values to say, at most a dozen, and whether they are the chatbot's own."""
    own = list(dict.fromkeys(data.values or data.examples))[:_MOST]
    if own:
        whole = all(re.fullmatch(r"[0-9]{1,6}", value) for value in own)
        return [int(value) for value in own] if whole else list(own), True
    kind = kind_of(data)
    return list(_INVENTED.get(kind, ["something"])), kind in ("int", "float", "bool")


def held_in(answer: str) -> str | None:
    """The type of the value that an answer holds; None where it holds words alone."""
    for kind, pattern in _HELD:
        if re.search(pattern, answer, re.IGNORECASE):
            return kind
    return None


def result_kind(name: str) -> str:
    """The type of what an action called so works out."""
    kind = _by_name(name)
    return "string" if kind == "name" else kind


def _by_name(name: str) -> str:
    for pattern, kind in _KINDS:
        if re.search(rf"(?:^|_|-)(?:{pattern})s?(?:$|_|-)", name.lower()):
            return kind
    return "string"
