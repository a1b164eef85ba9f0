"""Texts for perturbations: the places that can be changed, and the bundled word lists."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.search.roles import Perturbed

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word: letters and digits, with apostrophes inside."""

LONGEST = 20_000
"""The number of characters that are changed; the rest of a text stays."""

PACKAGE = "sparring_plugins.search.perturbations"
"""The package of the word lists."""

ItemT = TypeVar("ItemT")

Span = tuple[int, int]


def protected_spans(text: str, protected: Sequence[str]) -> list[Span]:
    """Return where protected words are, in any case of letters, as whole words."""
    spans: list[Span] = []
    for phrase in dict.fromkeys(protected):
        if phrase.strip():
            pattern = rf"(?<!\w){re.escape(phrase.strip())}(?!\w)"
            spans += [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    return spans


def overlaps(span: Span, spans: Sequence[Span]) -> bool:
    """Whether a span overlaps one of others."""
    return any(span[0] < end and start < span[1] for start, end in spans)


def free_words(text: str, protected: Sequence[str]) -> list[re.Match[str]]:
    """Return the words of a text that may be changed."""
    spans = protected_spans(text, protected)
    words = WORD.finditer(text[:LONGEST])
    return [match for match in words if not overlaps(match.span(), spans)]


def choose(items: Sequence[ItemT], rate: float, draw: Random) -> list[ItemT]:
    """Return the items to change: each with probability `rate`, and at least one of them."""
    if not items or rate <= 0:
        return []
    drawn = [draw.random() for _ in items]
    picked = [item for item, number in zip(items, drawn, strict=True) if number < rate]
    # a case with a perturbation has to differ from one without, however short its text is
    return picked or [items[drawn.index(min(drawn))]]


def replace_spans(text: str, changes: Sequence[tuple[Span, str]], places: int) -> Perturbed:
    """Return a text with other words at spans that do not overlap, in any order."""
    pieces: list[str] = []
    what: list[tuple[str, str]] = []
    end = 0
    for (start, stop), new in sorted(changes):
        pieces += [text[end:start], new]
        what.append((text[start:stop], new))
        end = stop
    perturbed = "".join((*pieces, text[end:]))
    return Perturbed(text=perturbed, changes=len(what), places=places, what=tuple(what))


def match_case(word: str, model: str) -> str:
    """Return a word with the case of letters of another one."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


class WordLists(BaseModel):
    """The content of ``word_lists.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fillers: dict[str, tuple[str, ...]] = Field(min_length=1)
    emoji: tuple[str, ...] = Field(min_length=1)
    small_words: frozenset[str] = Field(min_length=1)


class Translations(BaseModel):
    """The content of ``code_switching.yaml``: rows of words of one meaning, one per language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    languages: tuple[str, ...] = Field(min_length=2)
    words: tuple[tuple[str, ...], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _complete(self) -> "Translations":
        for row in self.words:
            if len(row) != len(self.languages):
                raise ValueError(f"{row} has not one word per language")
        return self


@cache
def word_lists() -> WordLists:
    """Return the word lists of the perturbations, read once."""
    return WordLists.model_validate(bundled_yaml(PACKAGE, "word_lists.yaml"))


@cache
def translations() -> Translations:
    """Return the words for code-switching, read once."""
    return Translations.model_validate(bundled_yaml(PACKAGE, "code_switching.yaml"))
