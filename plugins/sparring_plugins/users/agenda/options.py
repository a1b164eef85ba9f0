"""Options that an app names in its text: lists, bullets, "a, b or c"."""

import re
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue, languages_of, vocabulary

MOST = 40
"""Options of one answer that are looked at."""

_BULLET = re.compile(
    r"^\s{0,8}(?:\(?(\d{1,2}|[a-hA-H])[.):\]]|[-*•·▪◾◦\u2023\u2013\u2014>])\s{1,4}(\S.{0,119})$"
)
_INSIDE = re.compile(r"[(\[]([^()\[\]]{3,300})[)\]]")
_BEFORE = re.compile(
    r".*\b(?:are|is|between|from|of|offer|have|serve|include|includes|with|like|prefer|want|take"
    r"|choose|need|get|pick|select|be|in|for|either|type|enter|say|reply|answer|write|send|press|"
    r"son|entre|tenemos|quieres|quiere|prefieres"
    r"|prefiere|deseas|desea|ofrecemos|elegir|gustar[ií]a|parmi|avons|proposons"
    r"|(?:voulez|souhaitez|désirez|préférez)[- ]vous|(?:veux|préfères)[- ]tu|choisir|zwischen|haben"
    r"|bieten|möchten|möchtest|wünschen|nehmen|lieber|tra|fra|abbiamo|offriamo|vuole|vuoi|desidera"
    r"|desideri|preferisce|preferisci|vorrebbe|vorresti|temos|oferecemos|quer|deseja|prefere"
    r"|gostaria de|você)"
    r"\s(?:(?:to|it|that|this|a|an|the|un|una|el|la|some|your|our|either|have|order|add|los|las|une|with"
    r"|le|les|des|sie|du|wir|lieber|einen?|eine|den|die|das|il|lo|gli|uno|um|uma|os|as|einem|einer)"
    r"\s)*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"^(?:you|usted|a|an|the|our|your|some|either|both|un|una|el|la|los|las|maybe|also|for|with|une|le|les|des"
    r"|einen?|eine|einem|einer|der|die|das|den|il|lo|gli|uno|um|uma|os|as|soit|entweder)\s+",
    re.I,
)
_AVAILABLE = re.compile(r"\s+(?:available|disponibles?|disponibili|verfügbar|disponíveis)$", re.I)
_QUOTES = "\"'\u201c\u201d\u2018\u2019«»*` .!?:"


@lru_cache(maxsize=64)
def _marks(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands between alternatives in some languages, and which of it says "or"."""
    known = vocabulary().cues
    either = "|".join(word for name in languages for word in known[name]["or"])
    both = "|".join(word for name in languages for word in known[name]["and"])
    return (
        re.compile(rf"\s*(?:[,;/|]|\b(?:{either}|{both})\b)\s*", re.IGNORECASE),
        re.compile(rf"\b(?:{either})\b|\s/\s|\w/\w", re.IGNORECASE),
    )


def listed(lines: list[str]) -> tuple[str, ...]:
    """The items of a bulleted or numbered list."""
    found = [match for line in lines if (match := _BULLET.match(line))]
    items = [_bare(match.group(2)) for match in found[:MOST]]
    return tuple(item for item in items if item) if len(items) >= 2 else ()


def marks(lines: list[str]) -> tuple[str, ...]:
    """The numbers or letters of a list's items; none where an item has none."""
    found = [match for line in lines if (match := _BULLET.match(line))][:MOST]
    kept = [match for match in found if _bare(match.group(2))]
    shown = tuple(match.group(1) or "" for match in kept)
    return shown if len(shown) >= 2 and all(shown) else ()


def inline(sentence: str, *, asking: bool) -> tuple[str, ...]:
    """The alternatives named within a sentence; none where it names fewer than two.

    A question needs an "or" between them, or a list in parentheses; any other sentence must say
    that it names options.
    """
    text = sentence[:600].rstrip(" ?!.")
    split, either = _marks(languages_of(folded(text)))
    inside = _INSIDE.search(text)
    if inside and split.search(inside.group(1)):
        return _items(inside.group(1), split)
    head, colon, tail = _halves(text)
    if colon and split.search(tail) and (asking or has_cue(folded(head), "options")):
        return _items(tail, split)
    if asking and not either.search(text):
        return ()
    if not asking and not (has_cue(folded(text), "options") and split.search(text)):
        return ()
    first = split.search(text)
    if first is None:
        return ()
    lead = _BEFORE.match(text[: first.start()] + " ")
    start = lead.end() if lead and lead.end() <= first.start() else 0
    return _items(text[start:], split)


def _halves(text: str) -> tuple[str, str, str]:
    """What stands before and after a colon, but for that of a time of day."""
    found = re.search(r":(?!\d)", text)
    return (text[: found.start()], ":", text[found.end() :]) if found else (text, "", "")


def _items(text: str, split: re.Pattern[str]) -> tuple[str, ...]:
    items = [_bare(part) for part in split.split(text)[:MOST]]
    kept = [item for item in items if item and len(item.split()) <= 6]
    return tuple(dict.fromkeys(kept)) if len(kept) >= 2 else ()


def _bare(text: str) -> str:
    return _AVAILABLE.sub("", _ARTICLE.sub("", text.strip(_QUOTES))).strip(_QUOTES)
