"""From what was said to what is meant: an intent and a query."""

import re
from dataclasses import dataclass
from functools import cache

from wayside.acts import intent_of
from wayside.languages import language_of
from wayside.lexicon import common_words, lexicon
from wayside.places import all_places
from wayside.query import Query, query_of
from wayside.reading import Mending, words_of

_TO = re.compile(
    r"\b(?:take|bring|drive) me (?:to|too) (?:the |a |an )?"
    r"([a-z0-9]+(?: [a-z0-9]+){0,3}?)(?: please| with| that| and|$| \|)"
)


_CHOICE = (
    re.compile(r"\b(?:yes|yeah|sure|okay|ok|please do|first|closest|go ahead)\b"),
    re.compile(r"\bsecond\b"),
    re.compile(r"\b(?:third|last)\b"),
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What the assistant makes of an utterance. `name` is a place that was named."""

    intent: str
    query: Query
    language: str = "en"
    name: str | None = None
    words: str = ""
    social: tuple[str, ...] = ()


def understand(text: str, *, now: float = 17.5) -> Understood:
    """Read an utterance."""
    known = lexicon()
    words = words_of(text, _mending().mend)
    mentions = known.mentions(words)
    query = query_of(words, mentions, now=now)
    named = _named(words)
    intent = intent_of(mentions, query)
    if named and not query.sure:
        intent = "place"
    elif intent in ("search", "unknown") and query.category is None:
        named = _destination(words)
        intent = "place" if named else intent
    social = tuple(dict.fromkeys(one.value for one in mentions if one.slot == "acts"))
    return Understood(intent, query, language_of(text), named, words, social)


def choice_of(words: str) -> int | None:
    """Which of several offers somebody takes, from 0; None where that is not said."""
    return next((at for at, said in enumerate(_CHOICE) if said.search(words)), None)


def _named(words: str) -> str | None:
    """The name of a place that the words hold in full."""
    tokens = words.split()
    for size in (4, 3, 2):
        for at in range(len(tokens) - size + 1):
            name = _names().get(" ".join(tokens[at : at + size]))
            if name:
                return name
    return None


def _destination(words: str) -> str | None:
    """What somebody wants to be taken to, where it is no kind of place."""
    stated = _TO.search(words)
    return stated[1].strip() if stated else None


@cache
def _mending() -> Mending:
    return Mending(lexicon().vocabulary, common_words())


@cache
def _names() -> dict[str, str]:
    return {words_of(place.name).replace("| ", ""): place.name for place in all_places()}
