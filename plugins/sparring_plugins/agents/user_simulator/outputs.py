"""The values that a user wants to learn from a conversation."""

from typing import Any, cast

from sparring.documents.checking import nearest, shown
from sparring.interfaces.roles import OutputSpec
from sparring_plugins.agents.user_simulator.shapes import Parts
from sparring_plugins.agents.user_simulator.source import Path_, Source

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
    value, at = parts.value("output"), parts.at("output")
    if value is None:
        return ()
    found: dict[str, OutputSpec] = {}
    listed = isinstance(value, list)
    for index, item in enumerate(cast("list[Any]", value) if listed else [value]):
        here = (*at, index) if listed else at
        if not isinstance(item, dict):
            source.error(f"expected a name with type and description, found {shown(item)}", here)
            continue
        for name, spec in cast("dict[Any, Any]", item).items():
            inside = (*here, name)
            if str(name) in found:
                source.error("the output is declared twice", inside)
            found[str(name)] = _output(source, str(name), spec, inside)
    return tuple(found.values())


def _output(source: Source, name: str, spec: Any, at: Path_) -> OutputSpec:
    if isinstance(spec, str):
        return OutputSpec(name=name, description=spec.strip())
    if not isinstance(spec, dict):
        source.error(f"expected type and description, found {shown(spec)}", at)
        return OutputSpec(name=name)
    fields = cast("dict[Any, Any]", spec)
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
