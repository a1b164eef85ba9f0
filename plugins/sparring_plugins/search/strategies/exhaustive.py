"""The strategy `exhaustive`: every scenario with every combination of values, N times."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.errors import StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.sampling import (
    components_of,
    for_each_scenario,
    in_order,
    repetitions,
)


class ExhaustiveConfig(PluginConfig):
    """Settings of the strategy `exhaustive`."""

    repeats: int = Field(
        default=1, ge=1, le=100_000, description="how often each case is played, to see it again"
    )


class ExhaustiveStrategy(SearchStrategy[ExhaustiveConfig]):
    """Asks every valid case of the space in order, then all of them again, `repeats` times in all.

    This plays a list of test cases, each N times. A scenario without variables whose author asks
    for a number of cases is repeated that often for each of `repeats`. Cases are made as they are
    asked, so a large space takes no memory; nothing but the budget ends it early.
    """

    Config: ClassVar[type[PluginConfig]] = ExhaustiveConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "never"

    _spaces: Sequence[CaseSpace] = ()
    _seed: int = 0
    _position: int = 0
    _total: int | None = 0
    _cases: Iterator[Case] = iter(())
    _next: Case | None = None

    def start(self, space: Space, seed: int) -> None:
        self._spaces, self._seed = for_each_scenario(space, self._check_space), seed
        self._total = self._count()
        self._go_to(0)

    def _check_space(self, scenario: Scenario) -> CaseSpace:
        cases = CaseSpace(scenario, self.context)
        components_of(cases)  # raises if no case is valid
        return cases

    def _count(self) -> int | None:
        """Return how many cases there are; None if that can only be estimated."""
        counts = [cases.count() for cases in self._spaces]
        if not all(count.exact for count in counts):
            return None
        numbers = zip(counts, self._spaces, strict=True)
        return self.config.repeats * sum(
            count.number * _times(cases.scenario) for count, cases in numbers
        )

    def _iterate(self) -> Iterator[Case]:
        for repeat in range(1, self.config.repeats + 1):
            for cases in self._spaces:
                times = _times(cases.scenario)
                for indices in in_order(cases):
                    params = cases.params(indices)
                    for number in range(1, times + 1):
                        nth = (repeat - 1) * times + number
                        yield cases.case(params, run_seed=self._seed, repeat=nth)

    def _go_to(self, position: int) -> None:
        self._cases = islice(self._iterate(), position, None)
        self._position, self._next = position, next(self._cases, None)

    def ask(self, n: int) -> Sequence[Case]:
        asked: list[Case] = []
        while len(asked) < n and self._next is not None:
            asked.append(self._next)
            self._next = next(self._cases, None)
        self._position += len(asked)
        return asked

    def tell(self, case: Case, verdicts: Sequence[object]) -> None:
        return None

    @property
    def done(self) -> bool:
        return self._next is None

    def state(self) -> JsonValue:
        return {"position": self._position, "total": self._total}

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        position = saved.get("position")
        right = type(position) is int and position >= 0 and saved.get("total") == self._total
        if not right or not isinstance(position, int) or position > (self._total or position):
            raise StoredRunError("the saved state of the strategy 'exhaustive' is of another suite")
        self._go_to(position)

    def expected(self) -> int | None:
        return self._total


def _times(scenario: Scenario) -> int:
    return 1 if scenario.variables else repetitions(scenario)
