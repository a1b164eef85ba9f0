"""The random cases of one scenario, one after the other."""

import json
from abc import ABC, abstractmethod
from hashlib import blake2b

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.model.case import Case
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling.permutation import Permutation
from sparring_plugins.search.strategies.sampling.valid_cases import ValidCases

_TRIED = 20_000
"""Numbers in a row that stand for no valid new case before a course gives up."""


class Course(ABC):
    """How far the cases of a scenario have come.

    `position` counts numbers that were looked at and `given` the cases made of them. A scenario
    without variables has one case, which is repeated as often as it is asked for. It is
    `open_ended` where nobody said how many cases are wanted.
    """

    def __init__(self, cases: CaseSpace, limit: int | None) -> None:
        self.cases = cases
        self.position = self.given = 0
        self._repeated = not cases.names
        self.open_ended = limit is None and not self._repeated
        self._most = (limit or 1) if self._repeated else limit
        self._next: tuple[int, Indices] | None = None
        self._over = False

    @abstractmethod
    def _found(self, position: int) -> tuple[int, Indices] | None:
        """The first new case from a position on, with the position after it."""

    @property
    def expected(self) -> int | None:
        """How many cases there will be, where that is known."""
        return self._most

    @property
    def done(self) -> bool:
        """Whether there is no further case."""
        if self._most is not None and self.given >= self._most:
            return True
        if self._next is None and not (self._repeated or self._over):
            self._next = self._found(self.position)
            self._over = self._next is None
        return self._over

    def step(self, run_seed: int) -> Case:
        """The next case."""
        if self._repeated:
            self.given += 1
            return self.cases.case({}, run_seed=run_seed, repeat=self.given)
        if self.done or self._next is None:
            raise IndexError("there is no further case")
        self.position, indices = self._next
        self._next = None
        self.given += 1
        self._took(indices)
        return self.cases.case(self.cases.params(indices), run_seed=run_seed)

    def _took(self, indices: Indices) -> None:  # noqa: B027 - most courses need not hear it
        """Hear which case was given."""

    @property
    def place(self) -> JsonValue:
        """Where it stands, as plain data."""
        return {"position": self.position, "given": self.given}

    def go_to(self, place: dict[str, JsonValue]) -> bool:
        """Go to a saved place; false where it cannot be one of this course."""
        position, given = place.get("position"), place.get("given")
        if type(position) is not int or type(given) is not int:
            return False
        if position < 0 or given < 0 or (self._most is not None and given > self._most):
            return False
        self.position, self.given = position, given
        self._next, self._over = None, False
        return True


class Even(Course):
    """Every valid case once, in a random order that nobody has to remember."""

    def __init__(self, cases: CaseSpace, seed: int, limit: int | None) -> None:
        super().__init__(cases, limit)
        self._valid = ValidCases(cases)
        self._numbered = self._valid.among()
        self._order = Permutation(self._numbered.size, seed, cases.scenario.name)
        if self._valid.exact and not self._repeated:
            size = self._numbered.size
            self._most = size if limit is None else min(limit, size)
        if self._found(0) is None:
            raise ConfigurationError(_too_rare(cases))

    def _found(self, position: int) -> tuple[int, Indices] | None:
        end = min(self._numbered.size, position + _TRIED)
        for number in range(position, end):
            indices = self._valid.case(self._numbered[self._order[number]])
            if indices is not None:
                return number + 1, indices
        return None


class Repaired(Course):
    """Random cases, those that are invalid repaired, and those that came before left out."""

    def __init__(self, cases: CaseSpace, seed: int, limit: int | None) -> None:
        super().__init__(cases, limit)
        self._order = Permutation(cases.size, seed, cases.scenario.name)
        self._seen: set[int] = set()

    def _found(self, position: int) -> tuple[int, Indices] | None:
        for number in range(position, min(self.cases.size, position + _TRIED)):
            indices = self.cases.repaired_indices(self._drawn(self._order[number]))
            if _digest(indices) not in self._seen:
                return number + 1, indices
        return None

    def _drawn(self, number: int) -> Indices:
        drawn: list[int] = []
        for size in reversed(self.cases.sizes):
            number, at = divmod(number, size)
            drawn.append(at)
        return tuple(reversed(drawn))

    def _took(self, indices: Indices) -> None:
        self._seen.add(_digest(indices))

    def go_to(self, place: dict[str, JsonValue]) -> bool:
        """Go to a saved place; what came before it is drawn again, to be known."""
        if not super().go_to(place):
            return False
        wanted, self.position, self.given = (self.position, self.given), 0, 0
        self._seen.clear()
        while self.given < wanted[1] and (found := self._found(self.position)) is not None:
            self.position = found[0]
            self.given += 1
            self._took(found[1])
        return (self.position, self.given) == wanted


def _digest(indices: Indices) -> int:
    content = json.dumps(indices).encode()
    return int.from_bytes(blake2b(content, digest_size=12).digest())


def _too_rare(cases: CaseSpace) -> Problem:
    return Problem(
        f"not one of {_TRIED:,} random cases satisfies the constraints: set invalid: repair",
        cases.scenario.source,
        key=cases.scenario.name,
    )
