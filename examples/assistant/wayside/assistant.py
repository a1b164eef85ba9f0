"""The assistant: it understands, looks for places, and answers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from wayside.answers import answer_of, data_of
from wayside.places import Place, all_places
from wayside.query import Query
from wayside.understanding import Understood, choice_of, understand

GREETING = "Hello, this is Wayside. Where would you like to go?"
SHOWN = 3
LISTENS_WORDS = 35
MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, and the same as data: `intent`, `language`, `query` and `items`."""

    text: str
    data: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {"text": self.text, **self.data}


class Assistant:
    """Keeps one conversation: what is left open refers to what was looked for before."""

    def __init__(self, places: Iterable[Place] | None = None, *, now: float = 17.5) -> None:
        self._places = _nearest() if places is None else _by_category(places)
        self._now = now
        self._earlier: Query | None = None
        self._offered: list[Place] = []

    def answer(self, text: str) -> Answer:
        """Answer an utterance."""
        understood = understand(_heard(text), now=self._now)
        earlier = self._earlier
        which = choice_of(understood.words) if understood.intent == "unknown" else None
        if which is not None and self._offered:
            return self._started(self._offered[min(which, len(self._offered) - 1)])
        if which == 0 and earlier is not None:
            understood = replace(understood, query=earlier.eased(), intent="search")
        elif earlier is not None and understood.intent in ("search", "unknown"):
            understood = _going_on(understood, earlier)
        found = self._found(understood)
        shown = found[:SHOWN]
        if understood.intent == "search" and understood.query.category is not None:
            self._earlier, self._offered = understood.query, shown
        return Answer(answer_of(understood, found, shown), data_of(understood, shown))

    def _started(self, place: Place) -> Answer:
        """The route to a place that was offered."""
        understood = Understood("place", Query(), name=place.name)
        return Answer(answer_of(understood, [place], [place]), data_of(understood, [place]))

    def _found(self, understood: Understood) -> list[Place]:
        if understood.language != "en":
            return []
        query = understood.query
        match understood.intent:
            case "search" if query.category is not None and not query.rivals:
                kind = self._places.get(query.category, ())
                return [place for place in kind if query.meets(place)]
            case "place":
                every = (place for kind in self._places.values() for place in kind)
                return [place for place in every if place.name == understood.name][:1]
            case _:
                return []


def _by_category(places: Iterable[Place]) -> dict[str, list[Place]]:
    """Places by their kind, the nearest first."""
    found: dict[str, list[Place]] = {}
    for place in sorted(places, key=lambda place: place.distance_km):
        found.setdefault(place.category, []).append(place)
    return found


@cache
def _nearest() -> dict[str, list[Place]]:
    return _by_category(all_places())


def _going_on(understood: Understood, earlier: Query) -> Understood:
    query = understood.query.after(earlier)
    return replace(understood, query=query, intent="search" if query != earlier else "unknown")


def _heard(text: str) -> str:
    """What fits into the time for which the microphone stays open."""
    return " ".join(text[:MOST_CHARACTERS].split()[:LISTENS_WORDS])
