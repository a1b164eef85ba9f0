"""Extraction: filling a pydantic class from a page, by plain rules, then by a model for the rest.

`fields_of` lists the values that a class asks for, `assemble` makes plain data of values by path,
and `extract` reads a page.
"""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import PageView
from sparring_plugins.language.candidates import date_spans, day_first, parse_date
from sparring_plugins.language.quantities import first_number
from sparring_plugins.web.driver.cards import Card, Collection, PageStructure, Part
from sparring_plugins.web.driver.schemas import Item, Items
from sparring_plugins.web.driver.strict_reader import LabelledContent
from sparring_plugins.web.grammar.phrases.tokens import find_quotations
from sparring_plugins.web.pages.controls import in_words
from sparring_plugins.web.pages.text_fit import contains
from sparring_plugins.web.roles import (
    DriveTask,
    Extracted,
    PageReading,
    ReadTask,
    ReadValue,
    SchemaT,
    Source,
    WantedValue,
)

# A schema may refer to itself: a comment has replies, which are comments.
_MAX_DEPTH = 4


@dataclass(frozen=True)
class Field:
    """A value of a class: its path, what the page may call it, its type.

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
    """Return all values that a class asks for, including those of its parts and lists."""
    return tuple(_fields(schema, (), required=True))


def _fields(schema: type[BaseModel], above: tuple[str, ...], *, required: bool) -> Iterator[Field]:
    if len(above) > _MAX_DEPTH:
        return
    for name, info in schema.model_fields.items():
        yield from _nested_fields(name, info, above, required=required)


def _nested_fields(
    name: str, info: FieldInfo, above: tuple[str, ...], *, required: bool
) -> Iterator[Field]:
    annotation = _without_none(info.annotation)
    required = required and info.is_required()
    path = (*above, name)
    if get_origin(annotation) in (list, tuple, set, frozenset):
        path = (*path, "*")
        annotation = _without_none(get_args(annotation)[0]) if get_args(annotation) else str
    if _is_model(annotation):
        yield from _fields(cast("type[BaseModel]", annotation), path, required=required)
    else:
        yield _leaf(path, name, info, annotation, required=required)


def _leaf(
    path: tuple[str, ...], name: str, info: FieldInfo, annotation: Any, *, required: bool
) -> Field:
    names = [name.replace("_", " "), info.alias or "", info.title or ""]
    if isinstance(info.validation_alias, str):
        names.append(info.validation_alias)
    wanted = WantedValue(
        path=".".join(path),
        words=tuple(dict.fromkeys(text.strip() for text in names if text.strip())),
        description=info.description or "",
        kind=_kind(annotation),
    )
    # The constraints of a list are about the list, and not about its items.
    if info.metadata and path[-1] != "*":
        annotation = Annotated[(annotation, *info.metadata)]
    return Field(path, wanted, annotation, required)


def _without_none(annotation: Any) -> Any:
    """Return `X` for ``X | None``, and any other type as it is."""
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
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


def convert(field: Field, text: str) -> Any:
    """Return a text of the page in the field's type; raises ValueError if it does not fit.

    An amount counts as its number if the text has exactly one number.
    """
    adapter: TypeAdapter[Any] = TypeAdapter(field.annotation)
    line = " ".join(text.split())
    value: Any = _number(line) if field.wanted.kind == "number" else line
    if field.annotation is date:
        value = _date(line)
    try:
        return adapter.validate_python(value)
    except ValidationError as err:
        raise ValueError(err.errors()[0]["msg"]) from err


def _number(text: str) -> float | int:
    value = first_number(text)
    if value is None:
        raise ValueError(f"'{text[:80]}' has no number")
    if _has_several_numbers(text):
        raise ValueError(f"'{text[:80]}' has several numbers")
    return int(value) if value.is_integer() else value


def _date(text: str) -> date:
    """Return the one day that a text names; its year must be in it."""
    days = {span.text for span in date_spans(text) if re.search(r"\d{4}", span.text)}
    if len(days) != 1:
        raise ValueError(f"'{text[:80]}' names {len(days) or 'no'} days with their years")
    first_day = day_first([text], "English")
    day = parse_date(days.pop(), date(2000, 1, 1), "English", first_day)
    if day is None:
        raise ValueError(f"'{text[:80]}' names no day")
    return day


def _has_several_numbers(text: str) -> bool:
    """Return whether a text has two numbers; a space before three digits may group thousands."""
    words = text.replace("\u00a0", " ").replace("\u202f", " ").split()
    digits = ["".join(c for c in word if c.isdigit()) for word in words]
    return any(len(number) != 3 for number in list(filter(None, digits))[1:])


def assemble(values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Make plain data of values by path; decimal parts of a path are indices of a list."""
    data: dict[str, Any] = {}
    for path, value in values.items():
        node: Any = data
        for key, next_key in pairwise(path):
            node = _child(node, key, next_key)
        if isinstance(node, list):
            cast("list[Any]", node).append(value)
        else:
            node[path[-1]] = value
    return data


