"""Encode cases as vectors of numbers, and compile constraints over their indices (STELLAR, III).

An ordinal value is encoded as its index divided by the number of values, so the second of four is
0.25; a categorical value is its index. Decoding accepts any finite numbers: those beyond the bounds
count as the first or the last value.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from math import isfinite, prod

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem, SparringError
from sparring.interfaces.plugin import BuildContext
from sparring.model.space import Constraint, Scenario, Variable
from sparring_plugins.rules.conditions import Condition, condition_of

_SLACK = 1e-9
"""What rounding may take from an index on its way through a quotient."""

Indices = tuple[int, ...]
"""The number of the value of each variable."""


class Encoding:
    """The encoding of one scenario's variables, in their order."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.names = tuple(variable.name for variable in variables)
        self.sizes = tuple(len(variable.domain) for variable in variables)
        self.ordinal = tuple(variable.scale == "ordinal" for variable in variables)
        self._places = [_places(variable.domain) for variable in variables]

    def indices(self, params: Mapping[str, JsonValue]) -> Indices:
        """Return the index of each value; raises ValueError for an unknown name or value."""
        missing = [name for name in self.names if name not in params]
        unknown = [name for name in params if name not in self.names]
        if missing or unknown:
            reason = f"no value for {missing[0]!r}" if missing else f"no variable {unknown[0]!r}"
            raise ValueError(f"there is {reason}")
        return tuple(self.place(number, params[name]) for number, name in enumerate(self.names))

    def place(self, number: int, value: JsonValue) -> int:
        """Return the index of a value; 1, 1.0 and true are three values. Raises ValueError."""
        index = self._places[number].get(_key(value))
        if index is None:
            raise ValueError(f"{value!r} is no value of {self.names[number]!r}")
        return index

    def params(self, indices: Sequence[int]) -> dict[str, JsonValue]:
        """Return the values at indices."""
        return {
            variable.name: variable.domain[at]
            for variable, at in zip(self.variables, indices, strict=True)
        }

    def vector(self, indices: Sequence[int]) -> list[float]:
        """Return indices as numbers."""
        return [
            at / size if ordinal else float(at)
            for at, size, ordinal in zip(indices, self.sizes, self.ordinal, strict=True)
        ]

    def nearest(self, vector: Sequence[float]) -> Indices:
        """Return the indices that numbers stand for; raises ValueError for what is no vector.

        An ordinal number belongs to the value whose interval ``[i/n, (i+1)/n)`` contains it, a
        categorical one to the nearest index.
        """
        if len(vector) != len(self.names) or not all(isfinite(x) for x in vector):
            raise ValueError(f"a vector has {len(self.names)} finite numbers, one per variable")
        return tuple(
            _within(int(min(x, 1.0) * size + _SLACK) if ordinal and x > 0 else round(x), size)
            for x, size, ordinal in zip(vector, self.sizes, self.ordinal, strict=True)
        )

    def bounds(self) -> list[tuple[float, float]]:
        """Return the smallest and the largest number that each variable is encoded as."""
        return [
            (0.0, (size - 1) / size if ordinal else float(size - 1))
            for size, ordinal in zip(self.sizes, self.ordinal, strict=True)
        ]


def _within(at: int, size: int) -> int:
    return min(max(at, 0), size - 1)


def _places(domain: Sequence[JsonValue]) -> dict[str, int]:
    places: dict[str, int] = {}
    for at, value in enumerate(domain):
        places.setdefault(_key(value), at)
    return places


def _key(value: JsonValue) -> str:
    """Return a text that is equal exactly for equal values of one type."""
    # `==` would take 1, 1.0 and true for one value, and lists are not hashable
    return json.dumps(value, sort_keys=True)


TABLE = 250_000
"""Combinations of values that are tried out to write a constraint as a table, at most."""

# Whether values are valid is asked again and again of the same ones.
_KEPT = 250_000


class Unsatisfiable(ConfigurationError):
    """No case satisfies all constraints."""


class TooHard(SparringError):
    """Deciding whether a case satisfies all constraints takes too long."""


