"""The strategy `exhaustive`: every scenario with every combination of values, N times."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space


class ExhaustiveConfig(PluginConfig):
    """Settings of the strategy `exhaustive`."""

    repeats: int = Field(
        default=1, ge=1, le=100_000, description="how often each case is played, to see it again"
    )


class ExhaustiveStrategy(SearchStrategy[ExhaustiveConfig]):
    """Asks every case of the space in order, then all of them again, `repeats` times in all.

    It is what plays a list of test cases, each N times. A scenario without variables whose author
    asks for a number of cases is repeated so often for each of `repeats`. Cases are made as they
    are asked, so that a large space takes no memory.
    """

    Config: ClassVar[type[PluginConfig]] = ExhaustiveConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "never"

    _space: Space = Space(scenarios=())
    _seed: int = 0
    _position: int = 0
    _total: int = 0
    _cases: Iterator[Case] = iter(())

    def start(self, space: Space, seed: int) -> None:
        problems = [
            Problem(f"the variable '{variable.name}' has no values", one.source, key=one.name)
            for one in space.scenarios
            for variable in one.variables
            if not variable.domain
        ]
        if problems:
            raise ConfigurationError(*problems)
        self._space, self._seed, self._position = space, seed, 0
        self._total = self.config.repeats * sum(map(_size, space.scenarios))
        self._cases = self._all()

    def _all(self) -> Iterator[Case]:
        for repeat in range(1, self.config.repeats + 1):
            for scenario in self._space.scenarios:
                names = [variable.name for variable in scenario.variables]
                for values in product(*(variable.domain for variable in scenario.variables)):
                    params = dict(zip(names, values, strict=True))
                    for number in range(1, (times := _times(scenario)) + 1):
                        nth = (repeat - 1) * times + number
                        yield Case.of(scenario.name, params, run_seed=self._seed, repeat=nth)

    def ask(self, n: int) -> Sequence[Case]:
        cases = list(islice(self._cases, max(n, 0)))
        self._position += len(cases)
        return cases

    def tell(self, case: Case, verdicts: Sequence[object]) -> None:
        return None

    @property
    def done(self) -> bool:
        return self._position >= self._total

    def state(self) -> JsonValue:
        return {"position": self._position, "total": self._total}

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        position = saved.get("position")
        right = type(position) is int and 0 <= position <= self._total
        if not right or saved.get("total") != self._total or not isinstance(position, int):
            raise StoredRunError("the saved state of the strategy 'exhaustive' is of another suite")
        self._cases = islice(self._all(), position, None)
        self._position = position

    def expected(self) -> int | None:
        return self._total


def _size(scenario: Scenario) -> int:
    return prod(len(variable.domain) for variable in scenario.variables) * _times(scenario)


def _times(scenario: Scenario) -> int:
    asked = scenario.number if isinstance(scenario.number, int) else 1
    return max(1, asked) if not scenario.variables else 1
