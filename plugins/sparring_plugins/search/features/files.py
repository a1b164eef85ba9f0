"""Read feature spaces from files, and check them; every problem is reported at its line.

Checked are the entries, the constraints, the conditions (also for texts that are no value of a
feature), and the space as a whole: contradictions, and values that no case has.
"""

import ast
import json
import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from sparring.documents.checking import checked, nearest
from sparring.documents.reading import Document, Key, read_document
from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.interfaces.roles import OutputSpec
from sparring.model.space import Constraint
from sparring_plugins.rules.conditions import condition_of
from sparring_plugins.search.features.file_model import (
    ConstraintEntry,
    ConversationEntry,
    FeatureEntry,
    SpaceEntry,
    ValueEntry,
)
from sparring_plugins.search.features.model import (
    Conversation,
    FeatureSpace,
    FeatureSpec,
    FeatureValue,
    holes_in,
)
from sparring_plugins.search.roles import FeatureGroup, Shot
from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.users.personas.traits import trait_problems

Report = Callable[[str, Sequence[Key]], None]


def check_conditions(
    document: Document,
    entry: SpaceEntry,
    space: FeatureSpace,
    context: BuildContext,
    report: Report,
) -> None:
    """Compile each condition; report texts in it that are no value of a feature."""
    for text, at in _written_conditions(entry):
        for message in condition_problems(text, space, context):
            report(message, at)


def condition_problems(text: str, space: FeatureSpace, context: BuildContext) -> Iterator[str]:
    """Yield what is wrong with one condition over the features of a space."""
    names = [feature.name for feature in space.features]
    try:
        condition_of(context, text, names)
    except ConfigurationError as err:
        yield from (problem.message for problem in err.problems)
        return
    for name, value in _list_compared_constants(text):
        if name not in names:
            continue
        # as `==` has it, so that 4 is 4.0
        if all(candidate.value != value for candidate in space.feature(name).values):
            values = [str(value.value) for value in space.feature(name).values]
            yield f"{name} has no value {value!r}.{nearest(str(value), values)}"


def check_possible(
    space: FeatureSpace, context: BuildContext, document: Document, report: Report
) -> None:
    """Report a space without cases, and values that no case has, with the constraints at fault."""
    cases = CaseSpace(space.scenario(), context)
    try:
        conflict = cases.conflict({})
        if conflict:
            report(
                f"no case satisfies all constraints: {_list_conflicts(conflict)}", ("constraints",)
            )
            return
        for feature in space.features:
            for value in feature.values:
                if not cases.possible(feature.name, value.value):
                    conflicting = _list_conflicts(cases.conflict({feature.name: value.value}))
                    message = f"no case has {feature.name} = {value.value!r}: {conflicting}"
                    report(message, (feature.group, feature.name, "values"))
    except TooHard as err:
        context.warn(f"{document.file}: contradictions were not looked for: {err}")


def _list_conflicts(constraints: Sequence[Constraint]) -> str:
    """Return the conflicting constraints, each with its line."""
    lines = [
        f"line {(constraint.source or '').rpartition(':')[2]} (`{constraint.expression}`)"
        for constraint in constraints
    ]
    verb = " together rule it out" if len(lines) > 1 else " rules it out"
    return " and ".join(lines) + verb


def _written_conditions(entry: SpaceEntry) -> Iterator[tuple[str, tuple[Key, ...]]]:
    for number, constraint in enumerate(entry.constraints):
        for key in ("always", "never", "when", "then"):
            text = getattr(constraint, key)
            if text is not None:
                yield text, ("constraints", number, key)
    for group in ("style", "content", "perturbation"):
        for name, feature in getattr(entry, group).items():
            if isinstance(feature.check, str):
                yield feature.check, (group, name, "check")


def _list_compared_constants(text: str) -> Iterator[tuple[str, object]]:
    """Yield the constants that names are compared with in an expression that compiles."""
    try:
        tree = ast.parse(f"(\n{text}\n)", mode="eval")
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, (ast.Eq, ast.NotEq)):
                yield from _pairs(left, [right])
                yield from _pairs(right, [left])
            elif isinstance(op, (ast.In, ast.NotIn)) and isinstance(
                right, (ast.List, ast.Tuple, ast.Set)
            ):
                yield from _pairs(left, right.elts)


