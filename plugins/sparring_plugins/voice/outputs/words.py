"""Words of an app's outputs: values masked, synonyms unified, weighted (``words.yaml``)."""

import re
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, field_validator

from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.language.yaml_files import bundled_yaml

MAX_OUTPUT = 3_000
"""Characters of an output that are compared."""

MAX_INPUT = 200
"""Characters of an input."""

VALUE = "\u25a1"
"""The mark that replaces a value in a masked text."""


class Words(BaseModel):
    """The content of ``words.yaml``; the comments there explain the lists."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fillers: frozenset[str]
    generic_asks: tuple[str, ...]
    not_understood: tuple[str, ...]
    unable: tuple[str, ...]
    broken: tuple[str, ...]
    courtesies: tuple[str, ...]
    farewell: tuple[str, ...]
    same: tuple[tuple[str, ...], ...]
    opposites: tuple[frozenset[str], ...]
    light: frozenset[str]
    polar: frozenset[str]
    subjects: frozenset[str]
    question_words: frozenset[str]
    self_sufficient: frozenset[str]
    instructing: frozenset[str]
    number_words: tuple[str, ...]
    days: tuple[str, ...]
    units: tuple[str, ...]
    languages: dict[str, str]

    @field_validator("fillers", "light", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return value.split() if isinstance(value, str) else value

    @field_validator("number_words", "days", mode="before")
    @classmethod
    def _join_lines(cls, value: list[list[str]]) -> list[str]:
        return list(chain.from_iterable(value))

    @cached_property
    def confused(self) -> tuple[str, ...]:
        """Phrases of an app that did not understand its input, or could not do what it means."""
        return (*self.not_understood, *self.unable)


@lru_cache(maxsize=1)
def words() -> Words:
    """Return the lists of ``words.yaml``, read once."""
    raw = cast("dict[str, Any]", bundled_yaml("sparring_plugins.voice.outputs", "words.yaml"))
    return Words.model_validate(raw)


def language_of(locale: str) -> str:
    """Return the English name of a locale's language; empty if its words are not known."""
    return words().languages.get(locale[:2].lower(), "")


# Masking

_QUOTED = re.compile(
    r"\"[^\"\n]{1,200}\"|\u201c[^\u201d\n]{1,200}\u201d|\u00ab[^\u00bb\n]{1,200}\u00bb"
    r"|(?<!\w)['\u2018][^'\u2018\u2019\n]{2,200}['\u2019](?!\w)"
)
# "X7Q-22" has letters and digits: a reference that differs each time.
_CODE = re.compile(r"\b(?=[A-Z\d-]{0,40}\d)(?=[A-Z\d-]{0,40}[A-Z])[A-Z\d-]{3,40}\b")
_NAME = re.compile(
    r"(?<=[a-z,;:\u25a1] )[A-Z][\w'\u2019.&-]{0,40}"
    r"(?:(?:\s(?:of|the|de|and|&|or))?\s[A-Z\u25a1][\w'\u2019.&-]{0,40}){0,6}"
)
_NOT_NAMES = frozenset({"I", "I'm", "I'll", "I've", "I'd", "OK", "Ok", "Yes", "No", "Alexa"})
# "Rome, Paris and Oslo" are masked as one value, so that lists of any length are one state.
_VALUES_IN_A_ROW = re.compile(r"\u25a1(?:(?:,|;| and| or| &|, and|, or|)\s?\u25a1)+")
_ITEM = r"(?:[\w'\u2019\u25a1-]{1,40})(?:\s[\w'\u2019\u25a1-]{1,40}){0,3}"
_LIST = re.compile(
    rf"(?:{_ITEM},\s){{2,60}}(?:(?:and|or|y|o)\s)?{_ITEM}|(?:{_ITEM},\s){{1,60}}(?:and|or)\s{_ITEM}"
)
_AFTER_COLON = re.compile(r"^(.{3,60}?)\s?:\s+(\S.{5,})$", re.DOTALL)
_LOWER_CASE_WORD = re.compile(r"\b[a-z]{3,}\b")
_BULLET = re.compile(r"^\s{0,8}(?:\(?\d{1,2}[.):\]]|[-*•·▪◦])\s")


