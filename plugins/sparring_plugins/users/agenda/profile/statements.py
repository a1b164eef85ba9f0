"""The clauses of a profile, and how relevant each of them is to a question.

A name that many clauses share ("boat" in a profile about a boat) says less about the subject of
one of them than a name that stands in no other.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import with_same_root

GOAL, CONTEXT, ROLE = range(3)


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a profile with the names in it and its source: a goal, the context or the role.

    `amounts` are its numbers with the stems of their units: 9 and "week" of "for 9 weeks".
    """

    text: str
    names: frozenset[str]
    source: int
    amounts: frozenset[tuple[str, str]] = frozenset()


@lru_cache(maxsize=256)
def statements_of(
    goals: tuple[str, ...], context: tuple[str, ...], role: str
) -> tuple[Statement, ...]:
    """Return the clauses of a profile; conditions say nothing about facts and are left out."""
    # of equally relevant clauses the first counts: what is wanted before what is mentioned
    sources = ((goals, GOAL), (context, CONTEXT), ((role,), ROLE))
    return tuple(
        Statement(clause, names_in(clause), source, amounts_in(clause))
        for texts, source in sources
        for clause in clauses_of(texts)
        if not states_condition(clause)
    )


def relevances(names: frozenset[str], statements: Sequence[Statement]) -> list[float]:
    """Return how relevant each clause of a profile is to the names of a question.

    A name that many clauses share counts less.
    """
    counts = Counter(name for statement in statements for name in statement.names)
    shared = with_same_root(frozenset(counts), names)
    return [fsum(1 / counts[n] for n in statement.names & shared) for statement in statements]


# not "10:30", "4/5/2027", "AB-12": these are no amounts of something
_NUMBER = re.compile(r"(?<![\w.,:/-])(\d{1,3}(?:[.,]\d{3})+|\d+)(?![\d:/])\s?([^\W\d_]{2,})?")
_THOUSANDS = re.compile(r"[.,](?=\d{3})")


@lru_cache(maxsize=1024)
def amounts_in(text: str) -> frozenset[tuple[str, str]]:
    """Return the numbers of a text with the stems of the words after them: 9 and "week"."""
    written = {
        (_THOUSANDS.sub("", match[1]), stem(folded(match[2])) if match[2] else "")
        for match in _NUMBER.finditer(text)
    }
    spelled = {
        (str(number.value), _unit_after(text, number.end)) for number in spelled_numbers(text)
    }
    return frozenset(written | spelled)


def _unit_after(text: str, end: int) -> str:
    word = re.match(r"\s([^\W\d_]{2,})", text[end:])
    return stem(folded(word[1])) if word is not None else ""