class Restriction:
    """One compiled constraint.

    `variables` are the numbers of the variables that it mentions, and `premise` those that only
    select the cases it applies to. `assign` has the index that a repair gives a variable.
    """

    def __init__(self, constraint: Constraint, encoding: Encoding, context: BuildContext) -> None:
        self.constraint = constraint
        self._encoding = encoding
        self._condition = _compile_constraint(constraint, constraint.expression, encoding, context)
        names = encoding.names
        self.variables: Indices = tuple(names.index(name) for name in self._condition.names)
        self.premise: frozenset[int] = frozenset()
        if constraint.when is not None:
            premise = _compile_constraint(constraint, constraint.when, encoding, context)
            self.premise = frozenset(names.index(name) for name in premise.names)
        self.assign = {
            self._number(name): self._index(name, value)
            for name, value in constraint.assign.items()
        }
        self._known: dict[Indices, bool] = {}

    @property
    def combinations(self) -> int:
        """The number of combinations of values of its variables."""
        return prod(self._encoding.sizes[number] for number in self.variables)

    def holds(self, indices: Sequence[int]) -> bool:
        """Whether a case satisfies it; raises ConfigurationError if it cannot be evaluated."""
        return self.allows(tuple([indices[number] for number in self.variables]))

    def allows(self, values: Indices) -> bool:
        """Whether values of its own variables, in their order, satisfy it."""
        allowed = self._known.get(values)
        if allowed is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            allowed = self._known[values] = self._evaluate(values)
        return allowed

    def forbidden(self) -> frozenset[Indices]:
        """Return the combinations of its own variables that it forbids; raises TooHard."""
        if self.combinations > TABLE:
            raise TooHard(
                f"{self.place()}one constraint speaks of {self.combinations:,} combinations of "
                "values at once"
            )
        sizes = (range(self._encoding.sizes[number]) for number in self.variables)
        return frozenset(values for values in product(*sizes) if not self.allows(values))

    def problem(self, message: str) -> Problem:
        """Return a problem of this constraint."""
        return _problem(self.constraint, message)

    def place(self) -> str:
        """Return its location, for the beginning of a message."""
        return f"{self.constraint.source}: " if self.constraint.source else ""

    def _evaluate(self, indices: Indices) -> bool:
        values: dict[str, JsonValue] = {
            self._encoding.names[number]: self._encoding.variables[number].domain[at]
            for number, at in zip(self.variables, indices, strict=True)
        }
        try:
            return self._condition.holds(values)
        except ValueError as err:
            assignment = ", ".join(f"{name} = {value!r}" for name, value in values.items())
            raise ConfigurationError(self.problem(f"has no value for {assignment}: {err}")) from err

    def _number(self, name: str) -> int:
        if name not in self._encoding.names:
            raise ConfigurationError(self.problem(f"assigns to {name!r}, which is no variable"))
        return self._encoding.names.index(name)

    def _index(self, name: str, value: JsonValue) -> int:
        try:
            return self._encoding.place(self._encoding.names.index(name), value)
        except ValueError as err:
            raise ConfigurationError(self.problem(f"cannot assign: {err}")) from err


def restrictions_of(
    scenario: Scenario, encoding: Encoding, context: BuildContext
) -> tuple[Restriction, ...]:
    """Compile the constraints of a scenario; raises ConfigurationError with all problems."""
    restrictions: list[Restriction] = []
    problems: list[Problem] = []
    for constraint in scenario.constraints:
        try:
            restrictions.append(Restriction(constraint, encoding, context))
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    return tuple(restrictions)


def _compile_constraint(
    constraint: Constraint, text: str, encoding: Encoding, context: BuildContext
) -> Condition:
    try:
        return condition_of(context, text, encoding.names, language=constraint.language)
    except ConfigurationError as err:
        raise ConfigurationError(
            *(_problem(constraint, problem.message) for problem in err.problems)
        ) from err


def _problem(constraint: Constraint, message: str) -> Problem:
    file, _, line = (constraint.source or "").rpartition(":")
    shown = f"the constraint `{constraint.expression}`: {message}"
    if not line.isdigit():
        return Problem(shown, constraint.source)
    return Problem(shown, file, int(line))


def all_hold(restrictions: Sequence[Restriction], indices: Sequence[int]) -> bool:
    """Whether a case satisfies all restrictions."""
    return all(restriction.holds(indices) for restriction in restrictions)
