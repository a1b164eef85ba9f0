"""The part of an address, a name or a code that an app wants, and the order in which it wants it.

"Only the number itself" wants the 27 of "27 Cooper Street", "Surname first" the names the other way
round, "just the digits" a code without its letters.
"""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.words.knowledge import says

_HOUSE = re.compile(r"(?<![\w-])\d{1,4}[a-z]?(?![\w-])")


def put_address(text: str, hint: str, times: int) -> str:
    """Return an address or what is asked for of it; after a failure otherwise than before."""
    words = folded(hint)
    street = text.partition(",")[0].strip()
    number = _HOUSE.search(street)
    if says(words, "number_alone") and number is not None:
        return number[0]
    if says(words, "street_alone") and number is not None:
        return " ".join(f"{street[: number.start()]} {street[number.end() :]}".split())
    alone = says(words, "street_words") and not says(words, "town_words")
    return street if alone is not bool(times % 2) else text


def put_name(text: str, hint: str) -> str:
    """Return a name, the surname before a comma and the rest if an app wants it first."""
    first, _, last = text.rpartition(" ")
    return f"{last}, {first}" if first and says(folded(hint), "surname_first") else text


def digits_of(code: str, hint: str) -> str | None:
    """Return the digits of a code, if an app wants no letters of it; None otherwise."""
    digits = re.sub(r"\D", "", code)
    letters = any(char.isalpha() for char in code)
    return digits if letters and digits and says(folded(hint), "digits_alone") else None
