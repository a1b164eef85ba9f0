"""Speech in APL for audio (``Alexa.Presentation.APLA.RenderDocument``), as text.

Speech, Audio, Sequencer, Mixer, Selector and Silence are read; data sources are bound as
``${payload.name.part}``. What is chosen at random is the first that can be said.
"""

import re
from collections.abc import Mapping
from typing import Any

from sparring_connectors.alexa.protocol.ssml import AUDIO, read_ssml, wrapped
from sparring_connectors.alexa.shapes import mapping, mappings, named, sequence, text

_BINDING = re.compile(r"\$\{\s*([A-Za-z_][\w.\[\]'\"]*)\s*\}")
_DEEPEST = 50


def spoken_document(directive: Mapping[str, Any]) -> str:
    """What a RenderDocument directive says; empty where it cannot be known."""
    document = mapping(directive.get("document"))
    template = mapping(document.get("mainTemplate"))
    items = sequence(template.get("items")) or [template.get("item")]
    names = [name for name in sequence(template.get("parameters")) if isinstance(name, str)]
    sources = mapping(directive.get("datasources"))
    data: dict[str, Any] = {name: sources.get(name) for name in names if name in sources}
    data |= {"payload": sources, **sources} if "payload" in names or not names else {}
    resources = {"layouts": mapping(document.get("layouts"))}
    heard = [_said(mapping(item), data, resources, 0) for item in items]
    return " ".join(part for part in heard if part)


def _said(
    item: Mapping[str, Any], data: Mapping[str, Any], resources: Mapping[str, Any], depth: int
) -> str:
    if depth > _DEEPEST or not _applies(item, data):
        return ""
    kind = text(item.get("type"))
    if kind == "Speech":
        content = bound(text(item.get("content")), data)
        if text(item.get("contentType")).upper() == "SSML":
            return read_ssml(wrapped(content)).text
        return content.strip()
    if kind == "Audio":
        return AUDIO
    if kind == "Silence":
        return ""
    inner = list(mappings(item.get("items"))) or [mapping(item.get("item"))]
    if kind in mapping(resources.get("layouts")):
        layout = mapping(mapping(resources["layouts"])[kind])
        inner = list(mappings(layout.get("items"))) or [mapping(layout.get("item"))]
        data = {**data, **{key: _value(value, data) for key, value in item.items()}}
    heard = [part for part in (_said(one, data, resources, depth + 1) for one in inner) if part]
    return " ".join(heard[:1] if kind == "Selector" else heard)


def _applies(item: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether a `when` that is a plain binding or a truth value lets the item be heard."""
    when = item.get("when", True)
    if isinstance(when, str):
        found = bound(when, data).strip().lower()
        return found not in ("", "false", "null", "0")
    return bool(when)


def _value(value: object, data: Mapping[str, Any]) -> object:
    return bound(value, data) if isinstance(value, str) else value


def bound(template: str, data: Mapping[str, Any]) -> str:
    """A text with each ``${...}`` that can be looked up replaced by what is found."""
    return _BINDING.sub(lambda match: _looked_up(match[1], data, match[0]), template)


def _looked_up(path: str, data: Mapping[str, Any], otherwise: str) -> str:
    value: Any = data
    for key in re.findall(r"[\w]+", path):
        items = sequence(value)
        if items:
            value = items[int(key)] if key.isdigit() and int(key) < len(items) else None
        else:
            value = mapping(value).get(key)
        if value is None:
            return otherwise
    return named(value) or (str(value).lower() if isinstance(value, bool) else otherwise)
