"""The cases of one scenario that satisfy its constraints, and their number.

The number is computed exactly by eliminating one variable after the other if the tables stay small
enough, and otherwise estimated from a sample.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod, sqrt
from random import Random

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.model.case import Case
from sparring.model.space import Constraint, Scenario
from sparring_plugins.search.space.encoding import (
    TABLE,
    Encoding,
    Indices,
    Restriction,
    TooHard,
    Unsatisfiable,
    all_hold,
    restrictions_of,
)
from sparring_plugins.search.space.repair import Repair

# A share of valid cases of 1 % is then known to a tenth of itself.
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class Count:
    """How many cases there are; `low` and `high` bound the 95 % interval of an estimate.

    `exact` counts have equal bounds.
    """

    number: int
    low: int
    high: int
    exact: bool = True


@dataclass(frozen=True)
class _Factor:
    """The number of ways for each combination of values of some variables."""

    variables: Indices
    ways: dict[Indices, int]


def count(encoding: Encoding, restrictions: Sequence[Restriction]) -> Count:
    """Return the number of cases that satisfy all constraints; raises ConfigurationError."""
    try:
        number = _count_all(
            encoding, [_factor(restriction, encoding) for restriction in restrictions]
        )
    except TooHard:
        return _estimate(encoding, restrictions)
    return Count(number, number, number)


def _factor(restriction: Restriction, encoding: Encoding) -> _Factor:
    forbidden = restriction.forbidden()
    ranges = [range(encoding.sizes[number]) for number in restriction.variables]
    ways = {values: 1 for values in product(*ranges) if values not in forbidden}
    return _Factor(restriction.variables, ways)


def _count_all(encoding: Encoding, factors: list[_Factor]) -> int:
    """Return the product of the factors, summed over one variable after the other."""
    remaining = {number for factor in factors for number in factor.variables}
    free = prod(size for number, size in enumerate(encoding.sizes) if number not in remaining)
    while remaining:
        number = min(remaining, key=lambda variable: (_cost(encoding, factors, variable), variable))
        involved = [factor for factor in factors if number in factor.variables]
        factors = [factor for factor in factors if number not in factor.variables]
        factors.append(_eliminate(encoding, involved, number))
        remaining.discard(number)
    return free * prod(factor.ways.get((), 0) for factor in factors)


def _scope(factors: Sequence[_Factor], number: int) -> list[int]:
    """Return the variables of all factors that contain a variable."""
    involved = {v for f in factors if number in f.variables for v in f.variables}
    return sorted(involved)


def _cost(encoding: Encoding, factors: Sequence[_Factor], number: int) -> int:
    """Return the size of the table that eliminating a variable makes."""
    return prod(encoding.sizes[variable] for variable in _scope(factors, number))


def _eliminate(encoding: Encoding, factors: Sequence[_Factor], number: int) -> _Factor:
    """Return the product of factors, summed over one variable; raises TooHard."""
    if _cost(encoding, factors, number) > 2 * TABLE:
        raise TooHard("too many combinations to count")
    remaining = [other for other in _scope(factors, number) if other != number]
    place = {variable: at for at, variable in enumerate(remaining)} | {number: -1}
    columns = [(factor.ways, [place[v] for v in factor.variables]) for factor in factors]
    ways: dict[Indices, int] = {}
    for combination in product(*(range(encoding.sizes[other]) for other in remaining)):
        total = 0
        for value in range(encoding.sizes[number]):
            row = (*combination, value)
            total += prod(
                weights.get(tuple([row[place] for place in numbers]), 0)
                for weights, numbers in columns
            )
        if total:
            ways[combination] = total
    return _Factor(tuple(remaining), ways)


def _estimate(encoding: Encoding, restrictions: Sequence[Restriction]) -> Count:
    """Estimate the count from a fixed sample, with Wilson's interval for its share."""
    draw, size = Random(0), prod(encoding.sizes)
    valid = sum(
        all_hold(restrictions, [draw.randrange(size) for size in encoding.sizes])
        for _ in range(_SAMPLE)
    )
    quantile = 1.959964
    share, drawn = valid / _SAMPLE, _SAMPLE
    middle = (share + quantile * quantile / (2 * drawn)) / (1 + quantile * quantile / drawn)
    reach = (
        quantile
        * sqrt(share * (1 - share) / drawn + quantile * quantile / (4 * drawn * drawn))
        / (1 + quantile * quantile / drawn)
    )
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Count(_of(share, size), _of(low, size), _of(high, size), exact=False)


def _of(share: float, size: int) -> int:
    """Return a share of a number that may be too large for a float."""
    return size * round(share * 1_000_000) // 1_000_000


