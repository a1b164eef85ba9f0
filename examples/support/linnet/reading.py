"""From what was written to what is meant: topics, tone, and how it is put."""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+")
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Read:
    """What a message speaks of, by group, how often each."""

    sentences: tuple[str, ...]
    topics: Counter[str]
    whose: Counter[str]
    when: Counter[str]
    tone: Counter[str]
    authority: Counter[str]
    frame: Counter[str]

    @property
    def topic(self) -> str | None:
        """What it is about most."""
        return self.topics.most_common(1)[0][0] if self.topics else None


@cache
def words() -> dict[str, Any]:
    """The words that the assistant knows."""
    path = Path(__file__).with_name("words.yaml")
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message, in small letters."""
    flat = unicodedata.normalize("NFKD", text.casefold()).replace("\u2019", "'")
    flat = "".join(c for c in flat if not unicodedata.combining(c))
    return tuple(" ".join(_WORD.findall(one)) for one in _SENTENCE.split(flat) if one.strip())


def read(text: str) -> Read:
    """Read a message: slips of the pen are mended first, so that customers are understood."""
    plain = sentences(text)
    mended = " | ".join(" ".join(map(_mended, one.split())) for one in plain)
    groups = {group: Counter(_found(mended, group)) for group in
              ("topics", "whose", "when", "tone", "authority", "frame")}  # fmt: skip
    return Read(sentences=plain, **groups)


def _found(text: str, group: str) -> list[str]:
    return [name for name, pattern in _patterns(group).items() for _ in pattern.finditer(text)]


@cache
def _patterns(group: str) -> dict[str, re.Pattern[str]]:
    return {
        name: re.compile(rf"\b(?:{'|'.join(_phrase(one) for one in phrases)})\b")
        for name, phrases in words()[group].items()
    }


def _phrase(phrase: str) -> str:
    gap = r"(?:[a-z']+ ){0,4}?"
    return "".join(gap if one == "~" else f"{one} " for one in phrase.split()).strip() + "s?"


@cache
def _known() -> frozenset[str]:
    groups = ("topics", "whose", "when", "tone", "authority", "frame")
    phrases = [one for group in groups for several in words()[group].values() for one in several]
    return frozenset(word for one in phrases for word in _WORD.findall(one))


@lru_cache(maxsize=4096)
def _mended(word: str) -> str:
    """The one word that the assistant knows and that is a letter away from an unknown one."""
    if not 4 <= len(word) <= 20 or word in _known() or word in words()["common"]:
        return word
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = {
        *(a + b[1:] for a, b in parts if b),
        *(a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1),
        *(a + c + b[1:] for a, b in parts if b for c in _ALPHABET),
        *(a + c + b for a, b in parts for c in _ALPHABET),
    } & _known()
    return near.pop() if len(near) == 1 else word
