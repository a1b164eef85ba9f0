"""The values of one variable: listed, from a range, dates, a Python function, or a wish."""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Any, Literal, cast

from pydantic import JsonValue

from sparring.documents.checking import shown
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
    Path_,
    Pending,
    Source,
    Wish,
    listed,
    mapping,
    quoting,
)
from sparring_plugins.users.profiles.python_values import python_list

Type = Literal["string", "int", "float"]


class ValueReader:
    """Reads the values of one variable, and keeps those that could not be worked out.

    `kind` is the declared type; where it is None, texts and numbers are taken.
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
            values = self._listed(data, at)
        else:
            try:
                values = self._generated(generated, at)
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

    def _listed(self, data: Any, at: Path_) -> list[JsonValue]:
        """The values of a list; those for ``any(...)`` come after the others, as in SENSEI."""
        items = listed(data, at)
        found = self._typed([(item, here) for item, here in items if self._wish(item) is None])
        for item, here in items:
            wish = self._wish(item)
            if wish is not None:
                found += self._wished(item, wish, found, here)
        return found

    def _wish(self, item: Any) -> str | None:
        """What ``any(...)`` asks for; None where the item is a plain value."""
        if not isinstance(item, str):
            return None
        if self.source.compat:  # anywhere in the text, up to the first closing parenthesis
            _, found, rest = item.partition("any(")
            return rest.partition(")")[0].strip() if found and ")" in rest else None
        word, found, rest = item.strip().partition("(")
        return rest[:-1].strip() if word.strip() == "any" and rest.endswith(")") else None

    def _wished(self, item: str, wish: str, known: list[JsonValue], at: Path_) -> list[JsonValue]:
        message = f"{item} needs a model or a word list that knows {wish!r}"
        try:
            found = self._found(wish, known)
        except Pending as err:
            self._unresolved(item, "model", f"{item} has no values yet: {err}", at, warn=False)
            return [item]
        except LookupError as err:
            found, message = None, f"{item} has no values: {err}"
        if found:
            values = self._typed([(self._converted(word), at) for word in found])
            return [value for value in values if value not in known]
        self._unresolved(item, "model", message, at)
        return [item]

    def _found(self, wish: str, known: list[JsonValue]) -> Sequence[str] | None:
        """The values for a wish; raises LookupError with the reason where there are none."""
        words, source = self.source.settings.words, self.source
        if words is None:
            return None
        variable = f"{source.document.file}/{self.name}"
        others = tuple(str(value) for value in known)
        return words(Wish(wish, others, source.language, self.kind, variable))

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

    def _generated(self, data: dict[Any, Any], at: Path_) -> list[JsonValue]:
        if "file" in data or "function_name" in data:
            return self._called(data, at)
        if "date" in data:
            if len(data) > 1:
                raise ValueError("date stands alone: put custom dates below it")
            dates = self._dates(at).make(data["date"])
            return self._typed([(day, at) for day in dates])
        if self.kind == "string":
            raise ValueError(f"a range is of type int or float, not string: {shown(data)}")
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

    def _called(self, data: dict[Any, Any], at: Path_) -> list[JsonValue]:
        try:
            result = python_list(self.source, data)
        except ValueError as err:
            if not self.source.settings.keep_unresolved:
                raise
            text = f"{data.get('function_name')}() of {data.get('file')}"
            self._unresolved(text, "python", str(err), at)
            return [text]
        return self._typed([(item, at) for item in result])

    def _typed(self, items: list[tuple[Any, Path_]]) -> list[JsonValue]:
        """The values that are of the declared type; others are noted as errors."""
        values: list[JsonValue] = []
        for item, at in items:
            number = isinstance(item, (int, float)) and not isinstance(item, bool)
            if number and not math.isfinite(item):
                self.source.error(f"{shown(item)} is no number to use", at)
            elif self._fits(item, number):
                values.append(cast("JsonValue", item))
            else:
                what = {"string": "text", "int": "a whole number", "float": "a number"}
                expected = what.get(self.kind or "", "text or a number")
                shown_item = item.isoformat() if isinstance(item, date) else shown(item)
                hint = "" if self.kind in ("int", "float") else quoting(item)
                self.source.error(f"expected {expected}, found {shown_item}{hint}", at)
        return values

    def _fits(self, item: Any, number: bool) -> bool:
        if self.kind == "int":
            return number and isinstance(item, int)
        if self.kind == "float":
            return number
        return isinstance(item, str) or (self.kind is None and number)

    def _converted(self, word: str) -> Any:
        """A word as a number where the variable is one; as it is where it cannot be."""
        try:
            return int(word) if self.kind == "int" else float(word) if self.kind else word
        except ValueError:
            return word
