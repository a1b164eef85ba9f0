"""Spelling mistakes as people make them: slips of the fingers, and spelling by ear."""

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.yaml_files import bundled_yaml

LEAST = 4
"""Letters of a word that may be misspelt; shorter ones would become other words."""

_WORD = re.compile(r"[^\W\d_]+")


class TypoTables(BaseModel):
    """The data file: keyboards by name, layouts by language, and misspellings by ear."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: dict[str, tuple[str, str, str]]
    layouts: dict[str, str]
    by_ear: dict[str, tuple[tuple[str, str], ...]]


@lru_cache(maxsize=1)
def typos() -> TypoTables:
    """The content of the data file, read once."""
    return TypoTables.model_validate(bundled_yaml("sparring_plugins.language", "typos.yaml"))


Slip = Callable[[str, Random, str], str | None]
"""Misspells a word with some luck, in a language; `None` if that cannot be done with the word."""


def misspelt(
    text: str, rate: float, draw: Random, language: str, spared: Callable[[int, int], bool]
) -> str:
    """A text with mistakes in its words, one per word at most.

    Args:
        text: What is meant.
        rate: The share of words of four letters or more that get a mistake, 0 to 1.
        draw: Where chance comes from.
        language: The language whose keyboard and sounds count; English if it is not known.
        spared: Whether a word, by its start and end, must stay as it is.
    """

    def written(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < LEAST or draw.random() >= rate or spared(match.start(), match.end()):
            return word
        return slipped(word, draw, language)

    return _WORD.sub(written, text)


def slipped(word: str, draw: Random, language: str) -> str:
    """A word with one mistake; itself if it is too short to be recognised with one.

    The first letter stays, and so do most of the others: a reader still knows the word.
    """
    if len(word) < LEAST:
        return word
    for slip in draw.sample(_SLIPS, len(_SLIPS)):
        misspelling = slip(word, draw, language)
        if misspelling is not None and misspelling.lower() != word.lower():
            return misspelling
    return word


def _misspell_by_ear(word: str, draw: Random, language: str) -> str | None:
    """Spelt as it sounds."""
    low = word.lower()
    if len(low) != len(word):
        return None
    by_ear = typos().by_ear
    pairs = by_ear.get(language, by_ear["English"])
    places = [
        (place, right, wrong)
        for right, wrong in pairs
        for place in range(1, len(low) - len(right) + 1)
        if low.startswith(right, place) and len(low) - len(right) + len(wrong) >= LEAST - 1
    ]
    if not places:
        return None
    place, right, wrong = draw.choice(places)
    wrong = wrong.upper() if word.isupper() else wrong
    return f"{word[:place]}{wrong}{word[place + len(right) :]}"


def _hit_neighbour(word: str, draw: Random, language: str) -> str | None:
    """A key beside the right one."""
    place = draw.randrange(1, len(word))
    beside = neighbours(typos().layouts.get(language, "qwerty")).get(word[place].lower(), "")
    if not beside:
        return None
    key = draw.choice(beside)
    return f"{word[:place]}{key.upper() if word[place].isupper() else key}{word[place + 1 :]}"


def _double_letter(word: str, draw: Random, language: str) -> str | None:
    """A key pressed twice."""
    place = draw.randrange(1, len(word))
    return f"{word[:place]}{word[place]}{word[place:]}"


def _drop_letter(word: str, draw: Random, language: str) -> str | None:
    """A key not pressed."""
    place = draw.randrange(1, len(word))
    return f"{word[:place]}{word[place + 1 :]}"


def _swap_letters(word: str, draw: Random, language: str) -> str | None:
    """Two keys pressed in the wrong order."""
    place = draw.randrange(1, len(word) - 1)
    return f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}"


# By ear stands twice: of 590 words of the vocabulary, 47 % have nothing to misspell in this way.
_SLIPS: tuple[Slip, ...] = (
    _misspell_by_ear,
    _misspell_by_ear,
    _hit_neighbour,
    _double_letter,
    _drop_letter,
    _swap_letters,
)


@lru_cache(maxsize=4)
def neighbours(layout: str) -> dict[str, str]:
    """For each letter of a keyboard the letters whose keys touch its key.

    Each row is shifted to the right of the one above it by less than a key.
    """
    rows = typos().rows[layout]
    letters: dict[str, str] = {}
    for number, row in enumerate(rows):
        for place, letter in enumerate(row):
            beside = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0))
            near = [(number + down, place + right) for down, right in beside]
            letters[letter] = "".join(
                rows[line][at]
                for line, at in near
                if 0 <= line < len(rows) and 0 <= at < len(rows[line])
            )
    return letters
