r"""Foreign text in a prompt: the delimited block ``<data>``, and conversations for it.

Between the two lines ``<data>`` and ``</data>`` stands JSON in which every ``<``, ``>``, control,
format and other invisible character is ``\u``-escaped. JSON needs none of them, so that nothing
in the block can close it, open another, or say something that a person does not see.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import date, time
from enum import Enum
from typing import Any, TypeVar, cast

from pydantic import BaseModel, JsonValue

from sparring.model.talk import Listen, Turn, act_text

# Which characters of a foreign text must not reach a prompt as they are.
#
# They become ``\uXXXX``: what opens or closes markup, what nobody sees, and what some model's
# tokenizer takes for the end of a message.

_MARKUP = "<>\ufe64\ufe65\uff1c\uff1e\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\u02c2\u02c3"
_ORNAMENTS = "\u276c-\u2771\u1438\u1433\u29fc\u29fd\u2a9e\u2a9d\u227a\u227b\u22d6\u22d7"
_INVISIBLE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"  # number and verse signs that reorder
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\ud800-\udfff\ue000-\uf8ff"  # surrogates, private use
    "\U000e0000-\U0010ffff"  # tags: text that nobody sees; private use
)
_SIGNS = frozenset("<>[")
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_FOREIGN = re.compile(
    f"[{_MARKUP}{_ORNAMENTS}{_INVISIBLE}]"
    # [INST], [/INST], [TOOL_RESULTS] are tokens to some models
    r"|\[(?=\s*+/?\s*+[A-Z_]{3,40}\s*+\])"
)
_DELIMITERS = re.compile(
    f"[{_MARKUP}](?=\\s*+[/\u2044\u2215\uff0f]?\\s*+data\\b|\\|)"
    r"|\[(?=/?[A-Z_]{3,40}\])",
    re.IGNORECASE,
)


def escaped(text: str) -> str:
    r"""A text in which what could be markup or is invisible is written as ``\uXXXX``.

    Inside a JSON string this changes nothing of its meaning.
    """
    return text if _is_plain(text) else _FOREIGN.sub(_escape, text)


def undelimited(text: str) -> str:
    """A text that opens and closes no data block and hides nothing; other markup stays."""
    if _is_plain(text):
        return text
    return _DELIMITERS.sub(_escape, _UNSEEN.sub(_escape, text))


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and not _SIGNS.intersection(text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


# Any value as plain data, and plain data cut to a size: what goes into a block of data.

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
            items = [self.of(item, depth) for item in cast("Set[object]", value)]
            return sorted(items, key=repr)
        if isinstance(value, Sequence):
            return self._list(cast("Sequence[object]", value), depth)
        return f"[... a {type(value).__name__} left out ...]"

    def _list(self, items: Sequence[object], depth: int) -> JsonValue:
        head, tail = _ends(len(items), self._most)
        first = [self.of(item, depth) for item in self._while_room(items[:head])]
        last = [self.of(item, depth) for item in self._while_room(items[len(items) - tail :])]
        return _join_ends(len(items) - len(first) - len(last), first, last)

    def _mapping(self, value: Mapping[Any, object], depth: int) -> JsonValue:
        keys = list(value)
        head, tail = _ends(len(keys), self._most)
        first = [(_key(k), self.of(value[k], depth)) for k in self._while_room(keys[:head])]
        rest = self._while_room(keys[len(keys) - tail :])
        last = [(_key(k), self.of(value[k], depth)) for k in rest]
        note = _note_of(len(keys) - len(first) - len(last), "keys")
        return dict([*first, *(("...", omission) for omission in note), *last])

    def _while_room(self, items: Sequence[Any]) -> Iterator[Any]:
        for item in items:
            if self._left <= 0:
                return
            yield item


class OmissionNote(str):
    """A note of how many items or keys were left out at its place."""

    __slots__ = ("number",)
    number: int


def _note_of(count: int, what: str) -> list[JsonValue]:
    """The note of what was left out; none if nothing was."""
    if not count:
        return []
    note = OmissionNote(f"[... {count:,} {what} left out ...]")
    note.number = count
    return [note]


def _count_dropped(dropped: Iterable[JsonValue]) -> int:
    return sum(item.number if isinstance(item, OmissionNote) else 1 for item in dropped)


def _join_ends(count: int, head: list[JsonValue], tail: list[JsonValue]) -> list[JsonValue]:
    return [*head, *_note_of(count, "items"), *tail]


def _key(key: object) -> str:
    return clipped(str(key), _KEY)


def _number(value: float) -> JsonValue:
    if isinstance(value, int):
        digits = value.bit_length() * 3 // 10
        return int(value) if digits <= _DIGITS else f"[... a number of about {digits:,} digits ...]"
    return float(value) if math.isfinite(value) else str(value)


def _ends(count: int, most: int) -> tuple[int, int]:
    """Split `count` into how many to keep from the beginning and from the end."""
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
        """Cut more off; False if there is nothing left to cut."""
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
        if isinstance(data, OmissionNote):
            return data
        if isinstance(data, str):
            return clipped(data, self._longest)
        if isinstance(data, list):
            first, dropped, last = _parts(data, self._most)
            shortened = list(map(self._cut, first)), list(map(self._cut, last))
            return _join_ends(_count_dropped(dropped), *shortened)
        return self._cut_keys(data) if isinstance(data, dict) else data

    def _cut_keys(self, data: dict[str, JsonValue]) -> JsonValue:
        first, dropped, last = _parts(list(data), self._most)
        note = _note_of(_count_dropped(data[name] for name in dropped), "keys")
        members = {name: self._cut(data[name]) for name in first}
        members.update(("...", omission) for omission in note)
        return members | {name: self._cut(data[name]) for name in last}


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


LIMIT = 60_000
"""Characters of a block, unless its use says otherwise."""

_LEAST = 200


class Inert(str):
    """Text that may stand in a prompt as it is: it was made safe before."""

    __slots__ = ()


def block(value: object, limit: int = LIMIT) -> Inert:
    """The delimited block with a value as JSON, of at most about `limit` characters.

    In templates this is the filter ``data``: ``{{ conversation | data }}``, or with a limit
    ``{{ conversation | data(20000) }}``.
    """
    return Inert(f"<data>\n{as_json(value, limit)}\n</data>")


def as_json(value: object, limit: int = LIMIT) -> str:
    """A value as JSON without markup and hidden characters, of at most about `limit` characters.

    What is too long is left out from the middle: of long texts first, then of long lists, and a
    note says how much. Models become plain data; what is no data at all is named by its type.
    """
    limit = max(limit, _LEAST)
    short = Shortening(plain(value, most=limit // 4), limit)
    text = _dump(short.data())
    while len(text) > limit and short.further():
        text = _dump(short.data())
    return text if len(text) <= limit else _dump(clipped(text, limit // 2 - 60))


def conversation(
    turns: Sequence[Turn], *, user: str = "user", app: str = "chatbot"
) -> list[dict[str, JsonValue]]:
    """The turns in order: the number from 1, the speaker, the text, and offered choices.

    If the app gave no answer at all (it crashed, or was too slow) its text is None.
    """
    messages: list[dict[str, JsonValue]] = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn.act, Listen):
            messages.append({"turn": number, "speaker": user, "text": act_text(turn.act)})
        observation = turn.observation
        messages.append(
            {
                "turn": number,
                "speaker": app,
                "text": None if observation is None else observation.text,
            }
        )
        if observation is not None and observation.choices:
            messages[-1]["choices"] = [choice.label for choice in observation.choices]
    return messages


def _dump(data: JsonValue) -> str:
    """JSON with a line for each item of a list and for each key of a map, and no more white space.

    Indented, a conversation takes more tokens, and says no more. A map's lists have lines too: the
    elements of a page are read line by line.
    """
    if not isinstance(data, dict) or not data:
        return escaped(_lines(data))
    pairs = (f"{_compact(key)}: {_lines(item)}" for key, item in data.items())
    return escaped("{\n" + ",\n".join(pairs) + "\n}")


def _lines(data: JsonValue) -> str:
    if not isinstance(data, list) or not data:
        return _compact(data)
    return "[\n" + ",\n".join(map(_compact, data)) + "\n]"


def _compact(data: JsonValue) -> str:
    return json.dumps(data, ensure_ascii=False)
