"""The part of a value that an app asks for, and the order of its parts.

"The last four digits" of a code, "only the number itself" of an address, the year of a day;
"surname first" wants a name the other way round, "just the digits" a code without its letters.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml

# "the 2nd, 4th and 6th digit of your code": no bank asks for more of them.
_MOST_PLACES = 4
_NEAR = 3
"""Words between a place and the word for what is counted: "the 2nd and the 5th digit"."""
_PLACE = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|ere|e|eme|o|a|do|to|ta)?")
_MARKED = re.compile(r"(?<=\d)\s?\.?[ºª°]")


class PartWords(BaseModel):
    """The word lists of parts of codes: see the comments of `value_parts.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signs: frozenset[str]
    last: frozenset[str]
    first: frozenset[str]
    counts: dict[str, int]
    places: dict[str, int]
    joints: frozenset[str]
    house_number: tuple[str, ...]
    other_places: frozenset[str]
    first_line: tuple[str, ...]
    year: tuple[str, ...]
    number_alone: tuple[str, ...]
    street_alone: tuple[str, ...]
    street_words: tuple[str, ...]
    town_words: tuple[str, ...]
    surname_first: tuple[str, ...]
    digits_alone: tuple[str, ...]
    example_leads: tuple[str, ...]
    ground_floor: frozenset[str]


@lru_cache(maxsize=1)
def part_words() -> PartWords:
    """Return the word lists of parts of codes."""
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "value_parts.yaml")
    return PartWords.model_validate(data)


def floors_in(text: str) -> list[int]:
    """Return the floors that a text names by ordinals, 0 for the ground floor."""
    floors = part_words().places | dict.fromkeys(part_words().ground_floor, 0)
    return [floors[word] for word in folded(text).split() if word in floors]


def _has_any(words: str, phrases: Sequence[str]) -> bool:
    return any(contains(words, folded(phrase)) for phrase in phrases)


def part_of_value(question: str, text: str, kinds: frozenset[str]) -> str:
    """Return the part of a code or a day that a question asks for; else the whole value.

    Args:
        question: What the app asks: "The last four digits?", "What year were you born?".
        text: The whole value.
        kinds: What kinds of value it is.
    """
    if kinds & {"code", "phone", "iban"}:
        return part_asked(question, text) or text
    if "date" in kinds and _has_any(folded(question), part_words().year):
        year = _YEAR.search(text)
        return year[0] if year is not None else text
    return text


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def asks_house_number(words: str) -> bool:
    """Return whether a folded question asks for the number of the user's house alone.

    "Where exactly? The nearest house number or a landmark will do." asks for a place.
    """
    lists = part_words()
    if _OF_HOUSE.search(words):
        return True
    return _has_any(words, lists.house_number) and not set(words.split()) & lists.other_places


_OF_HOUSE = re.compile(
    r"^(?:and |what is |whats |please )*(?:the |your |for the |i need the )*"
    r"(?:(?:house|door|property|flat|apartment)(?: name)?"
    r"(?: or (?:the )?(?:flat|house|apartment|unit|name))?"
    r" (?:number|no)|number of (?:the|your) (?:house|property|home|door|flat)(?: or flat)?)"
    r"(?: please| of the property| or name)*$"
)
"""A folded question for nothing but the number: "And the door number?"."""


def put_address(text: str, hint: str, times: int) -> str:
    """Return an address or what is asked for of it; after a failure otherwise than before."""
    words, lists = folded(hint), part_words()
    street = text.partition(",")[0].strip()
    number = _HOUSE_NUMBER.search(street)
    if number is not None and (_has_any(words, lists.number_alone) or asks_house_number(words)):
        return number[0]
    # "Street only, without the number" of "12 Elm Street"
    if number is not None and _has_any(words, lists.street_alone):
        return " ".join(f"{street[: number.start()]} {street[number.end() :]}".split())
    alone = _has_any(words, lists.first_line) or (
        _has_any(words, lists.street_words) and not _has_any(words, lists.town_words)
    )
    # after a complaint the other form: "12 Elm Street, Hull" if the street was not enough
    return street if alone is not bool(times % 2) else text


_HOUSE_NUMBER = re.compile(r"(?<![\w-])\d{1,4}[a-z]?(?![\w-])")


def put_name(text: str, hint: str) -> str:
    """Return a name, the surname before a comma and the rest if an app wants it first."""
    first, _, last = text.rpartition(" ")
    surname_first = _has_any(folded(hint), part_words().surname_first)
    return f"{last}, {first}" if first and surname_first else text


def digits_of(code: str, hint: str) -> str | None:
    """Return the digits of a code, if an app wants no letters of it; None otherwise."""
    digits = re.sub(r"\D", "", code)
    letters = any(char.isalpha() for char in code)
    wanted = letters and digits and _has_any(folded(hint), part_words().digits_alone)
    return digits if wanted else None


def part_asked(question: str, code: str) -> str | None:
    """Return the part of a code that a question asks for; None if it asks for no part of it.

    Args:
        question: What the app asks.
        code: The whole code, of which only letters and digits count.
    """
    # the third character of "KT-31" is the 3: people do not count dashes
    signs = "".join(char for char in code if char.isalnum())
    words = folded(_MARKED.sub("", question)).split()
    places = _places_asked(words)
    if len(places) > 1 and max(places) <= len(signs):
        return "".join(signs[place - 1] for place in places)
    count = _count_from_end(words)
    if count is None or abs(count) >= len(signs):
        return None
    return signs[:count] if count > 0 else signs[count:]


def _places_asked(words: Sequence[str]) -> list[int]:
    """The places of a code that folded words name, in order; none if they name fewer than two."""
    lists = part_words()
    for at, word in enumerate(words):
        if word not in lists.signs:
            continue
        # "digits 2 and 5" or "the second and fifth digit"
        after = _run_of_places(words[at + 1 :])
        before = _run_of_places(words[:at][::-1])[::-1]
        for places in (after, before):
            if len(places) > 1:
                return places
    return []


def _run_of_places(words: Sequence[str]) -> list[int]:
    """The places that words begin with, as far as only joints are between them."""
    lists = part_words()
    places: list[int] = []
    for word in words:
        match = _PLACE.fullmatch(word)
        place = lists.places.get(word) or (int(match[1]) if match else None)
        if place is not None and len(places) < _MOST_PLACES:
            places.append(place)
        elif word not in lists.joints:
            break
    return places


def place_number(word: str) -> int | None:
    """Return the place that a folded word names: 3 for "third", "3rd" and "3"; None for none."""
    match = _PLACE.fullmatch(word)
    return part_words().places.get(word) or (int(match[1]) if match else None)


def _count_from_end(words: Sequence[str]) -> int | None:
    """How many signs are asked for from the start, or as a negative number from the end."""
    lists = part_words()
    for at, word in enumerate(words):
        end = word in lists.last
        if not end and word not in lists.first:
            continue
        # "the last four digits", "cuatro últimas cifras", "les quatre derniers chiffres"
        near = [*words[at + 1 : at + 1 + _NEAR], *words[max(0, at - 1) : at]]
        counts = (lists.counts.get(other) or _small_number(other) for other in near)
        count = next((number for number in counts if number), None)
        if count and lists.signs & set(words[at + 1 : at + 1 + _NEAR]):
            return -count if end else count
    return None


def _small_number(word: str) -> int | None:
    return int(word) if word.isdigit() and len(word) == 1 and word != "0" else None
