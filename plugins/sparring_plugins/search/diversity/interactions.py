"""Which interactions of features cases contain: tuples of t values of t features."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sparring.errors import ConfigurationError, SparringError
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices

_LARGEST = 5_000_000


@dataclass(frozen=True)
class InteractionSpace:
    """The tuples of `strength` values that valid cases of a scenario may contain.

    `possible` is how many there are; None where that takes too much to find out.
    """

    cases: CaseSpace
    strength: int
    possible: int | None

    @classmethod
    def of(cls, cases: CaseSpace, strength: int) -> "InteractionSpace":
        """The interactions of a scenario, of fewer features where it has fewer."""
        import numpy as np

        from sparring_plugins.search.strategies.t_wise.interactions import interactions
        from sparring_plugins.search.strategies.t_wise.validity import Validity

        strength = min(strength, len(cases.names))
        try:
            model = interactions(cases.sizes, strength)
            if model.cells > _LARGEST:
                return cls(cases, strength, None)
            return cls(cases, strength, int(np.count_nonzero(Validity(cases).possible(model))))
        except (SparringError, ConfigurationError):
            return cls(cases, strength, None)

    def covered(self, rows: Iterable[Indices]) -> int:
        """How many different tuples the rows contain."""
        import numpy as np

        from sparring_plugins.search.strategies.t_wise.interactions import interactions

        listed = list(rows)
        if not listed or not self.strength:
            return 0
        model = interactions(self.cases.sizes, self.strength)
        seen = np.zeros(model.cells, dtype=bool)
        for start in range(0, len(listed), 1_000):
            seen[model.places(np.asarray(listed[start : start + 1_000], dtype=np.intp))] = True
        return int(seen.sum())

    def share(self, rows: Iterable[Indices]) -> float | None:
        """What share of the possible tuples the rows contain."""
        return self.covered(rows) / self.possible if self.possible else None


def indices_of(cases: CaseSpace, several: Iterable[dict[str, object]]) -> list[Indices]:
    """The cases of a scenario by the numbers of their values; what is not of it is left out."""
    found: list[Indices] = []
    for params in several:
        try:
            found.append(cases.indices(params))  # type: ignore[arg-type]  # checked by it
        except ValueError:
            continue
    return found


def cells_hit(rows: Sequence[Indices], features: Sequence[int]) -> int:
    """How many cells of an archive over some features the rows fall into (MAP-Elites)."""
    return len({tuple(row[number] for number in features) for row in rows})
