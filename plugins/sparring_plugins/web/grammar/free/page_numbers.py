"""Which page of several an instruction names by its number."""

import re
from functools import cache

from sparring_plugins.web.grammar.free.intent import Intent
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS


def read_page_number(low: str) -> str:
    """Return the number in "go to the second page", "go to page 3 of the list"; empty if none."""
    match = _numbered_page().search(low)
    if match is None:
        return ""
    word = match[1] or match[2]
    if word in _places():
        return str(_places()[word])
    return FREE.numbers.get(word) or re.sub(r"\D", "", word)


@cache
def _numbered_page() -> re.Pattern[str]:
    """Return the pattern, which needs a table that is read only when a sentence is."""
    return re.compile(
        rf"\b(?:the ({'|'.join(map(re.escape, _places()))}|\d{{1,3}}(?:st|nd|rd|th)) page"
        rf"|page (?:number )?(\d{{1,3}}|{'|'.join(FREE.numbers)}))\b(?= of\b|$)"
    )


@cache
def _places() -> dict[str, int]:
    return {word: place for word, place in WORDS.ordinals.items() if place > 0}


_TURNED = re.compile(r"turn (?:over )?(?:the|a) page(?: over)?|turn over|page on")


def read_turned(low: str) -> Intent | None:
    """Read "Turn the page", which goes on to the next one."""
    return Intent(verb="next", words="next page") if _TURNED.fullmatch(low) else None


AHEAD = re.compile(
    rf"\b(an?|\d|{'|'.join(FREE.numbers)}) ([a-z]+) (ahead|forwards?|on|back|backwards?|earlier)$"
)
"""How far one goes on or back: "two months ahead"."""
