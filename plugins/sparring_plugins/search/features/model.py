"""A feature space in memory, whether it was read from YAML or made in Python."""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from pydantic import JsonValue

from sparring.interfaces.plugin import Use
from sparring.interfaces.roles import OutputSpec
from sparring.model.base import Value
from sparring.model.space import Constraint, Scenario, Variable
from sparring_plugins.search.roles import Feature, FeatureGroup, Shot, WriteTask
from sparring_plugins.search.space.weights import weights_selector


class FeatureValue(Value):
    """One value of a feature; see `Feature` for `label`, `words`, `hints` and `mentions`.

    `apply` are the perturbations that express it, in order. `traits`, `styles` and `context` are
    the meaning of the value for a simulated user: traits of its persona, interaction styles,
    sentences about it. `turns` are said first, each as a turn of its own. `weight` is how often
    real users have the value, beside the others of the feature. `line` is its line in the file it
    was read from.
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
    turns: tuple[str, ...] = ()
    weight: float = 1.0
    line: int | None = None

    @property
    def shown(self) -> str:
        """The value for people."""
        return self.label or (self.value if isinstance(self.value, str) else str(self.value))


class FeatureSpec(Value):
    """A feature with its values in order.

    `none` is the number of the value that leaves the feature out. `check` says whether a writer
    that asks a model must name the value: always, never, or if a condition on the case holds.
    """

    name: str
    group: FeatureGroup
    values: tuple[FeatureValue, ...]
    scale: Literal["categorical", "ordinal"] = "categorical"
    about: str = ""
    none: int | None = None
    check: bool | str = True

    def at(self, value: JsonValue) -> int:
        """Return the number of a value; raises KeyError. 1, 1.0 and true are three values."""
        if isinstance(value, str):  # as JSON no other value is a text
            return self._texts[value]
        key = json.dumps(value, sort_keys=True)
        for number, candidate in enumerate(self.values):
            if json.dumps(candidate.value, sort_keys=True) == key:
                return number
        raise KeyError(value)

    @cached_property
    def _texts(self) -> dict[str, int]:
        """The numbers of the values that are texts: a search looks them up in each preview."""
        numbers: dict[str, int] = {}
        for number, candidate in enumerate(self.values):
            if isinstance(candidate.value, str):
                numbers.setdefault(candidate.value, number)
        return numbers

    def expressed(self, number: int, *, checked: bool) -> Feature:
        """Return a value of the feature as a writer sees it."""
        if (number, checked) not in self._expressed:
            self._expressed[number, checked] = _feature(self, number, checked)
        return self._expressed[number, checked]

    @cached_property
    def _expressed(self) -> dict[tuple[int, bool], Feature]:
        return {}


class Conversation(Value):
    """How the features control a simulated user over a whole conversation.

    `goals` and `context` are templates with ``{{feature}}`` holes; a line is left out if a feature
    in it is left out. `limit` bounds the user's turns.
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
    of real utterances. `notes` document what of a published space was reconstructed.
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
        """Return the feature called `name`; raises KeyError."""
        for feature in self.features:
            if feature.name == name:
                return feature
        raise KeyError(name)

    def scenario(self) -> Scenario:
        """Return the space as strategies see it: one scenario with a variable per feature."""
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
        """Return the value of each feature in a case; raises KeyError outside the space."""
        return {
            feature.name: feature.values[feature.at(params[feature.name])]
            for feature in self.features
        }

    def wanted(self, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the words that show each content feature of a case that is not left out."""
        words_of_features: dict[str, JsonValue] = {}
        for feature in self.features:
            value = feature.values[feature.at(params[feature.name])]
            if feature.group == "content" and (
                feature.none is None or feature.values[feature.none] is not value
            ):
                mentions = (*(value.mentions or ()), *_mentions(feature, value))
                words_of_features[feature.name] = list(dict.fromkeys(mentions))
        return words_of_features

    def perturbations(self, params: Mapping[str, JsonValue]) -> list[tuple[str, Use]]:
        """Return what is applied to an utterance of a case, in order, each with its feature."""
        chosen = self.chosen(params)
        return [(name, use) for name, value in chosen.items() for use in value.apply]

    def task(
        self, params: Mapping[str, JsonValue], *, seed: int = 0, checked: Mapping[str, bool] = {}
    ) -> WriteTask:
        """Return the task of a writer for a case. `checked` says which features must be named."""
        numbers = {feature.name: feature.at(params[feature.name]) for feature in self.features}
        return WriteTask(
            space=self.name,
            features=tuple(
                feature.expressed(
                    numbers[feature.name],
                    checked=checked.get(feature.name, feature.check is not False),
                )
                for feature in self.features
                if not feature.values[numbers[feature.name]].apply
                and (feature.group != "perturbation" or _is_expressed(feature))
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


def _is_expressed(feature: FeatureSpec) -> bool:
    """Whether the writer expresses a perturbation: no plugin applies any of its values."""
    return not any(value.apply for value in feature.values)


def _variable(feature: FeatureSpec) -> Variable:
    return Variable(
        name=feature.name,
        domain=tuple(value.value for value in feature.values),
        scale=feature.scale,
        group=feature.group,
        selector=weights_selector([value.weight for value in feature.values]),
        labels=tuple(value.shown for value in feature.values),
    )


def _feature(spec: FeatureSpec, number: int, checked: bool) -> Feature:
    value = spec.values[number]
    none = spec.none == number
    mentions = value.mentions if value.mentions is not None else _mentions(spec, value)
    last = len(spec.values) - 1
    return Feature(
        name=spec.name,
        group=spec.group,
        value=value.value,
        label=value.shown,
        about=spec.about,
        words=value.words or ((value.shown,) if spec.group == "content" and not none else ()),
        hints=value.hints,
        mentions=mentions if checked and not none and spec.group == "content" else (),
        none=none,
        position=number / last if spec.scale == "ordinal" and last else None,
    )


def _mentions(spec: FeatureSpec, value: FeatureValue) -> tuple[str, ...]:
    """Return the words that show a content value if the author names none: all its words."""
    if spec.group != "content":
        return ()
    words = (*value.words, value.shown)
    if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
        words = (*words, str(value.value))
    return tuple(dict.fromkeys(word for word in words if word))


_HOLE = re.compile(r"\{\{([^{}]*)\}\}")


def holes_in(text: str) -> list[str]:
    """Return the names in the holes of a text, in order."""
    return [str(match).strip() for match in _HOLE.findall(text)]


def fill_holes(text: str, words: Mapping[str, str | None]) -> str | None:
    """Fill words into the holes of a text; None if one of the features is left out."""
    if any(words.get(name) is None for name in holes_in(text)):
        return None
    return _HOLE.sub(lambda match: words[match[1].strip()] or "", text)
