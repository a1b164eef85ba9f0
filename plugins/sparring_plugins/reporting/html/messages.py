"""Texts, values and messages as the page shows them: visible, and of bounded size."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from sparring.model.talk import Artifact, GuiAction, Listen, Observation, Press, Turn, act_text
from sparring_plugins.language.quantities import plural
from sparring_plugins.language.text import cut, one_line, visible

LABEL = 200
"""Characters of a name."""

VALUE = 400
"""Characters of a value in a table."""

# A REST app may answer with its whole catalogue beside one sentence.
_PAYLOAD = 10_000
_MOST_CHOICES = 60
_MOST_ATTACHMENTS = 20
_NOTHING = (None, "", "none")
"""Values that leave a variable out."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said; `left_out` is how many characters are not shown."""

    text: str
    left_out: int = 0
    way: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    more_choices: int = 0
    attachments: tuple[tuple[str, str], ...] = ()
    payload: str = ""
    ended: bool = False


def act(turn: Turn, limit: int) -> Message | None:
    """What the user did, or None if they only listened."""
    if isinstance(turn.act, Listen):
        return None
    way = "pressed" if isinstance(turn.act, Press) else ""
    if isinstance(turn.act, GuiAction):
        way = "on the page"
    text, left = cut(act_text(turn.act), limit)
    return Message(text, left, way)


def answer(seen: Observation, limit: int) -> Message:
    """What the app answered, texts cut to `limit` characters."""
    text, left = cut(seen.text, limit)
    choices = [(one_line(c.label, LABEL), _address(c.url)) for c in seen.choices[:_MOST_CHOICES]]
    attached = [
        (one_line(a.media_type, 80), _describe_attachment(a.description, a.url))
        for a in seen.attachments[:_MOST_ATTACHMENTS]
    ]
    return Message(
        text,
        left,
        choices=tuple(choices),
        more_choices=max(0, len(seen.choices) - _MOST_CHOICES),
        attachments=tuple(attached),
        payload=_json(seen.payload, min(limit, _PAYLOAD)) if seen.payload is not None else "",
        ended=seen.ended,
    )


def _address(url: str | None) -> str:
    return one_line(url, LABEL) if url else ""


def _describe_attachment(description: str, url: str | None) -> str:
    parts = [one_line(description, VALUE), _address(url)]
    return " · ".join(part for part in parts if part)


def brief(params: Mapping[str, Any]) -> str:
    """The values of a case on one short line; what says nothing without its name has it too."""
    values_set = [(name, value) for name, value in params.items() if value not in _NOTHING]
    texts = (
        one_line(shown(value), 40)
        if isinstance(value, (str, list))
        else f"{one_line(name, 20)} {one_line(shown(value), 40)}"
        for name, value in values_set[:8]
    )
    return one_line(" · ".join(texts), 120)


def artifact(file: Artifact) -> tuple[str, str, str]:
    """Name, media type and address of a file in the run's folder; no address outside of it."""
    path = Path(file.path)
    inside = not path.is_absolute() and ".." not in path.parts and "\0" not in file.path
    address = "./" + quote(path.as_posix()) if inside else ""
    return one_line(file.name, LABEL), one_line(file.media_type, 80), address


def label(name: str) -> str:
    """A name on one line."""
    return one_line(name, LABEL)


def shown(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return one_line(value, VALUE)
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if all(isinstance(item, str | int) for item in items):
            return one_line(", ".join(str(item) for item in items[:50]), VALUE)
    return one_line(_json(value, VALUE, indent=None), VALUE)


def _json(value: Any, limit: int, indent: int | None = 2) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    except (RecursionError, ValueError):
        return "(nested too deeply to show)"
    left = len(text) - limit
    return visible(text[:limit]) + (f"\n... {plural(left, 'more character')}" if left > 0 else "")
