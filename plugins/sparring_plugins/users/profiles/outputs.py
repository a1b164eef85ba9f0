"""The values that a user wants to learn from a conversation."""

from typing import Any

from sparring.documents.checking import nearest, shown
from sparring.interfaces.roles import OutputSpec
from sparring_plugins.users.profiles.file_shapes import Parts
from sparring_plugins.users.profiles.profile_source import (
    Path_,
    Source,
    listed,
    mapping,
)

TYPES = ("str", "int", "float", "money", "bool", "time", "date", "email", "phone", "url")
"""The types of outputs."""

_ALIASES = {
    "string": "str",
    "text": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "e-mail": "email",
    "telefono": "phone",
    "teléfono": "phone",
    "telephone": "phone",
}


def read_outputs(source: Source, parts: Parts) -> tuple[OutputSpec, ...]:
    """The declared outputs: a list of one-key maps, or one map."""
    found: dict[str, OutputSpec] = {}
    for item, at in listed(parts.value("output"), parts.at("output")):
        entries = mapping(item)
        if entries is None:
            source.error(f"expected a name with type and description, found {shown(item)}", at)
        for name, spec in (entries or {}).items():
            if str(name) in found:
                source.error("the output is declared twice", (*at, name))
            found[str(name)] = _output(source, str(name), spec, (*at, name))
    return tuple(found.values())


def _output(source: Source, name: str, spec: Any, at: Path_) -> OutputSpec:
    if isinstance(spec, str):
        return OutputSpec(name=name, description=spec.strip())
    fields = mapping(spec)
    if fields is None:
        source.error(f"expected type and description, found {shown(spec)}", at)
        return OutputSpec(name=name)
    for key in fields:
        if key not in ("type", "description"):
            known = nearest(str(key), ("type", "description"))
            source.error(f"unknown key.{known}", (*at, str(key)))
    return OutputSpec(
        name=name,
        type=_type(source, fields.get("type"), (*at, "type")),
        description=source.text(fields.get("description"), (*at, "description")),
    )


def _type(source: Source, written: Any, at: Path_) -> str:
    if written is None:
        return "str"
    folded = str(written).strip().casefold()
    kind = _ALIASES.get(folded, folded)
    if kind not in TYPES:
        source.strict(f"unknown output type {shown(written)}.{nearest(folded, TYPES)}", at)
        return "str"
    return kind
