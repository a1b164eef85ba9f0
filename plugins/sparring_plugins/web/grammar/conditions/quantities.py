"""Read quantities and comparisons, ``at least 3 times``, ``greater than 5``; build conditions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring_plugins.web.grammar.phrases.nouns import join_text
from sparring_plugins.web.grammar.phrases.numbers import TIMES, is_amount, read_cardinal
from sparring_plugins.web.grammar.phrases.targets import read_targets
from sparring_plugins.web.grammar.phrases.tokens import Tokens, trim, words_in
from sparring_plugins.web.grammar.phrases.vocabulary import WORDS
from sparring_plugins.web.step import (
    AllOf,
    AnyOf,
    Compared,
    Comparison,
    Condition,
    Counted,
    Displayed,
    Not,
    Target,
)


@dataclass(frozen=True)
class Quantity:
    """Comparisons that must all hold, the number of tokens, and whether it is a bare number."""

    comparisons: tuple[tuple[Comparison, int], ...]
    size: int
    bare: bool = False


_MANY = {"several": 2, "multiple": 2, "many": 2, "various": 2, "numerous": 2}


def read_quantity(tokens: Tokens, *, times: bool = False) -> Quantity | None:
    """Return the quantity that tokens begin with, or `None`; "twice" is one if `times`."""
    words = tuple(t.low for t in tokens[:8])
    if not words or tokens[0].quoted:
        return None
    if words[0] == "between":
        return _read_between(tokens)
    for phrase, comparison in WORDS.limits_before:
        if words[: len(phrase)] == phrase:
            number = _read_number(tokens[len(phrase) :], times)
            if number is None:
                return None
            return Quantity(((comparison, number),), len(phrase) + 1)
    if words[0] in _MANY:
        return Quantity(((">=", 2),), 1)
    if words[:2] in (("a", "single"), ("one", "single")):
        return Quantity((("==", 1),), 2)
    number = _read_number(tokens, times)
    return _read_limit_behind(words, number) if number is not None else None


def _read_number(tokens: Tokens, times: bool) -> int | None:
    if not tokens or tokens[0].quoted:
        return None
    if times and tokens[0].low in TIMES:
        return TIMES[tokens[0].low]
    return read_cardinal(tokens[0])


def _read_limit_behind(words: tuple[str, ...], number: int) -> Quantity:
    for phrase, comparison in WORDS.limits_behind:
        if words[1 : 1 + len(phrase)] == phrase:
            return Quantity(((comparison, number),), 1 + len(phrase))
    return Quantity((("==", number),), 1, bare=words[0] not in TIMES)


def _read_between(tokens: Tokens) -> Quantity | None:
    if len(tokens) < 4 or tokens[2].low not in ("and", "to"):
        return None
    low, high = read_cardinal(tokens[1]), read_cardinal(tokens[3])
    if low is None or high is None:
        return None
    return Quantity(((">=", low), ("<=", high)), 4)


def split_times(tokens: Tokens) -> tuple[Tokens, Quantity | None]:
    """Split off ``at least 3 times`` wherever it stands; return the rest and the quantity."""
    for start, token in enumerate(tokens):
        if token.quoted:
            continue
        number = read_quantity(tokens[start:], times=True)
        if number is None:
            continue
        end = start + number.size
        said_times = end < len(tokens) and tokens[end].low in ("times", "time", "x", "×")
        counted = tokens[end - 1].low in TIMES and not said_times
        if said_times or counted:
            end += 1 if said_times else 0
            return (*tokens[:start], *tokens[end:]), number
    return tokens, None


Conditions = tuple[Condition, ...]
"""The ways to read a condition, the likeliest first."""


def negate(conditions: Iterable[Condition]) -> Conditions:
    """Return the opposites; "not not" is left out."""
    return tuple(c.condition if isinstance(c, Not) else Not(condition=c) for c in conditions)


def all_of(conditions: Sequence[Condition]) -> Condition:
    """Join conditions by "and"; a single one stays as it is."""
    return conditions[0] if len(conditions) == 1 else AllOf(conditions=tuple(conditions))


def any_of(conditions: Sequence[Condition]) -> Condition:
    """Join conditions by "or"; a single one stays as it is."""
    return conditions[0] if len(conditions) == 1 else AnyOf(conditions=tuple(conditions))


def require_displayed(targets: Iterable[Target]) -> Conditions:
    """Require each target to be displayed: one reading per target."""
    conditions = tuple(Displayed(target=_normalise_spinner(target)) for target in targets)
    return () if any(is_vague(condition.target) for condition in conditions) else conditions


def is_vague(target: Target) -> bool:
    """Return whether unquoted words name no text: "an error message", "nothing"."""
    words = target.text.casefold().split()
    return not target.quoted and bool(words) and words[-1] in WORDS.vague_nouns


def _normalise_spinner(target: Target) -> Target:
    """Read "the spinner", which spins while a page loads, as no field for numbers."""
    if target.role == "spinbutton" and not target.text:
        return target.model_copy(update={"text": "spinner", "quoted": False, "role": None})
    return target


def require_count(target: Target, quantity: Quantity, unit: str) -> Conditions:
    """Require a number of targets; a bare one is "exactly", and may be "at least"."""
    condition = all_of(
        [_build_count(target, c, number, unit) for c, number in quantity.comparisons]
    )
    if quantity.bare and quantity.comparisons[0][1] > 0:
        return condition, _build_count(target, ">=", quantity.comparisons[0][1], unit)
    return (condition,)


def _build_count(target: Target, comparison: Comparison, number: int, unit: str) -> Condition:
    return Counted.model_validate(
        {"target": target, "comparison": comparison, "number": number, "unit": unit}
    )


def read_comparison(tokens: Tokens) -> tuple[Comparison, Tokens] | None:
    """Return the comparison that tokens begin with and the rest, or `None`."""
    words = tuple(t.low for t in tokens[:6])
    for phrase, comparison in WORDS.comparisons:
        if words[: len(phrase)] == phrase and len(tokens) > len(phrase):
            return comparison, tokens[len(phrase) :]
    return None


def read_compared(
    targets: tuple[Target, ...], tokens: Tokens, *, plain: bool = False
) -> Conditions:
    """Read a comparison of a target's number; if `plain`, a bare amount is "equals"."""
    if tokens[:1] and tokens[0].low == "between":
        return _compare_range(targets, tokens)
    comparing = read_comparison(tokens) or _read_comparison_at_end(tokens)
    if comparing is None:
        if not plain or not (amount := read_amount(tokens)):
            return ()
        return tuple(Compared(target=t, comparison="==", number=amount) for t in targets)
    comparison, rest = comparing
    amount = read_amount(rest)
    if amount is not None:
        return tuple(Compared(target=t, comparison=comparison, number=amount) for t in targets)
    by_place = words_in(tokens[: len(tokens) - len(rest)]) in (["above"], ["below"])
    return _compare_with_other(targets, comparison, rest, by_place=by_place)


