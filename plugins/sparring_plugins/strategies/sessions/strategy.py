"""The strategy `sessions`: one session after the other, until the player has seen enough."""

from collections.abc import Iterator, Sequence
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

SESSION = "session"
"""The parameter of a case that says which session it is, from 1."""

OVER = "exploration_over"
"""The key of `Trace.meta` by which a player says that it wants no further session."""


class SessionsConfig(PluginConfig):
    """Settings of the strategy `sessions`.

    `sessions` is how many sessions there are at most of each app (of each scenario, and of each
    choice of its variables); left out, the player or the run's budget says when it is enough.
    """

    sessions: int | None = Field(default=None, ge=1)


@dataclass
class _Thread:
    """The sessions of one scenario with one choice of values, which follow each other."""

    scenario: Scenario
    params: dict[str, JsonValue]
    limit: int | None
    asked: int = 0
    over: bool = False

    @property
    def done(self) -> bool:
        return self.over or (self.limit is not None and self.asked >= self.limit)


class SessionsStrategy(SearchStrategy[SessionsConfig]):
    """Plays sessions of one app in sequence, those of different apps side by side.

    Each batch has one session of every app that is not over yet, and the next is asked when all are
    judged. So a player may carry what it learnt from one session to the next, and a run is the same
    at any concurrency. A thread is over when `Trace.meta` says so (key ``exploration_over``), or
    after the configured number of sessions.
    """

    Config: ClassVar[type[PluginConfig]] = SessionsConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-batch"

    _seed: int = 0
    _threads: Sequence[_Thread] = ()
    _open: dict[str, int]

    def start(self, space: Space, seed: int) -> None:
        problems: list[Problem] = []
        threads: list[_Thread] = []
        for scenario in space.scenarios:
            problems += _problems(scenario)
            limit = self.config.sessions
            if limit is None and isinstance(scenario.number, int):
                limit = scenario.number
            threads += (_Thread(scenario, params, limit) for params in _choices(scenario))
        if problems:
            raise ConfigurationError(*problems)
        self._seed, self._threads, self._open = seed, threads, {}

    def ask(self, n: int) -> Sequence[Case]:
        cases: list[Case] = []
        waiting = set(self._open.values())
        ready = [at for at, one in enumerate(self._threads) if not one.done and at not in waiting]
        for at in sorted(ready, key=lambda at: (self._threads[at].asked, at))[: max(n, 0)]:
            thread = self._threads[at]
            thread.asked += 1
            params = {**thread.params, SESSION: thread.asked}
            case = Case.of(thread.scenario.name, params, run_seed=self._seed)
            self._open[case.id] = at
            cases.append(case)
        return cases

    def played(self, trace: Trace) -> None:
        at = self._open.get(trace.case.id)
        if at is not None and trace.meta.get(OVER) is True:
            self._threads[at].over = True

    def tell(self, case: Case, verdicts: Sequence[object]) -> None:
        self._open.pop(case.id, None)

    @property
    def done(self) -> bool:
        return all(thread.done for thread in self._threads)

    def state(self) -> JsonValue:
        return {
            "asked": [thread.asked for thread in self._threads],
            "over": [thread.over for thread in self._threads],
            "open": cast("JsonValue", dict(self._open)),
        }

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        asked, over, waiting = saved.get("asked"), saved.get("over"), saved.get("open")
        size = len(self._threads)
        if (
            not isinstance(asked, list)
            or not isinstance(over, list)
            or not isinstance(waiting, dict)
            or not len(asked) == len(over) == size
            or not all(type(number) is int and number >= 0 for number in asked)
            or not all(type(value) is bool for value in over)
            or not all(type(at) is int and 0 <= at < size for at in waiting.values())
        ):
            raise StoredRunError("the saved state of the strategy 'sessions' is of another suite")
        for thread, number, value in zip(self._threads, asked, over, strict=True):
            thread.asked, thread.over = cast("int", number), cast("bool", value)
        self._open = cast("dict[str, int]", dict(waiting))

    def expected(self) -> int | None:
        limits = [thread.limit for thread in self._threads]
        return None if None in limits else sum(limit for limit in limits if limit is not None)


_MOST_THREADS = 10_000


def _problems(scenario: Scenario) -> Iterator[Problem]:
    def problem(message: str) -> Problem:
        return Problem(message, scenario.source, key=scenario.name)

    if scenario.constraints:
        yield problem("has constraints, which the strategy 'sessions' cannot keep")
    if any(variable.name == SESSION for variable in scenario.variables):
        yield problem(f"has a variable {SESSION!r}, which the strategy 'sessions' sets itself")
    if prod(len(variable.domain) for variable in scenario.variables) > _MOST_THREADS:
        yield problem(
            f"has more than {_MOST_THREADS:,} combinations of values, too many for the strategy "
            "'sessions': use 'selectors'"
        )


def _choices(scenario: Scenario) -> list[dict[str, JsonValue]]:
    """Every choice of a value for each variable, without repeats, in order."""
    found: list[dict[str, JsonValue]] = [{}]
    for variable in scenario.variables:
        values = [v for n, v in enumerate(variable.domain) if v not in _before(variable.domain, n)]
        found = [{**one, variable.name: value} for one in found for value in values]
        if len(found) > _MOST_THREADS:
            return []
    return found


def _before(domain: Sequence[JsonValue], place: int) -> list[JsonValue]:
    """The values before a place that are of its type: 1, True and 1.0 are three values."""
    return [value for value in domain[:place] if type(value) is type(domain[place])]
