"""The valid cases of a space by number, so that some of them can be drawn evenly."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.space.restrictions import all_hold
from sparring_plugins.search.strategies.sampling.components import components_of

NO_PINS: Mapping[int, int] = {}


@dataclass(frozen=True)
class Numbered:
    """Combinations of values by number: the product of some rows and of free variables.

    `parts` have the variables of a component with the rows that it may have, `free` the other
    variables with their sizes.
    """

    parts: Sequence[tuple[Indices, Sequence[Indices]]]
    free: Sequence[tuple[int, int]]

    @property
    def size(self) -> int:
        """How many there are."""
        rows = prod(len(rows) for _, rows in self.parts)
        return rows * prod(size for _, size in self.free)

    def __getitem__(self, number: int) -> dict[int, int]:
        """The values, by the number of the variable, of a number below `size`."""
        values: dict[int, int] = {}
        for variable, size in reversed(self.free):
            number, values[variable] = divmod(number, size)
        for variables, rows in reversed(self.parts):
            number, at = divmod(number, len(rows))
            values.update(zip(variables, rows[at], strict=True))
        return values


class ValidCases:
    """The valid cases of a space; raises ConfigurationError where there is none.

    `exact` says that all components of the constraints could be written out, so that what is
    numbered is valid. Otherwise `holds` has to be asked.
    """

    def __init__(self, cases: CaseSpace) -> None:
        self.cases = cases
        found = components_of(cases)
        self._hard = [r for one in found if one.rows is None for r in one.restrictions]
        self._written = [one for one in found if one.rows is not None]
        bound = {variable for one in self._written for variable in one.variables}
        self._free = [(n, size) for n, size in enumerate(cases.sizes) if n not in bound]
        self.exact = not self._hard

    def among(self, pins: Mapping[int, int] = NO_PINS) -> Numbered:
        """The values that the variables without a pinned value may have beside those with one."""
        parts = [(one.variables, one.rows_with(pins)) for one in self._written]
        return Numbered(parts, [pair for pair in self._free if pair[0] not in pins])

    def cells(self, variables: Collection[int]) -> Numbered:
        """The values of some variables that go together in valid cases."""
        parts: list[tuple[Indices, Sequence[Indices]]] = []
        for one in self._written:
            columns = [n for n, own in enumerate(one.variables) if own in variables]
            rows = sorted({tuple([row[n] for n in columns]) for row in one.rows or ()})
            parts.append((tuple(one.variables[n] for n in columns), rows))
        return Numbered(parts, [pair for pair in self._free if pair[0] in variables])

    def case(self, values: Mapping[int, int]) -> Indices | None:
        """The case with a value for every variable; None where it is not valid."""
        found = tuple([values[number] for number in range(len(self.cases.sizes))])
        return found if self.exact or all_hold(self._hard, found) else None
