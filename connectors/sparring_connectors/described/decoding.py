"""The bytes of a reply to text or JSON; whatever they are, at worst an AppProtocolError."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from sparring.errors import AppProtocolError

MAX_DEPTH = 100
"""Deeper nesting is refused: no reply needs it, and no log could hold it."""


class Said(Protocol):
    """Something whole that the app said; `label` names its source in messages."""

    @property
    def label(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...

    def quoted(self, said: str, limit: int = 120) -> str:
        """The beginning of something that the app said, fit for a message."""
        ...


def text_of(reply: Said) -> str:
    """The body as text, in the encoding that it declares, else UTF-8."""
    charset = _charset(reply)
    try:
        return reply.body.decode(charset).removeprefix("\ufeff")
    except UnicodeDecodeError as err:
        raise AppProtocolError(
            f"{reply.label}: the reply is not {charset} text (byte {err.start + 1})"
        ) from None


def json_of(reply: Said) -> Any:
    """The body as JSON; an empty one is null."""
    if not reply.body.strip():
        return None
    text = text_of(reply)
    try:
        data = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise _too_deep(reply) from None
    except ValueError as err:
        raise _not_json(reply, text, err) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and _deep(data):
        raise _too_deep(reply)
    return data


def _charset(reply: Said) -> str:
    """The declared encoding where Python knows it as one of text, else UTF-8."""
    declared = reply.headers.get("content-type", "").lower().partition("charset=")[2]
    name = declared.split(";")[0].strip("\"' ")
    try:
        "".encode(name or "utf-8")
    except (LookupError, ValueError):
        return "utf-8"
    return name or "utf-8"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _not_json(reply: Said, text: str, err: ValueError) -> AppProtocolError:
    sort = reply.headers.get("content-type", "").split(";")[0] or "without content type"
    why = reply.quoted(str(err), 80)
    return AppProtocolError(
        f"{reply.label}: the reply is not JSON ({why}; {reply.quoted(sort, 60)}): "
        f"{reply.quoted(text)}"
    )


def _too_deep(reply: Said) -> AppProtocolError:
    return AppProtocolError(f"{reply.label}: the reply is nested deeper than {MAX_DEPTH} levels")


def _deep(data: Any) -> bool:
    """Whether data is nested too deep, one level at a time."""
    level: list[Any] = [data]
    for _ in range(MAX_DEPTH):
        level = [item for outer in level for item in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterator[Any]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.values()  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
    elif isinstance(value, list):
        items = value  # pyright: ignore[reportUnknownVariableType]
    return (item for item in items if isinstance(item, (dict, list)))  # pyright: ignore[reportUnknownVariableType]
