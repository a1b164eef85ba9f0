"""The words that outputs are compared and read by, from the data file beside this module."""

import re
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.data_files import bundled_yaml
from sparring_plugins.language.stems import stem
from sparring_plugins.language.text import folded
from sparring_plugins.voice.outputs.masking import VALUE


class Words(BaseModel):
    """The file's content; see the comments there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fillers: frozenset[str]
    generic_asks: tuple[str, ...]
    confused: tuple[str, ...]
    broken: tuple[str, ...]
    courtesies: tuple[str, ...]
    farewell: tuple[str, ...]
    same: tuple[tuple[str, ...], ...]
    opposites: tuple[frozenset[str], ...]
    light: frozenset[str]


@lru_cache(maxsize=1)
def words() -> Words:
    """The words, read once."""
    raw = cast("dict[str, Any]", bundled_yaml("sparring_plugins.voice.outputs", "words.yaml"))
    for name in ("fillers", "light"):
        raw[name] = raw[name].split()
    return Words.model_validate(raw)


def has_one(text: str, phrases: tuple[str, ...]) -> bool:
    """Whether a folded text has one of these phrases in it, at word boundaries."""
    padded = f" {text} "
    return any(f" {phrase} " in padded for phrase in phrases)


@lru_cache(maxsize=4096)
def normal(sentence: str) -> tuple[str, ...]:
    """The words of a masked sentence, alike phrases put in one way; a value is `VALUE`."""
    parts = [folded(part) for part in sentence.split(VALUE)]
    text = f" {f' {VALUE} '.join(parts)} "
    for pattern, word in _same():
        text = pattern.sub(f" {word} ", text)
    return tuple(text.split())


@lru_cache(maxsize=4096)
def significant(sentence: str) -> frozenset[str]:
    """The stems of the words that carry the meaning, without values and light words."""
    light = words().light
    return frozenset(stem(one) for one in normal(sentence) if one not in light and one != VALUE)


def weight(word: str) -> float:
    """How much a word of `normal` tells."""
    if word == VALUE:
        return 0.5
    return 0.3 if word in words().light else 1.0


@lru_cache(maxsize=4096)
def opposed(word: str) -> frozenset[int]:
    """The groups of opposites that a word stands in."""
    return frozenset(n for n, group in enumerate(words().opposites) if word in group)


@lru_cache(maxsize=1)
def _same() -> list[tuple[re.Pattern[str], str]]:
    """Patterns of phrases, the longest first, and the word that stands for each."""
    pairs = [(phrase, group[0].replace(" ", "_")) for group in words().same for phrase in group]
    pairs.sort(key=lambda pair: -len(pair[0].split()))
    return [(re.compile(rf" {re.escape(phrase)}(?= )"), word) for phrase, word in pairs]
