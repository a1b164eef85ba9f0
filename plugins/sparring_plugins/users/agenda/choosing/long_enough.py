"""The shortest option that lasts as long as the user needs it.

"a pass that is long enough for the whole stay" of somebody who stays for twelve days is the one of
14 days among "7 days" and "14 days".
"""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import clauses_of
from sparring_plugins.users.agenda.profile.statements import amounts_in


class StayWords(BaseModel):
    """The word lists of stays: see the comments of `long_enough.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stays: tuple[str, ...]
    units: dict[str, int]


@lru_cache(maxsize=1)
def _words() -> StayWords:
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", "long_enough.yaml")
    return StayWords.model_validate(data)


def long_enough_option(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the place of the shortest option that lasts for the stay; None if there is none.

    Args:
        options: The labels, each with one length of time.
        texts: The goals and the context of the profile.
    """
    lengths = [_days_in(option) for option in options]
    if len(options) < _CHOICE or not all(len(days) == 1 for days in lengths):
        return None
    stays = {
        days
        for clause in clauses_of(texts)
        if any(contains(folded(clause), word) for word in _words().stays)
        for days in _days_in(clause)
    }
    if len(stays) != 1:
        return None
    stay = stays.pop()
    fitting = [(min(days), place) for place, days in enumerate(lengths) if min(days) >= stay]
    return min(fitting)[1] if fitting else None


_CHOICE = 2


def _days_in(text: str) -> frozenset[int]:
    """The lengths of time that a text names, in days."""
    units = sorted(_words().units.items(), key=lambda unit: -len(unit[0]))
    return frozenset(
        int(number) * next(days for unit, days in units if folded(word).startswith(unit))
        for number, word in amounts_in(text)
        if word and number.isdigit() and any(folded(word).startswith(unit) for unit, _ in units)
    )
