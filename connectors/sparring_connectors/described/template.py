"""Placeholders such as ``{text}`` in what is sent to the app.

A template is a text of the author's with placeholders ``{name}``. What a placeholder stands
for is inserted as data: it is never read as a template again, and a request's body is encoded
only after the insertion. Braces around anything but a name mean themselves; ``{{name}}``
stands for the text ``{name}``. ``{name|json}``, ``{name|url}`` and ``{name|xml}`` encode the
value for bodies that are plain text.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from urllib.parse import quote
from xml.sax.saxutils import escape

PLACEHOLDER = re.compile(
    r"\{\{(?P<literal>[A-Za-z_]\w*(?:\|\w+)?)\}\}|\{(?P<name>[A-Za-z_]\w*)(?:\|(?P<how>\w+))?\}"
)


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for a value that the session has not learnt yet."""


def plain(value: Any) -> str:
    """A value as text: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _url(value: Any) -> str:
    return url_part(plain(value))


def _xml(value: Any) -> str:
    return escape(plain(value), {'"': "&quot;", "'": "&apos;"})


ENCODERS: Mapping[str, Callable[[Any], str]] = {"json": json.dumps, "url": _url, "xml": _xml}


def url_part(text: str) -> str:
    """Percent-encode a text so that it stays one segment of a path or one value of a query."""
    if text in (".", ".."):
        return text.replace(".", "%2E")
    return quote(text, safe="", errors="replace")


@dataclass(frozen=True, slots=True)
class Slot:
    """One placeholder: a name, and how its value is encoded."""

    name: str
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders, cut up once."""

    parts: tuple[str | Slot, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Cut a text at its placeholders."""
        parts: list[str | Slot] = []
        end = 0
        for found in PLACEHOLDER.finditer(text):
            parts.append(text[end : found.start()])
            literal = found["literal"]
            parts.append(f"{{{literal}}}" if literal else Slot(found["name"], found["how"]))
            end = found.end()
        parts.append(text[end:])
        return cls(tuple(part for part in parts if part != ""))

    @property
    def slots(self) -> Iterator[Slot]:
        """Its placeholders, in order."""
        return (part for part in self.parts if isinstance(part, Slot))

    def fill(self, values: Mapping[str, Any]) -> Any:
        """The text with values inserted; `MISSING` where one is not known.

        A template that is one bare placeholder gives the value itself, so that numbers and
        lists stay what they are.
        """
        if len(self.parts) == 1 and isinstance(slot := self.parts[0], Slot) and not slot.how:
            return values.get(slot.name, MISSING)
        return self.text(values)

    def text(
        self, values: Mapping[str, Any], encode: Callable[[str], str] | None = None
    ) -> str | Missing:
        """The text with values inserted, each through `encode` unless it says how itself."""
        done: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                done.append(part)
                continue
            value = values.get(part.name, MISSING)
            if isinstance(value, Missing):
                return MISSING
            if part.how:
                done.append(ENCODERS[part.how](value))
            else:
                done.append(encode(plain(value)) if encode else plain(value))
        return "".join(done)


def compiled(data: Any) -> Any:
    """Plain data with every text cut up into a `Template`; texts without placeholders stay."""
    if isinstance(data, str):
        template = Template.of(data)
        return template if any(template.slots) else template.text({})
    if isinstance(data, dict):
        return {key: compiled(value) for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(data, list):
        return [compiled(item) for item in data]  # pyright: ignore[reportUnknownVariableType]
    return data


def filled(tree: Any, values: Mapping[str, Any]) -> Any:
    """Compiled data with values inserted; entries whose value is not known are left out."""
    if isinstance(tree, Template):
        return tree.fill(values)
    if isinstance(tree, dict):
        pairs = ((key, filled(value, values)) for key, value in tree.items())  # pyright: ignore[reportUnknownVariableType]
        return {key: value for key, value in pairs if value is not MISSING}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(tree, list):
        items = (filled(item, values) for item in tree)  # pyright: ignore[reportUnknownVariableType]
        return [item for item in items if item is not MISSING]
    return tree


def texts_in(
    data: Any, at: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every text inside plain data, with the path to it."""
    if isinstance(data, str):
        yield at, data
    elif isinstance(data, dict):
        for key, value in data.items():  # pyright: ignore[reportUnknownVariableType]
            yield from texts_in(value, (*at, key))  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(data, list):
        for index, item in enumerate(data):  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            yield from texts_in(item, (*at, index))
