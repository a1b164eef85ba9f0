"""From files to feature spaces, with every problem at its line."""

import json
import keyword
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from sparring.documents.checking import checked, nearest
from sparring.documents.reading import Document, Key, read
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.roles import OutputSpec
from sparring_plugins.search.features.checks import check_conditions, check_possible
from sparring_plugins.search.features.constraints import constraints_of
from sparring_plugins.search.features.file_model import (
    ConversationEntry,
    FeatureEntry,
    SpaceEntry,
    ValueEntry,
)
from sparring_plugins.search.features.holes import holes_in
from sparring_plugins.search.features.model import (
    Conversation,
    FeatureSpace,
    FeatureSpec,
    FeatureValue,
)
from sparring_plugins.search.roles.writing import FeatureGroup, Shot
from sparring_plugins.users.personas.traits import trait_problems

GROUPS: tuple[FeatureGroup, ...] = ("style", "content", "perturbation")

_RESERVED = frozenset({"conv", "group"})


@dataclass
class Reader:
    """One file while it is read; all its problems are named together."""

    document: Document
    path: Path
    context: BuildContext
    problems: list[Problem] = field(default_factory=list[Problem])

    def error(self, message: str, at: Sequence[Key]) -> None:
        """Note a problem at a place of the file."""
        self.problems.append(self.document.problem(message, at))

    def stop(self) -> None:
        """Raise ConfigurationError where there are problems."""
        if self.problems:
            raise ConfigurationError(*self.problems)

    def space(self) -> FeatureSpace:
        """The feature space; raises ConfigurationError."""
        entry = checked(SpaceEntry, self.document)
        features = self._features(entry)
        self.stop()
        names = {feature.name: feature for feature in features}
        constraints = constraints_of(entry.constraints, names, self.document, self.error)
        space = FeatureSpace(
            name=entry.name,
            features=tuple(features),
            constraints=constraints,
            about=entry.about,
            speaker=entry.speaker,
            language=entry.language,
            guidelines=tuple(entry.guidelines),
            shots=self._shots(entry, names),
            examples=tuple(str(self._beside(one)) for one in entry.examples),
            templates=None if entry.templates is None else str(self._file(entry.templates)),
            conversation=self._conversation(entry.conversation, names),
            notes=tuple(entry.notes),
            source=self.document.file,
        )
        self.stop()
        check_conditions(self.document, entry, space, self.context, self.error)
        self.stop()
        check_possible(space, self.context, self.document, self.error)
        self.stop()
        return space

    def _features(self, entry: SpaceEntry) -> list[FeatureSpec]:
        found: list[FeatureSpec] = []
        known: dict[str, str] = {}
        for group in GROUPS:
            entries: dict[str, FeatureEntry] = getattr(entry, group)
            for name, one in entries.items():
                self._check_name(name, group, known)
                known[name] = group
                found.append(self._feature(name, group, one))
        if not found and not self.problems:
            self.error("has no features: add some below style, content or perturbation", ())
        return found

    def _check_name(self, name: str, group: str, known: Mapping[str, str]) -> None:
        at = (group, name)
        if name in known:
            self.error(f"is also a feature of {known[name]}: names are unique", at)
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
            self.error(
                "is no name for conditions: use letters, digits and _, as in word_deletion", at
            )
        elif name in _RESERVED:
            self.error("is a word of the expression language; choose another name", at)

    def _feature(self, name: str, group: FeatureGroup, entry: FeatureEntry) -> FeatureSpec:
        at: tuple[Key, ...] = (group, name)
        values = [self._value(one, place, at) for one, place in _entries(entry)]
        if not values:
            self.error("has no values", (*at, "values"))
        keys = [json.dumps(one.value) for one in values]
        for number, key in enumerate(keys):
            if key in keys[:number]:
                self.error(f"has the value {values[number].value!r} twice", (*at, "values"))
        if group != "perturbation" and any(one.apply for one in values):
            self.error("only perturbations are applied: move it below `perturbation`", at)
        none = json.dumps(entry.none)
        if none not in keys and "none" in entry.model_fields_set:
            known = [one.shown for one in values]
            self.error(f"has no value {entry.none!r}.{nearest(str(entry.none), known)}", at)
        return FeatureSpec(
            name=name,
            group=group,
            values=tuple(values),
            scale=entry.scale,
            about=entry.about,
            none=keys.index(none) if none in keys else None,
            check=entry.check,
        )

    def _value(self, entry: ValueEntry, place: Key, at: tuple[Key, ...]) -> FeatureValue:
        for key, told in trait_problems(entry.traits):
            self.error(told, (*at, "values", place, "traits", *key))
        return FeatureValue(
            value=entry.value,
            label=entry.label,
            words=tuple(entry.words),
            hints=tuple(entry.hint),
            mentions=None if entry.mentions is None else tuple(entry.mentions),
            apply=tuple(entry.apply),
            traits=entry.traits,
            styles=tuple(entry.styles),
            context=tuple(entry.context),
            line=self.document.line((*at, "values", place)),
        )

    def _shots(self, entry: SpaceEntry, names: Mapping[str, FeatureSpec]) -> tuple[Shot, ...]:
        for number, shot in enumerate(entry.shots):
            for name, value in shot.features.items():
                self._check_value(name, value, names, ("shots", number, "features", name))
        return tuple(
            Shot(features=cast("dict[str, JsonValue]", one.features), utterance=one.utterance)
            for one in entry.shots
        )

    def _check_value(
        self, name: str, value: Any, names: Mapping[str, FeatureSpec], at: Sequence[Key]
    ) -> None:
        if name not in names:
            self.error(f"no feature is called {name!r}.{nearest(name, list(names))}", at)
            return
        try:
            names[name].at(value)
        except KeyError:
            known = [str(one.value) for one in names[name].values]
            self.error(f"{name} has no value {value!r}.{nearest(str(value), known)}", at)

    def _conversation(
        self, entry: ConversationEntry | None, names: Mapping[str, FeatureSpec]
    ) -> Conversation | None:
        if entry is None:
            return None
        for key in ("goals", "context"):
            for number, text in enumerate(getattr(entry, key)):
                for hole in holes_in(text):
                    if hole not in names:
                        hint = nearest(hole, list(names))
                        at = ("conversation", key, number)
                        self.error(f"`{{{{{hole}}}}}` is no feature.{hint}", at)
        return Conversation(
            role=entry.role,
            goals=tuple(entry.goals),
            context=tuple(entry.context),
            outputs=tuple(
                OutputSpec(name=name, type=one.type, description=one.description)
                for name, one in entry.outputs.items()
            ),
            fallbacks=tuple(entry.fallbacks),
            limit=entry.limit,
        )

    def _beside(self, written: str) -> Path:
        """A path of the file's author: it starts from the file's folder."""
        return self.path.parent / Path(written).expanduser()

    def _file(self, written: str) -> Path:
        path = self._beside(written)
        try:
            found = path.is_file()
        except (OSError, ValueError):
            found = False
        if not found:
            self.error(f"there is no file {written!r} beside it", ("templates",))
        return path


def _entries(entry: FeatureEntry) -> Iterable[tuple[ValueEntry, Key]]:
    """The values of a feature with their places; a key is the value unless it says another."""
    if isinstance(entry.values, dict):
        for key, one in entry.values.items():
            named = "value" in one.model_fields_set
            yield one if named else one.model_copy(update={"value": key}), key
        return
    for number, item in enumerate(entry.values):
        yield (
            item if isinstance(item, ValueEntry) else ValueEntry(value=item),
            number,
        )


def read_space(path: Path, context: BuildContext, *, shown: str | None = None) -> FeatureSpace:
    """Read and check the feature space of a file; raises ConfigurationError with all problems.

    Paths in it start from its folder. `shown` is what messages call the file.
    """
    return Reader(read(path, shown=shown), path, context).space()
