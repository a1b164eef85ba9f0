"""Perturbations by sound: homophones, and what a speech recogniser makes of a text."""

import re
from random import Random
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.perturbations.places import (
    chosen,
    free_words,
    like,
    protected_spans,
    replaced,
    touches,
)
from sparring_plugins.search.perturbations.pronunciation import heard, homophones, sounds
from sparring_plugins.search.roles.perturbation import Perturbation, PerturbationConfig
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask

_SMALL = frozenset({"a", "an", "the", "to", "of", "in", "is", "it", "and", "at", "for", "do"})


class HomophonesConfig(PerturbationConfig):
    """Settings of the homophones: `rate` is the share of words that have one."""

    rate: float = Field(default=0.5, ge=0, le=1)


class Homophones(Perturbation[HomophonesConfig]):
    """Replaces words by others that sound the same (English, from the CMU dictionary).

    Who hears the text knows what is meant; who reads it may not.
    """

    Config: ClassVar[type[PluginConfig]] = HomophonesConfig
    keeps_meaning: ClassVar[bool] = True

    def __init__(self, config: HomophonesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        sounds()

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        can = [match for match in words if homophones(match[0])]
        changes = [
            (match.span(), _as_written(draw.choice(homophones(match[0])), match[0]))
            for match in chosen(can, self.config.rate, draw)
        ]
        return replaced(task.text, changes, len(can))


class AsrNoiseConfig(PerturbationConfig):
    """Settings of the noise of a speech recogniser.

    `rate` is the share of words misheard, `lost` that of small words lost.
    """

    rate: float = Field(default=0.15, ge=0, le=1)
    lost: float = Field(default=0.15, ge=0, le=1)


class AsrNoise(Perturbation[AsrNoiseConfig]):
    """Makes of a text what a speech recogniser might: no capitals, no punctuation, words misheard.

    Numbers are written out, small words get lost, others are taken for ones that sound alike.
    What is meant may be lost; content words stay in their letters unless `spare` is false.
    """

    Config: ClassVar[type[PluginConfig]] = AsrNoiseConfig
    keeps_meaning: ClassVar[bool] = False

    def __init__(self, config: AsrNoiseConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        sounds()

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        text = task.text.lower() if len(task.text.lower()) == len(task.text) else task.text
        spans = protected_spans(text, task.protected)
        words = free_words(text, task.protected)
        small = [match for match in words if match[0] in _SMALL]
        lost = {match.start() for match in _some(small, self.config.lost, draw)}
        can = [one for one in words if one.start() not in lost and heard(one[0])]
        misheard = {one.start() for one in chosen(can, self.config.rate, draw)}
        changes: list[tuple[tuple[int, int], str]] = []
        for match in words:
            if match.start() in lost:
                changes.append((match.span(), ""))
            elif match.start() in misheard:
                changes.append((match.span(), draw.choice(heard(match[0]))))
        for match in re.finditer(r"[^\w\s'’]+", text):
            inside = touches(match.span(), spans) or _decimal(text, match)
            if not inside:
                changes.append((match.span(), " "))
        made = replaced(text, changes, len(words))
        return made.model_copy(update={"text": re.sub(r"[ \t]{2,}", " ", made.text).strip()})


def _some(items: list[re.Match[str]], rate: float, draw: Random) -> list[re.Match[str]]:
    return [item for item in items if draw.random() < rate]


def _decimal(text: str, match: re.Match[str]) -> bool:
    """Whether a mark stands between digits."""
    return text[match.start() - 1 : match.start()].isdigit() and text[match.end() :][:1].isdigit()


def _as_written(word: str, model: str) -> str:
    """A word with the capitals of another one; the lone I has them for another reason."""
    return word if model == "I" else like(word, model)
