"""Patterns over the words of a sentence, ``click|tap [on] {target}``, and what fits them.

An item is a word or several with ``|`` between them; ``_`` joins the words of a phrase. Items
in brackets may be missing; ``{name}`` takes one or more tokens. A class of words, ``<into>``,
stands for its members.

A parser generator such as lark would not make this smaller: a slot holds any tokens up to what
comes next, every sensible match is tried in order, and a reader, not the form, decides what a slot
means. An Earley grammar of such slots is ambiguous at every token, an LALR grammar cannot say it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.web.grammar.phrases.nouns import join_text
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Tokens, quotes_in, trim
from sparring_plugins.web.grammar.phrases.vocabulary import (
    WORDS,
    beginning_size,
    ending_size,
    singular,
)
from sparring_plugins.web.step import Reading, StepAction, Target

#: How many places a match may try before it gives up, so that no sentence takes long.
_MOST_TRIES = 4_000

Phrases = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PatternItem:
    """A part of a pattern: phrases, or a slot."""

    phrases: Phrases = ()
    slot: str = ""
    optional: bool = False


Spans = Mapping[str, tuple[int, int]]


@lru_cache(maxsize=1_000)
def compile_pattern(pattern: str) -> tuple[PatternItem, ...]:
    """The items of a pattern."""
    return tuple(_parse_item(word) for word in pattern.split())


def _parse_item(word: str) -> PatternItem:
    optional = word.startswith("[")
    word = word.strip("[]")
    if word.startswith("{"):
        return PatternItem(slot=word.strip("{}"), optional=optional)
    phrases = [p for option in word.split("|") for p in _phrases_of(option)]
    return PatternItem(tuple(sorted(phrases, key=len, reverse=True)), optional=optional)


def _phrases_of(option: str) -> Phrases:
    """The phrases of ``go_to`` or of a class such as ``<into>``."""
    if option.startswith("<"):
        return WORDS.classes[option.strip("<>")]
    return (tuple(option.split("_")),)


class _Spent(Exception):
    """Too many places were tried."""


def find_matches(pattern: str, words: tuple[str, ...]) -> Iterator[Spans]:
    """The ways in which the whole of `words` fits a pattern, short slots first."""
    items = compile_pattern(pattern)
    budget = [_MOST_TRIES]
    try:
        yield from _match_items(items, 0, words, 0, {}, budget)
    except _Spent:
        return


def _match_items(
    items: tuple[PatternItem, ...],
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
        for end in _slot_ends(items, which, words, at):
            yield from _match_items(
                items, which + 1, words, end, {**spans, item.slot: (at, end)}, budget
            )
    else:
        for phrase in item.phrases:
            if words[at : at + len(phrase)] == phrase:
                yield from _match_items(items, which + 1, words, at + len(phrase), spans, budget)
    if item.optional:
        yield from _match_items(items, which + 1, words, at, spans, budget)


def _slot_ends(
    items: tuple[PatternItem, ...], which: int, words: tuple[str, ...], at: int
) -> Iterator[int]:
    """Where a slot may end: the end of the sentence, or before what comes next."""
    if which == len(items) - 1:
        if at < len(words):
            yield len(words)
        return
    following = items[which + 1]
    for end in range(at + 1, len(words) + 1):
        if following.slot or following.optional or _starts_item(following, words, end):
            yield end


def _starts_item(item: PatternItem, words: tuple[str, ...], at: int) -> bool:
    return any(words[at : at + len(phrase)] == phrase for phrase in item.phrases)


Alternatives = tuple[Reading, ...]
"""The ways to read one step, the likeliest first."""
ClausePlan = tuple[Alternatives, ...]
"""The steps of a clause."""

_LONGEST_VALUE = 30


@dataclass(frozen=True)
class PatternMatch:
    """A clause that fits a pattern: what its slots hold."""

    tokens: Tokens
    spans: Spans

    def has(self, slot: str) -> bool:
        """Whether an optional slot is filled."""
        return slot in self.spans

    def part(self, slot: str) -> Tokens:
        """The tokens of a slot."""
        start, end = self.spans[slot]
        return trim(self.tokens[start:end])

    def targets(self, slot: str = "target", role: str | None = None) -> tuple[Target, ...]:
        """The ways to read a slot as something on the page."""
        alternatives = read_targets(self.part(slot), role)
        return (
            tuple(_mark_every(t) for t in alternatives)
            if _is_plural(self.part(slot))
            else alternatives
        )

    def value(self, slot: str = "value") -> str | None:
        """A slot as a value."""
        return read_value(self.part(slot))


def _is_plural(tokens: Tokens) -> bool:
    """Whether tokens end with controls in the plural ("the sections", "the boxes below")."""
    words = [t.low for t in tokens if not t.quoted and t.low not in ("below", "above", "here")]
    size = ending_size(words, WORDS.controls)
    return size > 0 and singular(tuple(words[-size:])) != tuple(words[-size:])


def _mark_every(target: Target) -> Target:
    several = not target.text and target.ordinal is None
    return target.model_copy(update={"every": True}) if several else target


Reader = Callable[[PatternMatch], ClausePlan | None]

READERS: dict[str, Reader] = {}
"""What makes plans of the clauses that fit a form, by the names that `actions/forms.yaml` gives."""


def reader(function: Reader) -> Reader:
    """Register what makes a plan of the clauses that fit a form of its name."""
    READERS[function.__name__] = function
    return function


def read_value(tokens: Tokens) -> str | None:
    """A value: one quotation with a word such as "the text" before it, or bare words."""
    tokens = trim(tokens, ",;:")
    quotes = quotes_in(tokens)
    if len(quotes) > 1 or not tokens or len(tokens) > _LONGEST_VALUE:
        return None
    if not quotes:
        bare = _strip_noun(tokens)
        return None if _describes_value(bare) else join_text(bare)
    words = [t.low for t in tokens if not t.quoted and t.low not in WORDS.determiners]
    plain = all(beginning_size([word], WORDS.texts) or word in WORDS.value_words for word in words)
    return quotes[0].text if plain else None


_INDEFINITE = frozenset({"a", "an", "any", "some", "such", "said"})


def _describes_value(tokens: Tokens) -> bool:
    """Whether unquoted words tell of a value instead of giving it.

    ``the text below``, ``the value of Religion`` and ``your answer`` are no values to be typed.
    """
    first, last = tokens[0], tokens[-1]
    if (
        ending_size([t.low for t in tokens], WORDS.controls) == len(tokens)
        and first.text == first.low
    ):
        return True
    if len(tokens) == 1:
        return first.low in WORDS.relating_words or bool(
            first.text == first.low and first.low in _TOLD
        )
    pointing = first.text == first.low and first.low in WORDS.determiners - _INDEFINITE
    return pointing or first.low in WORDS.relating_words or last.low in ("below", "above")


_TOLD = frozenset({"text", "texts", "content", "contents", "word", "words", "value", "values"})


def _strip_noun(tokens: Tokens) -> Tokens:
    """``the number 42`` as 42."""
    if (
        len(tokens) > 2
        and tokens[0].low in WORDS.determiners
        and tokens[1].low in WORDS.value_nouns
    ):
        named = beginning_size([t.low for t in tokens[2:]], WORDS.controls)  # "the text field"
        return tokens if named else tokens[2:]
    # "code 42" is the value 42, but "email ada" is a value of two words
    digits = len(tokens) > 1 and tokens[1].text[:1].isdigit()
    return tokens[1:] if digits and tokens[0].low in WORDS.value_nouns else tokens


def readings(
    action: StepAction,
    targets: tuple[Target | None, ...] = (None,),
    value: str | None = None,
    **more: object,
) -> Alternatives:
    """Readings of one step, one per way to read its target."""
    return tuple(
        Reading.model_validate({"action": action, "target": target, "value": value, **more})
        for target in targets
    )


def split_list(tokens: Tokens) -> list[Tokens]:
    """The parts of "a, b and c"."""
    parts: list[Tokens] = []
    current: list[int] = []
    for index, token in enumerate(tokens):
        joint = token.low in ("and", "&", "plus") or token.mark in (",", ";")
        if joint and not token.quoted:
            parts += [tokens[current[0] : current[-1] + 1]] if current else []
            current = []
        else:
            current.append(index)
    parts += [tokens[current[0] : current[-1] + 1]] if current else []
    return parts
