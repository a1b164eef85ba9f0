"""Whether somebody has been a customer before, and whether something was done lately.

"Have you been here before?" is answered by "you have been a regular for years" and by "it is your
first visit", which share no word with it; "Serviced in the last year?" by "serviced two years ago".
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import clauses_of
from sparring_plugins.users.agenda.words.phrase_book import any_of


def customer_before(question: str, texts: Sequence[str]) -> bool | None:
    """Return yes or no to a question for an earlier visit or a recent one; None if nothing tells.

    Args:
        question: What the app asks.
        texts: The context and the role.
    """
    recent = _was_lately(question, texts)
    if recent is not None:
        return recent
    words = folded(question)
    is_new = _says(words, "newcomers")
    if not is_new and not _says(words, "customers"):
        return None
    clauses = [folded(clause) for clause in clauses_of(texts)]
    never = next((clause for clause in clauses if _says(clause, "never")), None)
    if never is not None:
        # "it is not your first visit", but not "he has never been there"
        return is_new is (_denied_first().search(never) is None)
    if any(_says(clause, "before") for clause in clauses):
        return not is_new
    return None


def _was_lately(question: str, texts: Sequence[str]) -> bool | None:
    """Whether something was done within the time that a question names."""
    lists = _lists()
    span = _days_in(question, rf"{any_of(lists['lately'])} (?:(?P<number>\d+) )?{_unit()}")
    if span is None:
        return None
    before, behind = any_of(lists["ago_before"]), any_of(lists["ago_behind"])
    number = r"(?:(?P<number>\d+)|an?|einem|einer|une?|una?|uma?)"
    ago = rf"{before} {number} {_unit()}", rf"{number} {_unit()} {behind}"
    days = (_days_in(text, pattern) for text in texts for pattern in ago)
    past = next((found for found in days if found is not None), None)
    return past <= span if past is not None else None


def _days_in(text: str, pattern: str) -> float | None:
    """The days of the first span of time that fits a pattern: 14 of "two weeks ago"."""
    words = folded(text)
    for number in reversed(spelled_numbers(words)):
        words = f"{words[: number.start]}{number.value:g}{words[number.end :]}"
    match = re.search(rf"\b{pattern}\b", words)
    return float(match["number"] or 1) * _units()[match["unit"]] if match is not None else None


def _unit() -> str:
    return f"(?P<unit>{any_of(_units())})"


@lru_cache(maxsize=1)
def _units() -> dict[str, int]:
    return {folded(name): int(days) for days, names in _data()["units"].items() for name in names}


@lru_cache(maxsize=1)
def _denied_first() -> re.Pattern[str]:
    lists = _lists()
    return re.compile(rf"\b{any_of(lists['denials'])} (?:\w+ ){{0,2}}{any_of(lists['firsts'])}\b")


def _says(words: str, what: str) -> bool:
    return any(contains(words, phrase) for phrase in _lists()[what])


@lru_cache(maxsize=1)
def _lists() -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(folded(str(phrase)) for phrase in phrases)
        for name, phrases in _data().items()
        if name != "units"
    }


def _data() -> Any:
    return bundled_yaml("sparring_plugins.users.agenda.profile", "history.yaml")
