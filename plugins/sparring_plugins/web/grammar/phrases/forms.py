"""The forms of actions: what is registered by the modules of `actions`, and how one is tried."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sparring_plugins.web.grammar.phrases import patterns
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS, said
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.control_nouns import (
    CONTROLS,
    TEXTS,
    beginning,
    ending,
    singular,
)
from sparring_plugins.web.grammar.words.tokens import Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Reading, StepAction, Target

Alternatives = tuple[Reading, ...]
"""The ways to read one step, the likeliest first."""
Plan = tuple[Alternatives, ...]
"""The steps of a clause."""

_MOST_MATCHES = 40
_LONGEST_VALUE = 30
_SAYING = frozenset({"number", "date", "code", "amount", "letter", "letters", "following",
    "numbers",
                     "characters", "query", "keyword", "digits", "option", "key"})  # fmt: skip


@dataclass(frozen=True)
class Match:
    """A clause that fits a pattern: what its slots hold."""

    tokens: Tokens
    spans: patterns.Spans

    def has(self, slot: str) -> bool:
        """Whether an optional slot is filled."""
        return slot in self.spans

    def part(self, slot: str) -> Tokens:
        """The tokens of a slot."""
        start, end = self.spans[slot]
        return trimmed(self.tokens[start:end])

    def targets(self, slot: str = "target", role: str | None = None) -> tuple[Target, ...]:
        """The ways to read a slot as something on the page."""
        found = read_targets(self.part(slot), role)
        return tuple(_all_of_them(t) for t in found) if _is_plural(self.part(slot)) else found

    def value(self, slot: str = "value") -> str | None:
        """A slot as a value."""
        return read_value(self.part(slot))


def _is_plural(tokens: Tokens) -> bool:
    """Whether tokens end with controls in the plural ("the sections", "the boxes below")."""
    words = [t.low for t in tokens if not t.quoted and t.low not in ("below", "above", "here")]
    size = ending(words, CONTROLS)
    return size > 0 and singular(tuple(words[-size:])) != tuple(words[-size:])


def _all_of_them(target: Target) -> Target:
    several = not target.text and target.ordinal is None
    return target.model_copy(update={"every": True}) if several else target


Builder = Callable[[Match], Plan | None]


@dataclass(frozen=True)
class Form:
    """A form of sentences: its patterns, what it makes of them, examples for the reference."""

    title: str
    patterns: tuple[str, ...]
    build: Builder
    examples: tuple[str, ...]
    first: frozenset[str] = field(default=frozenset())


FORMS: list[Form] = []


def form(title: str, *forms: str, examples: tuple[str, ...]) -> Callable[[Builder], Builder]:
    """Register a function as what makes a plan of clauses that fit one of these patterns."""

    def register(build: Builder) -> Builder:
        FORMS.append(Form(title, forms, build, examples, _first_words(forms)))
        return build

    return register


def _first_words(forms: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for written in forms:
        for item in patterns.compiled(written):
            if item.slot:
                return frozenset()
            found.update(phrase[0] for phrase in item.phrases)
            if not item.optional:
                break
    return frozenset(found)


def plans(tokens: Tokens) -> Iterator[tuple[Form, Plan]]:
    """What the registered forms make of a clause, in their order."""
    said_words = tuple(token.low for token in tokens)
    if not said_words:
        return
    for known in FORMS:
        if known.first and said_words[0] not in known.first:
            continue
        plan = _tried(known, tokens, said_words)
        if plan is not None:
            yield known, plan


def _tried(known: Form, tokens: Tokens, words: tuple[str, ...]) -> Plan | None:
    for pattern in known.patterns:
        for number, spans in enumerate(patterns.matches(pattern, words)):
            if number >= _MOST_MATCHES:
                break
            plan = known.build(Match(tokens, spans))
            if plan is not None:
                return plan
    return None


def read_value(tokens: Tokens) -> str | None:
    """A value: one quotation with a word such as "the text" before it, or bare words."""
    tokens = trimmed(tokens, ",;:")
    quotes = [token for token in tokens if token.quoted]
    if len(quotes) > 1 or not tokens or len(tokens) > _LONGEST_VALUE:
        return None
    if not quotes:
        bare = _without_noun(tokens)
        return None if _describes(bare) else said(bare)
    words = [t.low for t in tokens if not t.quoted and t.low not in DETERMINERS]
    plain = all(beginning([word], TEXTS) or word in _SAYING for word in words)
    return quotes[0].text if plain else None


_POINTING = DETERMINERS - {"a", "an", "any", "some", "such", "said"}
_RELATING = words("of below above here that which corresponding shown displayed given following")


def _describes(tokens: Tokens) -> bool:
    """Whether unquoted words tell of a value instead of giving it.

    ``the text below``, ``the value of Religion`` and ``your answer`` are no values to be typed.
    """
    first, last = tokens[0], tokens[-1]
    if ending([t.low for t in tokens], CONTROLS) == len(tokens) and first.text == first.low:
        return True
    if len(tokens) == 1:
        return first.low in _RELATING or bool(first.text == first.low and first.low in _TOLD)
    pointing = first.text == first.low and first.low in _POINTING
    return pointing or first.low in _RELATING or last.low in ("below", "above")


_TOLD = words("text texts content contents word words value values")
_NOUNS = words(
    "number name word text value date time string phrase code amount email password username"
)


def _without_noun(tokens: Tokens) -> Tokens:
    """``the number 42`` as 42."""
    if len(tokens) > 2 and tokens[0].low in DETERMINERS and tokens[1].low in _NOUNS:
        named = beginning([t.low for t in tokens[2:]], CONTROLS)  # "the text field"
        return tokens if named else tokens[2:]
    digits = len(tokens) > 1 and tokens[1].text[:1].isdigit()
    return tokens[1:] if digits and tokens[0].low in _NOUNS else tokens


def one(
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


def coordinated(tokens: Tokens) -> list[Tokens]:
    """The parts of "a, b and c"."""
    found: list[Tokens] = []
    current: list[int] = []
    for index, token in enumerate(tokens):
        joint = token.low in ("and", "&", "plus") or token.mark in (",", ";")
        if joint and not token.quoted:
            found += [tokens[current[0] : current[-1] + 1]] if current else []
            current = []
        else:
            current.append(index)
    found += [tokens[current[0] : current[-1] + 1]] if current else []
    return found
