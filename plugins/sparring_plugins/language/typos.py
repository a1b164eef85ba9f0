"""Spelling mistakes as people make them: slips of the fingers, and spelling by ear."""

import re
from collections.abc import Callable
from functools import lru_cache
from random import Random

LEAST = 4
"""Letters of a word that may be misspelt; shorter ones would become other words."""

_WORD = re.compile(r"[^\W\d_]+")
_ROWS = {
    "qwerty": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "qwertz": ("qwertzuiopü", "asdfghjklöä", "yxcvbnm"),
    "azerty": ("azertyuiop", "qsdfghjklm", "wxcvbn"),
}
_LAYOUTS = {"German": "qwertz", "French": "azerty"}
_BY_EAR: dict[str, tuple[tuple[str, str], ...]] = {
    "English": (
        ("ight", "ite"), ("ough", "uff"), ("tion", "shun"), ("ie", "ei"), ("ei", "ie"),
        ("ph", "f"), ("ck", "k"), ("kn", "n"), ("wh", "w"), ("ea", "ee"), ("ee", "ea"),
        ("able", "ible"), ("ence", "ance"), ("ance", "ence"), ("ould", "ud"), ("c", "k"),
        ("s", "z"), ("y", "i"), ("ll", "l"), ("tt", "t"),
    ),
    "Spanish": (
        ("ll", "y"), ("qu", "k"), ("gu", "g"), ("v", "b"), ("b", "v"), ("z", "s"), ("ce", "se"),
        ("ci", "si"), ("ge", "je"), ("gi", "ji"), ("h", ""), ("á", "a"), ("é", "e"), ("í", "i"),
        ("ó", "o"), ("ú", "u"), ("ñ", "n"),
    ),
    "French": (
        ("eau", "o"), ("au", "o"), ("ph", "f"), ("qu", "k"), ("ss", "s"), ("ç", "s"), ("er", "é"),
        ("ai", "é"), ("é", "e"), ("è", "e"), ("ê", "e"), ("à", "a"), ("nn", "n"), ("mm", "m"),
        ("tt", "t"), ("ll", "l"),
    ),
    "German": (
        ("ß", "ss"), ("ss", "s"), ("ie", "i"), ("ei", "ai"), ("eh", "e"), ("ah", "a"), ("tz", "z"),
        ("ck", "k"), ("v", "f"), ("ä", "e"), ("äu", "eu"), ("ö", "o"), ("ü", "u"), ("mm", "m"),
        ("nn", "n"), ("ll", "l"),
    ),
    "Italian": (
        ("ch", "k"), ("qu", "cu"), ("gn", "ni"), ("gl", "l"), ("zz", "z"), ("tt", "t"),
        ("cc", "c"), ("ll", "l"), ("rr", "r"), ("pp", "p"), ("è", "e"), ("ò", "o"), ("à", "a"),
        ("ù", "u"),
    ),
    "Portuguese": (
        ("ss", "s"), ("ç", "ss"), ("ch", "x"), ("lh", "li"), ("qu", "k"), ("rr", "r"), ("z", "s"),
        ("ão", "ao"), ("ã", "a"), ("õ", "o"), ("é", "e"), ("á", "a"), ("ê", "e"), ("h", ""),
    ),
}  # fmt: skip

Slip = Callable[[str, Random, str], str | None]
"""Misspells a word with some luck, in a language; None where that cannot be done with the word."""


def misspelt(
    text: str, rate: float, draw: Random, language: str, spared: Callable[[int, int], bool]
) -> str:
    """A text with mistakes in its words, one per word at most.

    Args:
        text: What is meant.
        rate: The share of words of four letters or more that get a mistake, 0 to 1.
        draw: Where chance comes from.
        language: The language whose keyboard and sounds count; English where it is not known.
        spared: Whether a word, by its start and end, must stay as it is.
    """

    def written(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < LEAST or draw.random() >= rate or spared(match.start(), match.end()):
            return word
        return slipped(word, draw, language)

    return _WORD.sub(written, text)


def slipped(word: str, draw: Random, language: str) -> str:
    """A word with one mistake; itself where it is too short to be recognised with one.

    The first letter stays, and so do most of the others: a reader still knows the word.
    """
    if len(word) < LEAST:
        return word
    for slip in draw.sample(_SLIPS, len(_SLIPS)):
        found = slip(word, draw, language)
        if found is not None and found.lower() != word.lower():
            return found
    return word


def _by_ear(word: str, draw: Random, language: str) -> str | None:
    """Spelt as it sounds."""
    low = word.lower()
    if len(low) != len(word):
        return None
    pairs = _BY_EAR.get(language, _BY_EAR["English"])
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


def _neighbour(word: str, draw: Random, language: str) -> str | None:
    """A key beside the right one."""
    place = draw.randrange(1, len(word))
    beside = neighbours(_LAYOUTS.get(language, "qwerty")).get(word[place].lower(), "")
    if not beside:
        return None
    key = draw.choice(beside)
    return f"{word[:place]}{key.upper() if word[place].isupper() else key}{word[place + 1 :]}"


def _doubled(word: str, draw: Random, language: str) -> str | None:
    """A key pressed twice."""
    place = draw.randrange(1, len(word))
    return f"{word[:place]}{word[place]}{word[place:]}"


def _dropped(word: str, draw: Random, language: str) -> str | None:
    """A key not pressed."""
    place = draw.randrange(1, len(word))
    return f"{word[:place]}{word[place + 1 :]}"


def _swapped(word: str, draw: Random, language: str) -> str | None:
    """Two keys pressed in the wrong order."""
    place = draw.randrange(1, len(word) - 1)
    return f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}"


_SLIPS: tuple[Slip, ...] = (_by_ear, _by_ear, _neighbour, _doubled, _dropped, _swapped)


@lru_cache(maxsize=4)
def neighbours(layout: str) -> dict[str, str]:
    """For each letter of a keyboard the letters whose keys touch its key.

    Each row is shifted to the right of the one above it by less than a key.
    """
    rows = _ROWS[layout]
    found: dict[str, str] = {}
    for number, row in enumerate(rows):
        for place, letter in enumerate(row):
            beside = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0))
            near = [(number + down, place + right) for down, right in beside]
            found[letter] = "".join(
                rows[line][at]
                for line, at in near
                if 0 <= line < len(rows) and 0 <= at < len(rows[line])
            )
    return found
