"""Plausible answers to questions for a piece of information, by what they want to know."""

import re
from functools import lru_cache
from random import Random
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.data_files import bundled_yaml
from sparring_plugins.language.text import folded
from sparring_plugins.language.word_lists.everyday import find
from sparring_plugins.users.agenda.personal_details import asked_for, particulars
from sparring_plugins.voice.outputs.words import has_one
from sparring_plugins.voice.roles.explorer import Candidate

MOST = 5
"""Answers to one question, unless the kind has a closed list of its own."""

_BETWEEN = re.compile(
    r"\b(?:between|from)\s+(-?\d{1,9})\s+(?:and|to)\s+(-?\d{1,9})\b", re.IGNORECASE
)
_UP_TO = re.compile(r"\b(?:up to|at most|no more than|maximum of)\s+(\d{1,9})\b", re.IGNORECASE)
_THING = re.compile(
    r"\b(?:what|which|favou?rite|kind of|type of|sort of|name of an?|name an?|an?|any|some|your)\s+"
    r"((?:[a-z]+\s){0,2}?[a-z]+)\b"
)
UNKNOWN = "unknown"
"""The slot of what a person says who has no answer."""

_FACTS = ("how_many", "time", "date", "why", "people")
_CLOSED = 12


class Slot(BaseModel):
    """A kind of information: how it is asked for, and answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: tuple[str, ...]
    values: tuple[str, ...]


def answers_to(question: str, seed: int, language: str = "English") -> list[Candidate]:
    """Answers that a person might give, the plainest first; none where nothing fits."""
    said = folded(question)
    found: list[Candidate] = []
    bounded = _in_range(question)
    if bounded:
        return bounded
    known = particulars(seed, (), language)
    personal = [kind for kind in asked_for(said) if kind not in _FACTS and kind in known]
    for kind in personal[:2]:
        found.append(Candidate(text=known[kind], slot=kind))
        other = particulars(seed + 1, (), language)[kind]
        if other != known[kind]:
            found.append(Candidate(text=other, slot=kind))
    if found:
        return found
    slot = _kind(said)
    listed = _listed(said, language)
    if slot is None:
        return listed
    values = slots()[slot].values
    most = len(values) if len(values) >= _CLOSED else MOST
    plain = [Candidate(text=value, slot=slot) for value in values[:most]]
    return [*plain, *(one.model_copy(update={"slot": slot}) for one in listed[:2])]


def never_mind(seed: int) -> Candidate:
    """What a person says who has no answer."""
    lines = ("I don't know", "I am not sure")
    return Candidate(text=lines[Random(seed).randrange(len(lines))], slot=UNKNOWN)


def _in_range(question: str) -> list[Candidate]:
    """Numbers of a range that the question names: inside, both ends, and one too many."""
    match = _BETWEEN.search(question)
    low, high = (int(match[1]), int(match[2])) if match else (None, None)
    if low is None or high is None:
        top = _UP_TO.search(question)
        if top is None:
            return []
        low, high = 1, int(top[1])
    if low >= high:
        return []
    numbers = dict.fromkeys(((low + high) // 2, low, high, high + 1))
    return [Candidate(text=str(number), slot="number") for number in numbers]


def _kind(said: str) -> str | None:
    """The kind whose cue stands in a folded question, the longest cue first."""
    best: tuple[int, str] | None = None
    for kind, slot in slots().items():
        for cue in slot.asks:
            if f" {cue} " in f" {said} " and (best is None or len(cue) > best[0]):
                best = (len(cue), kind)
    return best[1] if best else None


def _listed(said: str, language: str) -> list[Candidate]:
    """Words that the bundled word list knows of a thing that a question names."""
    for match in _THING.finditer(f" {said} "):
        parts = match[1].split()
        for start in range(len(parts)):
            thing = " ".join(parts[start:])
            if len(thing) > 2 and not has_one(thing, ("name", "you", "like")):
                words = find(thing, language.strip().title())
                if words:
                    return [Candidate(text=word, slot=thing) for word in words[:MOST]]
    return []


@lru_cache(maxsize=1)
def slots() -> dict[str, Slot]:
    """The kinds of information, read once."""
    raw = cast("dict[str, Any]", bundled_yaml("sparring_plugins.voice.outputs", "slots.yaml"))
    return {name: Slot.model_validate(slot) for name, slot in raw.items()}
