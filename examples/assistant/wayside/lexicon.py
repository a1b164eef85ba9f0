"""The words that the assistant knows, from `lexicon.yaml`, and where they are in an utterance."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_NEGATIONS = re.compile(r"\b(?:not|no|never|without)(?: (?!\|)\S+){0,3} $")
SURE, SUGGESTS = 3.0, 1.5


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase of the lexicon in an utterance: what it says of which slot, and how surely."""

    slot: str
    value: Any
    weight: float
    start: int
    end: int
    negated: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    slot: str
    value: Any
    weight: float
    pattern: re.Pattern[str]


class Lexicon:
    """Finds mentions. Of phrases that overlap the longest counts, the earlier of equal ones."""

    def __init__(self, written: dict[str, Any]) -> None:
        self.entries = tuple(_entries(written))
        phrases = [phrase for one in _phrases(written) for phrase in one[3]]
        self.vocabulary = frozenset(word for one in phrases for word in re.findall("[a-z]+", one))

    def mentions(self, words: str) -> list[Mention]:
        """What the words mention, in order."""
        found = [
            Mention(entry.slot, entry.value, entry.weight, match.start(), match.end())
            for entry in self.entries
            for match in entry.pattern.finditer(words)
        ]
        found.sort(key=lambda one: (one.start - one.end, one.start))
        kept: list[Mention] = []
        for one in found:
            if not any(one.start < other.end and other.start < one.end for other in kept):
                kept.append(one)
        kept.sort(key=lambda one: one.start)
        return [_with_negation(one, words) for one in kept]


def _with_negation(one: Mention, words: str) -> Mention:
    negated = _NEGATIONS.search(words[: one.start]) is not None
    return Mention(one.slot, one.value, one.weight, one.start, one.end, negated)


def _entries(written: dict[str, Any]) -> list[_Entry]:
    return [
        _Entry(slot, value, weight, _pattern(phrases))
        for slot, value, weight, phrases in _phrases(written)
    ]


def _phrases(written: dict[str, Any]) -> list[tuple[str, Any, float, list[str]]]:
    found: list[tuple[str, Any, float, list[str]]] = []
    for slot, values in written.items():
        if isinstance(values, list):
            found.append((slot, True, SURE, values))
            continue
        for value, phrases in values.items():
            if isinstance(phrases, dict):
                found.append((slot, value, SURE, phrases["names"]))
                found.append((slot, value, SUGGESTS, phrases["cues"]))
            else:
                found.append((slot, value, SURE, phrases))
    return found


def _pattern(phrases: list[str]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(_phrase, longest_first))})\b")


def _phrase(phrase: str) -> str:
    """A phrase as a pattern: its last word may be in the plural, ``~`` stands for a few words."""
    words = ["(?:[a-z0-9]+ ){0,5}?" if word == "~" else f"{word} " for word in phrase.split()]
    last = re.sub(r"y$", "(?:y|ies)", words[-1].strip())
    return "".join(words[:-1]) + last + "(?:s|es)?"


@cache
def lexicon() -> Lexicon:
    """The lexicon of the assistant."""
    return Lexicon(yaml.safe_load((HERE / "lexicon.yaml").read_text(encoding="utf-8")))


@cache
def common_words() -> frozenset[str]:
    """Everyday words, which are never taken for slips of the tongue."""
    return frozenset((HERE / "common_words.txt").read_text(encoding="utf-8").split())
