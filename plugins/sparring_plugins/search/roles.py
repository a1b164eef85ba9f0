"""Typed tasks and answers of the roles `writer`, `perturbation` and `fitness` (STELLAR).

A case is a vector of features. The writer puts its content and style features into words, then each
perturbation feature distorts the words in its way. A fitness rates the app's answer: a search needs
a number to improve, while an oracle only says whether something is wrong. The oracle `fitness`
combines several fitness values into one verdict by a formula.
"""

from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pydantic import Field, JsonValue, model_validator

from sparring.errors import Problem
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import ConfigT, PluginConfig
from sparring.model.base import AppText, Value
from sparring.model.space import Space
from sparring.model.talk import Incident, Observation, Say, Turn, act_text

FeatureGroup = Literal["style", "content", "perturbation"]


@runtime_checkable
class PreviewsBeginnings(Protocol):
    """A player that says first words in `preview`, and holds a conversation after them."""

    def previews_beginnings(self) -> bool:
        """Return whether two cases with the same preview may differ in what comes after it.

        Duplicates are then found by the values of cases, unless the suite says otherwise.
        """
        ...


class Feature(Value, defer_build=True):
    """The value that one feature has in a case.

    `label` names the value in a word or two for people. `words` are the ways to express it, the
    usual one first: for a content feature the words that stand for it in an utterance, for a style
    feature an instruction to the writer. `hints` are ways to express content without naming it.
    `none` is true if the feature is left out. A reader recognises the value by any of `mentions`;
    empty if the value need not be named. `position` in [0, 1] is the place of the value on an
    ordinal scale: 0 for the first, 1 for the last.
    """

    name: str
    group: FeatureGroup
    value: JsonValue
    label: str = ""
    about: str = ""
    words: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    none: bool = False
    position: float | None = Field(default=None, ge=0, le=1)


class Shot(Value, defer_build=True):
    """An utterance that the author wrote for values of some features, as an example."""

    features: dict[str, JsonValue] = {}
    utterance: str


class WriteTask(Value, defer_build=True):
    """Role ``writer``: put the features of a case into one utterance of a user.

    `space` names the feature space, `about` describes the purpose of the app and `speaker` its
    user. `features` are those of the groups style and content, and those of the group perturbation
    that no plugin applies afterwards; `params` has the values of all, by name. `guidelines` are
    further instructions of the author, `shots` utterances written by hand, `examples` real
    utterances similar to the requested one, the most similar first. `templates` is the author's
    file for writers that work with templates. `sample` distinguishes independent utterances for one
    case. The answer depends on nothing but the task.
    """

    space: str
    features: tuple[Feature, ...]
    params: dict[str, JsonValue] = {}
    about: str = ""
    speaker: str = ""
    language: str = "English"
    guidelines: tuple[str, ...] = ()
    shots: tuple[Shot, ...] = ()
    examples: tuple[AppText, ...] = ()
    templates: str | None = None
    seed: int = 0
    sample: int = 0


class Utterance(Value, defer_build=True):
    """Role ``writer``: the words; empty if the task cannot be put into words.

    `spoken` has, for each content feature that is expressed, the words of `text` that express it: a
    perturbation that keeps the meaning leaves them alone. `reason` explains how the utterance came
    about.
    """

    text: AppText
    spoken: dict[str, tuple[AppText, ...]] = {}
    reason: AppText = ""


class PerturbTask(Value, defer_build=True):
    """Role ``perturbation``: distort a text.

    `protected` are words of the text that must stay as they are, unless the perturbation declares
    that it does not keep them. All randomness comes from `seed`.
    """

    text: AppText
    protected: tuple[AppText, ...] = ()
    language: str = "English"
    seed: int = 0


class Perturbed(Value, defer_build=True):
    """Role ``perturbation``: the distorted text.

    `changes` counts what was changed out of `places`, the places that could have been changed;
    `what` lists the changes, old and new text, as far as they can be listed one by one.
    """

    text: AppText
    changes: int = Field(default=0, ge=0)
    places: int = Field(default=0, ge=0)
    what: tuple[tuple[AppText, AppText], ...] = ()


class PerturbationConfig(PluginConfig):
    """Settings of every perturbation.

    `rate` is the share of the possible places that are changed; at least one is, unless the rate is
    0 or there is no place. `spare` says whether the words that carry the content of a request stay.
    """

    rate: float = Field(default=0.2, ge=0, le=1, description="share of the places changed")
    spare: bool = Field(
        default=True, description="whether words that carry content stay as they are"
    )


