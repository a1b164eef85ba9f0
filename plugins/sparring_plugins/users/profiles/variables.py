"""The variables of a profile: their selectors, types and values."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.model.space import Variable
from sparring_plugins.users.profiles.file_shapes import Part
from sparring_plugins.users.profiles.profile import Unresolved
from sparring_plugins.users.profiles.profile_source import Path_, Source, mapping
from sparring_plugins.users.profiles.value_reader import Type, ValueReader
from sparring_plugins.users.selectors.notation import (
    Selector,
    parse_selector,
    reference_problems,
)

_KEYS = ("function", "selector", "type", "data")
_TYPES: dict[str, Type] = {
    "string": "string",
    "str": "string",
    "int": "int",
    "integer": "int",
    "float": "float",
}


def read_variables(
    source: Source, declared: Mapping[str, Part]
) -> tuple[tuple[Variable, ...], tuple[Unresolved, ...]]:
    """The declared variables, and those of their values that could not be worked out."""
    variables: list[Variable] = []
    unresolved: list[Unresolved] = []
    selectors: dict[str, Selector] = {}
    for name, part in declared.items():
        fields = mapping(part.value)
        if fields is None:  # a list alone: SENSEI's generator means all of its values
            selector, values = Selector("default"), ValueReader(source, name, None)
            domain = values.read(part.value, part.at)
        else:
            _check_keys(source, fields, part.at)
            selector = _selector(source, fields, part.at)
            values = ValueReader(source, name, _type(source, fields, part.at))
            domain = _domain(source, values, fields, part.at)
        selectors[name] = selector
        unresolved += values.unresolved
        scale = "ordinal" if _numeric(domain) else "categorical"
        variables.append(
            Variable(name=name, domain=tuple(domain), scale=scale, selector=str(selector))
        )
    for name, message in reference_problems(selectors):
        source.error(message, _selector_at(declared[name]))
    return tuple(variables), tuple(unresolved)


def _check_keys(source: Source, fields: dict[Any, Any], at: Path_) -> None:
    for key in fields:
        if key not in _KEYS:
            source.error(f"unknown key.{nearest(str(key), _KEYS)}", (*at, str(key)))
    if "selector" in fields:
        source.spellings.add("selector")
        if "function" in fields:
            source.error("says again what function says", (*at, "selector"))


def _selector(source: Source, fields: dict[Any, Any], at: Path_) -> Selector:
    key = "function" if "function" in fields else "selector"
    written = fields.get(key)
    if written is None or written == "":
        return Selector("default")
    try:
        if not isinstance(written, str):
            raise ValueError(f"expected a selector such as forward(), found {shown(written)}")
        return parse_selector(written)
    except ValueError as err:
        source.error(str(err), (*at, key))
        return Selector("default")


def _selector_at(part: Part) -> Path_:
    fields = mapping(part.value) or {}
    return (*part.at, "function" if "function" in fields else "selector")


def _type(source: Source, fields: dict[Any, Any], at: Path_) -> Type | None:
    written = fields.get("type")
    if written is not None and str(written) not in _TYPES:
        known = nearest(str(written), ("string", "int", "float"))
        source.error(f"unknown type {shown(written)}.{known}", (*at, "type"))
    return _TYPES.get(str(written))


def _domain(
    source: Source, values: ValueReader, fields: dict[Any, Any], at: Path_
) -> list[JsonValue]:
    if fields.get("data") is None:
        source.error("has no data: give its values", at)
        return []
    return values.read(fields["data"], (*at, "data"))


def _numeric(values: list[JsonValue]) -> bool:
    return bool(values) and all(isinstance(value, (int, float)) for value in values)
