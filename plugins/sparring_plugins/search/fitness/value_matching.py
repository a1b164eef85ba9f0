"""How near a value of an item is to what is wanted, feature by feature (STELLAR's f2).

Values are found by paths such as ``$.items[*].price`` and compared regardless of case, accents and
endings; texts are compared by meaning, or by words if the model is not installed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    JsonValue,
    model_validator,
)
from pydantic_core import CoreSchema

from sparring.documents.checking import nearest
from sparring.errors import MissingExtra, Problem
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.language.similarity import NoWords, tf_idf

_STEP = re.compile(r"\.?([\w-]+)|\[(\*|\d{1,6})\]|\['([^'\]]{1,200})'\]")
MOST = 10_000
"""The largest number of values that one path finds."""

_TOLD_AFTER = 30
"""The number of answers without a match after which a path is reported."""


@dataclass(frozen=True, slots=True)
class PayloadPath:
    """A parsed path: names, indices, and None for every item of a list."""

    steps: tuple[str | int | None, ...]

    def find(self, data: Any) -> list[Any]:
        """Return every value at the path, in order, without nulls."""
        values = [data]
        for step in self.steps:
            values = [inner for value in values for inner in _inner(value, step)][:MOST]
        return [value for value in values if value is not None]

    def first(self, data: Any) -> Any:
        """Return the first value at the path; None if there is none."""
        values = self.find(data)
        return values[0] if values else None


def _inner(value: Any, step: str | int | None) -> list[Any]:
    if isinstance(step, str):
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        return [fields[step]] if step in fields else []
    if not isinstance(value, list):
        return []
    items = cast("list[Any]", value)
    return items[:MOST] if step is None else items[step : step + 1]


@lru_cache(maxsize=256)
def parse_path(path: str) -> PayloadPath:
    """Parse a path; raises ValueError with an example of a path."""
    text = path.strip().removeprefix("$")
    steps: list[str | int | None] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise ValueError(
                f"{path!r} is not a path: write for example $.items[*].price, or intent"
            )
        name, index, quoted = match.groups()
        steps.append(name or quoted if index is None else None if index == "*" else int(index))
        at = match.end()
    return PayloadPath(tuple(steps))


def _check_path(path: str) -> str:
    parse_path(path)
    return path


PathText = Annotated[str, Field(max_length=300), AfterValidator(_check_path)]
"""A path in a part's settings."""


@dataclass
class PathWatch:
    """Counts how often each path matched nothing, and reports those that never match."""

    tell: Callable[[str], None]
    missed: Counter[str] = field(default_factory=Counter[str])
    met: set[str] = field(default_factory=set[str])

    def note(self, path: str, *, found: bool) -> None:
        """Count a look along a path, which is named as people will see it."""
        if found:
            self.met.add(path)
        elif path not in self.met:
            self.missed[path] += 1
            if self.missed[path] == _TOLD_AFTER:
                self.tell(
                    f"fitness: {path} found nothing in {_TOLD_AFTER} answers; is the path right?"
                )


LOOKED_AT = 20_000
"""The number of characters of an answer that are looked at."""

LONGEST_VALUE = 500
"""The number of characters of a value that are compared."""

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
# "4.5", "l'hotel" and "wi-fi" are one word each.
_WORD = re.compile(r"[^\W_]+(?:[.'\u2019-][^\W_]+)*")


def fold(text: str) -> str:
    """Return a text in lower case without accents, with single blanks."""
    flat = unicodedata.normalize("NFKD", text[:LOOKED_AT].casefold())
    return " ".join("".join(c for c in flat if not unicodedata.combining(c)).split())


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part.strip() for part in _SENTENCE.split(text[:LOOKED_AT]) if part.strip()]


def names_one_of(text: str, phrases: Iterable[str]) -> bool:
    """Whether a folded text contains one of some phrases, in the singular or plural."""
    return any(_pattern(phrase).search(text) for phrase in phrases if phrase.strip())


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    # "bakery" is named by "two cheap BAKERIES" but not by "a bakeryman"
    flat = re.escape(fold(phrase))
    stem = flat[:-1] + "(?:y|ies)" if flat.endswith("y") else flat
    return re.compile(rf"(?<!\w){stem}(?:s|es)?(?!\w)")


def plain_value(value: JsonValue) -> JsonValue:
    """Return a value as it is compared: folded text with blanks for underscores, whole numbers."""
    if isinstance(value, str):
        return fold(value[:LONGEST_VALUE].replace("_", " "))
    # an item with 4 stars has the rating 4.0
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


_LEFT_OUT = (None, "none")

Match = Literal["exact", "any", "ordinal", "number", "at-least", "at-most", "text"]
TextSimilarity = Callable[[str, str], float]


