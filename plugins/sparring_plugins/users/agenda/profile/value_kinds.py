"""What a whole value of a profile looks like: a date, a code, a number with its unit, a text."""

import re
from functools import lru_cache

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.value_finders import values_in


@lru_cache(maxsize=512)
def kinds_of(value: str) -> frozenset[str]:
    """What a whole value looks like; a text without such looks is a ``text``."""
    typed = [
        (kind, text) for kind, text, _ in values_in(value) if len(text) >= 0.6 * len(value.strip())
    ]
    kinds = {kind for kind, _ in typed}
    if "code" in kinds and value.strip().isdigit():
        kinds.add("number")
    if not kinds and _begins_with_number(value):
        kinds = {"number", "text"}
    return frozenset(kinds or {"text"})


_QUANTITY = re.compile(r"\S+ [^\W\d]+$")
"""A number with its unit and nothing else: "3 kg", "dos meses"."""


def _begins_with_number(value: str) -> bool:
    """Whether a value is a number with its unit, also a spelt one: "un mes"."""
    text = value.strip()
    if not _QUANTITY.match(text):
        return False
    spelled = any(not number.start for number in spelled_numbers(folded(text)))
    return spelled or any(k == "number" and not start for k, _, start in values_in(text))
