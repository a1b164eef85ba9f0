"""From the bytes of an app's reply to values: decoding, JSON and JSONPath.

Whatever the bytes are, the worst outcome is an AppProtocolError. jsonpath-ng reads the paths, and
evaluates those with filters, slices and descendants. Paths of names, indices and ``[*]``, which
nearly all are, are walked here instead: a reply of a megabyte of empty objects would else keep
every other conversation waiting for twenty seconds.
"""

import codecs
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, cast

from jsonpath_ng import Child, Fields, Index, JSONPath, Root, Slice, This
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse

from sparring.errors import AppProtocolError

_EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of a simple path: names, or indices, or with neither everything inside."""

    names: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Path:
    """A path as it was read; `steps` is `None` if jsonpath-ng must walk it."""

    node: JSONPath
    steps: tuple[_Step, ...] | None


@lru_cache(maxsize=512)
def compile_path(path: str) -> _Path:
    """The parsed path; raises ValueError that says what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            node = parse(path)
    except (JSONPathError, AttributeError, TypeError, ValueError, IndexError) as err:
        reason = str(err).rstrip("!. ") or type(err).__name__
        raise ValueError(
            f"{path!r} is not a JSONPath ({reason}); "
            "write for example $.reply or $.messages[*].text"
        ) from err
    return _Path(node, _simple_steps(node))


def find_values(path: str, data: Any) -> list[Any]:
    """Every value at a path, in order; none if a filter cannot cope with the data."""
    ready = compile_path(path)
    return _walk(ready.steps, data) if ready.steps is not None else _evaluate(ready.node, data)


def first_value(paths: tuple[str, ...], data: Any) -> Any:
    """The first value that is not null at the first path that has one, else None."""
    for path in paths:
        for value in find_values(path, data):
            if value is not None:
                return value
    return None


def contradicts(path: str, data: Any) -> bool:
    """Whether data has another shape than a path expects, as against holding nothing there.

    ``$.messages[*].text`` finds nothing in ``{"messages": []}`` and in ``{"messages": [{}]}``,
    both of which are silence, and nothing in ``{"answer": "Hi"}``, which is another shape.
    """
    if find_values(path, data):
        return False
    node = compile_path(path).node
    while isinstance(node, Child):
        node = node.left
        steps = _simple_steps(node)
        values = _evaluate(node, data) if steps is None else _walk(steps, data)
        if values and steps is not None and all(step.names or step.indices for step in steps):
            return values[0] not in _EMPTY
        if values:
            return any(value is not None and not isinstance(value, dict) for value in values)
    return data not in _EMPTY


def _evaluate(node: JSONPath, data: Any) -> list[Any]:
    try:
        return [match.value for match in node.find(data)]
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return []


def _walk(steps: Sequence[_Step], data: Any) -> list[Any]:
    values = [data]
    for step in steps:
        values = [inner for value in values for inner in _values_inside(value, step)]
    return values


def _values_inside(value: Any, step: _Step) -> Iterable[Any]:
    """What one step finds in a value."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if step.names:
            return [members[name] for name in step.names if name in members]
        return () if step.indices else members.values()
    if isinstance(value, list) and not step.names:
        items = cast("list[Any]", value)
        if step.indices:
            return [items[i] for i in step.indices if -len(items) <= i < len(items)]
        return items
    return ()


def _simple_steps(node: JSONPath) -> tuple[_Step, ...] | None:
    """The steps of a simple path, None for any other."""
    steps: list[_Step] = []
    while isinstance(node, Child):
        step = _simple_step(node.right)
        if step is None:
            return None
        steps.append(step)
        node = node.left
    if not isinstance(node, (Root, This)):
        step = _simple_step(node)
        if step is None:
            return None
        steps.append(step)
    return tuple(reversed(steps))


def _simple_step(node: JSONPath) -> _Step | None:
    if isinstance(node, Fields):
        return _Step() if node.fields == ("*",) else _Step(names=node.fields)
    if isinstance(node, Index):
        return _Step(indices=node.indices)
    # Before 1.9, `[*]` is read as the slice of everything.
    whole = isinstance(node, Slice) and (node.start, node.end, node.step) == (None, None, None)
    return _Step() if whole or type(node).__name__ == "Wildcard" else None


# The bytes of a reply to text or JSON; whatever they are, at worst an AppProtocolError.

_NO_CHARSETS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})
"""What Python decodes by and no page is encoded in; punycode takes quadratic time."""

MAX_DEPTH = 100
"""Deeper nesting is refused: no reply needs it, and no log could hold it."""


class AppMessage(Protocol):
    """Something whole that the app said; `label` names its source in messages."""

    @property
    def label(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...

    def quote(self, said: str, limit: int = 120) -> str:
        """The beginning of something that the app said, fit for a message."""
        ...


def decode_text(reply: AppMessage) -> str:
    """The body as text, in the encoding that it declares, else UTF-8."""
    charset = _charset_of(reply)
    try:
        return reply.body.decode(charset).removeprefix("\ufeff")
    except UnicodeDecodeError as err:
        raise AppProtocolError(
            f"{reply.label}: the reply is not {charset} text (byte {err.start + 1})"
        ) from None


def decode_json(reply: AppMessage) -> Any:
    """The body as JSON; an empty one is null."""
    if not reply.body.strip():
        return None
    text = decode_text(reply)
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep_error(reply) from None
    except ValueError as err:
        raise _not_json_error(reply, text, err) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(data):
        raise _too_deep_error(reply)
    return data


def _charset_of(reply: AppMessage) -> str:
    """The declared encoding if Python knows it as one of text, else UTF-8."""
    declared = reply.headers.get("content-type", "").lower().partition("charset=")[2]
    name = declared.split(";")[0].strip("\"' ")
    try:
        "".encode(name or "utf-8")
        known = codecs.lookup(name or "utf-8").name
    except (LookupError, ValueError):
        return "utf-8"
    return "utf-8" if known in _NO_CHARSETS else known


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _not_json_error(reply: AppMessage, text: str, err: ValueError) -> AppProtocolError:
    sort = reply.headers.get("content-type", "").split(";")[0] or "without content type"
    why = reply.quote(str(err), 80)
    return AppProtocolError(
        f"{reply.label}: the reply is not JSON ({why}; {reply.quote(sort, 60)}): "
        f"{reply.quote(text)}"
    )


def _too_deep_error(reply: AppMessage) -> AppProtocolError:
    return AppProtocolError(f"{reply.label}: the reply is nested deeper than {MAX_DEPTH} levels")


def _is_too_deep(data: Any) -> bool:
    """Whether data is nested too deep, one level at a time."""
    level: list[Any] = [data]
    for _ in range(MAX_DEPTH):
        level = [item for outer in level for item in _nested_values(outer)]
        if not level:
            return False
    return True


def _nested_values(value: Any) -> Iterator[Any]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.values()  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
    elif isinstance(value, list):
        items = value  # pyright: ignore[reportUnknownVariableType]
    return (item for item in items if isinstance(item, (dict, list)))  # pyright: ignore[reportUnknownVariableType]
