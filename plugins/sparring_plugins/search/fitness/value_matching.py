"""How near a value of an item is to what is wanted, feature by feature (STELLAR's f2)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    model_validator,
)
from pydantic_core import CoreSchema

from sparring.documents.checking import nearest
from sparring.errors import Problem
from sparring_plugins.search.fitness.paths import PathText, compiled
from sparring_plugins.search.fitness.plain_text import plain_value

_LEFT_OUT = (None, "none")

Match = Literal["exact", "any", "ordinal", "number", "at-least", "at-most", "text"]
Alike = Callable[[str, str], float]


class FieldConfig(BaseModel):
    """Where a feature stands in an item, and how near two of its values are.

    A text alone is its `path`. `values` says what values of the feature are called in items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: PathText | None = Field(
        default=None, description="where it is in an item; else under the feature's name"
    )
    match: Match | None = Field(
        default=None,
        description="exact: equal or not; any: one of a list is equal; ordinal: by places in"
        " `order`; number, at-least, at-most: by distance within `range`; text: by likeness."
        " Left out: ordinal with `order`, number with `range`, else exact",
    )
    order: tuple[JsonValue, ...] = Field(default=(), description="all values, in their order")
    range: tuple[float, float] | None = Field(
        default=None, description="the least and the greatest number"
    )
    values: dict[str, JsonValue] = Field(
        default={}, description="what values of the feature are called in items"
    )
    weight: float = Field(default=1.0, ge=0, description="how much it counts")
    understood: PathText | None = Field(
        default=None, description="where it is in what the app understood; else as in an item"
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """A text alone, or the keys."""
        return {"anyOf": [{"type": "string"}, handler(core_schema)]}

    @model_validator(mode="after")
    def _complete(self) -> "FieldConfig":
        how = self.how
        if how == "ordinal" and len(self.order) < 2:
            raise ValueError("`match: ordinal` needs `order`, with two values at least")
        if how in ("number", "at-least", "at-most"):
            if self.range is None:
                raise ValueError(f"`match: {how}` needs `range`, as [1, 5]")
            if not self.range[0] < self.range[1]:
                raise ValueError("`range` is the least number and then the greatest")
        return self

    @property
    def how(self) -> Match:
        """The way of comparing."""
        if self.match is not None:
            return self.match
        return "ordinal" if self.order else "exact" if self.range is None else "number"


class FieldMatch:
    """Compares values of one feature with those of items."""

    def __init__(self, name: str, config: FieldConfig, alike: Alike) -> None:
        self.name = name
        self.config = config
        self._path = compiled(config.path or name)
        self._understood = compiled(config.understood or config.path or name)
        self._alike = alike
        self._names = {plain_value(key): plain_value(to) for key, to in config.values.items()}
        self._places = {_key(plain_value(one)): at for at, one in enumerate(config.order)}

    def wanted(self, value: JsonValue) -> JsonValue:
        """A value of the feature as items have it."""
        plain = plain_value(value)
        key = str(plain).casefold() if not isinstance(plain, str) else plain
        return self._names.get(key, plain)

    def misfits(self, domain: Sequence[JsonValue]) -> Iterator[Problem]:
        """Values that its settings name, and the feature does not take, or the other way round."""
        key = f"fields.{self.name}"
        plain = [plain_value(value) for value in domain]
        taken = {value if isinstance(value, str) else str(value).casefold() for value in plain}
        for named in self.config.values:
            if plain_value(named) not in taken:
                told = f"{self.name} has no value {named!r}.{nearest(named, sorted(taken))}"
                yield Problem(told, key=f"{key}.values.{named}")
        if self.config.how != "ordinal":
            return
        given = [value for value in domain if value not in _LEFT_OUT]
        lost = [str(one) for one in map(self.wanted, given) if _key(one) not in self._places]
        if len(lost) > (len(given) == len(domain)):  # one may be how it is left out
            order = ", ".join(str(value) for value in self.config.order)
            told = f"has no place for {', '.join(lost)} of {self.name}: {order}"
            yield Problem(told, key=f"{key}.order")

    def of(self, item: Any) -> list[JsonValue]:
        """The values of an item; none where it says nothing."""
        return _flat(self._path.find(item))

    def of_understood(self, understood: Any) -> list[JsonValue]:
        """The values that the app says it understood."""
        return _flat(self._understood.find(understood))

    def nearness(self, wanted: JsonValue, given: list[JsonValue]) -> float:
        """1 for what is wanted, 0 for something quite different or nothing."""
        if self.config.how != "any":
            given = given[:1]
        return max((self._near(wanted, one) for one in given), default=0.0)

    def _near(self, wanted: JsonValue, given: JsonValue) -> float:
        match self.config.how:
            case "exact" | "any":
                return float(_same(wanted, given))
            case "text":
                return self._alike(str(wanted), str(given)) if isinstance(given, str) else 0.0
            case "ordinal":
                one, other = self._places.get(_key(wanted)), self._places.get(_key(given))
                if one is None or other is None:
                    return float(_same(wanted, given))
                return 1 - abs(one - other) / (len(self._places) - 1)
            case how:
                return self._by_distance(how, _number(wanted), _number(given))

    def _by_distance(self, how: str, wanted: float | None, given: float | None) -> float:
        if wanted is None or given is None:
            return 0.0
        enough = (how == "at-least" and given >= wanted) or (how == "at-most" and given <= wanted)
        least, greatest = self.config.range or (0.0, 1.0)
        return 1.0 if enough else max(0.0, 1 - abs(wanted - given) / (greatest - least))


def _flat(values: list[Any]) -> list[JsonValue]:
    found: list[JsonValue] = []
    for one in values:
        found += cast("list[JsonValue]", one) if isinstance(one, list) else [one]
    return [plain_value(one) for one in found if one is not None]


def _same(one: JsonValue, other: JsonValue) -> bool:
    return bool(_key(one) == _key(other))


def _key(value: JsonValue) -> Any:
    """A value that can be a key; a number is equal to its text, true is not 1."""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, (int, float)):
        return f"{value:g}"
    return value if isinstance(value, str) else str(value)


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if number == number and abs(number) != float("inf") else None
