"""Measures of how a user speaks, over what it said."""

import re
from collections.abc import Callable, Iterable, Sequence

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.personas.remarks import manners
from sparring_plugins.users.personas.traits import Kind

_LIKE = 60
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


def mean_words(utterances: Sequence[str]) -> float:
    """How many words an utterance has on average; 0 where there are none."""
    counts = [len(one.split()) for one in utterances]
    return sum(counts) / len(counts) if counts else 0.0


def polite_share(utterances: Sequence[str], language: str = "English") -> float:
    """The share of utterances with a polite word of the language, 0 to 1."""
    marks = [folded(mark) for mark in manners(language).marks]
    return _share(utterances, lambda text: any(contains(folded(text), mark) for mark in marks))


def remark_share(utterances: Sequence[str], kind: Kind, language: str = "English") -> float:
    """The share of utterances with a remark of the kind, 0 to 1, but for case and punctuation."""
    remarks = manners(language).kinds[kind]
    known = [folded(one) for one in (*remarks.before, *remarks.after)]
    return _share(utterances, lambda text: any(contains(folded(text), one) for one in known))


def shouting_share(utterances: Sequence[str]) -> float:
    """The share of utterances all in capitals, of those with letters."""
    return _share([one for one in utterances if _letters(one)], lambda text: text.upper() == text)


def small_letter_share(utterances: Sequence[str]) -> float:
    """The share of utterances all in small letters, of those with letters."""
    return _share([one for one in utterances if _letters(one)], lambda text: text.lower() == text)


def emoji_share(utterances: Sequence[str]) -> float:
    """The share of utterances with an emoji."""
    return _share(utterances, lambda text: bool(_EMOJI.search(text)))


def question_share(utterances: Sequence[str]) -> float:
    """The share of utterances with a question mark."""
    return _share(utterances, lambda text: "?" in text)


def misspelt_share(pairs: Sequence[tuple[str, str]]) -> float:
    """The share of words written otherwise than meant, over pairs of meant and written texts.

    Counted are the words of four letters or more that were meant. A word that was left out is not
    misspelt: in the place of one that is there stands something like it.
    """
    meant_words = wrong = 0
    for meant, written in pairs:
        known, seen = set(folded(meant).split()), set(folded(written).split())
        for word in _words(meant):
            meant_words += 1
            wrong += word not in seen and _has_like(word, seen - known)
    return wrong / meant_words if meant_words else 0.0


def _has_like(word: str, others: Iterable[str]) -> bool:
    from rapidfuzz import fuzz

    return any(fuzz.ratio(word, other) >= _LIKE for other in others)


def _words(text: str) -> list[str]:
    return [word for word in folded(text).split() if len(word) >= 4 and word.isalpha()]


def _letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _share(utterances: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, utterances)) / len(utterances) if utterances else 0.0
