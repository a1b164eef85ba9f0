"""The places of a text where something can be changed, protected words left aside."""

import re
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from sparring_plugins.search.roles.writing import Perturbed

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""A word: letters and digits, with apostrophes inside."""

LONGEST = 20_000
"""Characters of a text that are changed; what comes after stays."""

ItemT = TypeVar("ItemT")

Span = tuple[int, int]


def protected_spans(text: str, protected: Sequence[str]) -> list[Span]:
    """Where protected words stand, in any case of letters, as words of their own."""
    found: list[Span] = []
    for phrase in dict.fromkeys(protected):
        if phrase.strip():
            pattern = rf"(?<!\w){re.escape(phrase.strip())}(?!\w)"
            found += [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    return found


def touches(span: Span, spans: Sequence[Span]) -> bool:
    """Whether a span has something in common with one of others."""
    return any(span[0] < end and start < span[1] for start, end in spans)


def free_words(text: str, protected: Sequence[str]) -> list[re.Match[str]]:
    """The words of a text that may be changed."""
    spans = protected_spans(text, protected)
    found = WORD.finditer(text[:LONGEST])
    return [match for match in found if not touches(match.span(), spans)]


def chosen(items: Sequence[ItemT], rate: float, draw: Random) -> list[ItemT]:
    """Those of the items that are changed: each with the rate, and at least one of them."""
    if not items or rate <= 0:
        return []
    drawn = [draw.random() for _ in items]
    found = [item for item, number in zip(items, drawn, strict=True) if number < rate]
    return found or [items[drawn.index(min(drawn))]]


def replaced(text: str, changes: Sequence[tuple[Span, str]], places: int) -> Perturbed:
    """A text with other words at spans that do not overlap, in any order."""
    pieces: list[str] = []
    what: list[tuple[str, str]] = []
    end = 0
    for (start, stop), new in sorted(changes):
        pieces += [text[end:start], new]
        what.append((text[start:stop], new))
        end = stop
    made = "".join((*pieces, text[end:]))
    return Perturbed(text=made, changes=len(what), places=places, what=tuple(what))


def like(word: str, model: str) -> str:
    """A word with the case of letters of another one."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