def _pairs(name: ast.expr, values: Sequence[ast.expr]) -> Iterator[tuple[str, object]]:
    if isinstance(name, ast.Name):
        for value in values:
            if isinstance(value, ast.Constant):
                yield name.id, value.value


Features = Mapping[str, FeatureSpec]


def constraints_of(
    entries: Sequence[ConstraintEntry], features: Features, document: Document, report: Report
) -> tuple[Constraint, ...]:
    """Return the constraints of a file; an entry may make several."""
    constraints: list[Constraint] = []
    for number, entry in enumerate(entries):
        at = ("constraints", number)
        source = f"{document.file}:{document.line(at)}"
        for expression, assign in _conditions_of(entry, features, at, report):
            constraints.append(
                Constraint(
                    expression=expression,
                    description=entry.about,
                    when=entry.when,
                    assign=assign,
                    source=source,
                )
            )
    return tuple(constraints)


def _conditions_of(
    entry: ConstraintEntry, features: Features, at: tuple[Key, ...], report: Report
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each condition with the values that a repair assigns."""
    if entry.always is not None:
        yield entry.always, {}
    if entry.never is not None:
        yield f"not ({entry.never})", {}
    for name in entry.drop:
        spec = _spec(name, features, (*at, "drop"), report)
        if spec is not None and spec.none is None:
            message = f"{name} cannot be dropped: it has no value that leaves it out; add `none`"
            report(message, (*at, "drop"))
        elif spec is not None and spec.none is not None:
            none = spec.values[spec.none].value
            yield _write_implication(entry.when, f"{name} == {none!r}"), {name: none}
    for name, value in entry.assign.items():
        if _knows(name, value, features, (*at, "set", name), report):
            yield _write_implication(entry.when, f"{name} == {value!r}"), {name: value}
    for name, values in entry.forbid.items():
        place = (*at, "forbid", name)
        exist = [_knows(name, value, features, place, report) for value in values]
        if all(exist):  # each unknown one is reported
            yield _write_implication(entry.when, f"{name} not in {list(values)!r}"), {}
    if entry.then is not None:
        yield _write_implication(entry.when, f"({entry.then})"), {}


def _write_implication(when: str | None, conclusion: str) -> str:
    return conclusion if when is None else f"not ({when}) or {conclusion}"


def _spec(name: str, features: Features, at: tuple[Key, ...], report: Report) -> FeatureSpec | None:
    if name not in features:
        report(f"no feature is called {name!r}.{nearest(name, list(features))}", at)
    return features.get(name)


def _knows(name: str, value: Any, features: Features, at: tuple[Key, ...], report: Report) -> bool:
    spec = _spec(name, features, at, report)
    if spec is None:
        return False
    try:
        spec.at(value)
    except KeyError:
        values = [str(value.value) for value in spec.values]
        report(f"{name} has no value {value!r}.{nearest(str(value), values)}", at)
        return False
    return True


GROUPS: tuple[FeatureGroup, ...] = ("style", "content", "perturbation")

_RESERVED = frozenset({"conv", "group"})


@dataclass
class SpaceReader:
    """Reads one file; all its problems are reported together."""

    document: Document
    path: Path
    context: BuildContext
    problems: list[Problem] = field(default_factory=list[Problem])

    def error(self, message: str, at: Sequence[Key]) -> None:
        """Record a problem at a place of the file."""
        self.problems.append(self.document.problem(message, at))

    def stop(self) -> None:
        """Raise ConfigurationError if there are problems."""
        if self.problems:
            raise ConfigurationError(*self.problems)

    def space(self) -> FeatureSpace:
        """Return the feature space; raises ConfigurationError."""
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
            examples=tuple(str(self._beside(example)) for example in entry.examples),
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
        features: list[FeatureSpec] = []
        groups: dict[str, str] = {}
        for group in GROUPS:
            entries: dict[str, FeatureEntry] = getattr(entry, group)
            for name, feature_entry in entries.items():
                self._check_name(name, group, groups)
                groups[name] = group
                features.append(self._feature(name, group, feature_entry))
        if not features and not self.problems:
            self.error("has no features: add some below style, content or perturbation", ())
        return features

    def _check_name(self, name: str, group: str, groups: Mapping[str, str]) -> None:
        at = (group, name)
        if name in groups:
            self.error(f"is also a feature of {groups[name]}: names are unique", at)
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
            self.error(
                "is no name for conditions: use letters, digits and _, as in word_deletion", at
            )
        elif name in _RESERVED:
            self.error("is a word of the expression language; choose another name", at)

    def _feature(self, name: str, group: FeatureGroup, entry: FeatureEntry) -> FeatureSpec:
        at: tuple[Key, ...] = (group, name)
        values = [self._value(feature_value, place, at) for feature_value, place in _entries(entry)]
        keys = [json.dumps(value.value) for value in values]
        self._check_values(values, keys, at)
        if group != "perturbation" and any(value.apply for value in values):
            self.error("only perturbations are applied: move it below `perturbation`", at)
        none = json.dumps(entry.none)
        if none not in keys and "none" in entry.model_fields_set:
            names = [value.shown for value in values]
            self.error(f"has no value {entry.none!r}.{nearest(str(entry.none), names)}", at)
        return FeatureSpec(
            name=name,
            group=group,
            values=tuple(values),
            scale=entry.scale,
            about=entry.about,
            none=keys.index(none) if none in keys else None,
            check=entry.check,
        )

    def _check_values(
        self, values: Sequence[FeatureValue], keys: Sequence[str], at: tuple[Key, ...]
    ) -> None:
        """Report values that are there twice, and a feature that cannot have any."""
        if not values or not sum(value.weight for value in values):
            what = "no value of a weight above 0" if values else "no values"
            self.error(f"has {what}", (*at, "values"))
        for number, key in enumerate(keys):
            if key in keys[:number]:
                self.error(f"has the value {values[number].value!r} twice", (*at, "values"))

    def _value(self, entry: ValueEntry, place: Key, at: tuple[Key, ...]) -> FeatureValue:
        for key, message in trait_problems(entry.traits):
            self.error(message, (*at, "values", place, "traits", *key))
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
            turns=tuple(entry.turns),
            weight=entry.weight,
            line=self.document.line((*at, "values", place)),
        )

    def _shots(self, entry: SpaceEntry, names: Mapping[str, FeatureSpec]) -> tuple[Shot, ...]:
        for number, shot in enumerate(entry.shots):
            for name, value in shot.features.items():
                self._check_value(name, value, names, ("shots", number, "features", name))
        return tuple(
            Shot(features=cast("dict[str, JsonValue]", shot.features), utterance=shot.utterance)
            for shot in entry.shots
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
            values = [str(value.value) for value in names[name].values]
            self.error(f"{name} has no value {value!r}.{nearest(str(value), values)}", at)

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
                OutputSpec(name=name, type=output.type, description=output.description)
                for name, output in entry.outputs.items()
            ),
            fallbacks=tuple(entry.fallbacks),
            limit=entry.limit,
        )

    def _beside(self, written: str) -> Path:
        """Return a path of the file's author: it is relative to the file's folder."""
        return self.path.parent / Path(written).expanduser()

    def _file(self, written: str) -> Path:
        path = self._beside(written)
        try:
            exists = path.is_file()
        except (OSError, ValueError):
            exists = False
        if not exists:
            self.error(f"there is no file {written!r} beside it", ("templates",))
        return path


def _entries(entry: FeatureEntry) -> Iterable[tuple[ValueEntry, Key]]:
    """Yield the values of a feature with their places; a key is a value by default."""
    if isinstance(entry.values, dict):
        for key, value in entry.values.items():
            named = "value" in value.model_fields_set
            yield value if named else value.model_copy(update={"value": key}), key
        return
    for number, item in enumerate(entry.values):
        yield (
            item if isinstance(item, ValueEntry) else ValueEntry(value=item),
            number,
        )


def read_space(path: Path, context: BuildContext, *, shown: str | None = None) -> FeatureSpace:
    """Read and check the feature space of a file; raises ConfigurationError with all problems.

    Paths in it are relative to its folder. `shown` is the name of the file in messages.
    """
    return SpaceReader(read_document(path, shown=shown), path, context).space()
