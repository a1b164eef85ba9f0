"""How many people come along, if the profile says who they are and not how many.

"You are on holiday with your husband and your two children" answers "How many adults?" with 2,
"How many children?" with 2 and "How many people?" with 4; "Sie kommen zu zweit" is 2.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds

_BESIDE = 4
"""Words before somebody among which what joins them to the user stands."""


@dataclass(frozen=True, slots=True)
class Party:
    """The user with those who come along."""

    adults: int
    children: int


def count_of_party(question: str, texts: Sequence[str], *, of_people: bool) -> int | None:
    """Return how many of a party a question asks for; None if the profile does not say who comes.

    Args:
        question: What the app asks.
        texts: The role and the context.
        of_people: Whether it asks for people at all.
    """
    words = folded(question)
    party = _party_in(tuple(texts))
    if party is None:
        return None
    # "How many adults?" is followed by a question of its own for children
    of_adults = any(contains(words, word) for word in _words("adults_asked"))
    of_children = bool(set(words.split()) & set(_words("children")))
    if of_adults:
        return party.adults
    if of_children and not of_people:
        return party.children
    return party.adults + party.children if of_people else None


def place_of_count(question: str, options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the index of the number that counts the party, else of the least; None for no count.

    Nobody who says nothing of children presses 3 for "How many children?".
    """
    kinds = asked_kinds(folded(question)) & _COUNTS
    # "4 or more" is no number that could be compared; such lists are left to others
    counts = [int(option) for option in options if option.strip().isdigit()]
    if len(counts) < len(options) or not kinds:
        return None
    party = count_of_party(question, texts, of_people="people" in kinds)
    return counts.index(party if party is not None and party in counts else min(counts))


_COUNTS = frozenset({"people", "how_many", "number"})


@lru_cache(maxsize=256)
def _party_in(texts: tuple[str, ...]) -> Party | None:
    said = [folded(text) for text in texts]
    pairs = [n for phrase, n in _pairs().items() for text in said if contains(text, folded(phrase))]
    # "the two of you" is the whole party, whoever else the profile mentions
    if pairs:
        return Party(max(pairs), 0)
    if any(contains(text, word) for text in said for word in _words("alone")):
        return Party(1, 0)
    companions = {word for text in said for word in _companions(text, "adults")}
    children = max((_children_in(text) for text in said), default=0)
    if not companions and not children:
        return None
    # the user comes along, too
    return Party(1 + len(companions), children)


def _companions(text: str, what: str) -> list[str]:
    """The people of a folded text who come along: the husband of "with your husband"."""
    words = text.split()
    joined = set(_words("together"))
    return [
        word
        for at, word in enumerate(words)
        # "with your husband" brings him along; "a present for your husband" does not
        if word in _words(what) and joined & set(words[max(0, at - _BESIDE) : at])
    ]


def _children_in(text: str) -> int:
    """How many children a folded text counts who are joined to the user."""
    names = _companions(text, "children")
    if not names:
        return 0
    words = text.split()
    total = 0
    for name in dict.fromkeys(names):
        # "your 2 sons", "your three small daughters", else one: "your son"
        before = " ".join(words[max(0, words.index(name) - 3) : words.index(name)])
        digits = re.search(r"\d+", before)
        spelled = list(spelled_numbers(before))
        total += int(digits[0]) if digits else int(spelled[-1].value) if spelled else 1
    return total


def _words(what: str) -> tuple[str, ...]:
    return tuple(folded(word) for word in _lists().words[what])


def _pairs() -> dict[str, int]:
    return _lists().pairs


class PartyWords(BaseModel):
    """The word lists of parties: see the comments of `party.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: dict[str, tuple[str, ...]]
    pairs: dict[str, int]


@lru_cache(maxsize=1)
def _lists() -> PartyWords:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "party.yaml")
    return PartyWords.model_validate(data)
