"""A feature space as it is used, whether it was read from YAML or made in Python."""

import json
from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from sparring.interfaces.plugin import Use
from sparring.interfaces.roles import OutputSpec
from sparring.model.base import Value
from sparring.model.space import Constraint, Scenario, Variable
from sparring_plugins.search.roles.writing import Feature, FeatureGroup, Shot, WriteTask


class FeatureValue(Value):
    """One value of a feature; see `Feature` for `label`, `words`, `hints` and `mentions`.

    `apply` are the perturbations that express it, in order. `traits`, `styles` and `context` are
    what the value means for a simulated user: traits of its persona, interaction styles, sentences
    about it. `line` is where it stands in the file that it was read from.
    """

    value: JsonValue
    label: str = ""
    words: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    mentions: tuple[str, ...] | None = None
    apply: tuple[Use, ...] = ()
    traits: dict[str, JsonValue] = {}
    styles: tuple[JsonValue, ...] = ()
    context: tuple[str, ...] = ()
    line: int | None = None

    @property
    def shown(self) -> str:
        """The value for people."""
        return self.label or (self.value if isinstance(self.value, str) else str(self.value))


class FeatureSpec(Value):
    """A feature: its values in order, and how they are told apart.

    `none` is the number of the value that leaves the feature out. `check` says whether a writer
    that asks a model must name the value: always, never, or where a condition on the case holds.
    """

    name: str
    group: FeatureGroup
    values: tuple[FeatureValue, ...]
    scale: Literal["categorical", "ordinal"] = "categorical"
    about: str = ""
    none: int | None = None
    check: bool | str = True

    def at(self, value: JsonValue) -> int:
        """The number of a value; raises KeyError. 1, 1.0 and true are three values."""
        wanted = json.dumps(value, sort_keys=True)
        for number, one in enumerate(self.values):
            if json.dumps(one.value, sort_keys=True) == wanted:
                return number
        raise KeyError(value)


class Conversation(Value):
    """How the features drive a simulated user over a whole conversation.

    `goals` and `context` are templates with ``{{feature}}`` holes; a line is left out where a
    feature in it is left out. `limit` bounds the user's turns.
    """

    role: str = ""
    goals: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    fallbacks: tuple[str, ...] = ()
    limit: int = 12


class FeatureSpace(Value):
    """How requests to one app may vary (STELLAR, section III).

    `templates` is a file with the grammar of the writer `template`, `examples` are files or folders
    of real utterances. `notes` say what of a published space was reconstructed.
    """

    name: str
    features: tuple[FeatureSpec, ...]
    constraints: tuple[Constraint, ...] = ()
    about: str = ""
    speaker: str = ""
    language: str = "English"
    guidelines: tuple[str, ...] = ()
    shots: tuple[Shot, ...] = ()
    examples: tuple[str, ...] = ()
    templates: str | None = None
    conversation: Conversation | None = None
    notes: tuple[str, ...] = ()
    source: str | None = None

    def feature(self, name: str) -> FeatureSpec:
        """The feature called `name`; raises KeyError."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)

    def scenario(self) -> Scenario:
        """The space as strategies see it: one scenario with a variable per feature."""
        outputs = self.conversation.outputs if self.conversation else ()
        return Scenario(
            name=self.name,
            variables=tuple(_variable(feature) for feature in self.features),
            outputs=tuple(output.name for output in outputs),
            constraints=self.constraints,
            description=self.about,
            source=self.source,
            tags=("features",),
        )

    def chosen(self, params: Mapping[str, JsonValue]) -> dict[str, FeatureValue]:
        """The value that each feature has in a case; raises KeyError outside of the space."""
        return {one.name: one.values[one.at(params[one.name])] for one in self.features}

    def wanted(self, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The words by which a reader knows each content feature that a case does not leave out."""
        found: dict[str, JsonValue] = {}
        for one in self.features:
            value = one.values[one.at(params[one.name])]
            if one.group == "content" and (one.none is None or one.values[one.none] is not value):
                said = (*(value.mentions or ()), *_mentions(one, value))
                found[one.name] = list(dict.fromkeys(said))
        return found

    def perturbations(self, params: Mapping[str, JsonValue]) -> list[tuple[str, Use]]:
        """What is applied to an utterance of a case, in order, each with its feature."""
        chosen = self.chosen(params)
        return [(name, use) for name, value in chosen.items() for use in value.apply]

    def task(
        self, params: Mapping[str, JsonValue], *, seed: int = 0, checked: Mapping[str, bool] = {}
    ) -> WriteTask:
        """What a writer is given for a case. `checked` says which features must be named."""
        chosen = self.chosen(params)
        return WriteTask(
            space=self.name,
            features=tuple(
                _feature(one, chosen[one.name], checked.get(one.name, one.check is not False))
                for one in self.features
                if not chosen[one.name].apply and (one.group != "perturbation" or _said(one))
            ),
            params=dict(params),
            about=self.about,
            speaker=self.speaker,
            language=self.language,
            guidelines=self.guidelines,
            shots=self.shots,
            templates=self.templates,
            seed=seed,
        )


def _said(feature: FeatureSpec) -> bool:
    """Whether a perturbation is told to the writer: none of its values is applied by a plugin."""
    return not any(value.apply for value in feature.values)


def _variable(feature: FeatureSpec) -> Variable:
    return Variable(
        name=feature.name,
        domain=tuple(value.value for value in feature.values),
        scale=feature.scale,
        group=feature.group,
        labels=tuple(value.shown for value in feature.values),
    )


def _feature(spec: FeatureSpec, value: FeatureValue, checked: bool) -> Feature:
    at = spec.values.index(value)
    none = spec.none == at
    said = value.mentions if value.mentions is not None else _mentions(spec, value)
    last = len(spec.values) - 1
    return Feature(
        name=spec.name,
        group=spec.group,
        value=value.value,
        label=value.shown,
        about=spec.about,
        words=value.words or ((value.shown,) if spec.group == "content" and not none else ()),
        hints=value.hints,
        mentions=said if checked and not none and spec.group == "content" else (),
        none=none,
        position=at / last if spec.scale == "ordinal" and last else None,
    )


def _mentions(spec: FeatureSpec, value: FeatureValue) -> tuple[str, ...]:
    """The words that show a content value, where the author names none: all that are its own."""
    if spec.group != "content":
        return ()
    named = (*value.words, value.shown)
    if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
        named = (*named, str(value.value))
    return tuple(dict.fromkeys(one for one in named if one))
