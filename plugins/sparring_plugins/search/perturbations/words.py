"""Perturbations of whole words: deletion, repetition, fillers, code-switching."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import ClassVar

from pydantic import Field

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.perturbations.texts import (
    WORD,
    Span,
    choose,
    free_words,
    match_case,
    overlaps,
    protected_spans,
    replace_spans,
    translations,
    word_lists,
)
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask


class WordDeletion(Perturbation[PerturbationConfig]):
    """Leaves words out. The meaning may be lost; content words stay unless `spare` is false."""

    keeps_meaning: ClassVar[bool] = False

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        deleted = choose(words, self.config.rate, draw)
        # of "one two, three" at least a word stays: silence is no perturbation
        if len(deleted) == sum(1 for _ in WORD.finditer(task.text)):
            deleted = deleted[:-1]
        shortened = replace_spans(task.text, [(match.span(), "") for match in deleted], len(words))
        return shortened.model_copy(update={"text": _close_gaps(shortened.text, task.protected)})


def _close_gaps(text: str, protected: tuple[str, ...]) -> str:
    """Return a text without the gaps that deleted words leave."""
    spans = protected_spans(text, protected)

    def close_gap(match: re.Match[str]) -> str:
        inside = any(start < match.end() and match.start() < end for start, end in spans)
        return match[0] if inside else match[1]

    return re.sub(r"[ \t]{2,}", " ", re.sub(r"(?<![ \t])[ \t]+([,.;:!?])", close_gap, text)).strip()


class WordRepetition(Perturbation[PerturbationConfig]):
    """Says words twice, as in haste. The meaning stays."""

    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        changes = [
            (match.span(), f"{match[0]} {match[0]}")
            for match in choose(words, self.config.rate, draw)
        ]
        return replace_spans(task.text, changes, len(words))


class FillersConfig(PerturbationConfig):
    """Settings of the fillers: the suite's own words replace those of the language."""

    words: tuple[str, ...] = Field(default=(), description="fillers, instead of our own")


class Fillers(Perturbation[FillersConfig]):
    """Puts fillers between words, as in speech. The meaning stays."""

    Config: ClassVar[type[PluginConfig]] = FillersConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        language = task.language.strip().title()
        fillers = self.config.words or _fillers(language)
        spans = protected_spans(task.text, task.protected)
        words = [
            match
            for match in WORD.finditer(task.text)
            if not any(start < match.start() < end for start, end in spans)
        ]
        changes = [
            _insert_filler(task.text, match, draw.choice(fillers), spans)
            for match in choose(words, self.config.rate, draw)
        ]
        return replace_spans(task.text, changes, len(words))


def _fillers(language: str) -> tuple[str, ...]:
    by_language = word_lists().fillers
    return by_language.get(language, by_language["English"])


def _insert_filler(
    text: str, match: re.Match[str], filler: str, spans: Sequence[Span]
) -> tuple[Span, str]:
    """Put a filler before a word, as in ``Um, find me a, uh, bakery``.

    The first word of a sentence loses its capital, unless it has one of its own, as "I" or "I'm" or
    "McDonald".
    """
    start = match.start()
    before = text[:start].rstrip()
    if _opens(text, start):
        word = match[0]
        is_proper = word == "I" or word[1:2] in "'’" or not word[1:].islower()
        is_lowered = word == "A" or not (is_proper or overlaps(match.span(), spans))
        first = text[start].lower() if is_lowered else text[start]
        return (start, start + 1), f"{match_case(filler, 'A')}, {first}"
    # "find me a, uh, bakery"; behind a mark no comma is put before the filler.
    if before[-1:].isalnum() and before != text[:start]:
        return (len(before), len(before)), f", {filler},"
    return (start, start), f"{filler}, "


def _opens(text: str, at: int) -> bool:
    """Whether a sentence begins at a place."""
    before = text[:at].rstrip()
    return not before or before[-1] in ".!?"


class CodeSwitchingConfig(PerturbationConfig):
    """Settings of the code-switching: `rate` is the share of known words that are switched."""

    rate: float = Field(default=0.3, ge=0, le=1)
    to: str = Field(default="Spanish", description="the other language")


class CodeSwitching(Perturbation[CodeSwitchingConfig]):
    """Says common words in another language, as bilingual people do.

    It knows some hundred everyday words of English, Spanish, French, German, Italian and
    Portuguese. Speakers of both languages understand what is meant.
    """

    Config: ClassVar[type[PluginConfig]] = CodeSwitchingConfig
    keeps_meaning: ClassVar[bool] = True

    def __init__(self, config: CodeSwitchingConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        languages = translations().languages
        if config.to.strip().title() not in languages:
            hint = nearest(config.to.title(), languages)
            raise ConfigurationError(f"code-switching to {config.to!r} is not known.{hint}")

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        other = _dictionary(task.language.strip().title(), self.config.to.strip().title())
        words = free_words(task.text, task.protected)
        switchable = [match for match in words if match[0].lower() in other]
        changes = [
            (match.span(), match_case(other[match[0].lower()], match[0]))
            for match in choose(switchable, self.config.rate, draw)
        ]
        return replace_spans(task.text, changes, len(switchable))


@cache
def _dictionary(language: str, to: str) -> dict[str, str]:
    languages = translations().languages
    if language == to or language not in languages:
        return {}
    source, target = languages.index(language), languages.index(to)
    dictionary: dict[str, str] = {}
    for row in translations().words:
        # "no" is the same in English and Spanish: switching it would change nothing.
        if row[source].lower() != row[target].lower():
            dictionary.setdefault(row[source].lower(), row[target])
    return dictionary
