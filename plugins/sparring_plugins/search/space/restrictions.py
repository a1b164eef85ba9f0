"""The constraints of a scenario over the indices of its values."""

from collections.abc import Sequence
from itertools import product
from math import prod

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem, SparringError
from sparring.interfaces.condition import Condition
from sparring.interfaces.plugin import BuildContext
from sparring.model.space import Constraint, Scenario
from sparring_plugins.search.space.encoding import Encoding, Indices

TABLE = 250_000
"""Combinations of values that are tried out to write a constraint as a table, at most."""

_KEPT = 250_000


class Unsatisfiable(ConfigurationError):
    """No case satisfies all constraints."""


class TooHard(SparringError):
    """It takes too long to find out whether a case satisfies all constraints."""


class Restriction:
    """One compiled constraint.

    `variables` are the numbers of the variables that it speaks of, and `premise` those of them
    that only say which cases it is about. `assign` has the index that a repair gives a variable.
    """

    def __init__(self, constraint: Constraint, encoding: Encoding, context: BuildContext) -> None:
        self.constraint = constraint
        self._encoding = encoding
        self._condition = _compiled(constraint, constraint.expression, encoding, context)
        names = encoding.names
        self.variables: Indices = tuple(names.index(name) for name in self._condition.names)
        self.premise: frozenset[int] = frozenset()
        if constraint.when is not None:
            premise = _compiled(constraint, constraint.when, encoding, context)
            self.premise = frozenset(names.index(name) for name in premise.names)
        self.assign = {
            self._number(name): self._index(name, value)
            for name, value in constraint.assign.items()
        }
        self._known: dict[Indices, bool] = {}

    @property
    def combinations(self) -> int:
        """How many combinations the values of its variables have."""
        return prod(self._encoding.sizes[number] for number in self.variables)

    def holds(self, indices: Sequence[int]) -> bool:
        """Whether it is true of a case; raises ConfigurationError where that cannot be said."""
        return self.allows(tuple([indices[number] for number in self.variables]))

    def allows(self, own: Indices) -> bool:
        """Whether it is true of values of its own variables, in their order."""
        found = self._known.get(own)
        if found is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            found = self._known[own] = self._evaluated(own)
        return found

    def forbidden(self) -> frozenset[Indices]:
        """The combinations of its own variables that it forbids; raises TooHard for too many."""
        if self.combinations > TABLE:
            raise TooHard(
                f"{self.place()}one constraint speaks of {self.combinations:,} combinations of "
                "values at once"
            )
        sizes = (range(self._encoding.sizes[number]) for number in self.variables)
        return frozenset(own for own in product(*sizes) if not self.allows(own))

    def problem(self, message: str) -> Problem:
        """A problem of this constraint."""
        return _problem(self.constraint, message)

    def place(self) -> str:
        """Where it stands, for the beginning of a message."""
        return f"{self.constraint.source}: " if self.constraint.source else ""

    def _evaluated(self, own: Indices) -> bool:
        values: dict[str, JsonValue] = {
            self._encoding.names[number]: self._encoding.variables[number].domain[at]
            for number, at in zip(self.variables, own, strict=True)
        }
        try:
            return self._condition.holds(values)
        except ValueError as err:
            told = ", ".join(f"{name} = {value!r}" for name, value in values.items())
            raise ConfigurationError(self.problem(f"has no value for {told}: {err}")) from err

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
    """The compiled constraints of a scenario; raises ConfigurationError with all problems."""
    made: list[Restriction] = []
    problems: list[Problem] = []
    for constraint in scenario.constraints:
        try:
            made.append(Restriction(constraint, encoding, context))
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    return tuple(made)


def _compiled(
    constraint: Constraint, text: str, encoding: Encoding, context: BuildContext
) -> Condition:
    try:
        return context.condition(text, encoding.names, language=constraint.language)
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
    """Whether all are true of a case."""
    return all(one.holds(indices) for one in restrictions)
