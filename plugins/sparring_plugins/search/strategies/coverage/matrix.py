"""The cells of one scenario, and the cases of each."""

from collections.abc import Collection
from math import prod

from sparring.model.case import Case
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling.permutation import Permutation
from sparring_plugins.search.strategies.sampling.valid_cases import ValidCases

_TRIED = 5_000
"""Draws for a further valid case of a cell, where constraints are too large to write out."""


class Matrix:
    """The combinations of the chosen features of a scenario, all of them without a choice.

    `size` is the number of cells and `most` how often one can be visited at most.
    """

    def __init__(self, cases: CaseSpace, features: Collection[str] | None, seed: int) -> None:
        self.cases = cases
        names = cases.names if features is None else features
        chosen = [number for number, name in enumerate(cases.names) if name in names]
        self._valid = ValidCases(cases)
        self._cells = self._valid.cells(chosen)
        self._key = (seed, cases.scenario.name)
        self.size = self._cells.size
        others = prod(size for n, size in enumerate(cases.sizes) if n not in chosen)
        self.most = others if cases.names else _times(cases)

    def first(self, visit: int, place: int, run_seed: int) -> tuple[Case, int] | None:
        """The case of the first cell from a place on that has as many; and the place after it."""
        order = Permutation(self.size, *self._key, "visit", visit)
        for at in range(place, self.size):
            if not self.cases.names:
                return self.cases.case({}, run_seed=run_seed, repeat=visit + 1), at + 1
            found = self._case(order[at], visit)
            if found is not None:
                return self.cases.case(self.cases.params(found), run_seed=run_seed), at + 1
        return None

    def _case(self, cell: int, visit: int) -> Indices | None:
        """The case of a visit to a cell, None where it has fewer."""
        pins = self._cells[cell]
        others = self._valid.among(pins)
        if visit >= others.size:
            return None
        order = Permutation(others.size, *self._key, "cell", cell)
        if self._valid.exact:
            return self._valid.case({**pins, **others[order[visit]]})
        for number in range(min(others.size, visit + _TRIED)):
            found = self._valid.case({**pins, **others[order[number]]})
            if found is not None:
                if not visit:
                    return found
                visit -= 1
        return None


def _times(cases: CaseSpace) -> int:
    number = cases.scenario.number
    return max(1, number) if isinstance(number, int) else 1
