"""Options that name days and hours, by when the user can come: "Tue, 9:30" and "Wed, 18:15".

"you can come on Tuesdays and Fridays after 5 pm" leaves one of "Wed 18:30, Fri 18:15, Fri 10:00",
and "only the afternoons suit" the second of "Monday, 9:20" and "Tuesday, 14:40".
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.stances import has_denial
from sparring_plugins.users.agenda.state.value_matching import times_named

_LEAST = 2
"""Options with a day or an hour from which on these are what is chosen by."""


class TimeWords(BaseModel):
    """The word lists of days: see the comments of `suitable_times.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weekdays: dict[int, tuple[str, ...]]
    short: frozenset[str]
    available: tuple[str, ...]


@lru_cache(maxsize=1)
def _words() -> TimeWords:
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", "suitable_times.yaml")
    return TimeWords.model_validate(data)


def hour_within(option: str) -> range | None:
    """Return the hour of an option that names one beside its day: "Monday, 9:20"; else None."""
    times = times_named(option)
    hours = {int(time.partition(":")[0]) for time in times}
    return range(min(hours), min(hours) + 1) if len(hours) == 1 and len(times) == 1 else None


def on_suitable_days(options: Sequence[str], texts: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the options on days that suit; those of all if nothing is said of days.

    Args:
        options: The labels that can be chosen.
        texts: The goals and the context of the profile.
    """
    everything = tuple(range(len(options)))
    days = [weekdays_in(option, short=True) for option in options]
    wanted, avoided = _days_wanted(texts)
    if sum(map(bool, days)) < _LEAST or not (wanted or avoided):
        return everything
    suitable = tuple(
        at
        for at, own in enumerate(days)
        if own and not own & avoided and (not wanted or own <= wanted)
    )
    return suitable or everything


def weekdays_in(text: str, *, short: bool = False) -> frozenset[int]:
    """Return the weekdays that a text names, 0 for Monday; in two letters only if `short`."""
    words, lists = folded(text), _words()
    return frozenset(
        number
        for number, names in lists.weekdays.items()
        if any(contains(words, name) for name in names if short or name not in lists.short)
    )


def _days_wanted(texts: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
    """The weekdays on which the user can come, and those on which it cannot."""
    wanted, avoided = frozenset[int](), frozenset[int]()
    # "free on Tuesdays and Fridays" is one statement, and no two clauses
    for sentence in (part for text in texts for part in re.split(r"[.;]\s|,\s(?!and|or)", text)):
        days, words = weekdays_in(sentence), folded(sentence)
        if states_condition(sentence):
            continue
        if days and has_denial(sentence):
            avoided |= days
        elif any(contains(words, word) for word in _words().available):
            wanted |= days
    return wanted - avoided, avoided
