"""How authors write which values to take: ``forward(size)``, ``random(3)``, ``sample(0.2)``.

The notation is SENSEI's (section 3 of the paper, Table 2).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Literal, Protocol

from pydantic import JsonValue

from sparring.documents.checking import nearest, shown
from sparring.errors import ConfigurationError, Problem
from sparring.model.space import Scenario, Variable

SelectorKind = Literal["forward", "another", "random", "default"]

KINDS: tuple[SelectorKind, ...] = ("forward", "another", "random", "default")
EXAMPLES = (
    "forward()",
    "forward(other_variable)",
    "another()",
    "random()",
    "random(3)",
    "random(rand)",
    "default()",
)
MOST_PICKED = 1_000_000
"""The greatest n in ``random(n)``."""

_CALL = re.compile(r"([^()]*)\(([^()]*)\)")
_SAMPLE = re.compile(r"sample\(([^()]*)\)", re.IGNORECASE)
_ALL = ("all", "all_combinations", "all combinations")


@dataclass(frozen=True, slots=True)
class Selector:
    """One variable's selector.

    `after` is the variable that ``forward(after)`` refers to: this one takes its next value
    when that one has gone through all of its own. `count` is how many values ``random`` picks:
    a number, ``"rand"`` for one to all of them, or None for one value.
    """

    kind: SelectorKind
    after: str | None = None
    count: int | Literal["rand"] | None = None

    def __str__(self) -> str:
        inside = self.after if self.after is not None else self.count
        return f"{self.kind}({'' if inside is None else inside})"

    @property
    def takes_one(self) -> bool:
        """Whether a case holds exactly one value of the variable."""
        return self.kind in ("forward", "another") or (self.kind == "random" and not self.count)


def parse_selector(text: str) -> Selector:
    """Read a selector; raises ValueError with a message for the author."""
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise ValueError(_unreadable(text))
    name, inside = match[1].strip(), match[2].strip()
    if name == "forward":
        return Selector("forward", after=inside or None)
    if name == "random":
        return Selector("random", count=_count(inside))
    if name not in KINDS:
        raise ValueError(f"unknown selector {shown(name)}.{nearest(name, KINDS)}")
    if inside:
        raise ValueError(f"{name}() takes nothing in its parentheses, found {shown(inside)}")
    return Selector("another" if name == "another" else "default")


def _unreadable(text: str) -> str:
    name = text.strip().rstrip("()").strip()
    if name in KINDS:
        return f"{shown(text)} is no selector: write {name}()"
    return f"{shown(text)} is no selector: write one of {', '.join(EXAMPLES)}"


def _count(inside: str) -> int | Literal["rand"] | None:
    if not inside:
        return None
    if inside == "rand":
        return "rand"
    if inside.isascii() and inside.isdigit() and len(inside) < 10:
        count = int(inside)
        if 1 <= count <= MOST_PICKED:
            return count
    raise ValueError(
        f"random() takes a whole number from 1 to {MOST_PICKED:,}, or rand, found {shown(inside)}"
    )


def reference_problems(selectors: Mapping[str, Selector]) -> list[tuple[str, str]]:
    """What is wrong with the references among variables: (variable, message) pairs."""
    problems: list[tuple[str, str]] = []
    for name, selector in selectors.items():
        if selector.after is None:
            continue
        if selector.after not in selectors:
            hint = nearest(selector.after, list(selectors))
            problems.append((name, f"{selector} refers to an unknown variable.{hint}"))
        elif selectors[selector.after].kind != "forward":
            other = selectors[selector.after]
            problems.append(
                (name, f"{selector} refers to a variable that is {other}, not a forward()")
            )
    for cycle in _cycles(selectors):
        path = " -> ".join((*cycle, cycle[0]))
        problems.append((cycle[0], f"the variables refer to each other in a circle: {path}"))
    return problems


def _cycles(selectors: Mapping[str, Selector]) -> list[Sequence[str]]:
    """Every circle of references once, starting at its first variable in order."""
    done: set[str] = set()
    cycles: list[Sequence[str]] = []
    for start in selectors:
        path: list[str] = []
        current: str | None = start
        while current is not None and current in selectors and current not in done:
            if current in path:
                cycles.append(path[path.index(current) :])
                break
            path.append(current)
            current = selectors[current].after
        done.update(path)
    return cycles


@dataclass(frozen=True, slots=True)
class Number:
    """How many cases an author wants: a count, all combinations, or a share of them."""

    count: int | Literal["all"] | None = None
    sample: float | None = None


def parse_number(value: object) -> Number:
    """Read a number of cases as authors write it; raises ValueError with a message.

    A whole number (also as text), ``all_combinations`` or ``all``, or ``sample(p)`` with a
    share 0 < p <= 1 or a percentage.
    """
    if value is None:
        return Number()
    if isinstance(value, int) and not isinstance(value, bool):
        return _whole(value)
    if isinstance(value, str):
        text = value.strip()
        if re.fullmatch(r"[-+]?[0-9]{1,18}", text):
            return _whole(int(text))
        if text.casefold() in _ALL:
            return Number("all")
        if match := _SAMPLE.fullmatch(text):
            return Number(sample=_share(match[1].strip()))
    raise ValueError(
        f"expected a whole number, all_combinations, or sample(share), found {shown(value)}"
    )


def _whole(count: int) -> Number:
    if count < 1:
        raise ValueError(f"must be at least 1, found {count}")
    return Number(count)


def _share(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})\s*(%?)", text)
    if match:
        share = Fraction(match[1]) / (100 if match[2] else 1)
        if 0 < share <= 1:
            return float(share)
    raise ValueError(f"sample() takes a share above 0 and up to 1, found {shown(text)}")


# --- Scenarios with selectors

Params = dict[str, JsonValue]


class Plan(Protocol):
    """The cases of one scenario, in order."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    @property
    def period(self) -> int | None:
        """After how many cases their contents repeat, all differing before; None: unknown."""
        ...

    def params(self, start: int) -> Iterator[Params]:
        """The values of the cases from the 0-based number `start` on, without end."""
        ...


