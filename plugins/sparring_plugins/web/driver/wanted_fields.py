"""What a pydantic class asks for, as values to look for on a page, and the class made of them."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sparring_plugins.language.first_number import first_number
from sparring_plugins.web.roles.driver import WantedValue

_DEEPEST = 4


@dataclass(frozen=True)
class Field:
    """A value of a class: where it belongs, what it may be called, what type it has.

    In a list, `path` has ``*`` for the item's number.
    """

    path: tuple[str, ...]
    wanted: WantedValue
    annotation: Any
    required: bool

    @property
    def repeated(self) -> bool:
        """Whether it belongs to the items of a list."""
        return "*" in self.path


def fields_of(schema: type[BaseModel]) -> tuple[Field, ...]:
    """All values that a class asks for, those in it and in its lists included."""
    return tuple(_fields(schema, (), required=True))


def _fields(schema: type[BaseModel], above: tuple[str, ...], *, required: bool) -> Iterator[Field]:
    if len(above) > _DEEPEST:
        return
    for name, info in schema.model_fields.items():
        yield from _of_field(name, info, above, required=required)


def _of_field(
    name: str, info: FieldInfo, above: tuple[str, ...], *, required: bool
) -> Iterator[Field]:
    kind = without_none(info.annotation)
    needed = required and info.is_required()
    path = (*above, name)
    if _is_model(kind):
        yield from _fields(kind, path, required=needed)
        return
    if get_origin(kind) in (list, tuple, set, frozenset):
        item: Any = without_none(get_args(kind)[0]) if get_args(kind) else str
        if _is_model(item):
            yield from _fields(item, (*path, "*"), required=needed)
            return
        yield _leaf((*path, "*"), name, info, item, required=needed)
        return
    yield _leaf(path, name, info, kind, required=needed)


def _leaf(
    path: tuple[str, ...], name: str, info: FieldInfo, annotation: Any, *, required: bool
) -> Field:
    called = [name.replace("_", " "), info.alias or "", info.title or ""]
    if isinstance(info.validation_alias, str):
        called.append(info.validation_alias)
    wanted = WantedValue(
        path=".".join(path),
        words=tuple(dict.fromkeys(word.strip() for word in called if word.strip())),
        description=info.description or "",
        kind=_kind(annotation),
    )
    typed = Annotated[(annotation, *info.metadata)] if info.metadata and "*" not in path[-1:] else (
        annotation
    )  # fmt: skip
    return Field(path, wanted, typed, required)


def without_none(annotation: Any) -> Any:
    """A type without its None, where it has one."""
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [one for one in get_args(annotation) if one is not type(None)]
        return kinds[0] if len(kinds) == 1 else annotation
    return annotation


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _kind(annotation: Any) -> Literal["text", "number", "yes/no", "other"]:
    from decimal import Decimal

    if annotation is bool:
        return "yes/no"
    if annotation in (int, float, Decimal):
        return "number"
    return "text" if annotation in (str, Any) else "other"


def typed(field: Field, text: str) -> Any:
    """A text of the page in the field's type; raises ValueError where it has none.

    An amount counts as its number, where the text has one number and no more.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(field.annotation)
    shown = " ".join(text.split())
    if field.wanted.kind == "text":
        return _checked(adapter, shown)
    if field.wanted.kind == "number":
        return _checked(adapter, _number(shown))
    return _checked(adapter, shown)


def _checked(adapter: TypeAdapter[Any], value: Any) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError as err:
        raise ValueError(err.errors()[0]["msg"]) from err


def _number(text: str) -> float | int:
    value = first_number(text)
    if value is None:
        raise ValueError(f"'{text[:80]}' has no number")
    if _several(text):
        raise ValueError(f"'{text[:80]}' has several numbers")
    return int(value) if value.is_integer() else value


def _several(text: str) -> bool:
    """Whether there is another number in a text, one after a blank that groups no thousands."""
    runs: list[str] = []
    for word in text.replace("\u00a0", " ").replace("\u202f", " ").split():
        if any(sign.isdigit() for sign in word):
            runs.append(word)
    if len(runs) < 2:
        return False
    digits = ["".join(s for s in run if s.isdigit()) for run in runs]
    return not all(len(run) == 3 for run in digits[1:])


def assembled(values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Plain data of values by path, whose parts may be numbers of items."""
    data: dict[str, Any] = {}
    for path, value in values.items():
        here: Any = data
        for number, key in enumerate(path[:-1]):
            following = path[number + 1]
            here = _child(here, key, following)
        if isinstance(here, list):
            cast("list[Any]", here).append(value)
        else:
            here[path[-1]] = value
    return data


def _child(here: Any, key: str, following: str) -> Any:
    new: Any = [] if following.isdecimal() else {}
    if not isinstance(here, list):
        return here.setdefault(key, new)
    items = cast("list[Any]", here)
    while len(items) <= int(key):
        items.append({})
    return items[int(key)]
