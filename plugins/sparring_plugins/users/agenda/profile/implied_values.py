"""Values that a clause of the profile holds without saying what they are called.

"you want it in green" holds a colour, "you live at number 58" the number of a house, "for three
days" how long something takes, and "your flat is on the third floor" a storey.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.value_parts import place_number
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import any_accent, any_of

SPANS_OF_TIME = frozenset({"~date", "~time", "~duration", "night", "week", "month", "year"})
"""Concepts of what time is counted in: "three days"."""


def storeys_in(clause: str) -> Iterator[tuple[str, str]]:
    """Yield on which floors something is, each with its word: "3" of "the third floor"."""
    words = re.findall(r"[\w'\u2019]+", folded(clause))
    for at, word in enumerate(words):
        if word not in knowledge().storeys:
            continue
        near = (*words[at + 1 : at + 2], *words[max(0, at - 1) : at])
        places = (place_number(other) for other in near)
        number = next((place for place in places if place is not None), None)
        if number is not None:
            yield str(number), word


def words_of_kinds(clause: str) -> Iterator[tuple[str, str]]:
    """Yield the words that are a kind of something, each with the kind: "green", a colour."""
    for match in re.finditer(r"[^\W\d_]+", clause):
        kind = _kinds_of_words().get(folded(match[0]))
        # "L" is a size, the "l" of "l'ascensore" none
        if kind is not None and (len(match[0]) > 1 or match[0].isupper()):
            yield match[0], kind


@lru_cache(maxsize=1)
def _kinds_of_words() -> Mapping[str, str]:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "kinds_of_words.yaml")
    return {str(word): str(kind) for kind, words in data.items() for word in words}


def house_number(sentence: str) -> str | None:
    """Return the number of the user's house, if no street is named: "you live at number 58"."""
    match = _house().search(sentence)
    return match["number"].replace(" ", "") if match is not None else None


@lru_cache(maxsize=1)
def _house() -> re.Pattern[str]:
    lists = knowledge()
    houses = "|".join(any_accent(house) for house in sorted(lists.houses, key=len, reverse=True))
    return re.compile(
        rf"(?<!\w)(?:{houses})\s?:?\s(?:{any_of(lists.copulas)}\s)?(?:(?:number|no\.?|nummer)\s)?"
        r"(?P<number>\d{1,4} ?[a-z]?)(?![\w:/]|[.,]\d|\s[a-z]{3,})",
        re.IGNORECASE,
    )


def duration_in(number: str, after: str) -> str | None:
    """Return a number with the unit of time that stands right behind it; None if none does."""
    unit = re.match(r"\s([^\W\d_]+)", after)
    return f"{number} {unit[1]}" if unit and concepts(unit[1]) & SPANS_OF_TIME else None