class CaseSpace:
    """The cases of a scenario that satisfy its constraints, as strategies need them.

    A strategy makes one per scenario in `start`, with its own context::

        cases = CaseSpace(scenario, self.context)
        params = cases.random(draw)                      # satisfies all constraints
        vector = cases.encode(params)                    # ordinal i/n, categorical i
        params, vector = cases.repaired(child)           # decoded, repaired, written back
        case = cases.case(params, run_seed=seed)

    `names`, `sizes` and `ordinal` describe the variables in their order. A case has three
    notations: `params` (value by name, as in `Case.params`), indices (the number of each value) and
    vectors (numbers, encoded as in the STELLAR paper). Everything is deterministic: all randomness
    comes from the given `draw`.

    Raises ConfigurationError for variables without values and for invalid constraints.
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
        """The number of values of each variable."""
        return self.encoding.sizes

    @property
    def ordinal(self) -> tuple[bool, ...]:
        """Whether the values of each variable have an order."""
        return self.encoding.ordinal

    @property
    def size(self) -> int:
        """The number of combinations of values, ignoring constraints."""
        return prod(self.sizes)

    def count(self) -> Count:
        """Return how many cases satisfy all constraints: exact if feasible, else an estimate."""
        return count(self.encoding, self.restrictions)

    # notations

    def indices(self, params: Mapping[str, JsonValue]) -> Indices:
        """Return the number of each value; raises ValueError for values outside the space."""
        return self.encoding.indices(params)

    def params(self, indices: Sequence[int]) -> dict[str, JsonValue]:
        """Return the values at indices."""
        return self.encoding.params(indices)

    def encode(self, params: Mapping[str, JsonValue]) -> list[float]:
        """Return values as a vector; raises ValueError for values outside the space."""
        return self.encoding.vector(self.indices(params))

    def decode(self, vector: Sequence[float]) -> dict[str, JsonValue]:
        """Return the values that a vector stands for, not repaired; raises ValueError."""
        return self.params(self.encoding.nearest(vector))

    def bounds(self) -> list[tuple[float, float]]:
        """Return the smallest and largest number of each variable in a vector."""
        return self.encoding.bounds()

    # constraints

    def holds(self, params: Mapping[str, JsonValue]) -> bool:
        """Whether a case satisfies all constraints."""
        return all_hold(self.restrictions, self.indices(params))

    def broken(self, params: Mapping[str, JsonValue]) -> tuple[Constraint, ...]:
        """Return the constraints that a case breaks."""
        indices = self.indices(params)
        return tuple(
            restriction.constraint
            for restriction in self.restrictions
            if not restriction.holds(indices)
        )

    def repair(self, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the nearest case that satisfies all constraints; a valid one is unchanged.

        Raises Unsatisfiable if there is none, and TooHard if that cannot be decided with bounded
        work.
        """
        return self.params(self.repaired_indices(self.indices(params)))

    def repaired(self, vector: Sequence[float]) -> tuple[dict[str, JsonValue], list[float]]:
        """Return the repaired case that a vector stands for, and the vector of the repaired case.

        The vector is written back so that a search learns from what was really tested. Raises as
        `repair` does.
        """
        indices = self.repaired_indices(self.encoding.nearest(vector))
        return self.params(indices), self.encoding.vector(indices)

    def repaired_indices(self, indices: Indices) -> Indices:
        """Return the repaired case in indices; raises as `repair` does."""
        repaired = self.repair_indices(indices)
        if repaired is None:
            message, source = "no case satisfies all of its constraints", self.scenario.source
            raise Unsatisfiable(Problem(message, source, key=self.scenario.name))
        return repaired

    def tables(self) -> list[tuple[Indices, frozenset[Indices]]]:
        """Return each constraint as its variables and the combinations of values that it forbids.

        Raises TooHard for a constraint over too many combinations of values.
        """
        return [
            (restriction.variables, restriction.forbidden()) for restriction in self.restrictions
        ]

    # cases

    def random(self, draw: Random) -> dict[str, JsonValue]:
        """Return a random case: each value drawn uniformly, then repaired as in the paper."""
        drawn = tuple(draw.randrange(size) for size in self.sizes)
        return self.params(self.repaired_indices(drawn))

    def all(self) -> Iterator[dict[str, JsonValue]]:
        """Iterate over all valid cases; the last variable changes fastest."""
        for indices in product(*(range(size) for size in self.sizes)):
            if all_hold(self.restrictions, indices):
                yield self.params(indices)

    def case(self, params: Mapping[str, JsonValue], *, run_seed: int, repeat: int = 1) -> Case:
        """Return the case to ask for values of the space."""
        return Case.of(self.scenario.name, params, run_seed=run_seed, repeat=repeat)

    def possible(self, name: str, value: JsonValue) -> bool:
        """Whether any case with a value satisfies all constraints; raises TooHard."""
        number = self.names.index(name)
        pins = {number: self.encoding.place(number, value)}
        return self.repair_indices.solve(pins, (0,) * len(self.names)) is not None

    def conflict(self, pins: Mapping[str, JsonValue]) -> list[Constraint]:
        """Return constraints that no case with the pinned values satisfies together, a minimal set.

        Returns an empty list if there is such a case. Raises TooHard.
        """
        numbers = {
            self.names.index(name): self.encoding.place(self.names.index(name), value)
            for name, value in pins.items()
        }
        if self._solvable(numbers, self.restrictions):
            return []
        core = list(self.restrictions)
        for restriction in self.restrictions:
            fewer = [other for other in core if other is not restriction]
            if not self._solvable(numbers, tuple(fewer)):
                core = fewer
        return [candidate.constraint for candidate in core]

    def _solvable(self, pins: Mapping[int, int], restrictions: Sequence[Restriction]) -> bool:
        solver = Repair(self.encoding, tuple(restrictions))
        return solver.solve(pins, (0,) * len(self.names)) is not None


def _require_values(scenario: Scenario) -> None:
    problems = [
        Problem(f"the variable {variable.name!r} has no values", scenario.source, key=scenario.name)
        for variable in scenario.variables
        if not variable.domain
    ]
    if problems:
        raise ConfigurationError(*problems)


__all__ = ["CaseSpace", "TooHard", "Unsatisfiable"]
