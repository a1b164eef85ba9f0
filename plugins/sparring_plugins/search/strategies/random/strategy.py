"""The strategy `random`: cases drawn evenly from the space."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.strategies.random.draws import Course, Even, Repaired
from sparring_plugins.search.strategies.sampling.distinct import distinct


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
        description="What becomes of a drawn case that breaks a constraint: reject draws evenly "
        "from the valid ones; repair makes it valid, as the search strategies do, so that some "
        "cases are likelier.",
    )


class RandomStrategy(SearchStrategy[RandomConfig]):
    """Asks random cases, of each scenario in turn, no case twice, until there are no more.

    Every valid case is as likely as any other. The order of a scenario depends on the seed and
    the scenario alone, and no case is remembered: memory does not grow, and any size of space
    begins at once. With ``invalid: repair`` a digest of each case is remembered.
    """

    Config: ClassVar[type[PluginConfig]] = RandomConfig

    _seed: int = 0
    _courses: Sequence[Course] = ()
    _turn: int = 0

    def start(self, space: Space, seed: int) -> None:
        courses: list[Course] = []
        problems: list[Problem] = []
        for scenario in distinct(space).scenarios:
            try:
                courses.append(self._course(scenario, self.context, seed))
            except ConfigurationError as err:
                problems += err.problems
        if problems:
            raise ConfigurationError(*problems)
        self._seed, self._courses, self._turn = seed, courses, 0

    def _course(self, scenario: Scenario, context: BuildContext, seed: int) -> Course:
        cases = CaseSpace(scenario, context)
        number = self.config.number or scenario.number
        limit = number if isinstance(number, int) else None
        if self.config.invalid == "repair" and scenario.constraints:
            return Repaired(cases, seed, limit)
        return Even(cases, seed, limit)

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
        return None if None in numbers else sum(one or 0 for one in numbers)

    def open_ended(self) -> bool:
        return any(course.open_ended for course in self._courses)