def _compare_with_other(
    targets: tuple[Target, ...], comparison: Comparison, rest: Tokens, *, by_place: bool
) -> Conditions:
    words = words_in(rest[:5])
    for start, low in enumerate(words):
        if low == "of" and start and words[start - 1] in ("value", "amount"):
            rest = rest[start + 1 :]
            break
    other = next(iter(read_targets(rest)), None)
    if other is None or not other.text:
        return ()
    if comparison in ("==", "!=") and other.quoted and other.role is None:
        return ()
    by_place = by_place and other.quoted and all(target.quoted for target in targets)
    return tuple(
        Compared(target=t, comparison=comparison, other=other, by_place=by_place) for t in targets
    )


def _read_comparison_at_end(tokens: Tokens) -> tuple[Comparison, Tokens] | None:
    """``$12.50 or more``."""
    if len(tokens) < 3 or tokens[-2].low != "or":
        return None
    ends: dict[str, Comparison] = {"more": ">=", "less": "<=", "higher": ">=", "lower": "<="}
    comparison = ends.get(tokens[-1].low)
    return (comparison, tokens[:-2]) if comparison else None


def read_amount(tokens: Tokens) -> str | None:
    """Return a number or an amount of money, as it is written, or `None`."""
    tokens = trim(tokens, ".,;:!")
    if not tokens or len(tokens) > 3:
        return None
    text = join_text(tokens)
    if (
        len(tokens) == 1
        and not tokens[0].quoted
        and (number := read_cardinal(tokens[0])) is not None
    ):
        return text if text[:1].isdigit() else str(number)
    for word in (" dollars", " euros", " euro", " dollar", " pounds", " percent"):
        text = text.removesuffix(word)
    return text if is_amount(text) else None


def _compare_range(targets: tuple[Target, ...], tokens: Tokens) -> Conditions:
    at = next((n for n, t in enumerate(tokens) if t.low in ("and", "to")), None)
    if at is None:
        return ()
    low, high = read_amount(tokens[1:at]), read_amount(tokens[at + 1 :])
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
