"""Whether an answer satisfies its JSON Schema, and in words why not."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from pydantic import JsonValue

from sparring.errors import ModelError
from sparring.llm.json_text import DEEPEST, is_plain

_MOST_COMPLAINTS = 5
_LONGEST = 80

_TYPES = {
    dict: "an object",
    list: "an array",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}

_SAYS: dict[str, Callable[[Any], str]] = {
    "type": lambda kinds: (
        f"must be of type {kinds if isinstance(kinds, str) else ' or '.join(kinds)}"
    ),
    "enum": lambda options: f"must be one of {_listed(options)}",
    "const": lambda value: f"must be {_short(value)}",
    "minimum": lambda least: f"must be at least {least}",
    "maximum": lambda most: f"must be at most {most}",
    "exclusiveMinimum": lambda bound: f"must be more than {bound}",
    "exclusiveMaximum": lambda bound: f"must be less than {bound}",
    "minLength": lambda least: f"must have at least {least} characters",
    "maxLength": lambda most: f"must have at most {most} characters",
    "minItems": lambda least: f"must have at least {least} items",
    "maxItems": lambda most: f"must have at most {most} items",
    "uniqueItems": lambda _: "has an item twice",
    "pattern": lambda pattern: f"does not match the pattern {_short(pattern)}",
}


def fits(value: object, schema: Mapping[str, JsonValue]) -> bool:
    """Whether plain data satisfies a schema (draft 2020-12); ModelError where it is no schema."""
    return is_plain(value) and not _complaints(value, schema, 1)


def complaints_on(value: object, schema: Mapping[str, JsonValue]) -> str:
    """What is wrong with plain data, in words, at most five things; empty if nothing is."""
    if not is_plain(value):
        return f"it is nested deeper than {DEEPEST} levels or has a number that is not finite"
    return "; ".join(_complaints(value, schema, _MOST_COMPLAINTS))


def _complaints(value: object, schema: Mapping[str, JsonValue], most: int) -> list[str]:
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    name = _short(schema.get("title", "of the answer"))
    try:
        errors = _validator(json.dumps(schema)).iter_errors(value)
        return [f"{_place(error.absolute_path)}{_said(error)}" for error in islice(errors, most)]
    except SchemaError as err:
        raise ModelError(f"the schema {name} is not a JSON Schema: {err.message[:200]}") from err
    except Unresolvable as err:
        raise ModelError(f"the schema {name} refers to what it does not hold: {err}") from err
    except RecursionError as err:
        raise ModelError(f"the schema {name} never ends") from err


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    """A validator that never fetches anything, not even what the schema refers to."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    data = json.loads(schema)
    Draft202012Validator.check_schema(data)
    return Draft202012Validator(data, registry=Registry())


def _said(error: Any) -> str:
    keyword, wanted, value = error.validator, error.validator_value, error.instance
    if keyword == "required":
        missing = [key for key in wanted if key not in value]
        return f"lacks {_listed(missing)}"
    if keyword == "additionalProperties" and wanted is False:
        known = error.schema.get("properties", {})
        return (
            f"has keys that were not asked for: {_listed(key for key in value if key not in known)}"
        )
    if keyword == "anyOf" and all(set(branch) >= {"type"} for branch in wanted):
        keyword, wanted = "type", [branch["type"] for branch in wanted]
    said = _SAYS.get(keyword)
    words = said(wanted) if said else f"does not satisfy {keyword} of the schema"
    return f"{words}, not {_TYPES[type(value)]}" if keyword == "type" else words


def _place(path: Iterable[str | int]) -> str:
    """Where in the answer, as ``turns[3].reason: ``; nothing for all of it."""
    place = ""
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        else:
            plain = step.isidentifier() and len(step) <= _LONGEST
            place += f".{step}" if plain else f"[{_short(step)}]"
    return f"{place.removeprefix('.')[:200]}: " if place else ""


def _listed(items: Any) -> str:
    shown = [_short(item) for item in islice(items, 9)]
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
