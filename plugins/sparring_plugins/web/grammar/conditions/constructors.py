"""Conditions put together."""

from collections.abc import Iterable, Sequence

from sparring_plugins.web.grammar.conditions.counts import Quantity
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Counted,
    Displayed,
    Not,
    Target,
)

Conditions = tuple[Condition, ...]
"""The ways to read a condition, the likeliest first."""


def negated(conditions: Iterable[Condition]) -> Conditions:
    """The opposites; of an opposite, what it is the opposite of."""
    return tuple(c.condition if isinstance(c, Not) else Not(condition=c) for c in conditions)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """All of them; one stands for itself."""
    return conditions[0] if len(conditions) == 1 else AllOf(conditions=tuple(conditions))


def any_of(conditions: Sequence[Condition]) -> Condition:
    """At least one of them; one stands for itself."""
    return conditions[0] if len(conditions) == 1 else AnyOf(conditions=tuple(conditions))


def displayed(targets: Iterable[Target]) -> Conditions:
    """One reading per target."""
    found = tuple(Displayed(target=_shown(target)) for target in targets)
    return () if any(is_vague(condition.target) for condition in found) else found


_VAGUE = words(
    "error errors warning warnings message messages confirmation notice notices text nothing "
    "something anything everything page screen result results window content"
)


def is_vague(target: Target) -> bool:
    """Whether unquoted words name no text: "an error message", "the login page", "nothing"."""
    said = target.text.casefold().split()
    return not target.quoted and bool(said) and said[-1] in _VAGUE


def _shown(target: Target) -> Target:
    """What spins while a page loads is no field for numbers."""
    if target.role == "spinbutton" and not target.text:
        return target.model_copy(update={"text": "spinner", "quoted": False, "role": None})
    return target


def counted(target: Target, quantity: Quantity, unit: str) -> Conditions:
    """So many of the target; a bare number is "exactly", and may be "at least"."""
    found = all_of([_count(target, c, number, unit) for c, number in quantity.comparisons])
    if quantity.bare and quantity.comparisons[0][1] > 0:
        return found, _count(target, ">=", quantity.comparisons[0][1], unit)
    return (found,)


def _count(target: Target, comparison: Comparison, number: int, unit: str) -> Condition:
    return Counted.model_validate(
        {"target": target, "comparison": comparison, "number": number, "unit": unit}
    )
