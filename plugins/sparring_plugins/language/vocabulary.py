"""The words that dialogue is recognised by, from the data files beside this module."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.data_files import bundled_yaml
from sparring_plugins.language.text import folded

ALWAYS = ("English", "Spanish")
"""Languages whose words count in any text: few of them mean anything else in another one."""

OTHERS = ("French", "German", "Italian", "Portuguese")
"""Languages whose words count in texts that may be in them, by their small words."""

_CLEAR = 2


class Vocabulary(BaseModel):
    """Cue phrases by language and what they tell, stop words, families of synonyms, number words.

    All are folded (see `plain_text.folded`). Stop words and families are of all languages
    together: an app may answer in another language than it was asked in. `small` are the words by
    which a text is known to be in a language.
    """

    model_config = ConfigDict(frozen=True)

    cues: dict[str, dict[str, tuple[str, ...]]]
    small: dict[str, frozenset[str]]
    stop: frozenset[str]
    families: dict[str, tuple[str, ...]]
    numbers: dict[str, dict[str, int]]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    base = _data("vocabulary.yaml")
    others = {name: _data(f"languages/{name.lower()}.yaml") for name in OTHERS}
    cues = {**base["cues"], **{name: data["cues"] for name, data in others.items()}}
    small = {**base["small"], **{name: data["small"] for name, data in others.items()}}
    stop = [*base["stop"].values(), *(data["stop"] for data in others.values())]
    numbers = {**base["numbers"], **{name: data["numbers"] for name, data in others.items()}}
    families: dict[str, list[str]] = {}
    for data in (base, *others.values()):
        for name, line in data["families"].items():
            families.setdefault(name, []).extend(folded(word) for word in line.split())
    return Vocabulary(
        cues={name: _folded_cues(by_name) for name, by_name in cues.items()},
        small={name: frozenset(folded(words).split()) for name, words in small.items()},
        stop=frozenset(folded(word) for line in stop for word in line.split()),
        families={name: tuple(dict.fromkeys(words)) for name, words in families.items()},
        numbers={
            name: {folded(word): int(value) for word, value in known.items()}
            for name, known in numbers.items()
        },
    )


@lru_cache(maxsize=4096)
def languages_of(text: str) -> tuple[str, ...]:
    """The languages that a folded text may be in, as far as words of it are known here.

    English and Spanish are left out only of a text that is clearly in another one; the others
    count where no language has more small words in it.
    """
    words = text.split()
    counts = {
        name: sum(word in small for word in words) for name, small in vocabulary().small.items()
    }
    most = max(counts.values())
    found = [name for name in ALWAYS if counts[name] > most - _CLEAR]
    return (*found, *(name for name in OTHERS if counts[name] == most))


@lru_cache(maxsize=4096)
def cue_phrases(text: str, name: str) -> tuple[str, ...]:
    """The cue phrases called `name` of the languages that a folded text may be in."""
    known = vocabulary().cues
    found = (known[language][name] for language in languages_of(text))
    return tuple(dict.fromkeys(phrase for phrases in found for phrase in phrases))


@lru_cache(maxsize=1024)
def number_names(text: str) -> Mapping[str, int]:
    """The number words of the languages that a folded text may be in."""
    known = vocabulary().numbers
    return {
        word: value for language in languages_of(text) for word, value in known[language].items()
    }


@lru_cache(maxsize=4096)
def has_cue(text: str, name: str) -> bool:
    """Whether a folded text has one of the cue phrases called `name` in it."""
    padded = f" {text} "
    return any(f" {phrase} " in padded for phrase in cue_phrases(text, name))


@lru_cache(maxsize=4096)
def starts_with_cue(text: str, name: str) -> bool:
    """Whether a folded text begins with one of the cue phrases called `name`."""
    padded = f"{text} "
    return any(padded.startswith(f"{phrase} ") for phrase in cue_phrases(text, name))


def _folded_cues(by_name: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys(folded(str(phrase)) for phrase in phrases))
        for name, phrases in by_name.items()
    }


def _data(path: str) -> dict[str, Any]:
    found = bundled_yaml("sparring_plugins.language", *path.split("/"))
    return cast("dict[str, Any]", found)
