"""What `extract` may be asked for: a pydantic class, a list of one, a JSON Schema, or nothing.

Everything is read as a pydantic class; `WantedClass.of` makes one of each form, and `plain` turns
its instance back into what was asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, cast, get_args, get_origin

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel, ConfigDict, Field, create_model

from sparring.errors import ConfigurationError

_MAX_DEPTH = 6
_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}


class Item(BaseModel):
    """One of several alike parts of a page, or the page itself if it is prose.

    Values are as the page shows them; what a card says twice in different ways is left out.
    `values` are those with a label of their own (``Author: Ada``), and the cells of a table's row.
    """

    model_config = ConfigDict(frozen=True)

    title: str | None = None
    text: str | None = None
    price: str | None = None
    date: str | None = None
    link: str | None = None
    image: str | None = None
    values: dict[str, str] = {}


class Items(BaseModel):
    """What is read if nobody says what is wanted: the cards, articles or rows of a page."""

    items: list[Item]


@dataclass(frozen=True)
class WantedClass:
    """A class to be read, and what makes the asked-for form of its instance."""

    schema: type[BaseModel]
    plain: Callable[[Any], Any]

    @classmethod
    def of(cls, wanted: Any) -> "WantedClass":
        """Return the class for a schema; raises ConfigurationError for one that is none."""
        if wanted is None:
            return cls(Items, lambda value: value.items)
        if isinstance(wanted, type) and issubclass(wanted, BaseModel):
            return cls(wanted, lambda value: value)
        listed = get_args(wanted)[0] if get_origin(wanted) is list else None
        if isinstance(listed, type) and issubclass(listed, BaseModel):
            held: Any = create_model("Listed", items=(_list_of(listed), ...))
            return cls(held, lambda value: value.items)
        if isinstance(wanted, Mapping) and wanted:
            return _of_json(cast("Mapping[str, Any]", wanted))
        raise ConfigurationError(
            "extract takes a pydantic class that says what is wanted, a list of one "
            "(list[Product]), or a JSON Schema as a dict; without any it reads cards and articles"
        )


def _of_json(schema: Mapping[str, Any]) -> WantedClass:
    """Return a class for a JSON Schema of an object, or of an array of objects."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as err:
        raise ConfigurationError(f"this is no JSON Schema: {err.message}") from None
    reader = _JsonSchema(schema)
    if _type_of(reader.resolved(schema)) == "array":
        wrapped = {"type": "object", "properties": {"items": dict(schema)}, "required": ["items"]}
        made = reader.object(wrapped, "", 0)
        return WantedClass(made, lambda value: _checked(_dump(value)["items"], schema))
    made = reader.object(schema, "", 0)
    return WantedClass(made, lambda value: _checked(_dump(value), schema))


def _list_of(kind: Any) -> Any:
    return list[kind]


def _dump(value: BaseModel) -> dict[str, Any]:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _checked(data: Any, schema: Mapping[str, Any]) -> Any:
    """Return data that satisfies the schema; raises ValueError with the first violation."""
    validator: Any = Draft202012Validator(schema)
    for error in validator.iter_errors(data):
        raise ValueError(f"{'.'.join(map(str, error.path)) or 'the whole'}: {error.message}")
    return data


@dataclass(frozen=True)
class _JsonSchema:
    """Makes classes of a schema's parts; `root` is what its references start from."""

    root: Mapping[str, Any]

    def object(self, schema: Mapping[str, Any], path: str, depth: int) -> type[BaseModel]:
        schema = self.resolved(schema)
        properties = schema.get("properties")
        if _type_of(schema) not in ("object", None) or not isinstance(properties, Mapping):
            raise ConfigurationError(
                f"{path or 'the JSON Schema'}: extract reads an object with `properties`, or an "
                f"array of such objects, not {_type_of(schema) or 'a schema without a type'}"
            )
        if depth > _MAX_DEPTH:
            raise ConfigurationError(f"{path}: at most {_MAX_DEPTH} objects can be nested")
        required: Sequence[str] = schema.get("required") or ()
        fields: dict[str, Any] = {}
        for number, (name, inner) in enumerate(cast("Mapping[str, Any]", properties).items()):
            # `json` is a method of every class, and names with an underscore are private.
            is_free = not (name.startswith("_") or hasattr(BaseModel, name))
            kind, about = self.type(inner, f"{path}.{name}".strip("."), depth)
            is_needed = name in required
            fields[name if is_free else f"field{number}"] = (
                kind if is_needed else kind | None,
                Field(
                    *(() if is_needed else (None,)),
                    alias=name,
                    description=str(about.get("description") or "") or None,
                ),
            )
        config = ConfigDict(populate_by_name=True)
        made: type[BaseModel] = create_model("FromSchema", __config__=config, **fields)
        return made

    def type(self, schema: Any, path: str, depth: int) -> tuple[Any, Mapping[str, Any]]:
        """Return the Python type of a property, and its schema without references."""
        if schema is True or schema == {}:
            return str, {}
        resolved = self.resolved(schema)
        if "enum" in resolved:
            return Literal[tuple(v for v in resolved["enum"] if v is not None)], resolved
        kind = _type_of(resolved)
        if kind == "object":
            return self.object(resolved, path, depth + 1), resolved
        if kind == "array":
            inner, _ = self.type(resolved.get("items", {}), f"{path}.*", depth + 1)
            return _list_of(inner), resolved
        if kind == "string" and resolved.get("format") == "date":
            return date, resolved
        if kind is not None and kind in _TYPES:
            return _TYPES[kind], resolved
        raise ConfigurationError(
            f"{path}: extract knows the types object, array, string, number, integer and boolean, "
            f"not {kind or 'a schema without a type'}"
        )

    def resolved(self, schema: Any) -> Mapping[str, Any]:
        """Return a schema with its local reference followed, and without the choice of null."""
        for _ in range(_MAX_DEPTH):
            if "$ref" in schema:
                schema = self._at(str(schema["$ref"]))
            elif len(choices := _without_null(schema)) == 1:
                schema = choices[0]
            else:
                return cast("Mapping[str, Any]", schema)
        raise ConfigurationError("the references of the JSON Schema go in a circle")

    def _at(self, reference: str) -> Any:
        place: Any = self.root
        for key in reference.removeprefix("#").strip("/").split("/"):
            is_map = isinstance(place, Mapping)
            place = cast("Mapping[str, Any]", place).get(key) if is_map else None
        if not reference.startswith("#") or not isinstance(place, Mapping):
            raise ConfigurationError(f"{reference}: there is no such part in the JSON Schema")
        return cast("Any", place)


def _without_null(schema: Mapping[str, Any]) -> list[Any]:
    choices: list[Any] = schema.get("anyOf") or schema.get("oneOf") or []
    return [choice for choice in choices if choice.get("type") != "null"]


def _type_of(schema: Mapping[str, Any]) -> str | None:
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [k for k in cast("list[str]", kind) if k != "null"]
        return kinds[0] if len(kinds) == 1 else None
    return kind
