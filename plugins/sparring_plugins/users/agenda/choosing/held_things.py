"""Menu entries for customers who have something already, and for those who do not.

"My mooring" beside "Book a mooring" is for customers with a contract: the profile has its number.
A user without any number from the app wants something new, whatever words the entry shares with
the goal.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of, new_or_existing_words
from sparring_plugins.users.agenda.profile.facts import facts_of
from sparring_plugins.users.agenda.words.phrase_book import any_of

_MISFIT = -0.4
"""The score of an entry that is for the other customers."""

_FIT = 0.5
"""The score of an entry for holders, if the user has a number and begins nothing new."""


def fit_by_holding(entry: str, goal: str, background: Sequence[str], *, asks: bool) -> float:
    """Return how well an entry suits what the user has already; negative if it is for others.

    Args:
        entry: The label of an entry.
        goal: What the user wants, in words.
        background: The context and the role.
        asks: Whether the goal wants an answer.
    """
    is_for_holders = _existing().match(folded(entry)) is not None
    if not is_for_holders and intents_of(entry) != frozenset({"begin"}):
        return 0.0  # "Cancel a lesson" begins none
    holds = _holds_number((goal, *background))
    begins = "begin" in intents_of(_fresh().sub(" ", folded(goal)))  # "get a new code" does not
    if not holds:
        return _MISFIT if is_for_holders else 0.0
    if begins:
        return 0.0
    if is_for_holders:
        return _FIT
    return 0.0 if asks else _MISFIT


def is_for_others(entry: str, goal: str, background: Sequence[str], *, asks: bool = False) -> bool:
    """Return whether an entry is for holders and the user is none, or the other way round."""
    return fit_by_holding(entry, goal, background, asks=asks) < 0


@lru_cache(maxsize=1)
def _fresh() -> re.Pattern[str]:
    return re.compile(rf"\b{any_of(map(folded, new_or_existing_words().fresh))}\b")


@lru_cache(maxsize=1)
def _existing() -> re.Pattern[str]:
    return re.compile(rf"{any_of(map(folded, new_or_existing_words().existing))}\b")


@lru_cache(maxsize=256)
def _holds_number(texts: tuple[str, ...]) -> bool:
    """Whether a profile has a number from the app: of a contract, a booking, an order."""
    facts = (fact for fact in facts_of(texts) if "code" in fact.kinds)
    return any(not fact.names & _OF_OTHERS for fact in facts)


_OF_OTHERS = frozenset({"vehicle", "card", "pin", "~payment"})
"""Names of numbers that do not come from the app: plates, cards."""
