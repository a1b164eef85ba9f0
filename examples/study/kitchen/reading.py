"""From what was said to a wish: what the meal is to be, and what it must not have."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from studykit.lexicon import lexicon_beside
from studykit.words import NUMBER_WORDS, Mending, plain, with_digits

_LEXICON: dict[str, dict[str, list[str]]] = lexicon_beside(__file__, "lexicon.yaml")
_TOKEN = re.compile(r"\d+|[a-z]+|[.!?;]|[,:]")
_REFUSES = re.compile(
    r"\b(?:without|no|not|never|nothing|hate|except|instead of|free of|allergic to|sick from"
    r"|forbidden)(?: (?!\||with |for |in |that |which )[a-z]+){0,4} $"
)
_REFUSED = re.compile(
    r"^ (?:[a-z]+ ){0,3}"
    r"(?:avoid|(?:must|should|may|can) not|(?:\| )?(?:please )?leave (?:it|them))\b"
)
_HESITATION = re.compile(r",? *\b(?:u+m+|uh|erm?|hm+)\b,?")
_COMMON = frozenset({"want", "made", "there", "where", "better", "being", "when", "then", "them",
                     "nice", "race", "pine", "tired", "time", "part", "than",
                     "mean", "hurry", "kind", "been", "such", "sour",
                     "some", "come", "home", "thing", "stand"})  # fmt: skip
_HALVES = (
    (re.compile(r"\b3 quarters? of an hour\b"), "45 minutes"),
    (re.compile(r"\bquarter of an hour\b"), "15 minutes"),
    (re.compile(r"\b(?:an|1) hour and a half\b"), "90 minutes"),
    (re.compile(r"\bhalf (?:an|a|1) hour\b"), "30 minutes"),
    (re.compile(r"\ban hour\b|\b1 hour\b"), "60 minutes"),
    (re.compile(r"\b2 hours?\b"), "120 minutes"),
)
_MINUTES = re.compile(r"\b(\d{1,4}) (?:minute|min)s?\b")
_WITHIN = re.compile(r"\b(?:in|within|under|than|most) (\d{2,3})\b(?! (?:people|person|guest))")
_PEOPLE = re.compile(
    r"\b(\d{1,2}) (?:(?:hungry|adult|more|other) )?(?:people|person|portion|serving|guest|friend"
    r"|eater|of us|adults)s?\b"
)
_FOR = re.compile(r"\b(?:for|serves|feed|feeds|family of) (?:the |about |all )?(\d{1,2})\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase of the lexicon: what it says of which slot, and whether it is refused."""

    slot: str
    value: str
    start: int
    end: int
    refused: bool


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants; None or nothing where it does not matter."""

    intent: str
    dish: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    diet: str | None = None
    minutes: int | None = None
    servings: int | None = None
    difficulty: tuple[str, ...] = ()
    cuisine: str | None = None
    words: str = field(default="", compare=False)

    def shown(self) -> dict[str, Any]:
        """The wish as JSON has it, what does not matter left out."""
        told: dict[str, Any] = {
            "dish": self.dish,
            "wanted": list(self.wanted),
            "unwanted": list(self.unwanted),
            "diet": self.diet,
            "minutes": self.minutes,
            "servings": self.servings,
            "difficulty": list(self.difficulty),
            "cuisine": self.cuisine,
        }
        return {name: one for name, one in told.items() if one}


def read(text: str) -> Wish:
    """Read what somebody says."""
    words = words_of(text)
    by_slot: dict[str, list[Mention]] = defaultdict(list)
    for one in mentions(words):
        by_slot[one.slot].append(one)
    return Wish(
        intent=_intent(by_slot),
        dish=_last(by_slot["dish"]),
        wanted=_values(by_slot["ingredients"], refused=False),
        unwanted=_values(by_slot["ingredients"], refused=True),
        diet=_last(by_slot["diet"]),
        minutes=_minutes(words),
        servings=_servings(words),
        difficulty=_difficulty(by_slot["difficulty"]),
        cuisine=_last(by_slot["cuisine"]),
        words=words,
    )


def words_of(text: str) -> str:
    """The words of an utterance, separated by blanks; ``|`` ends a sentence or its part."""
    found: list[str] = []
    for token in _TOKEN.findall(_HESITATION.sub("", plain(text))):
        found.append("|" if token in ".!?;,:" else _mending().mend(token))
    joined = " ".join(with_digits(found))
    for pattern, full in _HALVES:
        joined = pattern.sub(full, joined)
    return joined


def mentions(words: str) -> list[Mention]:
    """What the words mention, in order; of phrases that overlap the longest counts."""
    found = [
        (match.start(), match.end(), slot, value)
        for slot, value, pattern in _entries()
        for match in pattern.finditer(words)
    ]
    found.sort(key=lambda one: (one[0] - one[1], one[0]))
    kept: list[tuple[int, int, str, str]] = []
    for one in found:
        if not any(one[0] < other[1] and other[0] < one[1] for other in kept):
            kept.append(one)
    return [
        Mention(slot, value, start, end, _is_refused(words, start, end))
        for start, end, slot, value in sorted(kept)
    ]


def _is_refused(words: str, start: int, end: int) -> bool:
    """Whether a phrase is said not to be wanted, before it or behind it."""
    return bool(_REFUSES.search(words[:start]) or _REFUSED.search(words[end:]))


def _intent(by_slot: dict[str, list[Mention]]) -> str:
    """The intent with the most to say for it; a search wins where none says more."""
    scores: dict[str, float] = defaultdict(float)
    for one in by_slot["acts"]:
        scores[one.value] += 1.0
    about = [one for slot in ("dish", "ingredients", "diet", "cuisine") for one in by_slot[slot]]
    scores["find"] += 0.5 * len(about) + 0.5 * bool(by_slot["dish"])
    best = max(scores, key=lambda intent: (scores[intent], intent == "find"))
    return best if scores[best] > 0 else "unknown"


def _last(found: Iterable[Mention]) -> str | None:
    return next((one.value for one in reversed([*found]) if not one.refused), None)


def _values(found: Iterable[Mention], *, refused: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.value for one in found if one.refused is refused))


def _difficulty(found: list[Mention]) -> tuple[str, ...]:
    """Those that are named; all others where one is refused."""
    if not found:
        return ()
    last = found[-1]
    if not last.refused:
        return (last.value,)
    return {"hard": ("easy",), "medium": ("easy",), "easy": ("medium", "hard")}[last.value]


def _minutes(words: str) -> int | None:
    stated = _MINUTES.search(words) or _WITHIN.search(words)
    return min(int(stated[1]), 600) if stated else None


def _servings(words: str) -> int | None:
    stated = _PEOPLE.search(words) or _FOR.search(words.replace(" minutes", "minutes"))
    if stated:
        return int(stated[1])
    return 1 if re.search(r"\b(?:just|only) me\b|\bby myself\b", words) else None


def _entries() -> Iterator[tuple[str, str, re.Pattern[str]]]:
    return iter(_patterns())


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple(
        (slot, value, _pattern(phrases))
        for slot, values in _LEXICON.items()
        for value, phrases in values.items()
    )


def _pattern(phrases: list[str]) -> re.Pattern[str]:
    gap = r"(?:[a-z]+ ){0,3}?"
    made = ("".join(gap if word == "~" else f"{word} " for word in one.split()).strip()
            for one in sorted(phrases, key=len, reverse=True))  # fmt: skip
    return re.compile(rf"\b(?:{'|'.join(made)})(?:e?s)?\b")


@cache
def _mending() -> Mending:
    phrases = [one for values in _LEXICON.values() for several in values.values()
               for one in several]  # fmt: skip
    known = {word for one in phrases for word in re.findall("[a-z]+", one)}
    units = {"minutes", "hour", "half", "quarter", "people", "without", "guests", "allergic"}
    return Mending({*known, *units, *NUMBER_WORDS}, _COMMON)
