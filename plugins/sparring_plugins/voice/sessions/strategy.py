"""The strategy `sessions`: one session after the other, until the player has seen enough."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal, cast

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict

SILENT_SESSIONS = 3
"""So many sessions in a row in which nothing was even tried end those of an app."""

OVER = "exploration_over"
"""The key of `Trace.meta` by which a player says that it wants no further session."""


class SessionsConfig(PluginConfig):
    """Settings of the strategy `sessions`.

    `sessions` is how many sessions there are at most of each app (of each scenario, and of each
    choice of its variables); left out, the player or the run's budget says when it is enough. Three
    sessions in a row without a single turn, as with an app that cannot be reached, end them too.
    """

    sessions: int | None = Field(default=None, ge=1)


@dataclass(frozen=True)
class _Choices:
    """All choices of values for the variables of one scenario, by number."""

    scenario: Scenario
    domains: tuple[tuple[JsonValue, ...], ...]
    limit: int | None

    @property
    def count(self) -> int:
        return prod(len(domain) for domain in self.domains)

    def params(self, number: int) -> dict[str, JsonValue]:
        """The values of a choice; those of the last variable change the fastest."""
        found: list[JsonValue] = []
        for domain in reversed(self.domains):
            number, at = divmod(number, len(domain))
            found.append(domain[at])
        names = (variable.name for variable in self.scenario.variables)
        return dict(zip(names, reversed(found), strict=True))


@dataclass
class _Thread:
    """The sessions of one scenario with one choice of values, which follow each other."""

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
    at any concurrency: `Case.repeat` is the session's number. An app is done with when
    `Trace.meta` says so (key ``exploration_over``), or after the configured number of sessions.
    """

    Config: ClassVar[type[PluginConfig]] = SessionsConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-batch"

    _seed: int = 0
    _all: Sequence[_Choices] = ()

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
        self._seed, self._all = seed, [self._choices(scenario) for scenario in space.scenarios]
        self._threads: list[_Thread] = []
        self._open: dict[str, int] = {}

    def _choices(self, scenario: Scenario) -> _Choices:
        number = scenario.number if isinstance(scenario.number, int) else None
        domains = tuple(_different(variable.domain) for variable in scenario.variables)
        return _Choices(scenario, domains, self.config.sessions or number)

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
        return sum(choices.count for choices in self._all)

    def _begin(self) -> None:
        """Add the thread of the next choice of values."""
        number = len(self._threads)
        for choices in self._all:
            if number < choices.count:
                params = choices.params(number)
                self._threads.append(_Thread(choices.scenario.name, params, choices.limit))
                return
            number -= choices.count

    def played(self, trace: Trace) -> None:
        at = self._open.get(trace.case.id)
        if at is None:
            return
        thread = self._threads[at]
        thread.silent = 0 if trace.turns else thread.silent + 1
        if trace.meta.get(OVER) is True or thread.silent >= SILENT_SESSIONS:
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
        saved = state if isinstance(state, dict) else {}
        asked, over, waiting = saved.get("asked"), saved.get("over"), saved.get("open")
        silent = saved.get("silent", [0] * len(asked) if isinstance(asked, list) else [])
        if (
            not isinstance(asked, list)
            or not isinstance(over, list)
            or not isinstance(waiting, dict)
            or not isinstance(silent, list)
            or not len(asked) == len(over) == len(silent) <= self._total()
            or not all(type(number) is int and number >= 0 for number in silent)
            or not all(type(number) is int and number >= 0 for number in asked)
            or not all(type(value) is bool for value in over)
            or not all(type(at) is int and 0 <= at < len(asked) for at in waiting.values())
        ):
            raise StoredRunError("the saved state of the strategy 'sessions' is of another suite")
        self._threads = []
        for number, value, without in zip(asked, over, silent, strict=True):
            self._begin()
            self._threads[-1].asked = cast("int", number)
            self._threads[-1].over = cast("bool", value)
            self._threads[-1].silent = cast("int", without)
        self._open = cast("dict[str, int]", dict(waiting))

    def expected(self) -> int | None:
        limits = [(choices.limit, choices.count) for choices in self._all]
        if any(limit is None for limit, _ in limits):
            return None
        return sum((limit or 0) * count for limit, count in limits)


def _different(domain: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """The values of a domain, each once; 1, 1.0 and true are three values."""
    found: dict[tuple[str, str], JsonValue] = {}
    for value in domain:
        found.setdefault((type(value).__name__, repr(value)), value)
    return tuple(found.values())
