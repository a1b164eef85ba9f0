"""Comparisons of numbers and amounts: ``is greater than 5``, ``is at most 'Budget'``."""

from sparring_plugins.web.grammar.conditions.constructors import Conditions, all_of
from sparring_plugins.web.grammar.phrases.nouns import said
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.words.numbers import cardinal, is_amount
from sparring_plugins.web.grammar.words.tokens import Tokens, trimmed
from sparring_plugins.web.roles.step import Compared, Comparison, Condition, Target

_PHRASES: tuple[tuple[str, Comparison], ...] = (
    ("greater than or equal to", ">="), ("more than or equal to", ">="), ("equal or greater than",
    ">="),
    ("higher than or equal to", ">="), ("less than or equal to", "<="), ("equal or less than",
    "<="),
    ("lower than or equal to", "<="), ("smaller than or equal to", "<="),
    ("greater or equal to", ">="), ("less or equal to", "<="), ("greater than", ">"),
    ("more than", ">"),
    ("higher than", ">"), ("larger than", ">"), ("bigger than", ">"), ("less than", "<"),
    ("lower than", "<"), ("smaller than", "<"), ("fewer than", "<"), ("cheaper than", "<"),
    ("more expensive than", ">"), ("at least", ">="), ("at most", "<="), ("no more than", "<="),
    ("no less than", ">="), ("not more than", "<="), ("not less than", ">="), ("up to", "<="),
    ("equal to", "=="), ("equals to", "=="), ("the same as", "=="), ("identical to", "=="),
    ("exactly", "=="), ("different from", "!="), ("different to", "!="), ("different than", "!="),
    ("unequal to", "!="), ("above", ">"), ("over", ">"), ("below", "<"), ("under", "<"), ("to",
    "=="),
    ("exceeding", ">"), (">=", ">="), ("<=", "<="), (">", ">"), ("<", "<"), ("≥", ">="), ("≤",
    "<="),
    ("==", "=="), ("=", "=="), ("!=", "!="), ("≠", "!="), ("precisely", "=="), ("than", ">"),
)  # fmt: skip
_COMPILED: tuple[tuple[tuple[str, ...], Comparison], ...] = tuple(
    (tuple(words.split()), comparison) for words, comparison in _PHRASES
)


def comparison_of(tokens: Tokens) -> tuple[Comparison, Tokens] | None:
    """The comparison that tokens begin with, and what it is compared with."""
    words = tuple(t.low for t in tokens[:6])
    for phrase, comparison in _COMPILED:
        if words[: len(phrase)] == phrase and len(tokens) > len(phrase):
            return comparison, tokens[len(phrase) :]
    return None


def read_compared(
    targets: tuple[Target, ...], tokens: Tokens, *, plain: bool = False
) -> Conditions:
    """The comparison of a target's number; with `plain` a bare amount is "equals"."""
    if tokens[:1] and tokens[0].low == "between":
        return _between(targets, tokens)
    found = comparison_of(tokens) or _at_end(tokens)
    if found is None:
        if not plain or not (amount := amount_of(tokens)):
            return ()
        return tuple(Compared(target=t, comparison="==", number=amount) for t in targets)
    comparison, rest = found
    amount = amount_of(rest)
    if amount is not None:
        return tuple(Compared(target=t, comparison=comparison, number=amount) for t in targets)
    return _with_other(targets, comparison, rest)


def _with_other(targets: tuple[Target, ...], comparison: Comparison, rest: Tokens) -> Conditions:
    words = [t.low for t in rest[:5] if not t.quoted]
    for start, low in enumerate(words):
        if low == "of" and start and words[start - 1] in ("value", "amount"):
            rest = rest[start + 1 :]
            break
    other = next(iter(read_targets(rest)), None)
    if other is None or not other.text:
        return ()
    if comparison in ("==", "!=") and other.quoted and other.role is None:
        return ()
    return tuple(Compared(target=t, comparison=comparison, other=other) for t in targets)


def _at_end(tokens: Tokens) -> tuple[Comparison, Tokens] | None:
    """``$12.50 or more``."""
    if len(tokens) < 3 or tokens[-2].low != "or":
        return None
    ends: dict[str, Comparison] = {"more": ">=", "less": "<=", "higher": ">=", "lower": "<="}
    comparison = ends.get(tokens[-1].low)
    return (comparison, tokens[:-2]) if comparison else None


def amount_of(tokens: Tokens) -> str | None:
    """A number or an amount of money, as it is written."""
    tokens = trimmed(tokens, ".,;:!")
    if not tokens or len(tokens) > 3:
        return None
    text = said(tokens)
    if len(tokens) == 1 and not tokens[0].quoted and (number := cardinal(tokens[0])) is not None:
        return text if text[:1].isdigit() else str(number)
    for word in (" dollars", " euros", " euro", " dollar", " pounds", " percent"):
        text = text.removesuffix(word)
    return text if is_amount(text) else None


def _between(targets: tuple[Target, ...], tokens: Tokens) -> Conditions:
    at = next((n for n, t in enumerate(tokens) if t.low in ("and", "to")), None)
    if at is None:
        return ()
    low, high = amount_of(tokens[1:at]), amount_of(tokens[at + 1 :])
    if low is None or high is None:
        return ()

    def both(target: Target) -> Condition:
        return all_of(
            [
                Compared(target=target, comparison=">=", number=low),
                Compared(target=target, comparison="<=", number=high),
            ]
        )

    return tuple(both(target) for target in targets)
