"""Perturbations of characters: noise, typos, case, punctuation, emoji."""

import re
from functools import lru_cache
from random import Random
from string import ascii_lowercase
from typing import ClassVar, Literal

from pydantic import Field

from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.language.typos import LEAST, slipped
from sparring_plugins.search.perturbations.texts import (
    LONGEST,
    WORD,
    Span,
    choose,
    free_words,
    overlaps,
    protected_spans,
    replace_spans,
    word_lists,
)
from sparring_plugins.search.roles import Perturbation, PerturbationConfig, Perturbed, PerturbTask


class CharactersConfig(PerturbationConfig):
    """Settings of the noise of characters: `rate` is the share of letters and digits changed."""

    rate: float = Field(default=0.05, ge=0, le=1, description="share of characters changed")
    kinds: tuple[Literal["delete", "insert", "replace", "swap"], ...] = Field(
        default=("delete", "insert", "replace", "swap"), min_length=1
    )


class Characters(Perturbation[CharactersConfig]):
    """Deletes, inserts, replaces and swaps characters anywhere. The meaning may be lost."""

    Config: ClassVar[type[PluginConfig]] = CharactersConfig
    keeps_meaning: ClassVar[bool] = False

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        text = task.text
        words = free_words(text, task.protected)
        places = [at for match in words for at in range(*match.span()) if text[at].isalnum()]
        changes: list[tuple[Span, str]] = []
        end = 0
        for at in choose(places, self.config.rate, draw):
            change = self._change(text, at, draw)
            if at >= end:
                changes.append(change)
                end = change[0][1]
        return replace_spans(text, changes, len(places))

    def _change(self, text: str, at: int, draw: Random) -> tuple[Span, str]:
        kind, letter = draw.choice(self.config.kinds), draw.choice(ascii_lowercase)
        here, after = text[at], text[at + 1 : at + 2]
        # Swapping "oo" changes nothing, and a swap with a blank would join two words.
        if kind == "swap" and after.isalnum() and after != here:
            return (at, at + 2), after + here
        if kind == "delete":
            return (at, at + 1), ""
        if kind == "insert":
            return (at, at + 1), here + letter
        other = letter if letter != here.lower() else ascii_lowercase[ord(letter) % 26 - 20]
        return (at, at + 1), other.upper() if here.isupper() else other


class Typos(Perturbation[PerturbationConfig]):
    """Misspells words as people do: neighbouring keys, swapped letters, spelling by ear.

    Readers still understand what is meant. It is the model of the agenda-based user; words of fewer
    than four letters stay.
    """

    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        language = task.language.strip().title()
        words = [word for word in free_words(task.text, task.protected) if _spellable(word[0])]
        changes = [
            (match.span(), slipped(match[0], draw, language))
            for match in choose(words, self.config.rate, draw)
        ]
        differing = [(span, new) for span, new in changes if new != task.text[slice(*span)]]
        return replace_spans(task.text, differing, len(words))


def _spellable(word: str) -> bool:
    # "4.5" or "at" with a slip would mean something else
    return len(word) >= LEAST and word.isalpha()


class LetterCaseConfig(PerturbationConfig):
    """Settings of the case of letters; `rate` counts for the mode `random` alone."""

    rate: float = Field(default=0.5, ge=0, le=1, description="share of letters changed, if random")
    mode: Literal["lower", "upper", "title", "random"] = "lower"


class LetterCase(Perturbation[LetterCaseConfig]):
    """Changes the case of letters: all lower, all upper, each word's first upper, or at random."""

    Config: ClassVar[type[PluginConfig]] = LetterCaseConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        text = task.text
        places = [at for at, letter in enumerate(text[:LONGEST]) if _has_case(letter)]
        if self.config.mode == "random":
            flipped = set(choose(places, self.config.rate, draw))
            changed = "".join(
                letter.swapcase() if at in flipped else letter for at, letter in enumerate(text)
            )
        else:
            changed = "".join(self._letter(text, at) for at in range(len(text)))
        changes = sum(letter != other for letter, other in zip(text, changed, strict=True))
        return Perturbed(text=changed, changes=changes, places=len(places))

    def _letter(self, text: str, at: int) -> str:
        letter = text[at]
        if not _has_case(letter):
            return letter
        if self.config.mode == "title":
            first = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "'’")
            return letter.upper() if first else letter.lower()
        return letter.upper() if self.config.mode == "upper" else letter.lower()


@lru_cache(maxsize=4_096)
def _has_case(letter: str) -> bool:
    """Whether a letter has another case of one letter that leads back to it ("ß" does not)."""
    return (
        len(letter.swapcase()) == 1
        and letter.swapcase() != letter
        and letter.swapcase().swapcase() == letter
    )


_MARK = re.compile(r"(?<![,.;:!?])[,.;:!?]+(?=\s|$|[)\]\"'])")
"""Marks at the end of words: those inside numbers and addresses stay, as in "4.5"."""


class PunctuationConfig(PerturbationConfig):
    """Settings of the punctuation; `rate` is the share of marks (or words, for `commas`)."""

    rate: float = Field(default=1.0, ge=0, le=1)
    mode: Literal["none", "heavy", "commas"] = "none"


class Punctuation(Perturbation[PunctuationConfig]):
    """Removes punctuation, repeats it (``!!!``), or puts commas where none belong."""

    Config: ClassVar[type[PluginConfig]] = PunctuationConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        text, mode = task.text, self.config.mode
        spans = protected_spans(text, task.protected)
        pattern = WORD if mode == "commas" else _MARK
        places = [m for m in pattern.finditer(text[:LONGEST]) if not overlaps(m.span(), spans)]
        changes: list[tuple[Span, str]] = []
        for match in choose(places, self.config.rate, draw):
            many = match[0] * draw.randint(2, 4)
            new = {"none": "", "heavy": many, "commas": f"{match[0]},"}[mode]
            changes.append((match.span(), new))
        return replace_spans(text, changes, len(places))


class EmojiConfig(PerturbationConfig):
    """Settings of the emoji; `rate` is the share of sentences with one."""

    rate: float = Field(default=0.7, ge=0, le=1)
    emoji: tuple[str, ...] = Field(default=word_lists().emoji, min_length=1)


class Emoji(Perturbation[EmojiConfig]):
    """Puts emoji after sentences. The meaning stays."""

    Config: ClassVar[type[PluginConfig]] = EmojiConfig
    keeps_meaning: ClassVar[bool] = True

    def perturb(self, task: PerturbTask, draw: Random) -> Perturbed:
        text = task.text
        ends = [match.end() for match in re.finditer(r"(?<![.!?])[.!?]+(?=\s|$)", text[:LONGEST])]
        spans = protected_spans(text, task.protected)
        places = sorted({*ends, len(text.rstrip())})
        places = [at for at in places if not any(start < at < end for start, end in spans)]
        changes = [
            ((at, at), f" {draw.choice(self.config.emoji)}")
            for at in choose(places, self.config.rate, draw)
        ]
        return replace_spans(text, changes, len(places))
