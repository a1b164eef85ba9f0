"""Which page of several an instruction names: the start page, or one by its number."""

import re
from collections.abc import Sequence
from functools import cache

from sparring_plugins.web.grammar.free.intent import Intent
from sparring_plugins.web.grammar.free.words import FREE
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS

#: "Open the plant list from Home": what is gone to stands there.
_FROM_THERE = re.compile(
    r"(?!(?:go|come|navigate) back\b)[a-z]+ (?:the |an? )?(?!to\b|back\b|away\b|from\b)\S.*"
    r" (?:from|on|in) (?:the |its )?(?:home|(?:start|main|home|front) ?page)$"
)


def _leads_home(low: str, named: Sequence[str]) -> bool:
    """Return whether an instruction to go somewhere, in these words, goes to the start page."""
    is_home = {"homepage", "frontpage"} & set(named) or named[-1:] == ("home",)
    starts = bool({"start", "main"} & set(named)) and "page" in named
    return bool(starts or is_home) and "⟦" not in low and not _FROM_THERE.match(low)


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


def read_page(low: str, named: Sequence[str]) -> Intent | None:
    """Read which page of several is gone to: the start, the next, the last, the third."""
    if _leads_home(low, named):
        return Intent(verb="home", words="home")
    if number := read_page_number(low):
        return Intent(verb="page", value=number)
    if turned := read_turned(low):
        return turned
    if {"last", "page"} <= set(named):
        return Intent(verb="last", words="last page")
    if "page" in named and "next" in named:
        return Intent(verb="next", words="next page")
    if "page" in named and named[named.index("page") - 1] in ("previous", "prior"):
        return Intent(verb="previous", words="previous page")
    return None


AHEAD = re.compile(
    rf"\b(an?|\d|{'|'.join(FREE.numbers)}) ([a-z]+) (ahead|forwards?|on|back|backwards?|earlier)$"
)
"""How far one goes on or back: "two months ahead"."""
