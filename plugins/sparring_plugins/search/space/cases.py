"""The cases of one scenario, for whoever proposes some of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from random import Random

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario
from sparring_plugins.search.space import counting
from sparring_plugins.search.space.encoding import Encoding, Indices
from sparring_plugins.search.space.repair import Repair
from sparring_plugins.search.space.restrictions import (
    Restriction,
    TooHard,
    Unsatisfiable,
    all_hold,
    restrictions_of,
)


class CaseSpace:
    """The cases of a scenario that satisfy its constraints, as strategies need them.

    A strategy makes one per scenario in `start`, with its own context::

        cases = CaseSpace(scenario, self.context)
        params = cases.random(draw)                      # satisfies all constraints
        vector = cases.encode(params)                    # ordinal i/n, categorical i
        params, vector = cases.repaired(child)           # decoded, repaired, written back
        case = cases.case(params, run_seed=seed)

    `names`, `sizes` and `ordinal` describe the variables in their order. Three notations of a case
    go together: `params` (value by name, as in `Case.params`), indices (the number of each value)
    and vectors (numbers, encoded as in the STELLAR paper). Everything is deterministic: chance
    comes from the `draw` that is given.

    Raises ConfigurationError for variables without values and for constraints that are wrong.
    """

    def __init__(self, scenario: Scenario, context: BuildContext) -> None:
        _require_values(scenario)
        self.scenario = scenario
        self.encoding = Encoding(scenario.variables)
        self.restrictions = restrictions_of(scenario, self.encoding, context)
        self.repair_indices = Repair(self.encoding, self.restrictions)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return self.encoding.names

    @property
    def sizes(self) -> Indices:
        """How many values each variable has."""
        return self.encoding.sizes

    @property
    def ordinal(self) -> tuple[bool, ...]:
        """Whether the values of each variable have an order."""
        return self.encoding.ordinal

    @property
    def size(self) -> int:
        """How many combinations of values there are, constraints left aside."""
        return prod(self.sizes)

    def count(self) -> counting.Count:
        """How many of them satisfy all constraints: exact where feasible, else an estimate."""
        return counting.count(self.encoding, self.restrictions)

    # notations

    def indices(self, params: Mapping[str, JsonValue]) -> Indices:
        """The number of each value; raises ValueError for values outside of the space."""
        return self.encoding.indices(params)

    def params(self, indices: Sequence[int]) -> dict[str, JsonValue]:
        """The values at indices."""
        return self.encoding.params(indices)

    def encode(self, params: Mapping[str, JsonValue]) -> list[float]:
        """Values as a vector; raises ValueError for values outside of the space."""
        return self.encoding.vector(self.indices(params))

    def decode(self, vector: Sequence[float]) -> dict[str, JsonValue]:
        """The values that a vector stands for, not repaired; raises ValueError."""
        return self.params(self.encoding.nearest(vector))

    def bounds(self) -> list[tuple[float, float]]:
        """The smallest and largest number of each variable in a vector."""
        return self.encoding.bounds()

    # constraints

    def holds(self, params: Mapping[str, JsonValue]) -> bool:
        """Whether all constraints are true of a case."""
        return all_hold(self.restrictions, self.indices(params))

    def broken(self, params: Mapping[str, JsonValue]) -> tuple[Constraint, ...]:
        """The constraints that are not true of a case."""
        indices = self.indices(params)
        return tuple(one.constraint for one in self.restrictions if not one.holds(indices))

    def repair(self, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """The nearest case that satisfies all constraints; a case that does is left as it is.

        Raises Unsatisfiable where there is none, and TooHard where that cannot be found out.
        """
        return self.params(self.repaired_indices(self.indices(params)))

    def repaired(self, vector: Sequence[float]) -> tuple[dict[str, JsonValue], list[float]]:
        """The case that a vector stands for, repaired, and the vector of what came out.

        The vector is written back so that a search learns from what was really tested. Raises as
        `repair` does.
        """
        indices = self.repaired_indices(self.encoding.nearest(vector))
        return self.params(indices), self.encoding.vector(indices)

    def repaired_indices(self, indices: Indices) -> Indices:
        """The repaired case in indices; raises as `repair` does."""
        found = self.repair_indices(indices)
        if found is None:
            raise Unsatisfiable(self._problem("no case satisfies all of its constraints"))
        return found

    def tables(self) -> list[tuple[Indices, frozenset[Indices]]]:
        """Each constraint as numbers of variables and the combinations of values it forbids.

        Raises TooHard for a constraint over too many combinations of values.
        """
        return [(one.variables, one.forbidden()) for one in self.restrictions]

    # cases

    def random(self, draw: Random) -> dict[str, JsonValue]:
        """A random case: each value drawn evenly, then repaired as the paper does."""
        drawn = tuple(draw.randrange(size) for size in self.sizes)
        return self.params(self.repaired_indices(drawn))

    def all(self) -> Iterator[dict[str, JsonValue]]:
        """All cases that satisfy the constraints, the last variable changing the fastest."""
        for indices in product(*(range(size) for size in self.sizes)):
            if all_hold(self.restrictions, indices):
                yield self.params(indices)

    def case(self, params: Mapping[str, JsonValue], *, run_seed: int, repeat: int = 1) -> Case:
        """The case to ask for values of the space."""
        return Case.of(self.scenario.name, params, run_seed=run_seed, repeat=repeat)

    def possible(self, name: str, value: JsonValue) -> bool:
        """Whether any case with a value satisfies all constraints; raises TooHard."""
        number = self.names.index(name)
        pins = {number: self.encoding.place(number, value)}
        return self.repair_indices.solve(pins, (0,) * len(self.names)) is not None

    def conflict(self, pins: Mapping[str, JsonValue]) -> list[Constraint]:
        """Constraints that no case with the pinned values satisfies together, as few as may be.

        Nothing where there is such a case. Raises TooHard.
        """
        at = {
            self.names.index(name): self.encoding.place(self.names.index(name), value)
            for name, value in pins.items()
        }
        if self._solvable(at, self.restrictions):
            return []
        core = list(self.restrictions)
        for one in self.restrictions:
            fewer = [other for other in core if other is not one]
            if not self._solvable(at, tuple(fewer)):
                core = fewer
        return [one.constraint for one in core]

    def _solvable(self, pins: Mapping[int, int], restrictions: Sequence[Restriction]) -> bool:
        solver = Repair(self.encoding, tuple(restrictions))
        return solver.solve(pins, (0,) * len(self.names)) is not None

    def _problem(self, message: str) -> Problem:
        return Problem(message, self.scenario.source, key=self.scenario.name)


def _require_values(scenario: Scenario) -> None:
    problems = [
        Problem(f"the variable {variable.name!r} has no values", scenario.source, key=scenario.name)
        for variable in scenario.variables
        if not variable.domain
    ]
    if problems:
        raise ConfigurationError(*problems)


__all__ = ["CaseSpace", "TooHard", "Unsatisfiable"]
