"""Patterns over the words of a sentence: ``click|tap [on] {target}``.

An item is a word or several with ``|`` between them; ``_`` joins the words of a phrase. Items
in brackets may be missing; ``{name}`` takes one or more tokens. A class of words, ``<into>``,
stands for its members.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.verbs import CLASSES

#: How many places a match may try before it gives up, so that no sentence takes long.
_MOST_TRIES = 4_000

Phrases = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a pattern: phrases, or a slot."""

    phrases: Phrases = ()
    slot: str = ""
    optional: bool = False


Spans = Mapping[str, tuple[int, int]]


@lru_cache(maxsize=1_000)
def compiled(pattern: str) -> tuple[Item, ...]:
    """The items of a pattern."""
    return tuple(_item(word) for word in pattern.split())


def _item(word: str) -> Item:
    optional = word.startswith("[")
    word = word.strip("[]")
    if word.startswith("{"):
        return Item(slot=word.strip("{}"), optional=optional)
    if word.startswith("<"):
        word = CLASSES[word.strip("<>")]  # verbs, prepositions
    phrases = tuple(tuple(phrase.split("_")) for phrase in word.split("|"))
    return Item(tuple(sorted(phrases, key=len, reverse=True)), optional=optional)


class _Spent(Exception):
    """Too many places were tried."""


def matches(pattern: str, words: tuple[str, ...]) -> Iterator[Spans]:
    """The ways in which the whole of `words` fits a pattern, short slots first."""
    items = compiled(pattern)
    budget = [_MOST_TRIES]
    try:
        yield from _match(items, 0, words, 0, {}, budget)
    except _Spent:
        return


def _match(
    items: tuple[Item, ...],
    which: int,
    words: tuple[str, ...],
    at: int,
    spans: dict[str, tuple[int, int]],
    budget: list[int],
) -> Iterator[Spans]:
    budget[0] -= 1
    if budget[0] < 0:
        raise _Spent
    if which == len(items):
        if at == len(words):
            yield spans
        return
    item = items[which]
    if item.slot:
        for end in _ends(items, which, words, at):
            yield from _match(items, which + 1, words, end, {**spans, item.slot: (at, end)}, budget)
    else:
        for phrase in item.phrases:
            if words[at : at + len(phrase)] == phrase:
                yield from _match(items, which + 1, words, at + len(phrase), spans, budget)
    if item.optional:
        yield from _match(items, which + 1, words, at, spans, budget)


def _ends(items: tuple[Item, ...], which: int, words: tuple[str, ...], at: int) -> Iterator[int]:
    """Where a slot may end: the end of the sentence, or before what comes next."""
    if which == len(items) - 1:
        if at < len(words):
            yield len(words)
        return
    following = items[which + 1]
    for end in range(at + 1, len(words) + 1):
        if following.slot or following.optional or _starts(following, words, end):
            yield end


def _starts(item: Item, words: tuple[str, ...], at: int) -> bool:
    return any(words[at : at + len(phrase)] == phrase for phrase in item.phrases)


def fits(pattern: str, tokens: Tokens) -> bool:
    """Whether the tokens fit a pattern."""
    return next(matches(pattern, tuple(t.low for t in tokens)), None) is not None
