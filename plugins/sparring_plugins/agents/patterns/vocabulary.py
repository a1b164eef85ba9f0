"""The words that dialogue is recognised by, from the data files beside this module."""

from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

import yaml
from pydantic import BaseModel, ConfigDict

from sparring_plugins.agents.patterns.plain_text import folded


class Vocabulary(BaseModel):
    """Cue phrases by what they tell, stop words, families of synonyms, number words.

    All are folded (see `plain_text.folded`), of all languages together: an app may answer in
    another language than it was asked in.
    """

    model_config = ConfigDict(frozen=True)

    cues: dict[str, tuple[str, ...]]
    stop: frozenset[str]
    families: dict[str, tuple[str, ...]]
    numbers: dict[str, int]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    raw = cast("dict[str, Any]", yaml.safe_load(_text("vocabulary.yaml")))
    cues: dict[str, list[str]] = {}
    for by_language in raw["cues"].values():
        for name, phrases in by_language.items():
            cues.setdefault(name, []).extend(folded(str(phrase)) for phrase in phrases)
    return Vocabulary(
        cues={name: tuple(dict.fromkeys(found)) for name, found in cues.items()},
        stop=frozenset(folded(word) for line in raw["stop"].values() for word in line.split()),
        families={
            name: tuple(folded(word) for word in line.split())
            for name, line in raw["families"].items()
        },
        numbers={folded(word): int(value) for word, value in raw["numbers"].items()},
    )


@lru_cache(maxsize=2048)
def has_cue(text: str, name: str) -> bool:
    """Whether a folded text has one of the cue phrases called `name` in it."""
    padded = f" {text} "
    return any(f" {phrase} " in padded for phrase in vocabulary().cues[name])


@lru_cache(maxsize=2048)
def starts_with_cue(text: str, name: str) -> bool:
    """Whether a folded text begins with one of the cue phrases called `name`."""
    padded = f"{text} "
    return any(padded.startswith(f"{phrase} ") for phrase in vocabulary().cues[name])


def _text(name: str) -> str:
    return files("sparring_plugins.agents.patterns").joinpath(name).read_text("utf-8")
