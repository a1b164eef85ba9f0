"""The role of a place or a moment in a trip or a span: its beginning or its end.

"Where are you heading?" asks for the destination, "Until when do you need it?" for the day of the
return: neither the origin nor the first day will do, though they are places and days as well.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import date_spans
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.fact_patterns import PERSON, POSTCODE
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import any_accent, any_of

BEGIN, END = "begin", "end"

# "I need a taxi from the station to": the preposition next to the hole decides, not one far
# before.
_LABEL_WORDS = 7
_WORD = r"[A-ZÀ-ÖØ-Þ][\w'\u2019.-]*"
_PROPER = rf"{_WORD}(?:[ -](?:(?:of|de|del|la|am|an|der|upon)[ -])?{_WORD}){{0,3}}"


class RoleWords(BaseModel):
    """The word lists of roles: see the comments of `roles.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    begin: tuple[str, ...]
    end: tuple[str, ...]
    begin_of_way: tuple[str, ...]
    end_of_way: tuple[str, ...]
    from_words: frozenset[str]
    to_words: frozenset[str]
    moment_from: frozenset[str]
    moment_until: frozenset[str]
    either_end: tuple[str, ...]
    between: frozenset[str]
    between_ends: frozenset[str]
    articles: frozenset[str]
    places: frozenset[str]
    codes_of_places: tuple[str, ...]
    names: frozenset[str]
    own_home: frozenset[str]


@lru_cache(maxsize=1)
def _words() -> RoleWords:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "roles.yaml")
    return RoleWords.model_validate(
        {name: [folded(str(word)) for word in words] for name, words in data.items()}
    )


@lru_cache(maxsize=2048)
def roles_in(text: str) -> frozenset[str]:
    """Return the ends that a question asks for: `BEGIN`, `END`, both or none."""
    lists, words = _words(), folded(text)
    if words in lists.from_words | lists.to_words:  # "FROM?"
        return frozenset({BEGIN if words in lists.from_words else END})
    roles: set[str] = set()
    if any(contains(words, phrase) for phrase in lists.begin):
        roles.add(BEGIN)
    if any(contains(words, phrase) for phrase in lists.end):
        roles.add(END)
    # "Dates of your stay?" asks for both ends at once
    if not names_place(text) and any(contains(words, phrase) for phrase in lists.either_end):
        return frozenset({BEGIN, END})
    of_place = names_place(text) or any(contains(words, code) for code in lists.codes_of_places)
    return frozenset(roles) if roles or not of_place else _roles_of_way(words)


def _roles_of_way(words: str) -> frozenset[str]:
    """The ends that folded words ask for by the short words of ways, for places only."""
    lists = _words()
    if any(contains(words, phrase) for phrase in lists.begin_of_way):
        return frozenset({BEGIN})
    ways = any(contains(words, phrase) for phrase in lists.end_of_way)
    return frozenset({END}) if ways and _goes_somewhere(words) else frozenset()


def _goes_somewhere(words: str) -> bool:
    """Whether words ask where something goes: "What city do you want to visit?" does not."""
    parts = words.split()
    going = set(_words().end_of_way) - {"to", "a", "zu"}
    return bool(going & set(parts)) or parts[-1:] in (["to"], ["nach"]) or parts[:1] == ["to"]


def names_place(text: str) -> bool:
    """Return whether a question or a label is about a place."""
    return not _words().places.isdisjoint(folded(text).split())


def names_name(text: str) -> bool:
    """Return whether a label is about what a thing is called."""
    return not _words().names.isdisjoint(folded(text).split())


def name_before_label(clause: str) -> str | None:
    """Return a name before what it is: "Ada Quist is your name", "Quist the surname", or None."""
    lists = knowledge()
    match = re.match(
        rf"(?P<name>{PERSON.pattern})\s(?i:(?:{any_of(lists.copulas)}\s)?{any_of(lists.possessives)})"
        r"\s(?P<label>\w+)$",
        clause,
    )
    if match is None:
        return None
    of_person = bool({"name", "last_name"} & set(asked_details(folded(match["label"]))))
    return match["name"] if of_person else None


def bare_surname(sentence: str) -> str | None:
    """Return the surname that stands alone beside a code: "reference KT2281, Holloway", or None."""
    parts = [part.strip(" .") for part in re.split(r"[,;()]", sentence)]
    alone = [part for part in parts if _ALONE.fullmatch(part) and not date_spans(f"1 {part}")]
    others = [part for part in parts if part and part not in alone]
    is_code = len(others) == 1 and _WITH_CODE.fullmatch(others[0]) is not None
    return alone[0] if is_code and len(alone) == 1 else None


_ALONE = re.compile(r"[A-ZÀ-ÖØ-Þ][a-zà-ÿ]{2,20}(?:[-'\u2019][A-ZÀ-ÖØ-Þ][a-zà-ÿ]+)?")
_WITH_CODE = re.compile(r"(?:[\w-]+ ){0,3}(?=[\w-]*\d)[A-Z]{0,5}-?\d[\w-]{2,}")
"""A code with a label of a few words or none."""


def roles_of_label(before: str) -> frozenset[str]:
    """Return the roles that the words right before a value give it: "leaving from", "return on"."""
    words = folded(before).split()[-_LABEL_WORDS:]
    lists = _words()
    # "the way back on" begins with an article that says nothing of an end
    words = words[1:] if words and words[0] in lists.articles else words
    if words and words[0] in lists.from_words:
        return frozenset({BEGIN})
    if words and words[0] in lists.to_words:
        return frozenset({END})
    return roles_in(" ".join(words))


def places_of_way(text: str) -> Iterator[tuple[str, str]]:
    """Yield the places that a text names as ends of a way, each with its role."""
    for both in _span_of_way().finditer(text):
        yield both["first"].rstrip(".,'"), BEGIN
        yield both["last"].rstrip(".,'"), END
    for match in _way().finditer(text):
        place = match["place"].rstrip(".,'")
        if date_spans(place) or folded(place) in _words().own_home:
            continue  # "from Monday to Friday"; "nach Hause" names no town
        if POSTCODE.match(text, match.start("place")):
            continue  # the "OX4" of "from OX4 2JD" is half a postcode
        yield place, BEGIN if folded(match["lead"]) in _words().from_words else END


def roles_of_moment(before: str) -> frozenset[str]:
    """Return the roles that the words right before a day or time give it: "from", "until"."""
    last = folded(before).split()[-1:]
    lists = _words()
    if last and last[0] in lists.between:
        return frozenset({BEGIN})
    if last and last[0] in lists.between_ends and not lists.between.isdisjoint(before.split()):
        return frozenset({END})
    if last and last[0] in lists.moment_from:
        return frozenset({BEGIN})
    if last and last[0] in lists.moment_until:
        return frozenset({END})
    # "from Leeds to Hull on 4 May": "to" belongs to Hull, and not to the day
    return roles_of_label(without_places(before))


def without_places(text: str) -> str:
    """Return a text without the ends of a way: "on" of "to Rome on", which is no end of a day."""
    return _way().sub(" ", text)


def leads_to_place(word: str) -> bool:
    """Return whether a word stands before the place that a way begins or ends at: "from"."""
    return word in _words().from_words | _words().to_words


@lru_cache(maxsize=1)
def _way() -> re.Pattern[str]:
    """Leeds and York of "a ticket from Leeds to York" and of "Departure Leeds, arrival York"."""
    leads = sorted(_words().from_words | _words().to_words, key=len, reverse=True)
    # "Da Silva" is a name
    words = "|".join(n if len(n) <= _SHORT else f"(?i:{any_accent(n)})" for n in leads)
    return re.compile(rf"\b(?P<lead>{words})\s(?:the\s)?(?P<place>{_PROPER})")


_SHORT = 3


@lru_cache(maxsize=1)
def _span_of_way() -> re.Pattern[str]:
    """Both ends of "de Toledo a Cuenca", whose words alone stand before much else."""
    return re.compile(
        rf"\bd[ea]\s(?P<first>{_PROPER})\s(?:a|à|para|hasta|hacia)\s(?P<last>{_PROPER})"
    )
