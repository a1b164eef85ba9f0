"""Options that an app names in its text: lists, bullets, "a, b or c"."""

import re

from sparring_plugins.agents.patterns.plain_text import folded
from sparring_plugins.agents.patterns.vocabulary import has_cue

MOST = 40
"""Options of one answer that are looked at."""

_BULLET = re.compile(
    r"^\s{0,8}(?:\(?(\d{1,2}|[a-hA-H])[.):\]]|[-*•·▪◾◦\u2023\u2013\u2014>])\s{1,4}(\S.{0,119})$"
)
_SPLIT = re.compile(r"\s*(?:[,;/|]|\b(?:or|and|o|y|u)\b)\s*", re.IGNORECASE)
_OR = re.compile(r"\b(?:or|o|u)\b|\s/\s|\w/\w", re.IGNORECASE)
_INSIDE = re.compile(r"\(([^()]{3,300})\)")
_BEFORE = re.compile(
    r".*\b(?:are|is|between|from|of|offer|have|serve|include|includes|with|like|prefer|want|take|choose|need|get"
    r"|pick|select|be|in|for|either|son|entre|tenemos|quieres|quiere|prefieres|prefiere|deseas|desea|ofrecemos"
    r"|elegir|gustaria)\s(?:(?:to|it|that|this|a|an|the|un|una|el|la|some|your|our|either|have|order|add|los|las)\s)*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:you|usted|a|an|the|our|your|some|either|both|un|una|el|la|los|las|maybe|also|for|with)\s+",
    re.I,
)
_AVAILABLE = re.compile(r"\s+(?:available|disponibles?)$", re.I)
_QUOTES = "\"'\u201c\u201d\u2018\u2019«»*` .!?:"


def listed(lines: list[str]) -> tuple[str, ...]:
    """The items of a bulleted or numbered list."""
    found = [match for line in lines if (match := _BULLET.match(line))]
    items = [_bare(match.group(2)) for match in found[:MOST]]
    return tuple(item for item in items if item) if len(items) >= 2 else ()


def numbered(lines: list[str]) -> bool:
    """Whether the items of a list have numbers."""
    found = [match for line in lines if (match := _BULLET.match(line))]
    return len(found) >= 2 and all((match.group(1) or "").isdigit() for match in found)


def inline(sentence: str, *, asking: bool) -> tuple[str, ...]:
    """The alternatives named within a sentence; none where it names fewer than two.

    A question needs an "or" between them, or a list in parentheses; any other sentence must say
    that it names options.
    """
    text = sentence[:600].rstrip(" ?!.")
    inside = _INSIDE.search(text)
    if inside and _SPLIT.search(inside.group(1)):
        return _items(inside.group(1))
    head, colon, tail = text.partition(":")
    if colon and _SPLIT.search(tail) and (asking or has_cue(folded(head), "options")):
        return _items(tail)
    if asking and not _OR.search(text):
        return ()
    if not asking and not (has_cue(folded(text), "options") and _SPLIT.search(text)):
        return ()
    first = _SPLIT.search(text)
    if first is None:
        return ()
    lead = _BEFORE.match(text[: first.start()] + " ")
    start = lead.end() if lead and lead.end() <= first.start() else 0
    return _items(text[start:])


def _items(text: str) -> tuple[str, ...]:
    items = [_bare(part) for part in _SPLIT.split(text)[:MOST]]
    kept = [item for item in items if item and len(item.split()) <= 6]
    return tuple(dict.fromkeys(kept)) if len(kept) >= 2 else ()


def _bare(text: str) -> str:
    return _AVAILABLE.sub("", _ARTICLE.sub("", text.strip(_QUOTES))).strip(_QUOTES)
