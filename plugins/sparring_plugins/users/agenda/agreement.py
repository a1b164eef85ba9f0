"""Whether what the app says back agrees with what the user wants."""

from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from sparring_plugins.language.dates import date_spans, find_times, parse_date
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue, number_names
from sparring_plugins.users.agenda.app_reply import Reading
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.value_matching import mentions

_MENU = 3
_MOST_DAYS = 8
_ANY_DAY = date(2000, 1, 1)


def contradicted(text: str, slots: Sequence[Slot]) -> list[Slot]:
    """The slots that a text states with another value than the user's.

    That is: a value of the domain that the user did not choose, without or beside its own; some
    but not all of several values; another time of day; another number of the same thing. A text
    that names many values of a domain is a menu and states none.
    """
    return [slot for slot in slots if _contradicts(text, slot)]


def stated(reading: Reading) -> str:
    """What an answer states: all of it but the sentences that list options."""
    kept = [one for one in reading.told if not _lists(one)]
    asked = [one.text for one in reading.questions if len(one.options) < _MENU]
    return "\n".join([*kept, *asked])


def _lists(sentence: str) -> bool:
    words = folded(sentence)
    return has_cue(words, "options") and ("," in sentence or has_cue(words, "or"))


def _contradicts(text: str, slot: Slot) -> bool:
    words = folded(text)
    own = [value for value in slot.values if mentions(words, value)]
    rest = words
    for value in sorted(slot.values, key=len, reverse=True):
        rest = f" {rest} ".replace(f" {folded(value)} ", " ").strip()
    other = [value for value in slot.domain if value not in slot.values and mentions(rest, value)]
    if "number" in slot.kinds:
        return _other_number(words, slot)
    if "time" in slot.kinds:
        return not own and bool(find_times(text))
    if "date" in slot.kinds and own:
        return False  # "Friday 12 March" says no other day than "12 March", though it names one
    if "date" in slot.kinds and _other_day(text, slot):
        return True
    if len(other) >= _MENU:
        return False
    if other:
        return True
    return len(slot.values) > 1 and bool(own) and len(own) < len(slot.values)


def _other_day(text: str, slot: Slot) -> bool:
    """Whether the text names calendar days, and none of them is the user's."""
    wanted = {day for value in slot.values for day in _days(value)}
    named = _days(text)
    return bool(wanted) and bool(named) and not wanted & named


def _days(text: str) -> set[tuple[int, int]]:
    """The calendar days in a text as month and day, numeric ones read either way."""
    found: set[tuple[int, int]] = set()
    for span in date_spans(text)[:_MOST_DAYS]:
        if span.certainty < 1:
            continue
        for first in (True, False):
            day = parse_date(span.text, _ANY_DAY, "English", first)
            if day is not None:
                found.add((day.month, day.day))
    return found


def _other_number(words: str, slot: Slot) -> bool:
    """Whether another number stands before a word that stands beside the user's own one."""
    parts = words.split()
    known = number_names(words)
    beside = slot.near | (slot.own - {"~number"})
    for number, thing in pairwise(parts):
        counted = number if number.isdigit() else str(known.get(number, ""))
        if counted and len(counted) < 7 and concepts(thing) & beside and counted not in slot.values:
            return True
    return False