def _own_selector(variable: Variable) -> str | None:
    """Return a selector of this notation; ``weights(3, 1)`` is one of random strategies."""
    selector = variable.selector
    return None if selector is None or selector.startswith("weights(") else selector


@dataclass(frozen=True)
class Inputs:
    """A scenario's variables with their selectors, checked.

    `plain` says that no variable has a selector, as in scenarios of other players: then all
    of them move as ``forward()`` and a case holds single values, not lists.
    """

    scenario: Scenario
    variables: dict[str, Variable]
    selectors: dict[str, Selector]
    plain: bool

    @classmethod
    def of(cls, scenario: Scenario) -> "Inputs":
        """Check a scenario; raises ConfigurationError with all that is wrong with it."""
        written = {v.name: _own_selector(v) for v in scenario.variables}
        plain = all(selector is None for selector in written.values())
        problems: list[Problem] = []
        selectors: dict[str, Selector] = {}
        for variable in scenario.variables:
            try:
                selectors[variable.name] = parse_selector(written[variable.name] or "forward()")
            except ValueError as err:
                problems.append(_problem(scenario, variable.name, str(err)))
                continue
            if not variable.domain:
                problems.append(_problem(scenario, variable.name, "has no values"))
        if not problems:
            references = reference_problems(selectors)
            problems += [_problem(scenario, name, message) for name, message in references]
        if problems:
            raise ConfigurationError(*problems)
        variables = {variable.name: variable for variable in scenario.variables}
        return cls(scenario, variables, selectors, plain)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many values each variable has."""
        return {name: len(variable.domain) for name, variable in self.variables.items()}

    @cached_property
    def distinct(self) -> bool:
        """Whether no variable lists a value twice."""
        return all(
            len({(type(value), repr(value)) for value in variable.domain}) == len(variable.domain)
            for variable in self.variables.values()
        )


def _problem(scenario: Scenario, variable: str, message: str) -> Problem:
    return Problem(message, scenario.source, key=f"{scenario.name}.{variable}")


def stream_name(seed: int, scenario: str) -> str:
    """The name of a scenario's own random stream, whatever other scenarios there are."""
    return f"{seed}/{scenario}"


def stream_seed(stream: str) -> int:
    """The seed of a named random stream."""
    return int.from_bytes(blake2b(stream.encode("utf-8", "replace"), digest_size=8).digest())
