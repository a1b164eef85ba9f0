"""Personal details that apps ask for: from the profile's context, else invented."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.words.phrase_book import details, phrases

_IMPERSONAL = ("how_many", "time", "date", "why")


@lru_cache(maxsize=256)
def personal_details(seed: int, context: tuple[str, ...], language: str) -> dict[str, str]:
    """All personal details by kind; those of the context ("your name is ...") go first.

    The rest is drawn with the seed from data of our own: names, addresses of example.com, phone
    numbers that nobody has.
    """
    draw, data, book = Random(seed), details(), phrases(language)
    first, last = draw.choice(data.given_names), draw.choice(data.surnames)
    city = draw.choice(data.cities)
    street = draw.choice(data.streets)
    ending = draw.randint(10, 99)
    # "202-555-01.." is kept free for fiction, so that a test calls nobody
    phone = f"600 000 1{ending}" if language.lower() == "spanish" else f"202-555-01{ending}"
    by_context = stated_details(context)
    name = by_context.get("name", f"{first} {last}")
    first, last = name.split()[0], name.split()[-1]
    mailbox = folded(name).replace(" ", ".").encode("ascii", "ignore").decode() or "user"
    return {
        "name": name,
        "first_name": first,
        "last_name": last,
        "email": f"{mailbox}@{data.domain}",
        "phone": phone,
        "address": street,
        "city": city,
        "postcode": draw.choice(data.postcodes),
        "company": draw.choice(data.companies),
        "birth": f"{draw.randint(10, 28)}/{draw.randint(1, 12):02}/{draw.randint(1970, 1999)}",
        "age": str(draw.randint(21, 60)),
        "people": str(draw.randint(2, 4)),
        "id": f"{draw.randint(100000, 999999)}",
        "digits": f"{draw.randint(1000, 9999)}",
        "why": book.why[0],
        "how_many": book.how_many,
        "time": book.what_time,
        "date": book.what_day,
        **by_context,
    }


@lru_cache(maxsize=1024)  # each turn reads all questions of its conversation again
def asked_details(words: str) -> tuple[str, ...]:
    """Return the kinds of personal details that a folded question asks for, in its own order.

    Of two kinds with "or" between them the first: "phone number or e-mail address".
    """
    places = _places_of_kinds(words)
    for broad, narrower in details().narrower.items():
        if broad in places and any(kind in places for kind in narrower):
            # "When should we come" may ask for either; the word "date" asks for the day, too.
            apart = broad == "date" and "time" in places and contains(words, "date")
            if not apart and not _is_asked_alone(words, broad):
                del places[broad]
    if {"postcode", "address"} <= set(places) and _CODE_OF_ADDRESS.search(words):
        del places["address"]
    kinds = tuple(sorted(places, key=lambda kind: places[kind]))
    # "and" after all: "your name or alias and your e-mail" wants two
    either = len(kinds) > 1 and contains(words[places[kinds[0]] :], "or")
    return kinds[:1] if either and not contains(words, "and") else kinds


_CODE_OF_ADDRESS = re.compile(
    r"\b(?:code|postcode|zip|postleitzahl|plz|postal|postale|cap|cep) "
    r"(?:of|for|der|des|zur|de|du|della|di|da|do) (?:\w+ ){0,3}"
    r"\w*(?:ad\w?ress|anschrift|direccion|indirizz|endereco|morada)"
)
"""A postcode alone: "the postcode of the delivery address"."""

_WHOLE_NAME = re.compile(
    r"\bfirst(?: name)? and (?:your )?(?:last name|surname)\b|\bname and surname\b"
    r"|\bvor und (?:nach|zu)namen?\b|\bnombre y apellidos?\b|\bnome e (?:cognome|sobrenome)\b"
    r"|\b(?:nom et (?:votre |ton |le )?prenom|prenom et (?:votre |ton |le )?nom)\b"
)
"""How both parts of one name are asked for in a folded text."""


def private_details(words: str) -> list[str]:
    """Return the details asked for that nobody but the user can know."""
    return [kind for kind in asked_details(words) if kind not in _IMPERSONAL]


def _places_of_kinds(words: str) -> dict[str, int]:
    """Where the first cue of each kind stands in a folded text; without kinds that have none."""
    padded = f" {_TO_NAME.sub(_blank, words)} "
    places: dict[str, int] = {}
    for kind, cues in details().asks.items():
        seen = [place for cue in cues if (place := padded.find(f" {cue} ")) >= 0]
        if seen:
            places[kind] = min(seen)
    if not _NAMES.isdisjoint(places) and _WHOLE_NAME.search(words):
        # "Quels sont le prénom et le nom ?" asks for the whole name, and names it by its parts
        first = min(at for kind, at in places.items() if kind in _NAMES)
        return {**{k: at for k, at in places.items() if k not in _NAMES}, "name": first}
    return places


_TO_NAME = re.compile(r"\b(?:please|to|you|and) name(?= (?:the|a|an|one|it|your) )")
"""The verb: "Please name the street." asks for no name."""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


_NAMES = frozenset({"name", "first_name", "last_name"})


def _is_asked_alone(words: str, broad: str) -> bool:
    """Whether a broad detail is asked for on its own beside a narrow one: "name and e-mail"."""
    parts = words.replace(" y ", " and ").split(" and ")
    if len(parts) < 2:
        return False
    narrower = details().narrower[broad] if broad in ("name", "address") else ()
    return any(
        _asks_for(part, broad) and not any(_asks_for(part, kind) for kind in narrower)
        for part in parts
    )


def _asks_for(part: str, kind: str) -> bool:
    return any(contains(part, cue) for cue in details().asks[kind])


def stated_details(context: Sequence[str]) -> dict[str, str]:
    """Return what context sentences say of the user by kind: ``your name is Jon Doe``."""
    values: dict[str, str] = {}
    for sentence in context:
        for part in sentence.replace(";", ",").split(","):
            words = part.strip().rstrip(".!").split()
            for kind, cues in details().told.items():
                for value in (value for cue in cues for value in _values_after(words, cue)):
                    values.setdefault(kind, value)
    return {kind: value for kind, value in values.items() if value}


def _values_after(words: Sequence[str], cue: str) -> Iterator[str]:
    """What follows each occurrence of a cue, up to 80 characters."""
    size = len(cue.split())
    for start in range(max(0, len(words) - size)):
        if folded(" ".join(words[start : start + size])) == folded(cue):
            yield _until_and(" ".join(words[start + size :]))[:80]


def _until_and(value: str) -> str:
    # "your name is Ann Bell and you live in Hull" names nobody called Ann Bell and you
    for word in (" and ", " y ", " who ", " but "):
        value = value.split(word)[0]
    return value.strip(" \"'\u201c\u201d")
