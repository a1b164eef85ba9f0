"""Taking no for an answer: another value where the app keeps turning the user's own down."""

from collections.abc import Sequence

from sparring_plugins.language.dates import date_spans, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import Reading
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.value_matching import mentions

INSISTS = 2
"""How often the user gives a value that is turned down: at first, and once more."""

INSISTS_UNREFUSED = 3
"""How often it gives one that the app only asks for again, with what is possible."""


def turned_down(memory: Memory, slot: Slot, until: int | None = None) -> bool:
    """Whether the app refused a value of the user's as often as the user gives one."""
    refused, asked = 0, 0
    for act, reading in list(zip(memory.acts, memory.readings, strict=True))[:until]:
        given = any(mentions(act, value) for value in slot.values)
        refused += given and reading.turns_down
        asked += given and asks_again(reading, slot)
    return refused >= INSISTS or asked >= INSISTS_UNREFUSED


def asks_again(reading: Reading, slot: Slot) -> bool:
    """Whether an answer tells something of a slot, such as what is possible, and asks for it."""
    return (
        reading.informative
        and not reading.fallback
        and any(
            slot.name in {one.name for one in asked_slots(question.words, [slot])}
            for question in reading.questions
            if question.kind in ("open", "select")
        )
    )


def alternatives(reading: Reading, slot: Slot) -> list[str]:
    """The values that an answer names instead of the user's own, in its order."""
    text = reading.text
    named: list[str] = []
    if "time" in slot.kinds:
        named = [one.text for one in find_times(text)]
    elif "date" in slot.kinds:
        named = [one.text for one in date_spans(text)]
    words = reading.words
    named += [value for value in slot.domain if mentions(words, value)]
    if not named and "number" not in slot.kinds:
        named = list(reading.options)
    own = {folded(value) for value in slot.values}
    fresh = [one for one in named if folded(one) not in own]
    return list(
        dict.fromkeys(
            one for one in fresh if not any(mentions(folded(one), v) for v in slot.values)
        )
    )


def conceded(memory: Memory, slots: Sequence[Slot]) -> dict[str, str]:
    """The values that the user has put in the place of its own, by variable."""
    found: dict[str, str] = {}
    for slot in slots:
        for index, act in enumerate(memory.acts):
            if index and turned_down(memory, slot, index):
                offered = alternatives(memory.readings[index - 1], slot)
                given = next((one for one in offered if act == folded(one)), None)
                if given is not None:
                    found[slot.name] = given
                    break
    return found
