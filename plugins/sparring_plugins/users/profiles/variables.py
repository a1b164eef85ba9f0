"""The variables of a profile: their selectors, types and values."""

import importlib.util
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.model.space import Variable
from sparring_plugins.users.profiles.date_values import DateMaker
from sparring_plugins.users.profiles.number_ranges import (
    MOST_VALUES,
    float_range,
    int_range,
    sensei_float_range,
    sensei_int_range,
)
from sparring_plugins.users.profiles.profile import Unresolved
from sparring_plugins.users.profiles.profile_source import (
    Part,
    Path_,
    Pending,
    Source,
    ValueRequest,
    listed,
    mapping,
    quoting,
)
from sparring_plugins.users.selectors.notation import Selector, parse_selector, reference_problems

# --- Values from a function of a named Python file

KEYS = ("file", "function_name", "args")


def python_list(source: Source, data: dict[Any, Any]) -> list[Any]:
    """The list that the function returns; raises ValueError saying why there is none."""
    for key in data:
        if key not in KEYS:
            raise ValueError(f"unknown key {shown(key)}.{nearest(str(key), KEYS)}")
    written, name = data.get("file"), data.get("function_name")
    if not isinstance(written, str) or not isinstance(name, str):
        raise ValueError(f"expected the texts file and function_name, found {shown(data)}")
    file = source.find(written, "Python file", within=True)
    if not source.settings.allow_python:
        raise ValueError(
            f"runs {name}() of the Python file {written!r}: set `allow_python: true` below "
            "`agent:` in the suite if you trust it"
        )
    return _call_function(file, name, data.get("args"))


