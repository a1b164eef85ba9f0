"""JSON Schemas in the form that OpenAI's strict structured outputs take."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast

from pydantic import JsonValue

_DROPPED = frozenset(
    {
        *("title", "default", "examples", "$schema", "$id", "$comment", "discriminator"),
        *("deprecated", "readOnly", "writeOnly", "contentMediaType", "contentEncoding"),
        *("uniqueItems", "minProperties", "maxProperties"),
    }
)
_LENGTHS = frozenset({"minLength", "maxLength"})
_REFUSED = frozenset(
    {
        *("not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        *("patternProperties", "propertyNames", "unevaluatedProperties"),
        *("prefixItems", "contains", "$dynamicRef", "$anchor"),
    }
)
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_DEEPEST = 32
_MOST_PARTS = 5_000


class _NotStrict(Exception):
    """The schema says something that the strict form cannot."""


def strict_form(
    schema: Mapping[str, JsonValue], *, lengths: bool = True
) -> dict[str, JsonValue] | None:
    """The schema with every object closed and every property required, or None.

    What satisfies the strict form satisfies the schema, but for keywords that only narrow a value
    down and that the service does not take (`lengths` of texts stay unless told otherwise); the
    reader of the answer checks those. None where the schema says what the strict form cannot,
    such as objects with any keys, or where its root is no object.
    """
    try:
        found = _Strict(schema, lengths).of(dict(schema), 0)
    except (_NotStrict, TypeError):  # TypeError: keywords of the wrong type
        return None
    return found if found.get("type") == "object" else None


class _Strict:
    """Rewrites one schema; `root` is where its references point into."""

    def __init__(self, root: Mapping[str, JsonValue], lengths: bool) -> None:
        self._root = root
        self._dropped = _DROPPED if lengths else _DROPPED | _LENGTHS
        self._parts = 0

    def of(self, schema: Any, depth: int) -> dict[str, Any]:
        self._parts += 1
        if not isinstance(schema, dict) or depth > _DEEPEST or self._parts > _MOST_PARTS:
            raise _NotStrict
        given = cast("dict[str, Any]", schema)
        if _REFUSED & given.keys():
            raise _NotStrict
        given = self._merged(given, depth)
        kept = {key: value for key, value in given.items() if key not in self._dropped}
        if kept.get("format", "date") not in _FORMATS:
            del kept["format"]
        for key in ("$defs", "definitions"):
            if key in kept:
                kept[key] = self._each(kept[key], depth)
        if "oneOf" in kept:
            kept["anyOf"] = kept.pop("oneOf")
        if "anyOf" in kept:
            kept["anyOf"] = [self.of(item, depth + 1) for item in kept["anyOf"]]
        if "items" in kept:
            kept["items"] = self.of(kept["items"], depth + 1)
        elif _is(kept, "array"):
            raise _NotStrict  # of anything
        return self._closed(kept, depth) if "properties" in kept or _is(kept, "object") else kept

    def _each(self, named: Any, depth: int) -> dict[str, Any]:
        if not isinstance(named, dict):
            raise _NotStrict
        inner = cast("dict[str, Any]", named)
        return {name: self.of(item, depth + 1) for name, item in inner.items()}

    def _closed(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """An object with these properties, all of them, and no others."""
        properties = self._each(schema.get("properties", {}), depth)
        open_ = schema.get("additionalProperties", not properties)
        if open_ is not False and (open_ is not True or not properties):
            raise _NotStrict
        if not set(schema.get("required", ())) <= properties.keys():
            raise _NotStrict
        named = {"properties": properties, "required": list(properties)}
        return {"type": "object", **schema, **named, "additionalProperties": False}

    def _merged(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Without a reference that has other keywords beside it, and without `allOf` of one."""
        if "allOf" in schema:
            if len(schema["allOf"]) != 1 or not isinstance(schema["allOf"][0], dict):
                raise _NotStrict
            rest = {key: value for key, value in schema.items() if key != "allOf"}
            return self._merged({**schema["allOf"][0], **rest}, depth + 1)
        beside = schema.keys() - self._dropped - {"$ref", "$defs", "definitions"}
        if "$ref" not in schema:
            return schema
        if not beside and not schema.keys() & {"$defs", "definitions"}:
            return {"$ref": schema["$ref"]}
        target = self._target(schema["$ref"])
        if depth > _DEEPEST:
            raise _NotStrict
        if beside == {"description"} and schema["$ref"] in _references(target):
            return {"$ref": schema["$ref"]}  # a tree: written out it would never end
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return self._merged({**target, **rest}, depth + 1)

    def _target(self, reference: Any) -> dict[str, Any]:
        found: Any = self._root
        for step in str(reference).removeprefix("#/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise _NotStrict
            found = cast("dict[str, Any]", found)[name]
        if not isinstance(found, dict):
            raise _NotStrict
        return deepcopy(cast("dict[str, Any]", found))


def _references(schema: Any) -> set[str]:
    """All that a schema refers to."""
    if isinstance(schema, list):
        return {name for item in cast("list[Any]", schema) for name in _references(item)}
    if not isinstance(schema, dict):
        return set()
    given = cast("dict[str, Any]", schema)
    own = {str(given["$ref"])} if "$ref" in given else set[str]()
    return own.union(*(_references(item) for item in given.values()))


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    declared = schema.get("type")
    return kind == declared or (isinstance(declared, list) and kind in declared)
