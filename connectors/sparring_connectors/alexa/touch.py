"""What can be touched on a screen: components of an APL document that send an event to the skill.

Of a document the components, layouts and data sources are read as far as bindings are plain paths
(``${payload.menu.items}``, ``${data.name}``); expressions are not evaluated.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sparring_connectors.alexa.shapes import mapping, named, text
from sparring_connectors.alexa.ssml import bind_data

RENDER = "Alexa.Presentation.APL.RenderDocument"
# A list of a thousand rows has a thousand equal buttons.
MOST_TOUCHABLES = 40

_DEEPEST = 40
_MOST_COMPONENTS = 3_000
"""Components of one document that are looked at: a layout may contain itself twice."""

_PRESSES = ("onPress", "primaryAction")
_INNER = ("firstItem", "item", "items", "lastItem")
_LABELS = ("buttonText", "primaryText", "text", "label", "accessibilityLabel")
_WHOLE_BINDING = re.compile(r"^\$\{\s*([A-Za-z_][\w.\[\]'\"]*)\s*\}$")
_MARKUP = re.compile(r"<[^<>]{0,200}>")


@dataclass(frozen=True, slots=True)
class Touchable:
    """A component that can be touched: what it reads, and the event that it sends."""

    label: str
    arguments: tuple[Any, ...]
    source: tuple[str, str]
    token: str

    @property
    def value(self) -> str:
        """What distinguishes it from others that read the same."""
        return json.dumps(self.arguments, ensure_ascii=False)[:500]

    def event(self) -> dict[str, Any]:
        """The parts of a UserEvent request that are about it."""
        kind, identity = self.source
        source = {"type": kind, "handler": "Press", "id": identity}
        return {
            "token": self.token,
            "arguments": list(self.arguments),
            "source": source,
            "components": {},
        }


def touchables_of(directive: Mapping[str, Any]) -> tuple[Touchable, ...]:
    """Return what a RenderDocument directive lets the user touch, each once, in its order."""
    document = mapping(directive.get("document"))
    template = mapping(document.get("mainTemplate"))
    sources = mapping(directive.get("datasources"))
    parameters = [name for name in _listed(template.get("parameters")) if isinstance(name, str)]
    # One parameter stands for all data sources, whatever it is called.
    data: dict[str, Any] = {**sources, **dict.fromkeys(parameters[:1] or ["payload"], sources)}
    data |= {name: sources[name] for name in parameters if name in sources}
    reader = _DocumentReader(mapping(document.get("layouts")), named(directive.get("token")))
    unique: dict[tuple[str, str], Touchable] = {}
    for one in reader.read(template, data, 0):
        unique.setdefault((one.label, one.value), one)
    return tuple(unique.values())[:MOST_TOUCHABLES]


class _DocumentReader:
    """Walks through the components of one document."""

    def __init__(self, layouts: Mapping[str, Any], token: str) -> None:
        self._layouts = layouts
        self._token = token
        self._left = _MOST_COMPONENTS

    def read(
        self, item: Mapping[str, Any], data: Mapping[str, Any], depth: int
    ) -> Iterator[Touchable]:
        """Yield what can be touched in a component, itself first."""
        if depth > _DEEPEST:
            return
        for arguments in self._pressed(item, data):
            yield from self._touchables(item, arguments, data, depth)
        for inner, inner_data in self._inside(item, data):
            yield from self.read(inner, inner_data, depth + 1)

    def _pressed(self, item: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[list[Any]]:
        """Yield the arguments of each event that a touch sends, still bound."""
        commands = [one for key in _PRESSES for one in _listed(_resolve(item.get(key), data))]
        for _ in range(_DEEPEST):
            if not commands:
                return
            command = mapping(commands.pop(0))
            commands += _listed(command.get("commands"))
            if command.get("type") == "SendEvent":
                yield _listed(command.get("arguments"))

    def _touchables(
        self, item: Mapping[str, Any], arguments: list[Any], data: Mapping[str, Any], depth: int
    ) -> Iterator[Touchable]:
        rows = _listed(_resolve(item.get("listItems"), data))
        if rows:  # a list of the standard layouts sends the number of the touched row
            for number, row in enumerate(rows, 1):
                yield self._touchable(
                    {**item, **mapping(row)}, arguments, {**data, "data": row, "ordinal": number}, 0
                )
            return
        yield self._touchable(item, arguments, data, depth)

    def _touchable(
        self, item: Mapping[str, Any], arguments: list[Any], data: Mapping[str, Any], depth: int
    ) -> Touchable:
        bound = tuple(_resolve(one, data) for one in arguments)
        identity = _words(item.get("id"), data)
        label = self._label(item, data, depth) or identity or " ".join(map(str, bound))
        return Touchable(label[:200], bound, (text(item.get("type")), identity), self._token)

    def _label(self, item: Mapping[str, Any], data: Mapping[str, Any], depth: int) -> str:
        """Return what a component reads: its own text, or the first one inside it."""
        own = next((words for key in _LABELS if (words := _words(item.get(key), data))), "")
        if own or depth > _DEEPEST:
            return own
        inside = (
            self._label(inner, own_data, depth + 1) for inner, own_data in self._inside(item, data)
        )
        return next((label for label in inside if label), "")

    def _inside(
        self, item: Mapping[str, Any], data: Mapping[str, Any]
    ) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Yield the components inside one, each with the data that its bindings see."""
        self._left -= 1
        if self._left < 0:
            return
        layout = mapping(self._layouts.get(text(item.get("type"))))
        if layout:
            data = {**data, **{key: _resolve(value, data) for key, value in item.items()}}
            item = layout
        inner = [one for key in _INNER for one in _listed(item.get(key))]
        rows = _listed(_resolve(item.get("data"), data))[:MOST_TOUCHABLES]
        if rows:
            for number, row in enumerate(rows):
                for one in inner:
                    yield (
                        mapping(one),
                        {**data, "data": row, "index": number, "ordinal": number + 1},
                    )
            return
        yield from ((mapping(one), data) for one in inner)


def _listed(value: Any) -> list[Any]:
    """Return a value as a list: APL takes one thing for a list of it."""
    if isinstance(value, list):
        return list(value)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    return [] if value is None else [value]


def _resolve(value: Any, data: Mapping[str, Any]) -> Any:
    """Return what a binding stands for, of any kind, or a text with its bindings filled in."""
    if not isinstance(value, str):
        return value
    match = _WHOLE_BINDING.match(value)
    if match is None:
        return bind_data(value, data)
    reached: Any = data
    for key in re.findall(r"\w+", match[1]):
        if isinstance(reached, list):
            items = _listed(reached)  # pyright: ignore[reportUnknownArgumentType]
            reached = items[int(key)] if key.isdigit() and int(key) < len(items) else None
        else:
            reached = mapping(reached).get(key)
    return value if reached is None else reached


def _words(value: Any, data: Mapping[str, Any]) -> str:
    """Return a text as it is read; empty if a binding in it is unknown."""
    words = _resolve(value, data)
    if not isinstance(words, str) or "${" in words:
        return ""
    return " ".join(_MARKUP.sub(" ", words).split())