def _call_function(file: Path, name: str, args: Any) -> list[Any]:
    """Import the file on its own and call the function; maps among the arguments are keywords."""
    items = [item for item, _ in listed(args, ())]
    plain = [item for item in items if mapping(item) is None]
    keywords = {str(key): value for item in items for key, value in (mapping(item) or {}).items()}
    try:
        result = getattr(_import_file(file), name)(*plain, **keywords)
    except (Exception, SystemExit) as err:
        raise ValueError(f"{name}() of {file.name} failed: {type(err).__name__}: {err}") from err
    if not isinstance(result, (list, tuple)):
        raise ValueError(f"{name}() must return a list, it returned {shown(result)}")
    return list(result)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _import_file(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"sparring_profile_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for their module there
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[spec.name]
    return module


# --- Values of one variable

Type = Literal["string", "int", "float", "date", "time"]
_TEXTS = ("string", "date", "time")


class ValueReader:
    """Reads the values of one variable, and keeps those that could not be worked out.

    `kind` is the declared type; if it is None, texts and numbers are taken.
    """

    def __init__(self, source: Source, name: str, kind: Type | None) -> None:
        self.source = source
        self.name = name
        self.kind = kind
        self.unresolved: list[Unresolved] = []

    def read(self, data: Any, at: Path_) -> list[JsonValue]:
        """The values; what is wrong with them is noted."""
        errors = len(self.source.problems)
        generated = mapping(data)
        if generated is None:
            values = self._list_values(data, at)
        else:
            try:
                values = self._generate_values(generated, at)
            except ValueError as err:
                self.source.error(str(err), at)
                values = []
        if len(self.source.problems) == errors:
            self._check(values, at)
        return values

    def _check(self, values: list[JsonValue], at: Path_) -> None:
        if not values:
            self.source.error("the list of values is empty", at)
        if len(values) > MOST_VALUES:
            self.source.error(f"has {len(values):,} values; at most {MOST_VALUES:,}", at)
        twice = [value for value, count in Counter(map(repr, values)).items() if count > 1]
        if twice:
            self.source.warn(f"lists the value {twice[0][:60]} more than once", at)

    def _list_values(self, data: Any, at: Path_) -> list[JsonValue]:
        """The values of a list; those for ``any(...)`` come after the others, as in SENSEI."""
        items = listed(data, at)
        values = self._filter_by_type(
            [(item, here) for item, here in items if self._wish(item) is None]
        )
        for item, here in items:
            wish = self._wish(item)
            if wish is not None:
                values += self._wished(item, wish, values, here)
        return values

    def _wish(self, item: Any) -> str | None:
        """What ``any(...)`` asks for; None if the item is a plain value."""
        if not isinstance(item, str):
            return None
        if self.source.compat:  # anywhere in the text, up to the first closing parenthesis
            _, mark, rest = item.partition("any(")
            return rest.partition(")")[0].strip() if mark and ")" in rest else None
        word, mark, rest = item.strip().partition("(")
        return rest[:-1].strip() if word.strip() == "any" and rest.endswith(")") else None

    def _wished(self, item: str, wish: str, others: list[JsonValue], at: Path_) -> list[JsonValue]:
        message = f"{item} needs a model or a word list that knows {wish!r}"
        try:
            words = self._found(wish, others)
        except Pending as err:
            self._unresolved(item, "model", f"{item} has no values yet: {err}", at, warn=False)
            return [item]
        except LookupError as err:
            words, message = None, f"{item} has no values: {err}"
        if words:
            values = self._filter_by_type([(self._convert_word(word), at) for word in words])
            return [value for value in values if value not in others]
        self._unresolved(item, "model", message, at)
        return [item]

    def _found(self, wish: str, listed_values: list[JsonValue]) -> Sequence[str] | None:
        """The values for a wish; raises LookupError with the reason if there are none."""
        words, source = self.source.settings.words, self.source
        if words is None:
            return None
        variable = f"{source.document.file}/{self.name}"
        others = tuple(str(value) for value in listed_values)
        return words(ValueRequest(wish, others, source.language, self.kind, variable))

    def _unresolved(
        self,
        text: str,
        need: Literal["model", "python"],
        message: str,
        at: Path_,
        *,
        warn: bool = True,
    ) -> None:
        if warn:
            self.source.warn(message, at)
        self.unresolved.append(
            Unresolved(variable=self.name, text=text, need=need, message=message)
        )

    def _generate_values(self, data: dict[Any, Any], at: Path_) -> list[JsonValue]:
        if "file" in data or "function_name" in data:
            return self._call_function(data, at)
        if "date" in data:
            if len(data) > 1:
                raise ValueError("date stands alone: put custom dates below it")
            dates = self._dates(at).make(data["date"])
            return self._filter_by_type([(day, at) for day in dates])
        if self.kind in _TEXTS:
            raise ValueError(f"a range is of type int or float, not {self.kind}: {shown(data)}")
        with_float = any(isinstance(value, float) for value in data.values())
        if self.kind == "int" or (self.kind is None and not with_float):
            return list(sensei_int_range(data) if self.source.compat else int_range(data))
        return list(sensei_float_range(data) if self.source.compat else float_range(data))

    def _dates(self, at: Path_) -> DateMaker:
        settings = self.source.settings

        def today() -> date:
            if settings.today is None:
                hint = "set `today` below `agent:` in the suite to repeat it"
                self.source.warn(f"counts from the day of the run, {settings.day}; {hint}", at)
            return settings.day

        stream = f"{settings.seed}/{self.source.path.stem}/{self.name}/dates"
        return DateMaker(today, Random(stream), sensei=self.source.compat)

    def _call_function(self, data: dict[Any, Any], at: Path_) -> list[JsonValue]:
        try:
            result = python_list(self.source, data)
        except ValueError as err:
            if not self.source.settings.keep_unresolved:
                raise
            text = f"{data.get('function_name')}() of {data.get('file')}"
            self._unresolved(text, "python", str(err), at)
            return [text]
        return self._filter_by_type([(item, at) for item in result])

    def _filter_by_type(self, items: list[tuple[Any, Path_]]) -> list[JsonValue]:
        """The values that are of the declared type; others are noted as errors."""
        values: list[JsonValue] = []
        for item, at in items:
            number = isinstance(item, (int, float)) and not isinstance(item, bool)
            if number and not math.isfinite(item):
                self.source.error(f"{shown(item)} is no number to use", at)
            elif self._fits(item, number):
                values.append(cast("JsonValue", item))
            elif (text := self._moment_in_words(item)) is not None:
                values.append(text)
            else:
                what = {"int": "a whole number", "float": "a number"}
                what |= dict.fromkeys(_TEXTS, "text")
                expected = what.get(self.kind or "", "text or a number")
                shown_item = item.isoformat() if isinstance(item, date) else shown(item)
                hint = "" if self.kind in ("int", "float") else quoting(item)
                self.source.error(f"expected {expected}, found {shown_item}{hint}", at)
        return values

    def _moment_in_words(self, item: Any) -> str | None:
        """A day or a time of day that YAML has read as something else than text; else None.

        An unquoted 10:15 is 615 to YAML, and 2027-03-12 a date.
        """
        if self.kind == "date" and isinstance(item, date):
            return item.isoformat()
        is_count = isinstance(item, int) and not isinstance(item, bool)
        if self.kind == "time" and is_count and 0 <= item < _MINUTES_OF_DAY:
            return f"{item // 60:02}:{item % 60:02}"
        return None

    def _fits(self, item: Any, number: bool) -> bool:
        if self.kind == "int":
            return number and isinstance(item, int)
        if self.kind == "float":
            return number
        return isinstance(item, str) or (self.kind is None and number)

    def _convert_word(self, word: str) -> Any:
        """A word as a number if the variable is one; as it is if it cannot be."""
        try:
            if self.kind in ("int", "float"):
                return int(word) if self.kind == "int" else float(word)
            return word
        except ValueError:
            return word


_KEYS = ("function", "selector", "type", "data")
_TYPES: dict[str, Type] = {
    "string": "string",
    "str": "string",
    "int": "int",
    "integer": "int",
    "float": "float",
    "number": "float",
    "text": "string",
    "email": "string",
    "phone": "string",
    "telefono": "string",
    "url": "string",
    "date": "date",
    "time": "time",
}
_SENSEI_TYPES = ("string", "str", "int", "integer", "float")
_MAIN_TYPES = ("string", "int", "float", "date", "time")
_MINUTES_OF_DAY = 24 * 60


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
    if not source.compat:
        variables = _turn_in_order(source, variables, selectors, declared)
    for name, message in reference_problems(selectors):
        source.error(message, _selector_at(declared[name]))
    return tuple(variables), tuple(unresolved)


def _turn_in_order(
    source: Source,
    variables: list[Variable],
    selectors: dict[str, Selector],
    declared: Mapping[str, Part],
) -> list[Variable]:
    """The variables, those that a ``forward(other)`` refers to as ``forward()`` themselves.

    ``forward(price)`` takes its next value when the price has gone through all of its own, so that
    the price goes through them in order, though its author wrote ``another()``.
    """
    referred = {selector.after for selector in selectors.values()}
    for name in [name for name in selectors if name in referred]:
        selector = selectors[name]
        if selector.kind in ("another", "random") and selector.takes_one:
            source.warn(
                f"{selector} moves as forward(), because another variable refers to it",
                _selector_at(declared[name]),
            )
            selectors[name] = Selector("forward")
    return [
        variable.model_copy(update={"selector": str(selectors[variable.name])})
        for variable in variables
    ]


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
    allowed = _SENSEI_TYPES if source.compat else tuple(_TYPES)
    if written is not None and str(written) not in allowed:
        hint = nearest(str(written), _SENSEI_TYPES[::2] if source.compat else _MAIN_TYPES)
        source.error(f"unknown type {shown(written)}.{hint}", (*at, "type"))
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
