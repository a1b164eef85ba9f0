"""Filling a pydantic class from a page: by plain rules, then by a model for what they leave out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from sparring.errors import AnswerInvalid
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.model.page import PageView
from sparring_plugins.web.driver.strict_reader import Pieces, quoted_words
from sparring_plugins.web.driver.wanted_fields import Field, assembled, fields_of, typed
from sparring_plugins.web.pages.control_kinds import in_words
from sparring_plugins.web.roles.driver import (
    DriveTask,
    Extracted,
    PageReading,
    ReadTask,
    ReadValue,
    SchemaT,
    Source,
)

Path = tuple[str, ...]


@dataclass
class Values:
    """The values found so far, by the path of each."""

    view: PageView
    fields: Mapping[str, Field]
    variables: Mapping[str, str | None]
    found: dict[Path, Any] = field(default_factory=dict[Path, Any])
    sources: dict[str, Source] = field(default_factory=dict[str, Source])
    wrong: list[str] = field(default_factory=list[str])

    def take(self, reading: Sequence[ReadValue], *, strict: bool) -> None:
        """Keep what has the type of its field; an earlier value stays."""
        for shown in reading:
            one = self._filled(shown)
            field_ = self.fields.get(one.path)
            if field_ is None:
                continue
            path = tuple(str(one.item) if key == "*" else key for key in field_.path)
            if path in self.found:
                continue
            try:
                self.found[path] = _value(field_, one, strict=strict)
            except ValueError as err:
                self.wrong.append(f"{one.path}: {err}")
                continue
            element = self.view.snapshot.element(one.element)
            self.sources[".".join(path)] = Source(
                text=one.text,
                element=in_words(element) if element else "",
                by=one.by,
                strict=strict,
            )

    def _filled(self, one: ReadValue) -> ReadValue:
        """What was read with the values of variables, which a view shows by their names."""
        text = one.text
        for name, value in self.variables.items():
            text = text if value is None else text.replace(f"%{name}%", value)
        return one.model_copy(update={"text": text})

    def lacking(self) -> list[Field]:
        """The fields without a value; of a list, all as soon as one item lacks what it needs."""
        lists = {path[: _star(one)] for one in self.fields.values() for path in self._items(one)}
        lacking: list[Field] = []
        for one in self.fields.values():
            if not one.repeated:
                lacking += [one] if one.path not in self.found else []
            elif one.path[: _star(one)] not in lists or not self._complete(one):
                lacking.append(one)
        return lacking

    def _items(self, field_: Field) -> list[Path]:
        if not field_.repeated:
            return []
        star = _star(field_)
        return [path for path in self.found if path[:star] == field_.path[:star]]

    def _complete(self, field_: Field) -> bool:
        star = _star(field_)
        count = len({path[star] for path in self._items(field_)})
        mine = sum(1 for path in self.found if _pattern(path, star) == field_.path)
        return mine == count


def _star(field_: Field) -> int:
    return field_.path.index("*")


def _pattern(path: Path, star: int) -> Path:
    return (*path[:star], "*", *path[star + 1 :]) if len(path) > star else path


def _value(field_: Field, one: ReadValue, *, strict: bool) -> Any:
    """The value in the field's type: from the text of the page, where that will do.

    What a model makes of a number must be the number that stands there.
    """
    try:
        return typed(field_, one.text)
    except ValueError:
        if strict or not isinstance(one.value, str) or field_.wanted.kind == "number":
            raise
        return typed(field_, one.value)


async def extracted(
    asked: DriveTask,
    schema: type[SchemaT],
    view: PageView,
    reader: Agent[ReadTask, PageReading, PluginConfig] | None,
) -> Extracted[SchemaT]:
    """Read what `schema` asks for."""
    instruction = asked.instruction
    fields = {one.wanted.path: one for one in fields_of(schema)}
    values = Values(view, fields, asked.variables)
    pieces = Pieces(view.snapshot, quoted_words(instruction))
    values.take(pieces.read([one.wanted for one in fields.values()]).found, strict=True)
    lacking = values.lacking()
    reason = ""
    if lacking and reader is not None:
        wanted = tuple(one.wanted for one in lacking)
        try:
            task = ReadTask(instruction=instruction, wanted=wanted, view=view, seed=asked.seed)
            reading = await reader.act(task)
            values.take(reading.found, strict=False)
            reason = reading.reason
        except AnswerInvalid as err:
            reason = str(err)
    return _made(schema, values, reason)


def _made(schema: type[SchemaT], values: Values, reason: str) -> Extracted[SchemaT]:
    missing = tuple(one.wanted.path for one in values.lacking())
    told = "; ".join([*values.wrong[:5], *([reason] if reason else [])])
    if not values.found:
        why = told or "nothing on the page is called so"
        return Extracted(None, {}, missing, why)
    data = assembled(dict(sorted(values.found.items(), key=lambda one: _order(one[0]))))
    try:
        made = schema.model_validate(data, by_name=True, by_alias=True)
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(key) for key in first["loc"])
        why = "; ".join([one for one in (f"{where}: {first['msg']}", told) if one])
        return Extracted(None, values.sources, missing, why)
    return Extracted(made, values.sources, missing, told)


def _order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Items by their numbers, the rest by name."""
    return tuple((0, int(k), "") if k.isdecimal() else (1, 0, k) for k in path)
