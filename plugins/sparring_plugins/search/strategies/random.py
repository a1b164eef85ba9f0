"""The strategy `random`: cases drawn uniformly from the space."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices, all_hold
from sparring_plugins.search.space.weights import weights_of
from sparring_plugins.search.strategies.sampling import (
    Permutation,
    ValidCases,
    for_each_scenario,
)

_TRIED = 20_000
"""Numbers in a row that stand for no valid new case before a course gives up."""


class CaseSequence(ABC):
    """The random cases of a scenario, one after the other.

    `position` counts the numbers that were looked at and `given` the cases made from them. A
    scenario without variables has one case, which is repeated as often as it is asked for. The
    sequence is `open_ended` if neither suite nor author limits the number of cases.
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
    def _find_next(self, position: int) -> tuple[int, Indices] | None:
        """Return the first new case from a position on, with the position after it."""

    @property
    def expected(self) -> int | None:
        """How many cases there will be, if that is known."""
        return self._most

    @property
    def done(self) -> bool:
        """Whether there is no further case."""
        if self._most is not None and self.given >= self._most:
            return True
        # Constraints may leave fewer cases than were asked for, which only looking for one shows.
        if self._next is None and not (self._repeated or self._over):
            self._next = self._find_next(self.position)
            self._over = self._next is None
        return self._over

    def step(self, run_seed: int) -> Case:
        """Return the next case."""
        if self._repeated:
            self.given += 1
            return self.cases.case({}, run_seed=run_seed, repeat=self.given)
        if self.done or self._next is None:
            raise IndexError("there is no further case")
        self.position, indices = self._next
        self._next = None
        self.given += 1
        self._record(indices)
        params = self.cases.params(indices)
        return self.cases.case(params, run_seed=run_seed, repeat=self._repeat(indices))

    def _record(self, indices: Indices) -> None:  # noqa: B027 - most courses need not hear it
        """Record which case was given."""

    def _repeat(self, indices: Indices) -> int:
        """Return which case of equal content the last one was, from 1."""
        return 1

    @property
    def place(self) -> JsonValue:
        """The position as plain data."""
        return {"position": self.position, "given": self.given}

    def go_to(self, place: dict[str, JsonValue]) -> bool:
        """Go to a saved place; returns false if it cannot be one of this sequence."""
        position, given_count = place.get("position"), place.get("given")
        if type(position) is not int or type(given_count) is not int:
            return False
        if position < 0 or given_count < 0 or (self._most is not None and given_count > self._most):
            return False
        self.position, self.given = position, given_count
        self._next, self._over = None, False
        return True


class UniformSequence(CaseSequence):
    """Every valid case once, in a pseudo-random order that takes no memory."""

    def __init__(self, cases: CaseSpace, seed: int, limit: int | None) -> None:
        super().__init__(cases, limit)
        self._valid = ValidCases(cases)
        self._numbered = self._valid.among()
        self._order = Permutation(self._numbered.size, seed, cases.scenario.name)
        if self._valid.exact and not self._repeated:
            size = self._numbered.size
            self._most = size if limit is None else min(limit, size)
        if self._find_next(0) is None:
            raise ConfigurationError(_too_rare(cases))

    def _find_next(self, position: int) -> tuple[int, Indices] | None:
        end = min(self._numbered.size, position + _TRIED)
        for number in range(position, end):
            indices = self._valid.case(self._numbered[self._order[number]])
            if indices is not None:
                return number + 1, indices
        return None


class RepairedSequence(CaseSequence):
    """Random cases, invalid ones repaired, without those that came before."""

    def __init__(self, cases: CaseSpace, seed: int, limit: int | None) -> None:
        super().__init__(cases, limit)
        self._order = Permutation(cases.size, seed, cases.scenario.name)
        self._seen: set[int] = set()

    def _find_next(self, position: int) -> tuple[int, Indices] | None:
        for number in range(position, min(self.cases.size, position + _TRIED)):
            indices = self.cases.repaired_indices(self._draw(self._order[number]))
            if _digest(indices) not in self._seen:
                return number + 1, indices
        return None

    def _draw(self, number: int) -> Indices:
        drawn: list[int] = []
        for size in reversed(self.cases.sizes):
            number, at = divmod(number, size)
            drawn.append(at)
        return tuple(reversed(drawn))

    def _record(self, indices: Indices) -> None:
        self._seen.add(_digest(indices))

    def go_to(self, place: dict[str, JsonValue]) -> bool:
        """Go to a saved place; what came before it is drawn again, so that it is known."""
        if not super().go_to(place):
            return False
        wanted, self.position, self.given = (self.position, self.given), 0, 0
        self._seen.clear()
        while self.given < wanted[1] and (step := self._find_next(self.position)) is not None:
            self.position = step[0]
            self.given += 1
            self._record(step[1])
        return (self.position, self.given) == wanted


