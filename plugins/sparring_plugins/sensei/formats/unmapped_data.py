"""What a trace has no place for, kept beside it so that a file can be written back unchanged.

A trace of a SENSEI file holds under ``meta["sensei"]`` only what differs from what would be
written for the trace alone: a number stored as a text, an unknown key, a spelling variant. It is
JSON, with the few other values of YAML as one-key maps: ``{"!date": "2024-10-29"}``.
"""

import math
from datetime import date, datetime
from typing import Any, cast

from pydantic import JsonValue

_PAIRS = "!pairs"
_DATE = "!date"
_DATETIME = "!datetime"
_FLOAT = "!float"
_MARKS = frozenset({_PAIRS, _DATE, _DATETIME, _FLOAT})

_PLAIN = frozenset({str, int, bool, type(None)})


def is_plain(value: Any) -> bool:
    """Whether a value is JSON as it stands, and comes back equal in value and type."""
    kind = cast("type[Any]", type(value))
    if kind in _PLAIN:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is list:
        return all(map(is_plain, value))
    if kind is dict:
        return (
            all(type(key) is str for key in value)
            and _MARKS.isdisjoint(value)
            and all(map(is_plain, value.values()))
        )
    return False


def encode(value: Any) -> JsonValue:
    """A value read from YAML as JSON that `decode` turns back; unchanged where it is plain."""
    if isinstance(value, list):
        return [encode(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        pairs = cast("dict[Any, Any]", value)
        if all(type(key) is str for key in pairs) and _MARKS.isdisjoint(pairs):
            return {key: encode(item) for key, item in pairs.items()}
        return {_PAIRS: [[encode(key), encode(item)] for key, item in pairs.items()]}
    if isinstance(value, datetime):
        return {_DATETIME: value.isoformat()}
    if isinstance(value, date):
        return {_DATE: value.isoformat()}
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: repr(value)}
    return cast("JsonValue", value)


def decode(value: Any) -> Any:
    """The value that `encode` was given; a damaged mark comes back as it stands."""
    if isinstance(value, list):
        return [decode(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    pairs = cast("dict[str, Any]", value)
    if len(pairs) == 1:
        mark, inner = next(iter(pairs.items()))
        if mark in _MARKS:
            return _unmark(mark, inner, pairs)
    return {key: decode(item) for key, item in pairs.items()}


def plain(value: Any) -> JsonValue:
    """A value as JSON for people and rules: dates as ISO texts, keys as texts."""
    if isinstance(value, list):
        return [plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return cast("JsonValue", value)


def _unmark(mark: str, inner: Any, whole: dict[str, Any]) -> Any:
    try:
        if mark == _PAIRS:
            return {decode(key): decode(item) for key, item in inner}
        if mark == _DATE:
            return date.fromisoformat(inner)
        if mark == _DATETIME:
            return datetime.fromisoformat(inner)
        return float(inner)
    except (TypeError, ValueError):
        return whole
