"""How many: ``at least 3 times``, ``exactly two rows``, ``no links``, ``between 2 and 4``."""

from dataclasses import dataclass

from sparring_plugins.web.grammar.words.numbers import TIMES, cardinal
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.roles.step import Comparison


@dataclass(frozen=True)
class Quantity:
    """Comparisons that must all hold, how many tokens say so, and whether it is but a number."""

    comparisons: tuple[tuple[Comparison, int], ...]
    size: int
    bare: bool = False


_BEFORE: tuple[tuple[tuple[str, ...], Comparison], ...] = (
    (("greater", "than", "or", "equal", "to"), ">="), (("more", "than", "or", "equal", "to"), ">="),
    (("less", "than", "or", "equal", "to"), "<="), (("fewer", "than", "or", "equal", "to"), "<="),
    (("a", "minimum", "of"), ">="), (("a", "maximum", "of"), "<="), (("a", "total", "of"), "=="),
    (("minimum", "of"), ">="), (("maximum", "of"), "<="),
    (("no", "less", "than"), ">="), (("no", "fewer", "than"), ">="), (("no", "more", "than"), "<="),
    (("not", "more", "than"), "<="), (("not", "less", "than"), ">="),
    (("not", "fewer", "than"), ">="), (("at", "least"), ">="), (("at", "most"), "<="),
    (("at", "minimum"), ">="), (("at", "maximum"), "<="), (("up", "to"), "<="),
    (("more", "than"), ">"), (("greater", "than"), ">"), (("higher", "than"), ">"),
    (("larger", "than"), ">"), (("less", "than"), "<"), (("fewer", "than"), "<"),
    (("lower", "than"), "<"), (("smaller", "than"), "<"), (("bigger", "than"), ">"),
    (("exactly",), "=="), (("precisely",), "=="), (("only",), "=="), (("just",), "=="),
    (("strictly", "more", "than"), ">"), (("over",), ">"), (("above",), ">"), (("under",), "<"),
    (("below",), "<"), (("minimum",), ">="), (("maximum",), "<="), (("exact",), "=="),
    ((">=",), ">="), (("<=",), "<="), ((">",), ">"), (("<",), "<"), (("≥",), ">="), (("≤",), "<="),
    (("=",), "=="), (("==",), "=="),
)  # fmt: skip
_BEHIND: tuple[tuple[tuple[str, ...], Comparison], ...] = (
    (("or", "more"), ">="), (("or", "fewer"), "<="), (("or", "less"), "<="), (("+",), ">="),
    (("or", "greater"), ">="), (("and", "more"), ">="), (("at", "least"), ">="),
    (("at", "most"), "<="), (("or", "so"), ">="),
)  # fmt: skip
_MANY = {"several": 2, "multiple": 2, "many": 2, "various": 2, "numerous": 2}


def quantity(tokens: Tokens, *, times: bool = False) -> Quantity | None:
    """The quantity that tokens begin with; with `times` "once" and "twice" are quantities."""
    words = tuple(t.low for t in tokens[:8])
    if not words or tokens[0].quoted:
        return None
    if words[0] == "between":
        return _between(tokens)
    for phrase, comparison in _BEFORE:
        if words[: len(phrase)] == phrase:
            number = _number(tokens[len(phrase) :], times)
            if number is None:
                return None
            return Quantity(((comparison, number),), len(phrase) + 1)
    if words[0] in _MANY:
        return Quantity(((">=", 2),), 1)
    if words[:2] in (("a", "single"), ("one", "single")):
        return Quantity((("==", 1),), 2)
    number = _number(tokens, times)
    return _then(words, number) if number is not None else None


def _number(tokens: Tokens, times: bool) -> int | None:
    if not tokens or tokens[0].quoted:
        return None
    if times and tokens[0].low in TIMES:
        return TIMES[tokens[0].low]
    return cardinal(tokens[0])


def _then(words: tuple[str, ...], number: int) -> Quantity:
    for phrase, comparison in _BEHIND:
        if words[1 : 1 + len(phrase)] == phrase:
            return Quantity(((comparison, number),), 1 + len(phrase))
    return Quantity((("==", number),), 1, bare=words[0] not in TIMES)


def _between(tokens: Tokens) -> Quantity | None:
    if len(tokens) < 4 or tokens[2].low not in ("and", "to"):
        return None
    low, high = cardinal(tokens[1]), cardinal(tokens[3])
    if low is None or high is None:
        return None
    return Quantity(((">=", low), ("<=", high)), 4)


def times_at_end(tokens: Tokens) -> tuple[Tokens, Quantity | None]:
    """Tokens without ``at least 3 times`` wherever it stands in them, and what it says."""
    for start, token in enumerate(tokens):
        if token.quoted:
            continue
        found = quantity(tokens[start:], times=True)
        if found is None:
            continue
        end = start + found.size
        said_times = end < len(tokens) and tokens[end].low in ("times", "time", "x", "×")
        counted = tokens[end - 1].low in TIMES and not said_times
        if said_times or counted:
            end += 1 if said_times else 0
            return (*tokens[:start], *tokens[end:]), found
    return tokens, None