def _child(node: Any, key: str, next_key: str) -> Any:
    new: Any = [] if next_key.isdecimal() else {}
    if not isinstance(node, list):
        return node.setdefault(key, new)
    items = cast("list[Any]", node)
    while len(items) <= int(key):
        items.append({})
    return items[int(key)]


Path = tuple[str, ...]


@dataclass
class ExtractedValues:
    """The values of a class that are found so far, by path; `problems` are those of the others."""

    view: PageView
    fields: Mapping[str, Field]
    variables: Mapping[str, str | None]
    values: dict[Path, Any] = field(default_factory=dict[Path, Any])
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    problems: list[str] = field(default_factory=list[str])

    def add(self, reading: Sequence[ReadValue], *, strict: bool) -> None:
        """Add the values that have the type of their field; an earlier value stays."""
        for read_value in map(self._fill_variables, reading):
            field_ = self.fields.get(read_value.path)
            if field_ is None:
                continue
            path = tuple(str(read_value.item) if key == "*" else key for key in field_.path)
            if path in self.values:
                continue
            try:
                self.values[path] = _convert_read_value(field_, read_value, strict=strict)
            except ValueError as err:
                self.problems.append(f"{read_value.path}: {err}")
                continue
            element = self.view.snapshot.element(read_value.element)
            self.sources[".".join(path)] = Source(
                text=read_value.text,
                element=in_words(element) if element else "",
                by=read_value.by,
                strict=strict,
            )

    def _fill_variables(self, read_value: ReadValue) -> ReadValue:
        """Return it with the values of variables, which a view shows by their names."""
        text = _filled(read_value.text, self.variables)
        return read_value.model_copy(update={"text": text})

    def missing(self) -> list[Field]:
        """Return the fields without a value; those of a list if any of its items has none."""
        return [field_ for field_ in self.fields.values() if not self._is_complete(field_)]

    def _is_complete(self, field_: Field) -> bool:
        if not field_.repeated:
            return field_.path in self.values
        star = field_.path.index("*")
        items = {path[star] for path in self.values if path[:star] == field_.path[:star]}
        mine = [
            path
            for path in self.values
            if len(path) > star and (*path[:star], "*", *path[star + 1 :]) == field_.path
        ]
        return bool(items) and len(mine) == len(items)


def _convert_read_value(field_: Field, read_value: ReadValue, *, strict: bool) -> Any:
    """Return the value in the field's type, from the text of the page if that is enough.

    A model's number must be the number that stands there.
    """
    try:
        return convert(field_, read_value.text)
    except ValueError:
        if strict or not isinstance(read_value.value, str) or field_.wanted.kind == "number":
            raise
        return convert(field_, read_value.value)


