"""The clauses of a profile, and how much each of them has to do with something that an app says.

A name that many clauses have ("car" in a profile about a car) says less of what one of them is
about than a name that only one has.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import have_same_root, states_condition

GOAL, CONTEXT, ROLE = range(3)


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a profile: its text, what it is about, and whether a goal or the context has it.

    `amounts` are its numbers with the stems of their units: 12 and "month" of "for 12 months".
    """

    text: str
    names: frozenset[str]
    source: int
    amounts: frozenset[tuple[str, str]] = frozenset()


@lru_cache(maxsize=256)
def statements_of(
    goals: tuple[str, ...], context: tuple[str, ...], role: str
) -> tuple[Statement, ...]:
    """Return the clauses of a profile; conditions say nothing of what holds, and are left out."""
    sources = ((goals, GOAL), (context, CONTEXT), ((role,), ROLE))
    return tuple(
        Statement(clause, names_in(clause), source, amounts_in(clause))
        for texts, source in sources
        for clause in clauses_of(texts)
        if not states_condition(clause)
    )


def relevance(names: frozenset[str], statement: Statement, among: Sequence[Statement]) -> float:
    """Return how much some names have to do with a statement; 0 if they share none.

    Args:
        names: What a question or an option names.
        statement: One clause of the profile.
        among: All of its clauses: what many of them name counts less.
    """
    counts = _counts(tuple(among))
    shared = (n for n in statement.names if any(have_same_root(n, other) for other in names))
    return sum(1 / counts[name] for name in shared)


@lru_cache(maxsize=64)
def _counts(among: tuple[Statement, ...]) -> Counter[str]:
    return Counter(name for statement in among for name in statement.names)


_NUMBER = re.compile(r"(?<![\w.,:/-])(\d{1,3}(?:[.,]\d{3})+|\d+)(?![\d:/])\s?([^\W\d_]{2,})?")
_THOUSANDS = re.compile(r"[.,](?=\d{3})")


@lru_cache(maxsize=1024)
def amounts_in(text: str) -> frozenset[tuple[str, str]]:
    """Return the numbers of a text with the stems of the words after them: 12 and "month"."""
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
