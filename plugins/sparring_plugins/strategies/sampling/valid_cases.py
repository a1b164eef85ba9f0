"""The valid cases of a space by number, so that some of them can be drawn evenly."""

from collections.abc import Mapping, Sequence
from math import prod

from sparring.space import CaseSpace
from sparring.space.encoding import Indices
from sparring.space.restrictions import all_hold
from sparring_plugins.strategies.sampling.components import Component, components_of

NO_PINS: Mapping[int, int] = {}


class ValidCases:
    """The valid cases of a space, numbered; raises ConfigurationError where there is none.

    Where all components of the constraints can be written out, the numbers below `size` are the
    valid cases, each once (`exact`). Otherwise some numbers are those of invalid cases.
    """

    def __init__(self, cases: CaseSpace) -> None:
        self.cases = cases
        self.components = components_of(cases)
        self._hard = [one for component in self.components if component.rows is None
                      for one in component.restrictions]  # fmt: skip
        written = [one for one in self.components if one.rows is not None]
        bound = {variable for one in written for variable in one.variables}
        self._written = written
        self._free = [number for number in range(len(cases.sizes)) if number not in bound]
        self.exact = not self._hard

    def among(self, pins: Mapping[int, int] = NO_PINS) -> "Numbered":
        """The valid cases with the pinned values."""
        free = [number for number in self._free if number not in pins]
        return Numbered(self, pins, free, [one.rows_with(pins) for one in self._written])

    @property
    def written(self) -> Sequence[Component]:
        """The components that are written out."""
        return self._written

    def holds(self, indices: Indices) -> bool:
        """Whether a case satisfies the constraints that are not written out."""
        return all_hold(self._hard, indices)


class Numbered:
    """The valid cases with some pinned values, by number."""

    def __init__(
        self,
        valid: ValidCases,
        pins: Mapping[int, int],
        free: Sequence[int],
        rows: Sequence[Sequence[Indices]],
    ) -> None:
        self._valid, self._pins, self._free, self._rows = valid, pins, free, rows
        sizes = valid.cases.sizes
        self.size = prod(len(one) for one in rows) * prod(sizes[number] for number in free)

    def __getitem__(self, number: int) -> Indices | None:
        """The case of a number below `size`; None where it is not valid."""
        sizes = self._valid.cases.sizes
        case = [0] * len(sizes)
        for variable, value in self._pins.items():
            case[variable] = value
        for variable in reversed(self._free):
            number, case[variable] = divmod(number, sizes[variable])
        for component, rows in zip(self._valid.written, self._rows, strict=True):
            number, at = divmod(number, len(rows))
            for variable, value in zip(component.variables, rows[at], strict=True):
                case[variable] = value
        found = tuple(case)
        return found if self._valid.exact or self._valid.holds(found) else None
