"""Any value as plain data, and plain data cut to a size: what goes into a block of data."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, time
from enum import Enum
from typing import Any, TypeVar, cast

from pydantic import BaseModel, JsonValue

PartT = TypeVar("PartT")

_DEPTH = 20
_DIGITS = 400
_KEY = 200
_FEWEST = 6
_SHORT = 100
_NOTE = 60


def clipped(text: str, limit: int) -> str:
    """A text of about `limit` characters: the middle of a longer one is left out, with a note."""
    if len(text) <= limit:
        return text
    head, tail = limit - limit // 3, limit // 3
    left_out = len(text) - head - tail
    return f"{text[:head]} [... {left_out:,} characters left out ...] {text[len(text) - tail :]}"


def plain(value: object, most: int = 20_000) -> JsonValue:
    """A value as plain data that JSON can hold, of about `most` parts at most.

    Models and data classes become mappings, dates their ISO text; what is no data at all, or
    nested deeper than 20 levels, is named by its type.
    """
    return _Plain(most).of(value, _DEPTH)


def fields(model: BaseModel) -> list[str]:
    """The names of a model's fields, those allowed besides the declared ones included."""
    return [*type(model).model_fields, *(model.model_extra or {})]


class _Plain:
    """Turns values into plain data, and counts the parts."""

    def __init__(self, most: int) -> None:
        self._left = 2 * most
        self._most = max(most, _FEWEST)

    def of(self, value: object, depth: int) -> JsonValue:
        self._left -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.of(value.value, depth)
        if isinstance(value, str):
            return str(value)
        if isinstance(value, (int, float)):
            return _number(value)
        if isinstance(value, (date, time)):
            return value.isoformat()
        if depth <= 0 or self._left <= 0:
            return f"[... a {type(value).__name__} left out ...]"
        return self._collection(value, depth - 1)

    def _collection(self, value: object, depth: int) -> JsonValue:
        if isinstance(value, BaseModel):
            return self._mapping({name: getattr(value, name) for name in fields(value)}, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            own = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
            return self._mapping(own, depth)
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[Any, object]", value), depth)
        if isinstance(value, (bytes, bytearray)):
            return f"[... {len(value):,} bytes left out ...]"
        if isinstance(value, Set):
            found = [self.of(item, depth) for item in cast("Set[object]", value)]
            return sorted(found, key=repr)
        if isinstance(value, Sequence):
            return self._list(cast("Sequence[object]", value), depth)
        return f"[... a {type(value).__name__} left out ...]"

    def _list(self, items: Sequence[object], depth: int) -> JsonValue:
        head, tail = _ends(len(items), self._most)
        first = [self.of(item, depth) for item in self._while_room(items[:head])]
        last = [self.of(item, depth) for item in self._while_room(items[len(items) - tail :])]
        return _without(len(items) - len(first) - len(last), first, last)

    def _mapping(self, value: Mapping[Any, object], depth: int) -> JsonValue:
        keys = list(value)
        head, tail = _ends(len(keys), self._most)
        first = [(_key(k), self.of(value[k], depth)) for k in self._while_room(keys[:head])]
        rest = self._while_room(keys[len(keys) - tail :])
        last = [(_key(k), self.of(value[k], depth)) for k in rest]
        note = _noted(len(keys) - len(first) - len(last), "keys")
        return dict([*first, *(("...", one) for one in note), *last])

    def _while_room(self, items: Sequence[Any]) -> Iterator[Any]:
        for item in items:
            if self._left <= 0:
                return
            yield item


class LeftOut(str):
    """A note of how many items or keys were left out at its place."""

    __slots__ = ("number",)
    number: int


def _noted(count: int, what: str) -> list[JsonValue]:
    """The note of what was left out; none where nothing was."""
    if not count:
        return []
    note = LeftOut(f"[... {count:,} {what} left out ...]")
    note.number = count
    return [note]


def _counted(dropped: Iterable[JsonValue]) -> int:
    return sum(item.number if isinstance(item, LeftOut) else 1 for item in dropped)


def _without(count: int, head: list[JsonValue], tail: list[JsonValue]) -> list[JsonValue]:
    return [*head, *_noted(count, "items"), *tail]


def _key(key: object) -> str:
    return clipped(str(key), _KEY)


def _number(value: float) -> JsonValue:
    if isinstance(value, int):
        digits = value.bit_length() * 3 // 10
        return int(value) if digits <= _DIGITS else f"[... a number of about {digits:,} digits ...]"
    return float(value) if math.isfinite(value) else str(value)


def _ends(count: int, most: int) -> tuple[int, int]:
    """How many of `count` to keep from the beginning, and how many from the end."""
    return (count, 0) if count <= most else (most - most // 2, most // 2)


class Shortening:
    """Cuts plain data step by step: long texts in the middle first, then long lists."""

    def __init__(self, data: JsonValue, limit: int) -> None:
        self._data = data
        self._longest = limit - _NOTE
        self._most = _width(data)
        while self._size(data) > limit and self.further():
            pass

    def further(self) -> bool:
        """Cut more off; False where there is nothing left to cut."""
        if self._longest > _SHORT:
            self._longest = max(_SHORT, self._longest * 3 // 4)
        elif self._most > _FEWEST:
            self._most = max(_FEWEST, self._most * 3 // 4)
        else:
            return False
        return True

    def data(self) -> JsonValue:
        """The data as it is cut now."""
        return self._cut(self._data)

    def _size(self, data: JsonValue) -> int:
        """About how many characters the cut data has as JSON."""
        if isinstance(data, str):
            return min(len(data), self._longest) + 4
        if isinstance(data, list):
            first, _, last = _parts(data, self._most)
            return 4 + sum(map(self._size, (*first, *last)))
        if isinstance(data, dict):
            head, _, tail = _parts(list(data), self._most)
            return 4 + sum(len(name) + 4 + self._size(data[name]) for name in (*head, *tail))
        return 4

    def _cut(self, data: JsonValue) -> JsonValue:
        if isinstance(data, LeftOut):
            return data
        if isinstance(data, str):
            return clipped(data, self._longest)
        if isinstance(data, list):
            first, dropped, last = _parts(data, self._most)
            kept = list(map(self._cut, first)), list(map(self._cut, last))
            return _without(_counted(dropped), *kept)
        return self._cut_keys(data) if isinstance(data, dict) else data

    def _cut_keys(self, data: dict[str, JsonValue]) -> JsonValue:
        first, dropped, last = _parts(list(data), self._most)
        note = _noted(_counted(data[name] for name in dropped), "keys")
        kept = {name: self._cut(data[name]) for name in first}
        kept.update(("...", one) for one in note)
        return kept | {name: self._cut(data[name]) for name in last}


def _parts(items: list[PartT], most: int) -> tuple[list[PartT], list[PartT], list[PartT]]:
    """The beginning that is kept, what is left out, and the end that is kept."""
    head, tail = _ends(len(items), most)
    return items[:head], items[head : len(items) - tail], items[len(items) - tail :]


def _width(data: JsonValue) -> int:
    """The length of the longest list or mapping in plain data."""
    if isinstance(data, (list, dict)):
        inner = data if isinstance(data, list) else list(data.values())
        return max(len(inner), max((_width(item) for item in inner), default=0))
    return 0
