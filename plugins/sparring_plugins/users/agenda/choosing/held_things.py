"""Entries of a menu for those who have something already, and for those who do not.

"My unit" beside "Rent a unit" is for whoever has a contract: somebody whose profile has its number.
Who has none of the app's numbers begins something new, whatever words the entry shares with it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.profile.facts import facts_of

AGAINST = -0.4
"""What an entry for the others loses."""

FOR = 0.5
"""What an entry for holders gains for somebody who has the app's number, and wants no other."""


def fit_by_holding(entry: str, goal: str, told: Sequence[str], *, asks: bool) -> float:
    """Return what an entry gains or loses by what the user has already.

    Args:
        entry: The label of an entry.
        goal: What the user wants, in words.
        told: The context and the role.
        asks: Whether the goal wants an answer.
    """
    of_holders = is_for_holders(entry)
    if not of_holders and intents_of(entry) != frozenset({"begin"}):
        return 0.0  # "Cancel a booking" begins none
    holds = _holds_number((goal, *told))
    begins = "begin" in intents_of(_fresh().sub(" ", folded(goal)))  # "get a new code" does not
    if of_holders:
        return FOR if holds and not begins else 0.0 if holds else AGAINST
    return AGAINST if holds and not asks and not begins else 0.0


def is_for_others(entry: str, goal: str, told: Sequence[str], *, asks: bool = False) -> bool:
    """Return whether an entry is for holders and the user is none, or the other way round."""
    return fit_by_holding(entry, goal, told, asks=asks) < 0


def is_for_holders(entry: str) -> bool:
    """Return whether an entry is for what somebody has already: "My bookings"."""
    return bool(_existing().match(folded(entry)))


@lru_cache(maxsize=1)
def _fresh() -> re.Pattern[str]:
    lists = bundled_yaml("sparring_plugins.users.agenda.choosing", "new_or_existing.yaml")
    words = "|".join(re.escape(folded(str(word))) for word in lists["fresh"])
    return re.compile(rf"\b(?:{words})\b")


@lru_cache(maxsize=1)
def _existing() -> re.Pattern[str]:
    lists = bundled_yaml("sparring_plugins.users.agenda.choosing", "new_or_existing.yaml")
    words = "|".join(re.escape(folded(str(word))) for word in lists["existing"])
    return re.compile(rf"(?:{words})\b")


@lru_cache(maxsize=256)
def _holds_number(texts: tuple[str, ...]) -> bool:
    """Whether a profile has a number of the app's: of a contract, a booking, an order."""
    facts = (fact for fact in facts_of(texts) if "code" in fact.kinds)
    return any(not fact.names & _OF_OTHERS for fact in facts)


_OF_OTHERS = frozenset({"vehicle", "card", "pin", "~payment"})
"""Names of numbers that are none of the app's: plates, cards."""
