"""Strategies that propose given cases, one for each way of learning."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, cast

from pydantic import Field, JsonValue

from sparring.errors import StoredRunError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.verdict import Verdict


class FakeStrategyConfig(PluginConfig):
    """Which cases to propose.

    `params` are the values of one case each, for every scenario of the space; left out, each
    scenario gives one case with the first value of each of its variables. Equal ones are
    repeats. `batch` is the size of a batch of the strategy that learns per batch.
    """

    params: tuple[dict[str, JsonValue], ...] = ()
    batch: int = Field(default=4, gt=0)


class FakeStrategy(SearchStrategy[FakeStrategyConfig]):
    """Proposes the given cases in order, and does not learn; `told` is what it was told."""

    Config: ClassVar[type[PluginConfig]] = FakeStrategyConfig

    def __init__(self, config: FakeStrategyConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.told: list[tuple[Case, tuple[Verdict, ...]]] = []
        self._cases: list[Case] = []
        self._asked = 0

    def start(self, space: Space, seed: int) -> None:
        """Make the cases."""
        self.told = []
        self._cases = list(self._made(space, seed))
        self._asked = 0

    def _made(self, space: Space, seed: int) -> Iterator[Case]:
        seen: dict[str, int] = {}
        for scenario in space.scenarios:
            for params in self.config.params or _first_values(scenario):
                first = Case.of(scenario.name, params, run_seed=seed)
                repeat = seen[first.id] = seen.get(first.id, 0) + 1
                yield Case.of(scenario.name, params, run_seed=seed, repeat=repeat)

    def ask(self, n: int) -> Sequence[Case]:
        """The next cases."""
        cases = self._cases[self._asked : self._asked + n]
        self._asked += len(cases)
        return cases

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Keep what was told in `told`."""
        self.told.append((case, tuple(verdicts)))

    @property
    def done(self) -> bool:
        """Whether all cases were proposed."""
        return self._asked >= len(self._cases)

    def state(self) -> JsonValue:
        """How many cases were proposed and told."""
        return {"asked": self._asked, "told": len(self.told)}

    def restore(self, state: JsonValue) -> None:
        """Go on after those; what was told before is not known any more."""
        if not isinstance(state, dict) or "asked" not in state:
            raise StoredRunError("the saved state is not of the strategy 'FakeStrategy'")
        self._asked = cast("dict[str, Any]", state)["asked"]

    def expected(self) -> int | None:
        """The number of given cases."""
        return len(self._cases)


def _first_values(scenario: Scenario) -> list[dict[str, JsonValue]]:
    if any(not variable.domain for variable in scenario.variables):
        return []
    return [{variable.name: variable.domain[0] for variable in scenario.variables}]


class FakeBatchStrategy(FakeStrategy):
    """Proposes whole batches, the next one only when all of the last were told."""

    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-batch"

    def start(self, space: Space, seed: int) -> None:
        """Make the cases; nothing is outstanding."""
        super().start(space, seed)
        self._outstanding = 0

    def ask(self, n: int) -> Sequence[Case]:
        """The next batch, or nothing while one is outstanding."""
        if self._outstanding:
            return []
        cases = super().ask(self.config.batch)
        self._outstanding = len(cases)
        return cases

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        """Count down the outstanding cases."""
        super().tell(case, verdicts)
        self._outstanding = max(0, self._outstanding - 1)

    def state(self) -> JsonValue:
        """How many cases were proposed, and how many of them are outstanding."""
        return {"asked": self._asked, "outstanding": self._outstanding}

    def restore(self, state: JsonValue) -> None:
        """Go on after those."""
        super().restore(state)
        self._outstanding = cast("dict[str, Any]", state)["outstanding"]


class FakeSteadyStrategy(FakeStrategy):
    """Is told of each case as it ends; proposes the given cases as there is room."""

    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-case"
