"""The strategy `sessions`: one session after the other, until the player has seen enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeInt,
    ValidationError,
)

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict

MAX_SILENT_SESSIONS = 3
"""The sessions of an app end after so many in a row in which nothing was even tried."""

OVER = "exploration_over"
"""The key of `Trace.meta` that is true if the player wants no further session."""


class SessionsConfig(PluginConfig):
    """Settings of the strategy `sessions`.

    `sessions` is how many sessions there are at most of each app (of each scenario, and of each
    combination of its variables); left out, the player or the run's budget says when it is enough.
    Three sessions in a row without a single turn, as with an app that cannot be reached, end them
    too.
    """

    sessions: int | None = Field(default=None, ge=1)


@dataclass(frozen=True)
class _ScenarioValues:
    """All combinations of values for the variables of one scenario, by number."""

    scenario: Scenario
    domains: tuple[tuple[JsonValue, ...], ...]
    limit: int | None

    @property
    def count(self) -> int:
        return prod(len(domain) for domain in self.domains)

    def params(self, number: int) -> dict[str, JsonValue]:
        """Return a combination of values; those of the last variable change the fastest."""
        values: list[JsonValue] = []
        for domain in reversed(self.domains):
            number, at = divmod(number, len(domain))
            values.append(domain[at])
        names = (variable.name for variable in self.scenario.variables)
        return dict(zip(names, reversed(values), strict=True))


class _SavedState(BaseModel):
    """The stored state: a list with an entry for each thread, and the threads of open cases."""

    model_config = ConfigDict(strict=True)

    asked: list[NonNegativeInt]
    over: list[bool]
    silent: list[NonNegativeInt]
    open: dict[str, NonNegativeInt]

    @classmethod
    def of(cls, state: JsonValue) -> "_SavedState | None":
        """Return the state, or `None` if it is damaged."""
        if not isinstance(state, dict):
            return None
        asked = state.get("asked")
        # a state that was stored before silent sessions were counted has no list of them
        silent = [0] * len(asked) if isinstance(asked, list) else []
        try:
            saved = cls.model_validate({"silent": silent, **state})
        except ValidationError:
            return None
        threads = len(saved.asked)
        whole = threads == len(saved.over) == len(saved.silent)
        return saved if whole and all(at < threads for at in saved.open.values()) else None


@dataclass
class _Thread:
    """The sessions of one scenario with one combination of values, which follow each other.

    `asked` counts the sessions, `silent` those without a turn since the last one with turns.
    """

    scenario: str
    params: dict[str, JsonValue]
    limit: int | None
    asked: int = 0
    over: bool = False
    silent: int = 0

    @property
    def done(self) -> bool:
        return self.over or (self.limit is not None and self.asked >= self.limit)


class SessionsStrategy(SearchStrategy[SessionsConfig]):
    """Plays sessions of one app in sequence, those of different apps side by side.

    Each batch has one session of every app that is not over yet, and the next is asked when all are
    judged. So a player may carry what it learnt from one session to the next, and a run is the same
    at any concurrency: `Case.repeat` is the session's number. An app is done if `Trace.meta` says
    so (key ``exploration_over``), or after the configured number of sessions.
    """

    Config: ClassVar[type[PluginConfig]] = SessionsConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-batch"

    _seed: int = 0
    _scenarios: Sequence[_ScenarioValues] = ()

    def start(self, space: Space, seed: int) -> None:
        problems = [
            Problem(
                "has constraints, which the strategy 'sessions' cannot keep",
                scenario.source,
                key=scenario.name,
            )
            for scenario in space.scenarios
            if scenario.constraints
        ]
        if problems:
            raise ConfigurationError(*problems)
        self._seed = seed
        self._scenarios = [self._values_of(scenario) for scenario in space.scenarios]
        self._threads: list[_Thread] = []
        self._open: dict[str, int] = {}

    def _values_of(self, scenario: Scenario) -> _ScenarioValues:
        number = scenario.number if isinstance(scenario.number, int) else None
        domains = tuple(_unique(variable.domain) for variable in scenario.variables)
        return _ScenarioValues(scenario, domains, self.config.sessions or number)

    def ask(self, n: int) -> Sequence[Case]:
        waiting = set(self._open.values())
        ready = [at for at, one in enumerate(self._threads) if not one.done and at not in waiting]
        while len(ready) < n and len(self._threads) < self._total():
            self._begin()
            ready.append(len(self._threads) - 1)
        chosen = sorted(ready, key=lambda at: (self._threads[at].asked, at))[: max(n, 0)]
        return [self._case(at) for at in chosen]

    def _case(self, at: int) -> Case:
        thread = self._threads[at]
        thread.asked += 1
        case = Case.of(thread.scenario, thread.params, run_seed=self._seed, repeat=thread.asked)
        self._open[case.id] = at
        return case

    def _total(self) -> int:
        return sum(values.count for values in self._scenarios)

    def _begin(self) -> None:
        """Add the thread of the next combination of values."""
        number = len(self._threads)
        for values in self._scenarios:
            if number < values.count:
                params = values.params(number)
                self._threads.append(_Thread(values.scenario.name, params, values.limit))
                return
            number -= values.count

    def played(self, trace: Trace) -> None:
        at = self._open.get(trace.case.id)
        if at is None:
            return
        thread = self._threads[at]
        thread.silent = 0 if trace.turns else thread.silent + 1
        if trace.meta.get(OVER) is True or thread.silent >= MAX_SILENT_SESSIONS:
            thread.over = True

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        self._open.pop(case.id, None)

    @property
    def done(self) -> bool:
        return len(self._threads) == self._total() and all(one.done for one in self._threads)

    def state(self) -> JsonValue:
        return {
            "asked": [thread.asked for thread in self._threads],
            "over": [thread.over for thread in self._threads],
            "silent": [thread.silent for thread in self._threads],
            "open": cast("JsonValue", dict(self._open)),
        }

    def restore(self, state: JsonValue) -> None:
        saved = _SavedState.of(state)
        if saved is None or len(saved.asked) > self._total():
            raise StoredRunError("the saved state of the strategy 'sessions' is of another suite")
        self._threads = []
        for asked, over, silent in zip(saved.asked, saved.over, saved.silent, strict=True):
            self._begin()
            thread = self._threads[-1]
            thread.asked, thread.over, thread.silent = asked, over, silent
        self._open = dict(saved.open)

    def expected(self) -> int | None:
        limits = [(values.limit, values.count) for values in self._scenarios]
        if any(limit is None for limit, _ in limits):
            return None
        return sum((limit or 0) * count for limit, count in limits)


def _unique(domain: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """Return the values of a domain, each once; 1, 1.0 and true are three values."""
    values: dict[tuple[str, str], JsonValue] = {}
    for value in domain:
        values.setdefault((type(value).__name__, repr(value)), value)
    return tuple(values.values())
