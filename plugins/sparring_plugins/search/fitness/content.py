"""The fitness ``content``: how near the items of a structured answer are to what is wanted.

A catalogue of the items that the app knows decides whether what is wanted exists at all.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar, cast

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.documents.reading import read_document
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.space import Space
from sparring_plugins.search.fitness.value_matching import (
    By,
    FieldConfig,
    FieldMatch,
    PathText,
    PathWatch,
    parse_path,
    text_similarity,
)
from sparring_plugins.search.roles import Fitness, FitnessTask

SUFFIXES = (".csv", ".jsonl", ".json", ".yaml", ".yml")
MOST = 200_000
"""The largest number of items of a catalogue."""


class Catalogue:
    """The items that an app knows; decides whether any of them is exactly what is wanted.

    The items that have a value are stored as the bits of one number, made when the value is first
    asked for: what is wanted exists if the numbers of all its values have a bit in common.
    """

    def __init__(self, items: Sequence[Any], fields: Mapping[str, FieldMatch]) -> None:
        self._fields = fields
        self._values = {name: [field.of(item) for item in items] for name, field in fields.items()}
        self._all = (1 << len(items)) - 1
        self._having: dict[tuple[str, str], int] = {}

    def has(self, wanted: Mapping[str, JsonValue], enough: float = 1.0) -> bool:
        """Whether an item is at least as near as `enough` in everything that is wanted."""
        matching = self._all
        for name, value in wanted.items():
            matching &= self._with(name, value, enough)
        return matching != 0

    def _with(self, name: str, value: JsonValue, enough: float) -> int:
        key = (name, json.dumps(value, sort_keys=True))
        if key not in self._having:
            field, bits = self._fields[name], 0
            least = enough if field.config.how == "text" else 1.0
            for number, item_values in enumerate(self._values[name]):
                if field.nearness(value, item_values) >= least:
                    bits |= 1 << number
            self._having[key] = bits
        return self._having[key]


def read_items(path: Path) -> list[Any]:
    """Return the items of a file: JSON or YAML lists, JSON Lines, or CSV rows.

    Cells of CSV become numbers and truth values if they look like it, and lists if they have
    semicolons. Raises ConfigurationError.
    """
    items = _read(path)
    if not items:
        raise ConfigurationError(Problem("has no items", str(path)))
    if len(items) > MOST:
        raise ConfigurationError(Problem(f"has more than {MOST:,} items", str(path)))
    return items


def _read(path: Path) -> list[Any]:
    if path.suffix not in SUFFIXES:
        message = f"no catalogue ends with {path.suffix!r}, only {', '.join(SUFFIXES)}"
        raise ConfigurationError(Problem(message, str(path)))
    if path.suffix in (".yaml", ".yml"):
        content: Any = read_document(path).data
    else:
        text = _text(path)
        if path.suffix == ".csv":
            rows = csv.DictReader(StringIO(text))
            return [{key: _cell(cell) for key, cell in row.items()} for row in rows]
        if path.suffix == ".jsonl":
            lines = enumerate(text.splitlines(), 1)
            return [_json(line, path, at) for at, line in lines if line.strip()]
        content = _json(text, path, None)
    if not isinstance(content, list):
        raise ConfigurationError(Problem("expected a list of items", str(path)))
    return cast("list[Any]", content)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, ValueError) as err:
        raise ConfigurationError(Problem(f"cannot be read: {err}", str(path))) from err


def _json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as err:
        raise ConfigurationError(Problem(f"is no JSON: {err}", str(path), line)) from err


def _cell(cell: Any) -> Any:
    if isinstance(cell, list):  # more cells than columns
        return [_cell(part) for part in cast("list[Any]", cell)]
    text = str(cell or "").strip()
    if ";" in text:
        return [_cell(piece) for piece in text.split(";") if piece.strip()]
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    try:
        return float(text) if text.replace(".", "", 1).replace("-", "", 1).isdigit() else text
    except ValueError:
        return text


_MOST_ITEMS = 1_000
_UNLIKE = "texts are compared only where a field has `match: text`"


class ContentConfig(PluginConfig):
    """Settings of the fitness ``content``."""

    items: PathText = Field(
        default="$.items[*]", description="where the items are in the structured answer"
    )
    fields: dict[str, FieldConfig] = Field(
        min_length=1, description="where each feature is in an item, and how it is compared"
    )
    catalogue: str | None = Field(
        default=None,
        description="a file of all items that the app knows (CSV, JSON, JSON Lines, YAML): it says"
        " whether what is wanted exists",
    )
    understood: PathText | None = Field(
        default=None, description="where the app says what it understood"
    )
    best_of: int = Field(
        default=0, ge=0, description="how many items count, from the first; 0: all"
    )
    by: By = "auto"
    enough: float = Field(
        default=0.8, gt=0, le=1, description="how alike texts are that count as the same"
    )


class ContentFitness(Agent[FitnessTask, Fitness, ContentConfig]):
    """Role ``fitness``: how near the best of the returned items is to what is wanted.

    For each item the weighted mean of the nearness of its features to those of the case, as far as
    they are wanted (the paper's f2): exact values are equal or not, ordinal ones are compared by
    place, numbers by distance, texts by similarity. The best item counts. If nothing is returned,
    the value is 1 if the `catalogue` has nothing suitable, else 0; without a catalogue it is
    undecided, or 0 if the oracle's `app` knows the right intents and the app took the request for
    none of them. `parts` has the nearness of each feature of the best item.
    """

    role: ClassVar[str] = "fitness"
    Config: ClassVar[type[PluginConfig]] = ContentConfig

    def __init__(self, config: ContentConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        texts = any(field.how == "text" for field in config.fields.values())
        alike = text_similarity(config.by, context) if texts else _unlike
        self.fields = {
            name: FieldMatch(name, field, alike) for name, field in config.fields.items()
        }
        self._items = parse_path(config.items)
        self._understood = parse_path(config.understood) if config.understood else None
        self._watch = PathWatch(context.warn)
        self.catalogue = self._catalogue(config.catalogue)

    def _catalogue(self, pattern: str | None) -> Catalogue | None:
        if pattern is None:
            return None
        items = [item for path in self.context.files(pattern) for item in read_items(path)]
        catalogue = Catalogue(items, self.fields)
        for name, field in self.fields.items():
            if not any(field.of(item) for item in items[:1000]):
                keys = sorted({str(key) for item in items[:50] for key in _keys(item)})
                hint = nearest(field.config.path or name, keys)
                raise ConfigurationError(f"the catalogue has no {name!r} in any item.{hint}")
        return catalogue

    def validation_errors(self, space: Space) -> Iterator[Problem]:
        """Yield fields of features that no case has, and values that their features do not take."""
        taken: dict[str, list[JsonValue]] = {}
        for variable in (
            variable for scenario in space.scenarios for variable in scenario.variables
        ):
            taken.setdefault(variable.name, []).extend(variable.domain)
        for name, field in self.fields.items():
            if name in taken:
                yield from field.validation_errors(taken[name])
            elif name not in space.names():
                message = f"no feature is called {name!r}.{nearest(name, list(taken))}"
                yield Problem(message, key=f"fields.{name}")

    async def act(self, task: FitnessTask) -> Fitness:
        wanted = self._list_wanted_values(task)
        if not wanted:
            return Fitness(reason="none of the fields is a feature that this case wants")
        items = self._items.find(task.payload)[: self.config.best_of or _MOST_ITEMS]
        misread = self._list_misread_features(wanted, task.payload)
        if task.payload is not None:
            self._watch.note(f"items ({self.config.items})", found=bool(items))
        if not items:
            return self._nothing(wanted, misread)
        for name in wanted:
            field = self.fields[name]
            shown = f"field {name} ({field.config.path or name})"
            self._watch.note(shown, found=any(field.of(item) for item in items))
        best = max(items, key=lambda item: self._value(wanted, item))
        parts = self._parts(wanted, best)
        wrong = tuple(name for name, near in parts.items() if near < 1)
        return Fitness(
            value=self._value(wanted, best),
            reason=_reason(parts, len(items)),
            parts=parts,
            wrong=wrong,
            misread=misread,
        )

    def _list_wanted_values(self, task: FitnessTask) -> dict[str, JsonValue]:
        return {
            name: field.wanted(task.features[name])
            for name, field in self.fields.items()
            if name in task.wanted and name in task.features
        }

    def _parts(self, wanted: Mapping[str, JsonValue], item: Any) -> dict[str, float]:
        return {
            name: round(self.fields[name].nearness(value, self.fields[name].of(item)), 6)
            for name, value in wanted.items()
        }

    def _value(self, wanted: Mapping[str, JsonValue], item: Any) -> float:
        weights = {name: self.fields[name].config.weight for name in wanted}
        total = sum(weights.values())
        if not total:
            return 1.0
        parts = self._parts(wanted, item)
        return round(sum(weights[name] * near for name, near in parts.items()) / total, 6)

    def _list_misread_features(
        self, wanted: Mapping[str, JsonValue], payload: JsonValue
    ) -> tuple[str, ...]:
        """Return the features that the app reports as understood differently, or not at all."""
        understood = self._understood.first(payload) if self._understood else None
        if understood is None:
            return ()
        return tuple(
            name
            for name, value in wanted.items()
            if self.fields[name].nearness(value, self.fields[name].of_understood(understood)) < 1
        )

    def _nothing(self, wanted: Mapping[str, JsonValue], misread: tuple[str, ...]) -> Fitness:
        if self.catalogue is None:
            reason = "nothing is returned, and no catalogue says if there is any"
            return Fitness(reason=reason, unserved=True)
        # Nothing found is right if nothing exists: "a Michelin star for $10" has no answer.
        if self.catalogue.has(wanted, self.config.enough):
            reason = "nothing is returned, though there is something"
            return Fitness(value=0.0, reason=reason, wrong=misread, misread=misread)
        reason = "nothing is returned, and there is nothing"
        return Fitness(value=1.0, reason=reason, misread=misread)


def _reason(parts: Mapping[str, float], count_of_items: int) -> str:
    differing = [f"{name} {near:.2g}" for name, near in parts.items() if near < 1]
    count = "the item" if count_of_items == 1 else f"the best of {count_of_items} items"
    return f"{count} is as wanted" if not differing else f"{count} is off in {', '.join(differing)}"


def _keys(item: Any) -> list[Any]:
    return list(cast("dict[Any, Any]", item)) if isinstance(item, dict) else []


def _unlike(first: str, second: str) -> float:
    raise AssertionError(_UNLIKE)
