"""The typed tasks and answers of search-based testing: writer, perturbation (STELLAR).

A case is a vector of features. The writer puts its content and style features into words, then
each perturbation feature spoils the words in its way.
"""

from typing import Literal

from pydantic import Field, JsonValue

from sparring.model.base import AppText, Value

FeatureGroup = Literal["style", "content", "perturbation"]


class Feature(Value):
    """The value that one feature has in a case.

    `label` says the value in a word or two for people. `words` are the ways to put it, the usual
    one first: of a content feature the words that stand for it in an utterance, of a style feature
    what a writer is to do. `hints` are ways to put content without saying it. `none` says that the
    feature is left out. `mentions` are the words by one of which a reader knows the value; nothing
    where the value need not be said in so many words. `position` in [0, 1] is where the value
    stands on an ordinal scale: 0 for the first, 1 for the last.
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


class Shot(Value):
    """An utterance of the author's for values of some features, to show a writer what is meant."""

    features: dict[str, JsonValue] = {}
    utterance: str


class WriteTask(Value):
    """Role ``writer``: put the features of a case into one utterance of a user.

    `space` names the feature space, `about` says what the app is for and `speaker` who speaks.
    `features` are those of groups style and content, and those of perturbation that no plugin
    applies afterwards; `params` has the values of all, by name. `guidelines` are the author's
    further wishes, `shots` utterances written by hand, `examples` real utterances like the wanted
    one, the most alike first. `templates` is a file of the author's for writers that put features
    into words by templates. `sample` tells independent utterances for one case apart. The answer
    depends on nothing but the task.
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


class Utterance(Value):
    """Role ``writer``: the words; nothing where the task cannot be put into words.

    `spoken` has, for each content feature that is said, the words of `text` that say it: a
    perturbation that keeps meaning leaves them alone. `reason` says how it came about.
    """

    text: AppText
    spoken: dict[str, tuple[AppText, ...]] = {}
    reason: AppText = ""


class PerturbTask(Value):
    """Role ``perturbation``: spoil a text.

    `protected` are words of the text that must stay as they are, unless the perturbation declares
    that it does not keep them. Chance comes from `seed` alone.
    """

    text: AppText
    protected: tuple[AppText, ...] = ()
    language: str = "English"
    seed: int = 0


class Perturbed(Value):
    """Role ``perturbation``: the spoiled text.

    `changes` counts what was changed out of `places` where it could have been; `what` names the
    changes, old and new, as far as they can be named one by one.
    """

    text: AppText
    changes: int = Field(default=0, ge=0)
    places: int = Field(default=0, ge=0)
    what: tuple[tuple[AppText, AppText], ...] = ()
