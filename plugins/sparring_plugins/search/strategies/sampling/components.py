"""The parts of a space that constraints hold together, each written out where that is feasible.

Constraints that share variables make one component. The valid values of a component are
independent of all others, so that the valid cases are the product of those of the components.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.space.restrictions import Restriction

ROWS = 100_000
"""Valid combinations of one component that are written out, at most."""

_STEPS = 1_000_000
"""Values that are tried to write a component out, at most."""


@dataclass(frozen=True)
class Component:
    """Variables that constraints connect.

    `rows` are their valid values in the order of the space, the last variable changing the
    fastest; None where they are too many to write out.
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
        """The rows with the pinned values of its variables, as the bits of one number."""
        left = (1 << len(self.rows or ())) - 1
        for column, variable in enumerate(self.variables):
            if variable in pins:
                left &= self._having[column][pins[variable]]
        return left

    def values(self, alive: int, variable: int) -> list[bool]:
        """Which values of a variable the rows that are alive have."""
        return [alive & having != 0 for having in self._having[self.variables.index(variable)]]

    def rows_with(self, pins: Mapping[int, int]) -> Sequence[Indices]:
        """The rows with the pinned values of its variables."""
        rows = self.rows or ()
        own = [(n, pins[one]) for n, one in enumerate(self.variables) if one in pins]
        if not own:
            return rows
        return [row for row in rows if all(row[column] == value for column, value in own)]


def components_of(cases: CaseSpace) -> tuple[Component, ...]:
    """The components of a space; raises ConfigurationError where one has no valid values."""
    together: list[tuple[set[int], list[Restriction]]] = []
    for one in cases.restrictions:
        joined, own = set(one.variables), [one]
        for other in [pair for pair in together if pair[0] & joined]:
            joined |= other[0]
            own = other[1] + own
            together.remove(other)
        together.append((joined, own))
    made = [_component(cases, sorted(names), own) for names, own in together]
    if any(one.rows == () for one in made):
        source, key = cases.scenario.source, cases.scenario.name
        raise ConfigurationError(
            Problem("no case satisfies all of its constraints", source, key=key)
        )
    return tuple(sorted(made, key=lambda one: one.variables))


def _component(
    cases: CaseSpace, variables: Sequence[int], restrictions: Sequence[Restriction]
) -> Component:
    sizes = tuple(cases.sizes[variable] for variable in variables)
    rows: list[Indices] = []
    complete = True
    for row in _written_out(variables, sizes, restrictions):
        if row is None or len(rows) >= ROWS:
            complete = False
            break
        rows.append(row)
    found = tuple(rows) if complete else None
    return Component(tuple(variables), sizes, tuple(restrictions), found)


def _written_out(
    variables: Sequence[int], sizes: Sequence[int], restrictions: Sequence[Restriction]
) -> Iterator[Indices | None]:
    """The valid values in order, or None once that takes too long."""
    place = {variable: number for number, variable in enumerate(variables)}
    checks: list[list[tuple[Restriction, list[int]]]] = [[] for _ in range(len(sizes) + 1)]
    for one in restrictions:
        columns = [place[variable] for variable in one.variables]
        checks[max(columns, default=-1) + 1].append((one, columns))
    if not all(one.allows(()) for one, _ in checks[0]):
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
        if not all(one.allows(tuple([row[c] for c in own])) for one, own in checks[len(row)]):
            at = row.pop() + 1
