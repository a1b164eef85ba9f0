"""The strategy `selectors`: the values that profiles ask for."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BeforeValidator, Field, JsonValue

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Space
from sparring_plugins.users.selectors.notation import Params, Plan, parse_number
from sparring_plugins.users.selectors.plan import plan_of


def _written_number(value: Any) -> Any:
    """Check a number of cases, and keep it as written for the schema's sake."""
    parse_number(value)
    return value


class SelectorsConfig(PluginConfig):
    """Settings of the strategy `selectors`."""

    number: Annotated[int | str | None, BeforeValidator(_written_number)] = Field(
        default=None,
        description="Cases per scenario, instead of each scenario's own number: a whole "
        "number, all_combinations, or sample(share).",
    )
    interleave: bool = Field(
        default=False,
        description="Take one case of each scenario in turn, instead of one scenario after "
        "the other.",
    )
    compat: Literal["sensei"] | None = Field(
        default=None,
        description="Plan as SENSEI's code does: only dependency chains count as combinations, "
        "and a sample is the first of them.",
    )


@dataclass
class _Course:
    """How far the cases of one scenario have come."""

    scenario: str
    plan: Plan
    position: int = 0
    rows: Iterator[Params] | None = None
    seen: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def over(self) -> bool:
        return self.position >= self.plan.count

    def step(self) -> tuple[Params, int]:
        """The next case's values, and which one of equal content it is."""
        if self.rows is None:
            self.rows = self.plan.params(self.position)
        params = next(self.rows)
        period = self.plan.period
        repeat = self._count_cases(params) if period is None else self.position // period + 1
        self.position += 1
        return params, repeat

    def _count_cases(self, params: Params) -> int:
        content = json.dumps(params, sort_keys=True).encode()
        key = int.from_bytes(blake2b(content, digest_size=8).digest())
        self.seen[key] = repeat = self.seen.get(key, 0) + 1
        return repeat

    def forward_to(self, position: int) -> None:
        """Go to a position; contents before it are counted if they may repeat."""
        if self.plan.period is None:
            while self.position < position:
                self.step()
        self.position = position


class SelectorsStrategy(SearchStrategy[SelectorsConfig]):
    """Plays what each profile's selectors and number of conversations say (SENSEI, section 3).

    Every scenario has a random stream of its own, made of the run's seed and its name, so that
    adding a profile changes no other's cases. Memory does not grow with the number of
    combinations. Scenarios without selectors go through all combinations of their variables.
    """

    Config: ClassVar[type[PluginConfig]] = SelectorsConfig

    _seed: int = 0
    _courses: Sequence[_Course] = ()
    _turn: int = 0

    def start(self, space: Space, seed: int) -> None:
        written = self.config.number
        override = None if written is None else parse_number(written)
        courses: list[_Course] = []
        problems: list[Problem] = []
        for scenario in space.scenarios:
            if scenario.constraints:
                message = "has constraints, which the strategy 'selectors' cannot keep"
                problems.append(Problem(message, scenario.source, key=scenario.name))
                continue
            try:
                plan = plan_of(scenario, seed, compat=self.config.compat, number=override)
            except ConfigurationError as err:
                problems += err.problems
                continue
            courses.append(_Course(scenario.name, plan))
        if problems:
            raise ConfigurationError(*problems)
        self._seed, self._courses, self._turn = seed, courses, 0

    def ask(self, n: int) -> Sequence[Case]:
        cases: list[Case] = []
        while len(cases) < n and (course := self._next_course()) is not None:
            params, repeat = course.step()
            cases.append(Case.of(course.scenario, params, run_seed=self._seed, repeat=repeat))
            if self.config.interleave:
                self._turn = (self._turn + 1) % len(self._courses)
        return cases

    def _next_course(self) -> _Course | None:
        """The course whose turn it is, passing over those that are over."""
        for step in range(len(self._courses)):
            at = (self._turn + step) % len(self._courses)
            if not self._courses[at].over:
                self._turn = at
                return self._courses[at]
        return None

    @property
    def done(self) -> bool:
        return all(course.over for course in self._courses)

    def state(self) -> JsonValue:
        return {"positions": [course.position for course in self._courses], "turn": self._turn}

    def restore(self, state: JsonValue) -> None:
        positions, turn = self._check_state(state)
        for course, position in zip(self._courses, positions, strict=True):
            course.position, course.rows, course.seen = 0, None, {}
            course.forward_to(position)
            course.rows = None
        self._turn = turn

    def _check_state(self, state: JsonValue) -> tuple[list[int], int]:
        saved = state if isinstance(state, dict) else {}
        positions, turn = saved.get("positions"), saved.get("turn")
        if (
            not isinstance(positions, list)
            or len(positions) != len(self._courses)
            or not all(
                type(at) is int and 0 <= at <= course.plan.count
                for at, course in zip(positions, self._courses, strict=True)
            )
            or type(turn) is not int
            or not 0 <= turn < max(1, len(self._courses))
        ):
            raise StoredRunError("the saved state of the strategy 'selectors' is of another suite")
        return cast("list[int]", positions), turn

    def expected(self) -> int | None:
        return sum(course.plan.count for course in self._courses)
