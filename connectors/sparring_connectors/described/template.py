"""Placeholders such as ``{text}`` in what is sent to the app.

A template is a text of the author's with placeholders ``{name}``. What a placeholder stands
for is inserted as data: it is never read as a template again, and a request's body is encoded
only after the insertion. Braces around anything but a name mean themselves; ``{{name}}``
stands for the text ``{name}``. ``{name|json}``, ``{name|url}`` and ``{name|xml}`` encode the
value for bodies that are plain text.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from sparring.documents.checking import nearest

SettingPath = tuple[str | int, ...]
"""The place of a setting within its connector's settings: names and indices."""

# `{text|json}` is filled in; `{{text}}` is how a body writes `{text}` itself, as a template of the
# app's own may need it.
PLACEHOLDER = re.compile(
    r"\{\{(?P<literal>[A-Za-z_]\w*(?:\|\w+)?)\}\}|\{(?P<name>[A-Za-z_]\w*)(?:\|(?P<how>\w+))?\}"
)


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING
"""Stands for a value that the session has not learnt yet."""


def to_text(value: Any) -> str:
    """A value as text: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _url(value: Any) -> str:
    return url_part(to_text(value))


def _xml(value: Any) -> str:
    return escape(to_text(value), {'"': "&quot;", "'": "&apos;"})


ENCODERS: Mapping[str, Callable[[Any], str]] = {"json": json.dumps, "url": _url, "xml": _xml}


def url_part(text: str) -> str:
    """Percent-encode a text so that it stays one segment of a path or one value of a query."""
    if text in (".", ".."):
        return text.replace(".", "%2E")
    return quote(text, safe="", errors="replace")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One placeholder: a name, and how its value is encoded."""

    name: str
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A text with placeholders, cut up once."""

    parts: tuple[str | Placeholder, ...]

    @classmethod
    def of(cls, text: str) -> "Template":
        """Cut a text at its placeholders."""
        parts: list[str | Placeholder] = []
        end = 0
        for match in PLACEHOLDER.finditer(text):
            parts.append(text[end : match.start()])
            literal = match["literal"]
            parts.append(f"{{{literal}}}" if literal else Placeholder(match["name"], match["how"]))
            end = match.end()
        parts.append(text[end:])
        return cls(tuple(part for part in parts if part != ""))

    @property
    def slots(self) -> Iterator[Placeholder]:
        """Its placeholders, in order."""
        return (part for part in self.parts if isinstance(part, Placeholder))

    def fill(self, values: Mapping[str, Any]) -> Any:
        """The text with values inserted; `MISSING` if one is not known.

        A template that is one bare placeholder gives the value itself, so that numbers and
        lists stay what they are.
        """
        if len(self.parts) == 1 and isinstance(slot := self.parts[0], Placeholder) and not slot.how:
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
                done.append(encode(to_text(value)) if encode else to_text(value))
        return "".join(done)


def compile_templates(data: Any) -> Any:
    """Plain data with every text cut up into a `Template`; texts without placeholders stay."""
    if isinstance(data, str):
        template = Template.of(data)
        return template if any(template.slots) else template.text({})
    if isinstance(data, dict):
        return {key: compile_templates(value) for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(data, list):
        return [compile_templates(item) for item in data]  # pyright: ignore[reportUnknownVariableType]
    return data


def fill_templates(tree: Any, values: Mapping[str, Any]) -> Any:
    """Compiled data with values inserted; entries whose value is not known are left out."""
    if isinstance(tree, Template):
        return tree.fill(values)
    if isinstance(tree, dict):
        pairs = ((key, fill_templates(value, values)) for key, value in tree.items())  # pyright: ignore[reportUnknownVariableType]
        return {key: value for key, value in pairs if value is not MISSING}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(tree, list):
        items = (fill_templates(item, values) for item in tree)  # pyright: ignore[reportUnknownVariableType]
        return [item for item in items if item is not MISSING]
    return tree


def fill_known(templates: Mapping[str, Template], values: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts whose placeholders are all known, filled in."""
    pairs = ((name, template.text(values)) for name, template in templates.items())
    return {name: text for name, text in pairs if isinstance(text, str)}


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


# Placeholders that any request may use, and those that nothing fills.

ALWAYS = ("uuid", "case", "seed", "turn")
"""Placeholders that any request may use."""
SPOKEN = ("text", "label", "value", "history")
"""Placeholders that requests with something from the user may use."""


def refuse_settings(model: str, problems: list[tuple[SettingPath, str]]) -> None:
    """Raise a ValidationError of `model` with a message at each path; nothing if there is none."""
    if problems:
        errors = [
            InitErrorDetails(
                type=PydanticCustomError("value_error", "{problem}", {"problem": message}),
                loc=path,
                input=None,
            )
            for path, message in problems
        ]
        raise ValidationError.from_exception_data(model, errors)


def remembered_name_problems(
    names: Iterable[str], path: SettingPath = ()
) -> Iterator[tuple[SettingPath, str]]:
    """Yield what is wrong with the names under `reply.remember` of the setting at `path`."""
    for name in names:
        place = (*path, "reply", "remember", name)
        if name in (*ALWAYS, *SPOKEN, "session"):
            yield place, f"{{{name}}} already has a meaning; choose another name"
        elif not name.isidentifier():
            yield place, "a name is letters, digits and underscores, so that {name} works"


def authorization_problem(url: str, headers: Iterable[str]) -> Iterator[tuple[SettingPath, str]]:
    """Yield the contradiction of a user in the address and one in the headers."""
    if "@" in urlsplit(url).netloc and "authorization" in {name.lower() for name in headers}:
        yield ("url",), "holds a user, but headers has Authorization; only one can be sent"


def greeting_problem(greeting: object, starts: str) -> Iterator[tuple[SettingPath, str]]:
    """Yield the contradiction of a greeting from an app that does not speak first."""
    if greeting and starts == "user":
        yield ("greeting",), "there is a greeting, but starts is user; write starts: app"


def unknown_placeholders(
    templates: Iterator[tuple[SettingPath, str]], at: SettingPath, known: set[str]
) -> Iterator[tuple[SettingPath, str]]:
    """Placeholders that nothing fills, and those that a header cannot hold."""
    for path, text in templates:
        for slot in Template.of(text).slots:
            if slot.name not in known:
                yield (
                    (*at, *path),
                    (
                        f"unknown placeholder {{{slot.name}}}.{nearest(slot.name, sorted(known))} "
                        f"For the text itself, write {{{{{slot.name}}}}}."
                    ),
                )
            elif slot.name in SPOKEN and slot.how is None and path[0] in ("headers", "cookies"):
                yield (
                    (*at, *path),
                    (
                        f"{{{slot.name}}} may hold what a {path[0][:-1]} cannot; "
                        f"write {{{slot.name}|url}} or {{{slot.name}|json}}"
                    ),
                )
