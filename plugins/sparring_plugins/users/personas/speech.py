"""What personas say besides what they want, by language, and measures of how a user speaks."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.personas.traits import RemarkKind

LANGUAGES = ("English", "Spanish", "French", "German", "Italian", "Portuguese")
"""The languages that there are phrases for."""


class Remarks(BaseModel):
    """Remarks of one kind: those that open a message and those that close it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: tuple[str, ...]
    after: tuple[str, ...]


class PersonaSpeech(BaseModel):
    """How personas speak one language.

    `greetings` begin remarks that only open a conversation. `marks` are its polite words,
    `articles` and `simpler` what somebody who learns it leaves out or says instead; the rest is
    what adversarial personas say.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kinds: dict[RemarkKind, Remarks]
    greetings: tuple[str, ...]
    marks: tuple[str, ...]
    articles: tuple[str, ...]
    simpler: dict[str, str]
    injections: tuple[str, ...]
    contradictions: tuple[str, ...]
    flood: str


@lru_cache(maxsize=8)
def persona_speech(language: str) -> PersonaSpeech:
    """The speech of personas in a language; in English if there is none of its own."""
    # the profile may be in a language without a book; English is understood most widely
    name = language if language in LANGUAGES else "English"
    data = bundled_yaml("sparring_plugins.users.personas", "remarks", f"{name.lower()}.yaml")
    return PersonaSpeech.model_validate(data)


_LIKE = 60
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


def mean_words(utterances: Sequence[str]) -> float:
    """How many words an utterance has on average; 0 if there are none."""
    counts = [len(utterance.split()) for utterance in utterances]
    return sum(counts) / len(counts) if counts else 0.0


def polite_share(utterances: Sequence[str], language: str = "English") -> float:
    """The share of utterances with a polite word of the language, 0 to 1."""
    marks = [folded(mark) for mark in persona_speech(language).marks]
    return _share(utterances, lambda text: any(contains(folded(text), mark) for mark in marks))


def remark_share(utterances: Sequence[str], kind: RemarkKind, language: str = "English") -> float:
    """The share of utterances with a remark of the kind, 0 to 1, but for case and punctuation."""
    remarks = persona_speech(language).kinds[kind]
    folded_remarks = [folded(remark) for remark in (*remarks.before, *remarks.after)]
    return _share(
        utterances, lambda text: any(contains(folded(text), remark) for remark in folded_remarks)
    )


def shouting_share(utterances: Sequence[str]) -> float:
    """The share of utterances all in capitals, of those with letters."""
    return _share(
        [utterance for utterance in utterances if _letters(utterance)],
        lambda text: text.upper() == text,
    )


def small_letter_share(utterances: Sequence[str]) -> float:
    """The share of utterances all in small letters, of those with letters."""
    return _share(
        [utterance for utterance in utterances if _letters(utterance)],
        lambda text: text.lower() == text,
    )


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
        meant_set, written_set = set(folded(meant).split()), set(folded(written).split())
        # short words are likely to be others by one letter: "now" is no misspelt "not"
        for word in _words(meant):
            meant_words += 1
            wrong += word not in written_set and _has_like(word, written_set - meant_set)
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