class Perturbation(Agent[PerturbTask, Perturbed, ConfigT]):
    """The role ``perturbation`` (`PerturbTask` to `Perturbed`).

    A class declares whether a reader still understands what is meant (`keeps_meaning`) and
    implements `perturb`. With the setting `spare`, each of the task's protected words occurs in the
    result as often as in the task, apart from upper and lower case. All randomness comes from the
    seed.
    """

    role: ClassVar[str] = "perturbation"
    Config: ClassVar[type[PluginConfig]] = PerturbationConfig
    #: Whether what is said still means the same.
    keeps_meaning: ClassVar[bool]

    @property
    def keeps_protected(self) -> bool:
        """Whether protected words stay, according to the settings."""
        return getattr(self.config, "spare", True) is not False

    @abstractmethod
    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        """Return the distorted text; `draw` is seeded with the task's seed."""

    async def act(self, task: PerturbTask) -> Perturbed:
        """Distort a text."""
        spared = task if self.keeps_protected else task.model_copy(update={"protected": ()})
        return self.perturb(spared, Random(task.seed))


class FitnessTask(Value, defer_build=True):
    """Role ``fitness``: how good was the app in this conversation, by one measure?

    `request` is what the user wanted in plain words (before perturbations), `said` what was really
    said to the app, `answer` what the app said and `payload` its structured answer. `turns` is the
    whole conversation, `incidents` what went wrong in it. `features` has the value of each feature
    of the case, `labels` a word for people per value, and `wanted`, for each content feature that
    is asked for, the words by which a reader recognises it. `language` is the English name of the
    language that is spoken. `seed` and `sample` are as in `JudgeTask`.

    A task may be made from `turns` alone, or from `request` and `answer` alone; the rest is filled
    in.
    """

    request: AppText = ""
    said: AppText = ""
    answer: AppText = ""
    payload: JsonValue = None
    turns: tuple[Turn, ...] = ()
    incidents: tuple[Incident, ...] = ()
    features: dict[str, JsonValue] = {}
    labels: dict[str, str] = {}
    wanted: dict[str, tuple[str, ...]] = {}
    language: str = "English"
    seed: int = 0
    sample: int = 0

    @model_validator(mode="after")
    def _complete(self) -> "FitnessTask":
        fields = self.model_fields_set
        if self.turns and not fields & {"answer", "payload"}:
            return self._fill(**_last_of(self.turns))
        if not self.turns and "answer" in fields:
            observation = Observation(text=self.answer, payload=self.payload)
            return self._fill(
                turns=(Turn(act=Say(text=self.said or self.request), observation=observation),)
            )
        return self

    def _fill(self, **values: Any) -> "FitnessTask":
        for name, value in values.items():
            if name not in self.model_fields_set:
                object.__setattr__(self, name, value)
        return self


def _last_of(turns: tuple[Turn, ...]) -> dict[str, Any]:
    """Return the last act and answer as fields of a task."""
    observation = turns[-1].observation or Observation()
    said = act_text(turns[-1].act)
    return {
        "request": said,
        "said": said,
        "answer": observation.text,
        "payload": observation.payload,
    }


@runtime_checkable
class ChecksSettings(Protocol):
    """A fitness agent that can check whether its settings fit the cases that it will judge."""

    def validation_errors(self, space: Space) -> Sequence[Problem]:
        """What does not fit, as `Oracle.validation_errors`; keys are below its own settings."""
        ...


class Fitness(Value, defer_build=True):
    """Role ``fitness``: a value in [0, 1], 1 for as good as possible; None if it is undecided.

    `parts` are the numbers that make up the value, by name, before weighting. `wrong` are the
    features of the case that were answered wrongly, if that is known; `misread` are those that the
    app itself reports as understood differently. `broken` names the rules of a policy that were
    broken. `reason` is an explanation in a sentence. `turns` are the 0-based turns that show it.
    `unserved` is true for an undecided value if nothing was returned and it is unknown whether
    anything exists: a judge may know that the app mistook the request for another one.
    """

    value: float | None = Field(default=None, ge=0, le=1)
    reason: AppText = ""
    parts: dict[str, float] = {}
    wrong: tuple[str, ...] = ()
    misread: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()
    unserved: bool = False
