"""Particulars of the user that apps ask for: from the profile's context, else invented."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.frames import details, frames

_IMPERSONAL = ("how_many", "time", "date", "why")


@lru_cache(maxsize=256)
def particulars(seed: int, context: tuple[str, ...], language: str) -> dict[str, str]:
    """All particulars by kind; what the context tells ("your name is ...") goes first.

    The rest is drawn with the seed from data of our own: names, addresses of example.com, phone
    numbers that nobody has.
    """
    draw, data, said = Random(seed), details(), frames(language)
    first, last = draw.choice(data.given_names), draw.choice(data.surnames)
    city = draw.choice(data.cities)
    street = draw.choice(data.streets)
    ending = draw.randint(10, 99)
    phone = f"600 000 1{ending}" if language.lower() == "spanish" else f"202-555-01{ending}"
    told = _told(context)
    name = told.get("name", f"{first} {last}")
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
        "why": said.why[0],
        "how_many": said.how_many,
        "time": said.what_time,
        "date": said.what_day,
        **told,
    }


def asked_for(words: str) -> list[str]:
    """The kinds of particulars that a folded question asks for, in its own order."""
    found: dict[str, int] = {}
    padded = f" {words} "
    for kind, cues in details().asks.items():
        places = [padded.find(f" {cue} ") for cue in cues]
        seen = [place for place in places if place >= 0]
        if seen:
            found[kind] = min(seen)
    for broad, narrow in (
        ("name", ("first_name", "last_name", "company", "email")),
        ("address", ("email",)),
        ("how_many", ("people",)),
        ("date", ("birth", "time")),
        ("phone", ("id",)),
    ):
        if broad in found and any(one in found for one in narrow):
            apart = broad == "date" and "time" in found and contains(words, "date")
            if not apart and not _both(words, broad):
                del found[broad]
    kinds = sorted(found, key=lambda kind: found[kind])
    either = len(kinds) > 1 and contains(words[found[kinds[0]] :], "or")
    return kinds[:1] if either and not contains(words, "and") else kinds


def personal(words: str) -> list[str]:
    """The particulars asked for that nobody but the user can know."""
    return [kind for kind in asked_for(words) if kind not in _IMPERSONAL]


def _both(words: str, broad: str) -> bool:
    """Whether a broad particular is asked for on its own beside a narrow one."""
    parts = words.replace(" y ", " and ").split(" and ")
    if len(parts) < 2:
        return False
    alone = [part for part in parts if _asks(part, broad)]
    narrow = {"name": ("first_name", "last_name", "company", "email"), "address": ("email",)}
    return any(not any(_asks(part, one) for one in narrow.get(broad, ())) for part in alone)


def _asks(part: str, kind: str) -> bool:
    return any(contains(part, cue) for cue in details().asks[kind])


def _told(context: Sequence[str]) -> dict[str, str]:
    """What context sentences say of the user, such as ``your name is Jon Doe``."""
    found: dict[str, str] = {}
    for sentence in context:
        for part in sentence.replace(";", ",").split(","):
            plain = part.strip().rstrip(".!")
            words = plain.split()
            for kind, cues in details().told.items():
                for cue in cues:
                    size = len(cue.split())
                    for start in range(max(0, len(words) - size)):
                        if folded(" ".join(words[start : start + size])) == folded(cue):
                            value = " ".join(words[start + size :])
                            found.setdefault(kind, _until_and(value)[:80])
    return {kind: value for kind, value in found.items() if value}


def _until_and(value: str) -> str:
    for word in (" and ", " y ", " who ", " but "):
        value = value.split(word)[0]
    return value.strip(" \"'\u201c\u201d")
