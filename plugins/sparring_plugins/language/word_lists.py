"""Lists of words that profiles may draw values from (`sparring.word_lists`): kind and data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from sparring_plugins.language.text import words
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.language.yaml_files import bundled_yaml

# Lists of words that profiles may draw values from: the entry points `sparring.word_lists`.


@dataclass(frozen=True, slots=True)
class WordList:
    """Knows words of some kinds, without a language model.

    `about` says in a line of what. `find` is given a description in words, such as ``soda
    drinks``, and an English name of a language, and returns its words for that, the
    best known first; `None` if it does not know what is meant: it never guesses.
    """

    about: str
    find: Callable[[str, str], Sequence[str] | None]


ANY_LANGUAGE = "any"
_FILE = "everyday.yaml"


class Kind(BaseModel):
    """Words of one kind: what it is `called`, and its words by language.

    The language ``any`` stands for words that are the same in all of them, such as names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    called: tuple[str, ...] = Field(min_length=1)
    words: dict[str, tuple[str, ...]] = Field(min_length=1)


class Everyday(BaseModel):
    """The data file: kinds of things, and words of a description that do not name a kind."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed_over: tuple[str, ...]
    kinds: dict[str, Kind]


def find(description: str, language: str) -> Sequence[str] | None:
    """The words of the kind that a description names, with no word of it left over."""
    kind = _by_name().get(_fold_words(description))
    if kind is None:
        return None
    return kind.words.get(language) or kind.words.get(ANY_LANGUAGE)


@lru_cache(maxsize=1)
def everyday() -> Everyday:
    """The file's content, read once."""
    return Everyday.model_validate(bundled_yaml("sparring_plugins.language", _FILE))


@lru_cache(maxsize=1)
def _by_name() -> Mapping[frozenset[str], Kind]:
    return {_fold_words(name): kind for kind in everyday().kinds.values() for name in kind.called}


@lru_cache(maxsize=1)
def _passed_over() -> frozenset[str]:
    return frozenset(stem(word) for word in everyday().passed_over)


def _fold_words(description: str) -> frozenset[str]:
    stems = {stem(part) for word in words(description[:500]) for part in word.split("-")}
    return frozenset(stems - _passed_over())


EVERYDAY = WordList("everyday things: food and drink, people, places, time, trade and more", find)
