r"""Foreign text in a prompt: the delimited block ``<data>``, and what goes into it.

Between the two lines ``<data>`` and ``</data>`` stands JSON in which every ``<``, ``>``, control,
format and other invisible character is ``\u``-escaped. JSON needs none of them, so that nothing
in the block can close it, open another, or say something that a person does not see.
"""

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence, Set
from datetime import date, time
from enum import Enum
from typing import Any, cast

from pydantic import BaseModel, JsonValue

from sparring.model.talk import Listen, Turn, act_text
from sparring_plugins.asking.unseen import escaped

LIMIT = 60_000
"""Characters of a block, unless its use says otherwise."""

_DEPTH = 20
_NODES = 100_000
_DIGITS = 400
_KEY = 200
_FEWEST = 6
_SHORT = 100


class Inert(str):
    """Text that may stand in a prompt as it is: it was made safe before."""

    __slots__ = ()


def block(value: object, limit: int = LIMIT) -> Inert:
    """The delimited block with a value as JSON, of at most about `limit` characters."""
    return Inert(f"<data>\n{as_json(value, limit)}\n</data>")


def as_json(value: object, limit: int = LIMIT) -> str:
    """A value as JSON without markup and hidden characters, of at most about `limit` characters.

    What is too long is left out from the middle: of long texts first, then of long lists, and a
    note says how much. Models become plain data; what is no data at all is named by its type.
    """
    limit = max(limit, 100)
    data = plain(value, limit)
    text = _dumped(data)
    longest, most = limit, _width(data)
    while len(text) > limit and (longest > _SHORT or most > _FEWEST):
        if longest > _SHORT:
            longest //= 2
        else:
            most //= 2
        text = _dumped(_shortened(data, longest, most))
    return text if len(text) <= limit else _dumped(clipped(text, limit // 6))


def clipped(text: str, limit: int) -> str:
    """A text of about `limit` characters: the middle of a longer one is left out, with a note."""
    if len(text) <= limit:
        return text
    head, tail = limit - limit // 3, limit // 3
    left_out = len(text) - head - tail
    return f"{text[:head]} [... {left_out:,} characters left out ...] {text[-tail:]}"


def conversation(
    turns: Sequence[Turn], *, user: str = "user", app: str = "chatbot"
) -> list[dict[str, JsonValue]]:
    """What was said, in order: the turn from 1, the speaker, the text, and offered choices.

    Where the app gave no answer at all (it crashed, or was too slow) its text is None.
    """
    said: list[dict[str, JsonValue]] = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn.act, Listen):
            said.append({"turn": number, "speaker": user, "text": act_text(turn.act)})
        if turn.observation is None:
            said.append({"turn": number, "speaker": app, "text": None})
            continue
        entry: dict[str, JsonValue] = {"turn": number, "speaker": app}
        entry["text"] = turn.observation.text
        if turn.observation.choices:
            entry["choices"] = [choice.label for choice in turn.observation.choices]
        said.append(entry)
    return said


def plain(value: object, limit: int = LIMIT) -> JsonValue:
    """A value as plain data that JSON can hold, texts clipped, of bounded depth and size."""
    return _Plain(limit).of(value, _DEPTH)


class _Plain:
    """Turns values into plain data, and counts what it has seen."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = _NODES

    def of(self, value: object, depth: int) -> JsonValue:
        self._left -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.of(value.value, depth)
        if isinstance(value, str):
            return clipped(str(value), self._limit)
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
            return sorted(found, key=_dumped)
        if isinstance(value, Sequence):
            return [self.of(item, depth) for item in self._some(cast("Sequence[object]", value))]
        return f"[... a {type(value).__name__} left out ...]"

    def _mapping(self, value: Mapping[Any, object], depth: int) -> JsonValue:
        keys = self._some(list(value))
        return {clipped(str(key), _KEY): self.of(value[key], depth) for key in keys}

    def _some(self, items: Sequence[object]) -> Sequence[object]:
        return items[: max(self._left, 1)]


def fields(model: BaseModel) -> list[str]:
    """The names of a model's fields, those allowed besides the declared ones included."""
    return [*type(model).model_fields, *(model.model_extra or {})]


def _number(value: float) -> JsonValue:
    if isinstance(value, int):
        digits = value.bit_length() * 3 // 10
        return int(value) if digits <= _DIGITS else f"[... a number of about {digits:,} digits ...]"
    return float(value) if math.isfinite(value) else str(value)


def _dumped(data: JsonValue) -> str:
    return escaped(json.dumps(data, ensure_ascii=False, indent=1))


def _width(data: JsonValue) -> int:
    """The length of the longest list or mapping in plain data."""
    if isinstance(data, (list, dict)):
        inner = data if isinstance(data, list) else list(data.values())
        return max(len(inner), max((_width(item) for item in inner), default=0))
    return 0


def _shortened(data: JsonValue, longest: int, most: int) -> JsonValue:
    """Plain data with texts of at most about `longest` characters and lists of `most` items."""
    if isinstance(data, str):
        return clipped(data, longest)
    if isinstance(data, list):
        head, tail, left_out = _ends(len(data), most)
        note: list[JsonValue] = [f"[... {left_out:,} items left out ...]"] if left_out else []
        kept = [
            _shortened(item, longest, most) for item in (*data[:head], *data[len(data) - tail :])
        ]
        return [*kept[:head], *note, *kept[head:]]
    if isinstance(data, dict):
        head, tail, left_out = _ends(len(data), most)
        names = list(data)
        short: dict[str, JsonValue] = {n: _shortened(data[n], longest, most) for n in names[:head]}
        if left_out:
            short["..."] = f"[... {left_out:,} keys left out ...]"
        short |= {n: _shortened(data[n], longest, most) for n in names[len(names) - tail :]}
        return short
    return data


def _ends(count: int, most: int) -> tuple[int, int, int]:
    """How many of `count` to keep from the beginning and from the end, and how many not."""
    if count <= most:
        return count, 0, 0
    return most - most // 2, most // 2, count - most
