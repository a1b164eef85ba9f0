"""The variables of a profile: their selectors, types and values."""

import math
import re
from collections.abc import Mapping
from datetime import date
from random import Random
from typing import Any, Literal, cast

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.model.space import Variable
from sparring_plugins.agents.user_simulator.dates import DateMaker
from sparring_plugins.agents.user_simulator.profile import Unresolved
from sparring_plugins.agents.user_simulator.python_lists import python_list
from sparring_plugins.agents.user_simulator.ranges import (
    MOST_VALUES,
    float_range,
    int_range,
    sensei_float_range,
    sensei_int_range,
)
from sparring_plugins.agents.user_simulator.shapes import Part
from sparring_plugins.agents.user_simulator.source import Path_, Source, quoting
from sparring_plugins.strategies.selectors.notation import (
    Selector,
    parse_selector,
    reference_problems,
)

Type = Literal["string", "int", "float"]

_KEYS = ("function", "selector", "type", "data")
_TYPES: dict[str, Type] = {
    "string": "string",
    "str": "string",
    "int": "int",
    "integer": "int",
    "float": "float",
}
_ANY = re.compile(r"\s*any\s*\((.*)\)\s*", re.DOTALL)
_SENSEI_ANY = re.compile(r"any\((.*?)\)")


class VariableReader:
    """Reads the variables of one profile, and remembers what could not be worked out."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.unresolved: list[Unresolved] = []

    def read(self, declared: Mapping[str, Part]) -> tuple[Variable, ...]:
        """All variables, with the references among their selectors checked."""
        variables: list[Variable] = []
        selectors: dict[str, Selector] = {}
        for name, part in declared.items():
            selectors[name] = self._selector(part)
            kind = self._type(part)
            values = self._values(name, kind, part)
            variables.append(
                Variable(
                    name=name,
                    domain=tuple(values),
                    scale="ordinal" if _numeric(values) else "categorical",
                    selector=str(selectors[name]),
                )
            )
        for name, message in reference_problems(selectors):
            self.source.error(message, _selector_at(declared[name]))
        return tuple(variables)

    def _selector(self, part: Part) -> Selector:
        data = _fields(part)
        at = _selector_at(part)
        if "function" in data and "selector" in data:
            self.source.error("says again what function says", (*part.at, "selector"))
        if "selector" in data:
            self.source.spellings.add("selector")
        written = data.get("function") or data.get("selector")
        if written is None or written == "":
            return Selector("default")
        try:
            if not isinstance(written, str):
                raise ValueError(f"expected a selector such as forward(), found {shown(written)}")
            return parse_selector(written)
        except ValueError as err:
            self.source.error(str(err), at)
            return Selector("default")

    def _type(self, part: Part) -> Type | None:
        """The declared type; None where none is given and any plain value is taken."""
        data = _fields(part)
        for key in data:
            if key not in _KEYS:
                known = nearest(str(key), _KEYS)
                self.source.error(f"unknown key.{known}", (*part.at, str(key)))
        written = data.get("type")
        if written is None:
            return None
        if str(written) not in _TYPES:
            known = nearest(str(written), ("string", "int", "float"))
            self.source.error(f"unknown type {shown(written)}.{known}", (*part.at, "type"))
            return None
        return _TYPES[str(written)]

    def _values(self, name: str, kind: Type | None, part: Part) -> list[JsonValue]:
        bare = isinstance(part.value, list)
        data = part.value if bare else _fields(part).get("data")
        at = part.at if bare else (*part.at, "data")
        errors = len(self.source.problems)
        if isinstance(data, list):
            values = self._listed(name, kind, cast("list[Any]", data), at)
        elif isinstance(data, dict):
            values = self._generated(name, kind, cast("dict[Any, Any]", data), at)
        elif data is None:
            self.source.error("has no data: give its values", part.at)
            return []
        else:
            values = self._listed(name, kind, [data], at)
        if not values and len(self.source.problems) == errors:
            self.source.error("the list of values is empty", at)
        if len(values) > MOST_VALUES:
            self.source.error(f"has {len(values):,} values; at most {MOST_VALUES:,}", at)
        return values

    def _listed(self, name: str, kind: Type | None, items: list[Any], at: Path_) -> list[JsonValue]:
        """The values of a list; those for ``any(...)`` come after the others, as in SENSEI."""
        plain = [(n, item) for n, item in enumerate(items) if self._wish(item) is None]
        wishes = [(n, item) for n, item in enumerate(items) if self._wish(item) is not None]
        values = [self._typed(item, kind, (*at, n)) for n, item in plain]
        found = [value for value in values if value is not None]
        for n, item in wishes:
            found += self._wished(name, kind, item, found, (*at, n))
        return found

    def _wish(self, item: Any) -> str | None:
        """What ``any(...)`` asks for; None where the item is a plain value."""
        if not isinstance(item, str):
            return None
        match = _SENSEI_ANY.search(item) if self.source.compat else _ANY.fullmatch(item)
        return None if match is None else match[1].strip()

    def _wished(
        self, name: str, kind: Type | None, item: str, known: list[JsonValue], at: Path_
    ) -> list[JsonValue]:
        wish = self._wish(item) or ""
        words = self.source.settings.words
        found = words(wish, [str(value) for value in known]) if words is not None else None
        if found:
            values = [self._typed(_converted(word, kind), kind, at) for word in found]
            return [value for value in values if value is not None and value not in known]
        message = f"{item} needs a model or a word list that knows {wish!r}"
        self.source.warn(message, at)
        self.unresolved.append(Unresolved(variable=name, text=item, need="model", message=message))
        return [item]

    def _generated(
        self, name: str, kind: Type | None, data: dict[Any, Any], at: Path_
    ) -> list[JsonValue]:
        try:
            if "file" in data:
                return self._called(name, kind, data, at)
            if "date" in data:
                if len(data) > 1:
                    raise ValueError("date stands alone: put custom dates below it")
                dates = self._dates(name, at).make(data["date"])
                return [self._typed(day, kind, at) for day in dates]
            if kind == "string":
                raise ValueError(
                    f"a range is of type int or float, found type string: {shown(data)}"
                )
            ints = kind == "int" or (kind is None and not _has_float(data))
            if self.source.compat:
                return list(sensei_int_range(data) if ints else sensei_float_range(data))
            return list(int_range(data) if ints else float_range(data))
        except ValueError as err:
            self.source.error(str(err), at)
            return []

    def _dates(self, name: str, at: Path_) -> DateMaker:
        settings = self.source.settings

        def today() -> date:
            if settings.today is None:
                self.source.warn(
                    f"counts from the day of the run, {settings.day}; set `today` to repeat it", at
                )
            return settings.day

        stream = f"{settings.seed}/{self.source.path.stem}/{name}/dates"
        return DateMaker(today, Random(stream), sensei=self.source.compat)

    def _called(
        self, name: str, kind: Type | None, data: dict[Any, Any], at: Path_
    ) -> list[JsonValue]:
        result = python_list(self.source, data, at)
        if not isinstance(result, str):
            values = [self._typed(item, kind, at) for item in result]
            return [value for value in values if value is not None]
        if not self.source.settings.keep_unresolved:
            self.source.error(result, at)
            return []
        self.source.warn(result, at)
        text = f"{data.get('function_name')}() of {data.get('file')}"
        self.unresolved.append(Unresolved(variable=name, text=text, need="python", message=result))
        return [text]

    def _typed(self, item: Any, kind: Type | None, at: Path_) -> JsonValue:
        """A value of the declared type; None where it is of another, which is noted."""
        number = isinstance(item, (int, float)) and not isinstance(item, bool)
        if number and not math.isfinite(item):
            self.source.error(f"{shown(item)} is no number to use", at)
            return None
        fits = {
            "string": isinstance(item, str),
            "int": isinstance(item, int) and number,
            "float": number,
            None: isinstance(item, (str, int, float)),
        }[kind]
        if fits:
            return cast("JsonValue", item)
        what = {"string": "text", "int": "a whole number", "float": "a number"}
        expected = what.get(kind or "", "text or a number")
        hint = quoting(item) if kind in ("string", None) else ""
        self.source.error(f"expected {expected}, found {shown(item)}{hint}", at)
        return None


def _fields(part: Part) -> dict[Any, Any]:
    return cast("dict[Any, Any]", part.value) if isinstance(part.value, dict) else {}


def _selector_at(part: Part) -> Path_:
    data = _fields(part)
    key = next((key for key in ("function", "selector") if key in data), None)
    return part.at if key is None else (*part.at, key)


def _numeric(values: list[JsonValue]) -> bool:
    return bool(values) and all(isinstance(value, (int, float)) for value in values)


def _has_float(data: dict[Any, Any]) -> bool:
    return any(isinstance(value, float) for value in data.values())


def _converted(word: str, kind: Type | None) -> Any:
    """A word as a number where the variable is one; as it is where it cannot be."""
    try:
        return int(word) if kind == "int" else float(word) if kind == "float" else word
    except ValueError:
        return word
