"""Sampling from the valid cases of a space: uniformly, without repeats, in constant memory.

Constraints that share variables form one component. The valid values of a component are independent
of all others, so the valid cases are the product of the valid values of all components. Each
component is enumerated if that is feasible; the cases of the product are numbered, and a
pseudo-random permutation of the numbers draws them.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from math import prod
from typing import TypeVar

from sparring.errors import ConfigurationError, Problem
from sparring.model.space import Scenario, Space, Variable
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices, Restriction, all_hold

ROWS = 100_000
"""Valid combinations of one component that are written out, at most."""

_STEPS = 1_000_000
"""Values that are tried to write a component out, at most."""


@dataclass(frozen=True)
class Component:
    """Variables that constraints connect.

    `rows` are their valid values in the order of the space, the last variable changing fastest;
    None if they are too many to enumerate.
    """

    variables: Indices
    sizes: Indices
    restrictions: tuple[Restriction, ...]
    rows: tuple[Indices, ...] | None = field(repr=False)

    @cached_property
    def _having(self) -> list[list[int]]:
        """Per variable and value, the rows that have it, as the bits of one number."""
        rows = self.rows or ()
        having: list[list[int]] = []
        for column, size in enumerate(self.sizes):
            marks = [bytearray(len(rows) // 8 + 1) for _ in range(size)]
            for number, row in enumerate(rows):
                marks[row[column]][number >> 3] |= 1 << (number & 7)
            having.append([int.from_bytes(mark, "little") for mark in marks])
        return having

    def alive(self, pins: Mapping[int, int]) -> int:
        """Return the rows with the pinned values of its variables, as the bits of one number."""
        rows = (1 << len(self.rows or ())) - 1
        for column, variable in enumerate(self.variables):
            if variable in pins:
                rows &= self._having[column][pins[variable]]
        return rows

    def values(self, alive: int, variable: int) -> list[bool]:
        """Return which values of a variable occur in the rows that are alive."""
        return [alive & having != 0 for having in self._having[self.variables.index(variable)]]

    def rows_with(self, pins: Mapping[int, int]) -> Sequence[Indices]:
        """Return the rows with the pinned values of its variables."""
        rows = self.rows or ()
        pinned = [
            (n, pins[variable]) for n, variable in enumerate(self.variables) if variable in pins
        ]
        if not pinned:
            return rows
        return [row for row in rows if all(row[column] == value for column, value in pinned)]


def components_of(cases: CaseSpace) -> tuple[Component, ...]:
    """Return the components of a space; raises ConfigurationError if one has no valid values."""
    groups: list[tuple[set[int], list[Restriction]]] = []
    for restriction in cases.restrictions:
        joined, restrictions = set(restriction.variables), [restriction]
        for group in [pair for pair in groups if pair[0] & joined]:
            joined |= group[0]
            restrictions = group[1] + restrictions
            groups.remove(group)
        groups.append((joined, restrictions))
    components = [_component(cases, sorted(names), restrictions) for names, restrictions in groups]
    if any(other_restriction.rows == () for other_restriction in components):
        source, key = cases.scenario.source, cases.scenario.name
        raise ConfigurationError(
            Problem("no case satisfies all of its constraints", source, key=key)
        )
    return tuple(sorted(components, key=lambda other_restriction: other_restriction.variables))


def _component(
    cases: CaseSpace, variables: Sequence[int], restrictions: Sequence[Restriction]
) -> Component:
    sizes = tuple(cases.sizes[variable] for variable in variables)
    rows: list[Indices] = []
    complete = True
    for row in _enumerate(variables, sizes, restrictions):
        if row is None or len(rows) >= ROWS:
            complete = False
            break
        rows.append(row)
    enumerated = tuple(rows) if complete else None
    return Component(tuple(variables), sizes, tuple(restrictions), enumerated)


def _enumerate(
    variables: Sequence[int], sizes: Sequence[int], restrictions: Sequence[Restriction]
) -> Iterator[Indices | None]:
    """Yield the valid values in order, or None once that takes too long."""
    checks = _checks(variables, restrictions)
    if not all(restriction.allows(()) for restriction, _ in checks[0]):
        return
    row: list[int] = []
    steps, at = 0, 0
    while True:
        if len(row) == len(sizes) or at >= sizes[len(row)]:
            if len(row) == len(sizes):
                yield tuple(row)
            if not row:
                return
            at = row.pop() + 1
            continue
        steps += 1
        if steps > _STEPS:
            yield None
        row.append(at)
        at = 0
        if not all(check.allows(tuple([row[c] for c in own])) for check, own in checks[len(row)]):
            at = row.pop() + 1


NO_PINS: Mapping[int, int] = {}


class _Joint:
    """Restrictions over the same variables as one, each combination looked up once.

    A model of 136 clauses says of the same few variables again and again what a rule says once.
    """

    def __init__(self, variables: Indices, restrictions: Sequence[Restriction]) -> None:
        place = {variable: number for number, variable in enumerate(variables)}
        self.variables = variables
        self._parts = [(r, [place[variable] for variable in r.variables]) for r in restrictions]
        self._known: dict[Indices, bool] = {}

    def allows(self, values: Indices) -> bool:
        """Whether values of the variables, in their order, satisfy all restrictions."""
        allowed = self._known.get(values)
        if allowed is None:
            allowed = self._known[values] = all(
                restriction.allows(tuple([values[at] for at in places]))
                for restriction, places in self._parts
            )
        return allowed


def joint_restrictions(restrictions: Sequence[Restriction]) -> list[_Joint]:
    """Return one restriction for each set of variables that some are about."""
    groups: dict[Indices, list[Restriction]] = {}
    for restriction in restrictions:
        groups.setdefault(tuple(sorted({*restriction.variables})), []).append(restriction)
    return [_Joint(variables, group) for variables, group in groups.items()]


def _checks(
    variables: Sequence[int], restrictions: Sequence[Restriction]
) -> list[list[tuple[_Joint, list[int]]]]:
    """Return, by the length of a row, the restrictions that this length decides first."""
    place = {variable: number for number, variable in enumerate(variables)}
    checks: list[list[tuple[_Joint, list[int]]]] = [[] for _ in range(len(variables) + 1)]
    for restriction in joint_restrictions(restrictions):
        columns = [place[variable] for variable in restriction.variables]
        checks[max(columns, default=-1) + 1].append((restriction, columns))
    return checks


@dataclass(frozen=True)
class Numbered:
    """Combinations of values by number: the product of some rows and of free variables.

    `parts` have the variables of a component with its possible rows, `free` the other variables
    with their sizes.
    """

    parts: Sequence[tuple[Indices, Sequence[Indices]]]
    free: Sequence[tuple[int, int]]

    @property
    def size(self) -> int:
        """The number of combinations."""
        rows = prod(len(rows) for _, rows in self.parts)
        return rows * prod(size for _, size in self.free)

    def __getitem__(self, number: int) -> dict[int, int]:
        """Return the values, by the number of the variable, of a number below `size`."""
        values: dict[int, int] = {}
        for variable, size in reversed(self.free):
            number, values[variable] = divmod(number, size)
        for variables, rows in reversed(self.parts):
            number, at = divmod(number, len(rows))
            values.update(zip(variables, rows[at], strict=True))
        return values


class ValidCases:
    """The valid cases of a space; raises ConfigurationError if there is none.

    `exact` is true if all components of the constraints could be enumerated, so that every numbered
    case is valid. Otherwise `case` checks the constraints that could not.
    """

    def __init__(self, cases: CaseSpace) -> None:
        self.cases = cases
        components = components_of(cases)
        self._hard = [
            r for component in components if component.rows is None for r in component.restrictions
        ]
        self._written = [component for component in components if component.rows is not None]
        bound = {variable for component in self._written for variable in component.variables}
        self._free = [(n, size) for n, size in enumerate(cases.sizes) if n not in bound]
        self.exact = not self._hard

    def among(self, pins: Mapping[int, int] = NO_PINS) -> Numbered:
        """Return the combinations that the variables without a pinned value can have."""
        parts = [(component.variables, component.rows_with(pins)) for component in self._written]
        return Numbered(parts, [pair for pair in self._free if pair[0] not in pins])

    def cells(self, variables: Collection[int]) -> Numbered:
        """Return the combinations of values of some variables that occur in valid cases."""
        parts: list[tuple[Indices, Sequence[Indices]]] = []
        for component in self._written:
            columns = [
                column
                for column, variable in enumerate(component.variables)
                if variable in variables
            ]
            rows = sorted(
                {tuple([row[column] for column in columns]) for row in component.rows or ()}
            )
            parts.append((tuple(component.variables[column] for column in columns), rows))
        return Numbered(parts, [pair for pair in self._free if pair[0] in variables])

    def case(self, values: Mapping[int, int]) -> Indices | None:
        """Return the case with a value for every variable; None if it is not valid."""
        case = tuple([values[number] for number in range(len(self.cases.sizes))])
        return case if self.exact or all_hold(self._hard, case) else None


def in_order(cases: CaseSpace) -> Iterator[Indices]:
    """Iterate over the valid cases, the last variable changing fastest.

    Values that no valid case continues are skipped if the component could be enumerated. Raises
    ConfigurationError.
    """
    component = {
        variable: component
        for component in components_of(cases)
        for variable in component.variables
    }
    return _walk(cases.sizes, component)


def _walk(sizes: Indices, component: dict[int, Component]) -> Iterator[Indices]:
    row: list[int] = []
    at = 0
    while True:
        if len(row) < len(sizes) and at < sizes[len(row)]:
            row.append(at)
            at = 0 if _leads_on(row, component.get(len(row) - 1)) else row.pop() + 1
            continue
        if len(row) == len(sizes):
            yield tuple(row)
        if not row:
            return
        at = row.pop() + 1


def _leads_on(row: list[int], component: Component | None) -> bool:
    """Whether the last value leaves its component valid values."""
    if component is None:
        return True
    if component.rows is not None:
        return component.alive(dict(enumerate(row))) != 0
    last = len(row) - 1
    return all(
        restriction.holds(row)
        for restriction in component.restrictions
        if last in restriction.variables and max(restriction.variables) == last
    )


# Luby and Rackoff: four rounds make a permutation that cannot be told from a random one.
_ROUNDS = 4


class Permutation:
    """The numbers below `size` in a random order that `key` decides.

    A Feistel network over the bits of the number, repeated until the result is below `size` (Black
    and Rogaway: ciphers with arbitrary finite domains), so any place is computed at once and
    nothing is stored. `size` can be arbitrarily large.
    """

    def __init__(self, size: int, *key: object) -> None:
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._digits = (self._half + 7) // 8
        self._key = blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=32).digest()

    def __getitem__(self, place: int) -> int:
        """Return the number at a place; both are below `size`."""
        number = self._once(place)
        while number >= self.size:
            number = self._once(number)
        return number

    def _once(self, number: int) -> int:
        left, right = number >> self._half, number & self._mask
        for step in range(_ROUNDS):
            left, right = right, left ^ self._mix(step, right)
        return left << self._half | right

    def _mix(self, step: int, half: int) -> int:
        data = half.to_bytes(self._digits, "big")
        digest = b""
        while len(digest) < self._digits:
            block = bytes((step, len(digest) // 64 & 255)) + data
            digest += blake2b(block, key=self._key, digest_size=64).digest()
        return int.from_bytes(digest[: self._digits], "big") & self._mask


ResultT = TypeVar("ResultT")


def for_each_scenario(space: Space, make: Callable[[Scenario], ResultT]) -> list[ResultT]:
    """Return what `make` returns for each scenario, with repeated values of variables removed.

    Raises ConfigurationError with the problems of all scenarios.
    """
    results: list[ResultT] = []
    problems: list[Problem] = []
    for scenario in remove_repeated_values(space).scenarios:
        try:
            results.append(make(scenario))
        except ConfigurationError as err:
            problems += err.problems
    if problems:
        raise ConfigurationError(*problems)
    return results


def repetitions(scenario: Scenario) -> int:
    """Return how often a scenario without variables is played, as its author asks."""
    return max(1, scenario.number) if isinstance(scenario.number, int) else 1


def remove_repeated_values(space: Space) -> Space:
    """Remove repeated values of variables, which would give the same case again."""
    return Space(scenarios=tuple(_scenario(scenario) for scenario in space.scenarios))


def _scenario(scenario: Scenario) -> Scenario:
    variables = tuple(_variable(variable) for variable in scenario.variables)
    return scenario.model_copy(update={"variables": variables})


def _variable(variable: Variable) -> Variable:
    first: dict[str, int] = {}
    for number, value in enumerate(variable.domain):
        first.setdefault(json.dumps(value, sort_keys=True), number)
    if len(first) == len(variable.domain):
        return variable
    labels = variable.labels
    kept = (
        tuple(labels[index] for index in first.values())
        if len(labels) == len(variable.domain)
        else ()
    )
    domain = tuple(variable.domain[index] for index in first.values())
    return variable.model_copy(update={"domain": domain, "labels": kept})


__all__ = ["for_each_scenario", "in_order", "repetitions"]  # public: docs/reference/stability.md
