"""Whether what a user says goes against the values of its case, as far as can be told."""

from collections.abc import Sequence

from sparring_plugins.language.contacts import find_emails, find_phones
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.agreement import contradicted
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.value_matching import mentions

_UNWANTED = frozenset(
    ("no", "not", "without", "instead", "than", "dont", "sin", "en", "vez", "kein", "keine",
     "ohne", "pas", "sans", "senza", "sem")
)  # fmt: skip


def other_value(text: str, slots: Sequence[Slot]) -> tuple[Slot, str] | None:
    """The first variable that a text gives another value than the case has, with that value.

    Times, dates and counts are compared by what they mean, phone numbers and addresses by their
    characters, words with the other values that the variable might have had. A text that names
    several of those is a question or a list, and one that says "no" or "instead of" means none.
    """
    for slot in slots:
        found = _contact(text, slot) or _other(text, slot, slots)
        if found:
            return slot, found
    return None


def _contact(text: str, slot: Slot) -> str | None:
    """Another phone number or e-mail address than the variable's."""
    found = find_phones(text) if "phone" in slot.holds else []
    found += find_emails(text) if "email" in slot.holds else []
    own = {_bare(value) for value in slot.values}
    others = [one.text for one in found if not any(_bare(one.text) in value for value in own)]
    return others[0] if others and len(others) == len(found) else None


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _other(text: str, slot: Slot, slots: Sequence[Slot]) -> str | None:
    words = folded(text)
    if slot.kinds:
        alike = [value for one in slots if one.kinds & slot.kinds for value in one.values]
        if any(mentions(words, value) for value in alike) or not contradicted(text, [slot]):
            return None
        return "something else"
    if len(slot.values) == 1 and mentions(words, slot.values[0]):
        return None
    own = [value for one in slots for value in one.values]
    rest = f" {words} "
    for value in sorted(own, key=len, reverse=True):
        rest = rest.replace(f" {folded(value)} ", " ; ")
    known = {folded(value) for value in own}
    others = [value for value in slot.domain if folded(value) not in known and _telling(value)]
    found = [value for value in others if mentions(rest.strip(), value)]
    if len(found) != 1:
        return None
    before = rest[: max(0, rest.find(f" {folded(found[0])}"))].split()[-3:]
    return None if _UNWANTED & set(before) else found[0]


def _telling(value: str) -> bool:
    """Whether a value is a word, and not a number or a single letter."""
    return sum(char.isalpha() for char in value) >= 3