class WeightedSequence(CaseSequence):
    """Cases drawn as real users have them: values by their weights, equal cases as often as drawn.

    Each draw of equal content is a case of its own (`Case.repeat`), with words of its own.
    """

    def __init__(self, cases: CaseSpace, seed: int, limit: int | None, repair: bool) -> None:
        super().__init__(cases, limit)
        self._seed = f"{seed}/{cases.scenario.name}/weighted"
        self._repairs = repair
        variables = cases.scenario.variables
        self._weights = [weights_of(v) or (1.0,) * len(v.domain) for v in variables]
        self._counts: Counter[int] = Counter()
        if self._find_next(0) is None:
            raise ConfigurationError(_too_rare(cases))

    def _find_next(self, position: int) -> tuple[int, Indices] | None:
        for number in range(position, position + _TRIED):
            draw = Random(f"{self._seed}/{number}")
            drawn = tuple(
                draw.choices(range(len(weights)), weights)[0] for weights in self._weights
            )
            if self._repairs:
                return number + 1, self.cases.repaired_indices(drawn)
            if all_hold(self.cases.restrictions, drawn):
                return number + 1, drawn
        return None

    def _record(self, indices: Indices) -> None:
        self._counts[_digest(indices)] += 1

    def _repeat(self, indices: Indices) -> int:
        return self._counts[_digest(indices)]

    def go_to(self, place: dict[str, JsonValue]) -> bool:
        """Go to a saved place; what came before it is drawn again, so that it is counted."""
        if not super().go_to(place):
            return False
        wanted, self.position, self.given = (self.position, self.given), 0, 0
        self._counts.clear()
        while self.given < wanted[1] and (step := self._find_next(self.position)) is not None:
            self.position = step[0]
            self.given += 1
            self._record(step[1])
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


class RandomConfig(PluginConfig):
    """Settings of the strategy `random`."""

    number: int | None = Field(
        default=None,
        ge=1,
        description="Cases per scenario; without it what each scenario asks for, else as many as "
        "there are or the budget allows.",
    )
    invalid: Literal["reject", "repair"] = Field(
        default="reject",
        description="What happens to a drawn case that breaks a constraint: reject draws uniformly "
        "from the valid ones; repair makes it valid, as the search strategies do, so that some "
        "cases are likelier.",
    )
    weights: bool = Field(
        default=True,
        description="Whether values are drawn as often as their weights say, so that rates are "
        "those of real use; equal cases then come again, each in words of its own.",
    )


class RandomStrategy(SearchStrategy[RandomConfig]):
    """Asks random cases, of each scenario in turn, no case twice, until there are no more.

    If values have weights, cases are drawn as often as real users have them, and come again.
    Otherwise every valid case is as likely as any other. The order of a scenario depends on the
    seed and the scenario alone, and no case is stored: memory does not grow, and a space of any
    size starts at once. With ``invalid: repair`` or weights a digest of each case is kept.
    """

    Config: ClassVar[type[PluginConfig]] = RandomConfig

    _seed: int = 0
    _courses: Sequence[CaseSequence] = ()
    _turn: int = 0

    def start(self, space: Space, seed: int) -> None:
        self._courses = for_each_scenario(space, lambda scenario: self._course(scenario, seed))
        self._seed, self._turn = seed, 0

    def _course(self, scenario: Scenario, seed: int) -> CaseSequence:
        cases = CaseSpace(scenario, self.context)
        number = self.config.number or scenario.number
        limit = number if isinstance(number, int) else None
        if self.config.weights and any(weights_of(v) for v in cases.scenario.variables):
            return WeightedSequence(cases, seed, limit, self.config.invalid == "repair")
        if self.config.invalid == "repair" and scenario.constraints:
            return RepairedSequence(cases, seed, limit)
        return UniformSequence(cases, seed, limit)

    def ask(self, n: int) -> Sequence[Case]:
        asked: list[Case] = []
        while len(asked) < n and not self.done:
            course = self._courses[self._turn]
            self._turn = (self._turn + 1) % len(self._courses)
            if not course.done:
                asked.append(course.step(self._seed))
        return asked

    @property
    def done(self) -> bool:
        return all(course.done for course in self._courses)

    def state(self) -> JsonValue:
        return {"places": [course.place for course in self._courses], "turn": self._turn}

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        places, turn = saved.get("places"), saved.get("turn")
        wrong = StoredRunError("the saved state of the strategy 'random' is of another suite")
        if not isinstance(places, list) or len(places) != len(self._courses):
            raise wrong
        if type(turn) is not int or not 0 <= turn < max(1, len(self._courses)):
            raise wrong
        for place, course in zip(places, self._courses, strict=True):
            if not isinstance(place, dict) or not course.go_to(place):
                raise wrong
        self._turn = turn

    def expected(self) -> int | None:
        numbers = [course.expected for course in self._courses]
        return None if None in numbers else sum(number or 0 for number in numbers)

    def open_ended(self) -> bool:
        return any(course.open_ended for course in self._courses)
