"""What is wrong with a model's answer, in words that it can mend it by."""

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from pydantic import JsonValue

from sparring_plugins.prompting.json_text import DEEPEST, NoJson, is_plain, parsed, unfenced, values
from sparring_plugins.prompting.reading import fits, fitting_values, parted, schema_errors

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
    "enum": lambda options: f"must be one of {_join_items(options)}",
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


def complaints(value_or_text: JsonValue, schema: Mapping[str, JsonValue]) -> str:
    """What is wrong with an answer, in a few words for whoever gave it; empty if nothing is.

    A text is what the model wrote; anything else is data. Hardly anything of it is quoted.
    """
    if not isinstance(value_or_text, str):
        return _complaints_on(value_or_text, schema)
    if len(fitting_values(value_or_text, schema)) > 1:
        return "it holds several different answers; give one only"
    text = parted(value_or_text)[1]
    try:
        return _complaints_on(parsed(unfenced(text)), schema)
    except NoJson as err:
        reason = f"it is not JSON: {err}"
    values_in_text = list(values(text))
    if any(fits(value, schema) for value in values_in_text):
        return ""
    return _complaints_on(values_in_text[-1], schema) if values_in_text else reason


def _complaints_on(value: object, schema: Mapping[str, JsonValue]) -> str:
    """What is wrong with plain data, at most five things; empty if nothing is."""
    if not is_plain(value):
        return f"it is nested deeper than {DEEPEST} levels or has a number that is not finite"
    errors = schema_errors(value, schema, _MOST_COMPLAINTS)
    return "; ".join(f"{_place(error.absolute_path)}{_complaint(error)}" for error in errors)


def _complaint(error: Any) -> str:
    keyword, expected, value = error.validator, error.validator_value, error.instance
    if keyword == "required":
        missing = [key for key in expected if key not in value]
        return f"lacks {_join_items(missing)}"
    if keyword == "additionalProperties" and expected is False:
        properties = error.schema.get("properties", {})
        unasked = _join_items(key for key in value if key not in properties)
        return f"has keys that were not asked for: {unasked}"
    if keyword == "anyOf" and all(set(branch) >= {"type"} for branch in expected):
        keyword, expected = "type", [branch["type"] for branch in expected]
    actual = _SAYS.get(keyword)
    words = actual(expected) if actual else f"does not satisfy {keyword} of the schema"
    return f"{words}, not {_TYPES[type(value)]}" if keyword == "type" else words


def _place(path: Iterable[str | int]) -> str:
    """The place in the answer, as ``turns[3].reason: ``; nothing for all of it."""
    place = ""
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        else:
            plain = step.isidentifier() and len(step) <= _LONGEST
            place += f".{step}" if plain else f"[{_short(step)}]"
    return f"{place.removeprefix('.')[:200]}: " if place else ""


def _join_items(items: Any) -> str:
    shown = [_short(item) for item in islice(items, 9)]
    return ", ".join(shown[:8]) + (", ..." if len(shown) > 8 else "")


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