@lru_cache(maxsize=1)
def _value_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of values, in the order in which they are masked."""
    # "%" ends at no word boundary, and "a.m." ends in a full stop
    units = "|".join(re.escape(one) + r"\b" * one[-1].isalpha() for one in words().units)
    spelt = f"(?:{'|'.join(words().number_words)})"
    return (
        _QUOTED,
        _CODE,
        re.compile(
            rf"(?:[$€£¥]\s?)?\b\d[\d.,:/\-]{{0,40}}(?:\s?(?:{units})|(?:st|nd|rd|th)\b|\s?[€%])?",
            re.IGNORECASE,
        ),
        # not "one of the best", which is no number
        re.compile(rf"\b{spelt}(?:[\s-]{spelt}){{0,6}}\b(?! of\b)", re.IGNORECASE),
        re.compile(rf"\b(?:{'|'.join(words().days)})\b", re.IGNORECASE),
    )


@lru_cache(maxsize=2048)
def masked_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of an output with values masked; equal ones in a row are one."""
    masked_list: list[str] = []
    for sentence in sentences(plain(text[: 2 * MAX_OUTPUT])[:MAX_OUTPUT]):
        shape = masked(VALUE if _BULLET.match(sentence) else sentence)
        if masked_list[-1:] != [shape]:
            masked_list.append(shape)
    return tuple(masked_list)


@lru_cache(maxsize=4096)
def masked(sentence: str) -> str:
    """Replace the values in one sentence: quotations, codes, numbers, dates, names, lists."""
    text = sentence
    for pattern in _value_patterns():
        text = pattern.sub(VALUE, text)
    text = _NAME.sub(lambda name: name[0] if name[0] in _NOT_NAMES else VALUE, text)
    text = _VALUES_IN_A_ROW.sub(VALUE, text)
    colon = _AFTER_COLON.match(text)
    if colon and _LOWER_CASE_WORD.search(colon[1]):
        text = f"{colon[1]}: {VALUE}"
    return _VALUES_IN_A_ROW.sub(VALUE, text)


def without_lists(text: str) -> str:
    """Mask the lists in a masked sentence, too."""
    return _LIST.sub(VALUE, text)


# Comparing words


def has_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    """Return whether a folded text contains one of these phrases, at word boundaries."""
    return any(contains(text, phrase) for phrase in phrases)


@lru_cache(maxsize=4096)
def unified(sentence: str) -> tuple[str, ...]:
    """Return the words of a masked sentence, each group of synonyms as its first phrase."""
    parts = [folded(part) for part in sentence.split(VALUE)]
    text = f" {f' {VALUE} '.join(parts)} "
    for pattern, word in _synonyms():
        text = pattern.sub(f" {word} ", text)
    return tuple(text.split())


@lru_cache(maxsize=1)
def _synonyms() -> list[tuple[re.Pattern[str], str]]:
    """Return a pattern for each phrase with the word that replaces it, the longest first."""
    pairs = [(phrase, group[0].replace(" ", "_")) for group in words().same for phrase in group]
    pairs.sort(key=lambda pair: -len(pair[0].split()))
    return [(re.compile(rf" {re.escape(phrase)}(?= )"), word) for phrase, word in pairs]


@lru_cache(maxsize=4096)
def significant(sentence: str) -> frozenset[str]:
    """Return the stems of the words that carry the meaning, without values and light words."""
    ignored = words().light | {VALUE}
    return frozenset(stem(word) for word in unified(sentence) if word not in ignored)


def weight(word: str) -> float:
    """Return how much a word of `unified` counts in a comparison."""
    if word == VALUE:
        return 0.5
    return 0.3 if word in words().light else 1.0


@lru_cache(maxsize=4096)
def opposite_groups(word: str) -> frozenset[int]:
    """Return the numbers of the groups of opposites that contain a word."""
    return frozenset(n for n, group in enumerate(words().opposites) if word in group)


def input_key(text: str) -> str:
    """Return the key under which inputs are equal that differ in case and punctuation only."""
    return folded(text[:MAX_INPUT]) or " ".join(text[:MAX_INPUT].split())


def on_a_line(text: str, most: int = 60) -> str:
    """Return a text on one line without control characters, cut to `most` characters."""
    line = " ".join(
        "".join(char if char.isprintable() else " " for char in text[: 8 * most]).split()
    )
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
