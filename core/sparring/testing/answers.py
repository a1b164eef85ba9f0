"""The simplest answers that fit a JSON Schema, for models that stand in for real ones."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue

_EMPTY: Mapping[str, JsonValue] = {"array": [], "boolean": False, "null": None, "string": "why"}
_DEEPEST = 50


def answer_to(schema: Mapping[str, Any], **values: JsonValue) -> JsonValue:
    """A value that fits a schema: first options, least numbers, all required keys.

    `values` are taken for the keys of their names, wherever these are. References within the
    schema are followed; patterns are not looked at. Raises ValueError for a schema that
    refers to itself without an end.
    """
    return _answer(schema, schema, values, _DEEPEST)


def _answer(
    schema: Mapping[str, Any], root: Mapping[str, Any], values: Mapping[str, JsonValue], depth: int
) -> JsonValue:
    if depth == 0:
        raise ValueError("the schema has no end")
    if "$ref" in schema:
        found: Any = root
        for key in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found[key]
        return _answer(found, root, values, depth - 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return _answer(schema[key][0], root, values, depth - 1)
    if "const" in schema:
        return cast("JsonValue", schema["const"])
    if schema.get("enum"):
        return cast("JsonValue", schema["enum"][0])
    return _answer_schema(schema, root, values, depth)


def _answer_schema(
    schema: Mapping[str, Any], root: Mapping[str, Any], values: Mapping[str, JsonValue], depth: int
) -> JsonValue:
    found: Any = schema.get("type", "object")
    kind = str(cast("list[Any]", found)[0] if isinstance(found, list) else found)
    if kind == "object":
        inner: Mapping[str, Any] = schema.get("properties", {})
        return {
            key: values[key]
            if key in values
            else _answer(inner.get(key, {}), root, values, depth - 1)
            for key in schema.get("required", ())
        }
    if kind == "array" and schema.get("minItems"):
        item = _answer(schema.get("items", {}), root, values, depth - 1)
        return [item] * int(schema["minItems"])
    if kind in ("integer", "number"):
        return cast("JsonValue", schema.get("minimum", 0))
    return _EMPTY[kind]