async def extract(
    task: DriveTask,
    schema: type[SchemaT],
    view: PageView,
    reader: Agent[ReadTask, PageReading, PluginConfig] | None,
) -> Extracted[SchemaT]:
    """Read what `schema` asks for; `reader` is asked for what plain rules leave out.

    `Items` are the cards of the page, whatever they say.
    """
    if schema is Items:
        return cast("Extracted[SchemaT]", read_items(view, task.instruction, task.variables))
    fields = {field_.wanted.path: field_ for field_ in fields_of(schema)}
    values = ExtractedValues(view, fields, task.variables)
    content = LabelledContent.of(view.snapshot, task.instruction)
    values.add(content.read([field_.wanted for field_ in fields.values()]).found, strict=True)
    missing = values.missing()
    reason = ""
    if missing and reader is not None:
        wanted = tuple(field_.wanted for field_ in missing)
        try:
            reading = await reader.act(
                ReadTask(instruction=task.instruction, wanted=wanted, view=view, seed=task.seed)
            )
            values.add(reading.found, strict=False)
            reason = reading.reason
        except AnswerInvalid as err:
            reason = str(err)
    return _build(schema, values, reason)


def _build(schema: type[SchemaT], extracted: ExtractedValues, reason: str) -> Extracted[SchemaT]:
    missing = tuple(field_.wanted.path for field_ in extracted.missing())
    reasons = [*extracted.problems[:5], *([reason] if reason else [])]
    if not extracted.values:
        reason = "; ".join(reasons) or "nothing on the page is called so"
        return Extracted(None, {}, missing, reason)
    values = sorted(extracted.values.items(), key=lambda item: _sort_key(item[0]))
    try:
        instance = schema.model_validate(assemble(dict(values)), by_name=True, by_alias=True)
    except ValidationError as err:
        first = err.errors()[0]
        path = ".".join(str(key) for key in first["loc"])
        reason = "; ".join([f"{path}: {first['msg']}", *reasons])
        return Extracted(None, extracted.sources, missing, reason)
    return Extracted(instance, extracted.sources, missing, "; ".join(reasons))


def read_items(
    view: PageView, instruction: str, variables: Mapping[str, str | None]
) -> Extracted[Items]:
    """Read the cards, articles, rows or sections of a page; of prose the page as one item.

    What the instruction quotes must stand in an item.
    """
    structure = PageStructure(view.snapshot)
    collection = structure.best(instruction)
    quoted = [quotation.text for quotation in find_quotations(instruction)]
    every = collection.cards if collection is not None else (structure.whole(),)
    cards = [c for c in every if c.parts and all(contains(words, c.words) for words in quoted)]
    if not cards:
        return Extracted(None, {}, reason="nothing on the page repeats, and it has no text")
    sources = {
        f"items.{number}.{name}": _source_of(part, view)
        for number, card in enumerate(cards)
        for name, part in _named_parts(card)
    }
    items = Items(items=[_item(card, variables) for card in cards])
    kind = f"{collection.kind}s" if collection is not None else "the page as a whole"
    more = _other_lists(structure, collection)
    return Extracted(items, sources, reason=f"{len(cards)} from {kind}{more}")


def _other_lists(structure: PageStructure, chosen: Collection | None) -> str:
    others = sum(c is not chosen and not c.aside for c in structure.collections)
    return f"; the page also has {others} other lists" if others else ""


def _named_parts(card: Card) -> Iterator[tuple[str, Part]]:
    yield from card.parts.items()
    yield from ((f"values.{label}", part) for label, part in card.labelled.items())


def _source_of(part: Part, view: PageView) -> Source:
    element = view.snapshot.element(part.element)
    return Source(text=part.text, element=in_words(element) if element else "", by=part.by)


def _item(card: Card, variables: Mapping[str, str | None]) -> Item:
    parts = {name: _filled(part.text, variables) for name, part in card.parts.items()}
    values = {label: _filled(part.text, variables) for label, part in card.labelled.items()}
    return Item.model_validate({**parts, "values": values})


def _filled(text: str, variables: Mapping[str, str | None]) -> str:
    """Return a text with the values of variables, which a view shows by their names."""
    for name, value in variables.items():
        text = text if value is None else text.replace(f"%{name}%", value)
    return text


def _sort_key(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Sort items by their numbers, the rest by name."""
    return tuple((0, int(k), "") if k.isdecimal() else (1, 0, k) for k in path)
