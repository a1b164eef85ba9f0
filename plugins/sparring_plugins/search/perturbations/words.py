"""Perturbations of whole words: deletion, repetition, fillers."""

import re
from collections.abc import Sequence
from random import Random
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.search.perturbations.places import (
    WORD,
    Span,
    chosen,
    free_words,
    like,
    protected_spans,
    replaced,
    touches,
)
from sparring_plugins.search.roles.perturbation import Perturbation, PerturbationConfig
from sparring_plugins.search.roles.writing import Perturbed, PerturbTask

FILLERS: dict[str, tuple[str, ...]] = {
    "English": ("uh", "um", "er", "like", "you know", "I mean", "well", "sort of"),
    "Spanish": ("eh", "pues", "este", "o sea", "bueno", "digamos"),
    "French": ("euh", "ben", "enfin", "tu vois", "quoi", "genre"),
    "German": ("äh", "ähm", "also", "sozusagen", "halt", "na ja"),
    "Italian": ("ehm", "cioè", "allora", "insomma", "diciamo", "tipo"),
    "Portuguese": ("hum", "tipo", "quer dizer", "pois", "então", "sabe"),
}


class WordDeletion(Perturbation[PerturbationConfig]):
    """Leaves words out. What is meant may be lost; content words stay unless `spare` is false."""

    keeps_meaning: ClassVar[bool] = False

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        gone = chosen(words, self.config.rate, draw)
        if len(gone) == sum(1 for _ in WORD.finditer(task.text)):
            gone = gone[:-1]  # something must be said
        made = replaced(task.text, [(match.span(), "") for match in gone], len(words))
        return made.model_copy(update={"text": _closed(made.text, task.protected)})


def _closed(text: str, protected: tuple[str, ...]) -> str:
    """A text without the gaps that deleted words leave."""
    spans = protected_spans(text, protected)

    def one(match: re.Match[str]) -> str:
        inside = any(start < match.end() and match.start() < end for start, end in spans)
        return match[0] if inside else match[1]

    return re.sub(r"[ \t]{2,}", " ", re.sub(r"[ \t]+([,.;:!?])", one, text)).strip()


class WordRepetition(Perturbation[PerturbationConfig]):
    """Says words twice, as in haste. What is meant stays."""

    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        changes = [
            (match.span(), f"{match[0]} {match[0]}")
            for match in chosen(words, self.config.rate, draw)
        ]
        return replaced(task.text, changes, len(words))


class FillersConfig(PerturbationConfig):
    """Settings of the fillers: words of one's own go before those of the language."""

    words: tuple[str, ...] = Field(default=(), description="fillers, instead of our own")


class Fillers(Perturbation[FillersConfig]):
    """Puts fillers between words, as in speech. What is meant stays."""

    Config: ClassVar[type[PluginConfig]] = FillersConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        language = task.language.strip().title()
        fillers = self.config.words or FILLERS.get(language, FILLERS["English"])
        spans = protected_spans(task.text, task.protected)
        words = [
            match
            for match in WORD.finditer(task.text)
            if not any(start < match.start() < end for start, end in spans)
        ]
        changes = [
            _filled(task.text, match, draw.choice(fillers), spans)
            for match in chosen(words, self.config.rate, draw)
        ]
        return replaced(task.text, changes, len(words))


def _filled(
    text: str, match: re.Match[str], filler: str, spans: Sequence[Span]
) -> tuple[Span, str]:
    """A filler before a word, as in ``Um, find me a, uh, bakery``."""
    start = match.start()
    before = text[:start].rstrip()
    if _opens(text, start):
        word = match[0]
        proper = word == "I" or word[1:2] in "'’" or not word[1:].islower()
        low = word == "A" or not (proper or touches(match.span(), spans))
        first = text[start].lower() if low else text[start]
        return (start, start + 1), f"{like(filler, 'A')}, {first}"
    if before[-1:].isalnum() and before != text[:start]:
        return (len(before), len(before)), f", {filler},"
    return (start, start), f"{filler}, "


def _opens(text: str, at: int) -> bool:
    """Whether a sentence begins there."""
    before = text[:at].rstrip()
    return not before or before[-1] in ".!?"
