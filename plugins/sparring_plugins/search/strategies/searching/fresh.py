"""Random valid cases that were not proposed before."""

from collections.abc import Container, Iterator
from random import Random

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling.permutation import Permutation
from sparring_plugins.search.strategies.sampling.valid_cases import ValidCases

_TRIED = 20_000
"""Numbers in a row that stand for no new case before there is none."""


class Fresh:
    """Goes through the valid cases of a space in a random order.

    Where constraints are too large to write out and valid cases are rare, random cases are
    repaired. `position` is all there is to save. Raises ConfigurationError where no case is valid.
    """

    def __init__(self, cases: CaseSpace, seed: int) -> None:
        self._cases = cases
        self._valid = ValidCases(cases)
        self._numbered = self._valid.among()
        self._order = Permutation(self._numbered.size, seed, cases.scenario.name, "fresh")
        self._seed = seed
        self.position = 0

    def draw(self, *seen: Container[Indices]) -> Indices | None:
        """A case that is not among those seen; None where there is none, or hardly any."""
        new = (row for row in self._rows() if not any(row in some for some in seen))
        return next(new, None)

    def _rows(self) -> Iterator[Indices]:
        end = self.position + _TRIED
        while self.position < min(end, self._numbered.size):
            row = self._valid.case(self._numbered[self._order[self.position]])
            self.position += 1
            if row is not None:
                yield row
        if not self._valid.exact:
            draw = Random(f"{self._seed}/{self.position}")
            for _ in range(_TRIED // 10):
                drawn = tuple(draw.randrange(size) for size in self._cases.sizes)
                yield self._cases.repaired_indices(drawn)
