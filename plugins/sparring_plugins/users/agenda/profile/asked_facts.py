"""Questions for a fact that the profile does not hold: "What year is the lift from?".

Whoever is asked what it would like may have no preference; whoever is asked what is or was so, and
does not know it, says so. Neither a value of something else nor a sentence about the same thing is
an answer: "The scooter is a Nordan" is none to "What is its mileage?".
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.asked_kinds import accepted_kinds, asked_kinds
from sparring_plugins.users.agenda.profile.value_finders import values_in

_TYPED = frozenset({"number", "how_many", "money", "date", "time", "age", "code", "id", "phone"})
"""Kinds of data that a sentence without any value does not give."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class FactWords(BaseModel):
    """The word lists of questions for facts: see the comments of `asked_facts.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    past: tuple[str, ...]
    having_done: frozenset[str]
    attributes: tuple[str, ...]
    measures: tuple[str, ...]
    years: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> FactWords:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "asked_facts.yaml")
    return FactWords.model_validate(data)


def _has(words: str, phrases: tuple[str, ...]) -> bool:
    return any(contains(words, phrase) for phrase in phrases)


@lru_cache(maxsize=512)
def asks_fact(question: str) -> bool:
    """Return whether a folded question asks for what is or was so, and not for what is wished."""
    lists = _words()
    kinds = asked_kinds(question)
    if _has(question, lists.attributes) or asks_year(question):
        return True
    if kinds & {"number", "how_many"} and _has(question, lists.measures):
        return True
    if not kinds & {"date", "time", "money", "place"} or has_cue(question, "wanting"):
        return False  # "When did you want to come?" asks for a wish
    return _has(question, lists.past) or _has_done(question)


def _has_done(question: str) -> bool:
    """Whether a folded question has a verb of the perfect with its participle."""
    words = question.split()
    at = next((at for at, word in enumerate(words) if word in _words().having_done), None)
    return at is not None and any(map(_PARTICIPLE.fullmatch, words[at + 1 :]))


_PARTICIPLE = re.compile(
    r"\w{2,}ed|been|done|made|seen|paid|lost|found"  # English
    r"|(?:\w{2,6})?ge\w{2,}(?:t|en)|be\w{3,}t|\w{3,}iert"  # German
    r"|\w{2,}(?:ado|ido|ato|uto|ito)|hecho|visto|puesto|fatto"  # Spanish, Italian, Portuguese
    r"|(?:achet|command|remarqu|constat|signal|pay|envoy|install)e|recu|perdu|vu|fait"  # French
)
"""A participle as it is folded."""


@lru_cache(maxsize=512)  # asked for each value of a profile
def asks_year(question: str) -> bool:
    """Return whether a folded question asks for the year of something."""
    return _has(question, _words().years)


@lru_cache(maxsize=512)  # asked for each value of a profile
def measures_something(question: str) -> bool:
    """Return whether a folded question asks for a measure: kilometres, degrees, kilowatt hours."""
    return _has(question, _words().measures)


def may_be_fact(question: str, text: str) -> bool:
    """Return whether a value may be what a folded question asks for.

    Only a year is one, and a year is no number of anything else: "the roof is from 2018" has no
    degrees.
    """
    if asks_year(question):
        return bool(_YEAR.search(text))
    counts = asked_kinds(question) & {"number", "how_many"} or measures_something(question)
    return not (counts and _YEAR.fullmatch(text))


def may_answer(question: str, clause: str) -> bool:
    """Return whether a sentence may answer a folded question: it has a value of the kind asked for.

    A question that names no kind of datum may be answered by any sentence.
    """
    kinds = asked_kinds(question) & _TYPED
    if asks_year(question):
        return bool(_YEAR.search(clause))
    if not asks_fact(question):
        return True
    if not kinds:
        return any(map(str.isdigit, clause))  # "How steep is it, in degrees?" names no kind
    accepted = accepted_kinds(kinds) - {"text"}
    return any(kind in accepted for kind, _, _ in values_in(clause))
