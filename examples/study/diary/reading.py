"""From what was said to what is to be done in the diary."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time
from functools import cache
from typing import Any

from studykit.lexicon import lexicon_beside
from studykit.words import NUMBER_WORDS, Mending, plain, with_digits

from diary.clock import WEEKDAYS, day_in, length_in, reminder_in, time_in

_WORDS: dict[str, Any] = lexicon_beside(__file__)
_TOKEN = re.compile(r"\d{1,2}[:.]\d{2}|\d+(?:st|nd|rd|th)?|[a-z]+|[.!?;,]")
_FILLER = r"(?:u+h+|u+m+|erm?|hm+|like|you know|i mean|well|sort of)"
_FILLERS = re.compile(rf",+ *{_FILLER}(?=,)|(?:^|(?<=[.!?] )){_FILLER},|\b(?:uh|um|er),?")
_ORDINALS = {
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
    "eleventh": "11th", "twelfth": "12th", "thirteenth": "13th", "fourteenth": "14th",
    "fifteenth": "15th", "sixteenth": "16th", "seventeenth": "17th", "eighteenth": "18th",
    "nineteenth": "19th", "twentieth": "20th", "thirtieth": "30th",
}  # fmt: skip
_ORDINAL = re.compile(rf"\b((?:the|april|may|20) )({'|'.join(_ORDINALS)})\b")
_TWENTY = re.compile(r"\b20 (\d)(st|nd|rd|th)\b")
_OUR = re.compile(r"\b(half an|an|a|\d) our(s?)\b")
_CANCELLED = re.compile(
    r"\b(?:cancel|delete|call off|drop|ditch|skip|forget|scrap|can not make|instead of)"
    r" (?:[a-z]+ ){1,5}with [a-z]+\b(?: \|? ?so drop it)?"
)


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done; None where nothing was said of it."""

    action: str | None
    kind: str | None = None
    person: str | None = None
    day: date | None = None
    at: time | None = None
    minutes: int | None = None
    place: str | None = None
    reminder: int | None = None
    repeat: str | None = None
    cancelled: tuple[str | None, str | None] | None = None

    def shown(self) -> dict[str, Any]:
        """The order as JSON has it."""
        return {
            "action": self.action,
            "kind": self.kind,
            "person": self.person,
            "date": self.day.isoformat() if self.day else None,
            "time": self.at.strftime("%H:%M") if self.at else None,
            "minutes": self.minutes,
            "place": self.place,
            "reminder": self.reminder,
            "repeat": self.repeat,
            "cancelled": with_person(*self.cancelled) if self.cancelled else None,
        }


def read(text: str) -> Order:
    """Read what somebody says; what is to be cancelled first, and then the rest."""
    cancelled, rest = _cancelled_first(words_of(text))
    reminder, rest = reminder_in(rest)
    minutes, rest = length_in(rest)
    day, at = day_in(rest), time_in(rest)
    actions = _found(rest, "actions")
    kinds = _found(rest, "kinds")
    return Order(
        action=_action(actions, timed=bool(day or at), whole=bool(kinds and day and at)),
        kind=_first(kinds),
        person=_person(rest),
        day=day,
        at=at,
        minutes=minutes,
        place=_first(_found(rest, "places")),
        reminder=reminder,
        repeat=_first(_found(rest, "repeats")),
        cancelled=cancelled,
    )


def with_person(kind: str | None, person: str | None) -> str:
    """An appointment by its name, such as ``lunch with Anna``."""
    return f"{kind or 'appointment'} with {person}" if person else kind or "appointment"


def _cancelled_first(words: str) -> tuple[tuple[str | None, str | None] | None, str]:
    """What is to be cancelled before something else is done, and the words without it."""
    for found in _CANCELLED.finditer(words):
        kinds, rest = _found(found[0], "kinds"), words[found.end() :]
        others = f"{words[: found.start()]} | {rest}"
        if kinds and _found(others, "kinds"):
            return (kinds[0], _person(found[0])), others
    return None, words


def _person(words: str) -> str | None:
    """Whom an appointment is with."""
    people = {one.casefold(): one for one in _WORDS["people"]}
    found = re.search(rf"\bwith (?:[a-z]+ ){{0,2}}?({'|'.join(people)})\b", words)
    return people[found[1]] if found else None


def words_of(text: str) -> str:
    """The words of an utterance without fillers, numbers as digits, spelling mended."""
    flat = re.sub(r"\b([ap])\.m\b\.?", r"\1m", plain(text)).replace("o'clock", "o clock")
    flat = _FILLERS.sub(" ", flat)
    sounds = _WORDS["sounds"]
    words = [sounds.get(one, one) for one in _TOKEN.findall(flat) if one != ","]
    mended = with_digits([_mending().mend(one) for one in words])
    joined = " ".join("|" if one in ".!?;" else one for one in mended)
    joined = _ORDINAL.sub(lambda match: match[1] + _ORDINALS[match[2]], joined)
    joined = _TWENTY.sub(r"2\1\2", joined)
    return _OUR.sub(r"\1 hour\2", joined)


def _action(found: Iterable[str], *, timed: bool, whole: bool) -> str | None:
    """What is to be done: what changes something goes before questions, what is new comes last.

    Nothing is moved to no time; and who names kind, day and time (`whole`) wants no cancellation.
    """
    told = set(found)
    for action in ("move", "ask", "cancel", "find", "list", "make"):
        if action in told and (timed or action not in ("move", "list")):
            return "make" if whole and action in ("cancel", "find", "list") else action
    return "make" if whole else None


def _found(words: str, group: str) -> list[str]:
    """The values of a group that are mentioned, in order."""
    hits = [
        (match.start(), match.end(), value)
        for value, pattern in _patterns(group).items()
        for match in pattern.finditer(words)
    ]
    longer = [one for one in hits if not any(_inside(one, other) for other in _all_hits(words))]
    return [value for _, _, value in sorted(longer)]


def _all_hits(words: str) -> list[tuple[int, int, str]]:
    groups = ("actions", "kinds", "places", "repeats")
    return [
        (match.start(), match.end(), value)
        for group in groups
        for value, pattern in _patterns(group).items()
        for match in pattern.finditer(words)
    ]


def _inside(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    within = other[0] <= one[0] and one[1] <= other[1]
    return within and other[1] - other[0] > one[1] - one[0]


def _first(values: list[str]) -> str | None:
    return values[0] if values else None


@cache
def _patterns(group: str) -> dict[str, re.Pattern[str]]:
    return {value: _pattern(phrases) for value, phrases in _WORDS[group].items()}


def _pattern(phrases: list[str]) -> re.Pattern[str]:
    gap = r"(?:[a-z]+ ){0,4}?"
    made = ("".join(gap if word == "~" else f"{word} " for word in one.split()).strip()
            for one in sorted(phrases, key=len, reverse=True))  # fmt: skip
    return re.compile(rf"\b(?:{'|'.join(made)})s?\b")


@cache
def _mending() -> Mending:
    phrases = [one for group in ("actions", "kinds", "places", "repeats")
               for several in _WORDS[group].values() for one in several]  # fmt: skip
    known = {word for one in phrases for word in re.findall("[a-z]+", one)}
    people = {one.casefold() for one in _WORDS["people"]}
    vocabulary = {*known, *_WORDS["spoken"], *people, *WEEKDAYS, *NUMBER_WORDS, *_ORDINALS}
    return Mending(vocabulary, _WORDS["common"], least=3, shortest=True)