class FieldConfig(PluginConfig):
    """The place of a feature in an item, and how two of its values are compared.

    A text alone is its `path`. `values` maps values of the feature to their names in items.
    """

    path: PathText | None = Field(
        default=None, description="where it is in an item; else under the feature's name"
    )
    match: Match | None = Field(
        default=None,
        description="exact: equal or not; any: one of a list is equal; ordinal: by places in"
        " `order`; number, at-least, at-most: by distance within `range`; text: by similarity."
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

    def __init__(self, name: str, config: FieldConfig, alike: TextSimilarity) -> None:
        self.name = name
        self.config = config
        self._path = parse_path(config.path or name)
        self._understood = parse_path(config.understood or config.path or name)
        self._alike = alike
        self._names = {plain_value(key): plain_value(to) for key, to in config.values.items()}
        self._places = {_key(plain_value(value)): at for at, value in enumerate(config.order)}

    def wanted(self, value: JsonValue) -> JsonValue:
        """Return a value of the feature as items have it."""
        plain = plain_value(value)
        key = str(plain).casefold() if not isinstance(plain, str) else plain
        return self._names.get(key, plain)

    def validation_errors(self, domain: Sequence[JsonValue]) -> Iterator[Problem]:
        """Yield settings' values that the feature does not take, and values without a place."""
        key = f"fields.{self.name}"
        plain = [plain_value(value) for value in domain]
        taken = {value if isinstance(value, str) else str(value).casefold() for value in plain}
        for named in self.config.values:
            if plain_value(named) not in taken:
                message = f"{self.name} has no value {named!r}.{nearest(named, sorted(taken))}"
                yield Problem(message, key=f"{key}.values.{named}")
        if self.config.how != "ordinal":
            return
        present = [value for value in domain if value not in _LEFT_OUT]
        unplaced = [
            str(wanted_value)
            for wanted_value in map(self.wanted, present)
            if _key(wanted_value) not in self._places
        ]
        # one value without a place may be how the feature is left out, as "none" of a price
        if len(unplaced) > (len(present) == len(domain)):
            order = ", ".join(str(value) for value in self.config.order)
            message = f"has no place for {', '.join(unplaced)} of {self.name}: {order}"
            yield Problem(message, key=f"{key}.order")

    def of(self, item: Any) -> list[JsonValue]:
        """Return the values of an item; empty if it has none."""
        return _flat(self._path.find(item))

    def of_understood(self, understood: Any) -> list[JsonValue]:
        """Return the values that the app reports as understood."""
        return _flat(self._understood.find(understood))

    def nearness(self, wanted: JsonValue, item_values: list[JsonValue]) -> float:
        """Return 1 for what is wanted, 0 for something quite different or nothing."""
        # a place that takes "cash" and "mobile payment" serves who wants to pay by mobile
        if self.config.how != "any":
            item_values = item_values[:1]
        return max((self._compare(wanted, value) for value in item_values), default=0.0)

    def _compare(self, wanted: JsonValue, item_value: JsonValue) -> float:
        match self.config.how:
            case "exact" | "any":
                return float(_same(wanted, item_value))
            case "text":
                return (
                    self._alike(str(wanted), str(item_value))
                    if isinstance(item_value, str)
                    else 0.0
                )
            case "ordinal":
                place, given_place = (
                    self._places.get(_key(wanted)),
                    self._places.get(_key(item_value)),
                )
                if place is None or given_place is None:
                    return float(_same(wanted, item_value))
                return 1 - abs(place - given_place) / (len(self._places) - 1)
            case how:
                return self._by_distance(how, _number(wanted), _number(item_value))

    def _by_distance(self, how: str, wanted: float | None, item_value: float | None) -> float:
        if wanted is None or item_value is None:
            return 0.0
        # Who wants a rating of at least 4 is served by 4.5 and by 5 alike.
        enough = (how == "at-least" and item_value >= wanted) or (
            how == "at-most" and item_value <= wanted
        )
        least, greatest = self.config.range or (0.0, 1.0)
        return 1.0 if enough else max(0.0, 1 - abs(wanted - item_value) / (greatest - least))


def _flat(values: list[Any]) -> list[JsonValue]:
    flat: list[JsonValue] = []
    for value in values:
        flat += cast("list[JsonValue]", value) if isinstance(value, list) else [value]
    return [plain_value(item) for item in flat if item is not None]


def _same(left: JsonValue, right: JsonValue) -> bool:
    return bool(_key(left) == _key(right))


def _key(value: JsonValue) -> Any:
    """Return a value as a key; a number equals its text, but true is not 1."""
    # a place with parking: "true" has what is wanted, one with parking: 1 has not
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
    # "nan" and "inf" are numbers to Python, and no rating.
    return number if number == number and abs(number) != float("inf") else None


By = Annotated[
    Literal["auto", "minilm", "tf-idf"],
    Field(
        description="what similarity is measured by: meaning (all-MiniLM-L6-v2), or words; auto"
        " takes meaning if the model is installed"
    ),
]


def text_similarity(by: By, context: BuildContext) -> TextSimilarity:
    """Return a measure of two texts' similarity, 0 to 1; raises MissingExtra for `minilm`."""
    if by == "tf-idf":
        return _by_words
    try:
        return _by_meaning()
    except MissingExtra as err:
        if by == "minilm":
            raise
        context.warn(f"texts are compared by words, not by meaning: {err}")
        return _by_words


def _by_meaning() -> TextSimilarity:
    from sparring_plugins.language.embeddings import embedder

    model = embedder()

    def alike(first: str, second: str) -> float:
        return min(1.0, max(0.0, model.alike([first], [second])[0][0]))

    return alike


def _by_words(first: str, second: str) -> float:
    try:
        return min(1.0, tf_idf(first, second))
    except NoWords:
        return float(first == second)
