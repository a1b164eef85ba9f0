"""What was found for cases is kept for a while: models are asked once, and say it once."""

from collections import OrderedDict
from typing import Generic, TypeVar

from sparring.model.case import Case

_KEPT = 4_096
"""Cases that are remembered: as many as a run's screening keeps texts of."""

FoundT = TypeVar("FoundT")


class Memory(Generic[FoundT]):
    """What belongs to the latest cases; a case of another seed is another case."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._found: OrderedDict[tuple[str, int], FoundT] = OrderedDict()

    def get(self, case: Case) -> FoundT | None:
        """What belongs to a case; None where it is not known any more."""
        return self._found.get((case.id, case.seed))

    def keep(self, case: Case, found: FoundT) -> FoundT:
        """Remember what belongs to a case, and forget the oldest one."""
        self._found[case.id, case.seed] = found
        self._found.move_to_end((case.id, case.seed))
        while len(self._found) > self._kept:
            self._found.popitem(last=False)
        return found

    def forget(self, case: Case) -> None:
        """Know nothing of a case."""
        self._found.pop((case.id, case.seed), None)
