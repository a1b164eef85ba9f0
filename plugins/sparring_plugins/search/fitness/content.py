"""The fitness ``content``: how near the items of a structured answer are to what is wanted."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.space import Space
from sparring_plugins.search.fitness.catalogue import Catalogue, items_of
from sparring_plugins.search.fitness.paths import PathText, PathWatch, compiled
from sparring_plugins.search.fitness.similarity import By, likeness
from sparring_plugins.search.fitness.value_matching import FieldConfig, FieldMatch
from sparring_plugins.search.roles.fitness import Fitness, FitnessTask

_MOST_ITEMS = 1_000
_UNLIKE = "texts are compared only where a field has `match: text`"


class ContentConfig(PluginConfig):
    """Settings of the fitness ``content``."""

    items: PathText = Field(
        default="$.items[*]", description="where the items are in the structured answer"
    )
    fields: Annotated[
        dict[str, FieldConfig],
        Field(min_length=1, description="where each feature is in an item, and how it is compared"),
    ]
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
    they are wanted (the paper's f2): exact values are equal or not, ordinal ones are as near as
    their places, numbers as their distance, texts as they are alike. The best item counts. Where
    nothing is returned, the value is 1 if the `catalogue` has nothing like it, else 0; without a
    catalogue it is undecided, or 0 where the oracle's `app` knows the intents that are right and
    it was none of them. `parts` has the nearness of each feature of the best item.
    """

    role: ClassVar[str] = "fitness"
    Config: ClassVar[type[PluginConfig]] = ContentConfig

    def __init__(self, config: ContentConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        texts = any(field.how == "text" for field in config.fields.values())
        alike = likeness(config.by, context) if texts else _unlike
        self.fields = {
            name: FieldMatch(name, field, alike) for name, field in config.fields.items()
        }
        self._items = compiled(config.items)
        self._understood = compiled(config.understood) if config.understood else None
        self._watch = PathWatch(context.warn)
        self.catalogue = self._catalogue(config.catalogue)

    def _catalogue(self, pattern: str | None) -> Catalogue | None:
        if pattern is None:
            return None
        items = [item for path in self.context.files(pattern) for item in items_of(path)]
        made = Catalogue(items, self.fields)
        for name, field in self.fields.items():
            if not any(field.of(item) for item in items[:1000]):
                keys = sorted({str(key) for item in items[:50] for key in _keys(item)})
                hint = nearest(field.config.path or name, keys)
                raise ConfigurationError(f"the catalogue has no {name!r} in any item.{hint}")
        return made

    def misfits(self, space: Space) -> Iterator[Problem]:
        """Fields of features that no case has, and values that their features do not take."""
        taken: dict[str, list[JsonValue]] = {}
        for variable in (one for scenario in space.scenarios for one in scenario.variables):
            taken.setdefault(variable.name, []).extend(variable.domain)
        for name, field in self.fields.items():
            if name in taken:
                yield from field.misfits(taken[name])
            elif name not in space.names():
                told = f"no feature is called {name!r}.{nearest(name, list(taken))}"
                yield Problem(told, key=f"fields.{name}")

    async def act(self, task: FitnessTask) -> Fitness:
        wanted = self._wanted(task)
        if not wanted:
            return Fitness(reason="none of the fields is a feature that this case wants")
        items = self._items.find(task.payload)[: self.config.best_of or _MOST_ITEMS]
        misread = self._misread(wanted, task.payload)
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

    def _wanted(self, task: FitnessTask) -> dict[str, JsonValue]:
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

    def _misread(self, wanted: Mapping[str, JsonValue], payload: JsonValue) -> tuple[str, ...]:
        """The features that the app says it understood otherwise, or not at all."""
        told = self._understood.first(payload) if self._understood else None
        if told is None:
            return ()
        return tuple(
            name
            for name, value in wanted.items()
            if self.fields[name].nearness(value, self.fields[name].of_understood(told)) < 1
        )

    def _nothing(self, wanted: Mapping[str, JsonValue], misread: tuple[str, ...]) -> Fitness:
        if self.catalogue is None:
            reason = "nothing is returned, and no catalogue says if there is any"
            return Fitness(reason=reason, unserved=True)
        if self.catalogue.has(wanted, self.config.enough):
            reason = "nothing is returned, though there is something"
            return Fitness(value=0.0, reason=reason, wrong=misread, misread=misread)
        reason = "nothing is returned, and there is nothing"
        return Fitness(value=1.0, reason=reason, misread=misread)


def _reason(parts: Mapping[str, float], many: int) -> str:
    off = [f"{name} {near:.2g}" for name, near in parts.items() if near < 1]
    count = "the item" if many == 1 else f"the best of {many} items"
    return f"{count} is as wanted" if not off else f"{count} is off in {', '.join(off)}"


def _keys(item: Any) -> list[Any]:
    return list(cast("dict[Any, Any]", item)) if isinstance(item, dict) else []


def _unlike(first: str, second: str) -> float:
    raise AssertionError(_UNLIKE)
