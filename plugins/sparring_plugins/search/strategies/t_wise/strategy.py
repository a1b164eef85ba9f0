"""The strategy `t-wise`: cases that together contain every tuple of t values."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from itertools import chain, zip_longest
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, MissingExtra, Problem, StoredRunError
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling import remove_repeated_values, repetitions

Strength = Annotated[int, Field(ge=1, le=6)]
_Row = tuple[CaseSpace, Indices, int]


class TWiseConfig(PluginConfig):
    """Settings of the strategy `t-wise`."""

    strength: Strength = Field(
        default=2, description="How many values each covered tuple has: 2 is pairwise."
    )
    groups: dict[str, Strength] = Field(
        default_factory=dict[str, int],
        description="Groups of features, by name, that are covered with a strength of their own.",
    )
    seeds: list[dict[str, JsonValue]] = Field(
        default_factory=list[dict[str, JsonValue]],
        description="Cases that have to be in, as values by feature; features that one leaves "
        "out are filled in.",
    )
    effort: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="How much work goes into few cases: 0 takes the first array that is found.",
    )


class TWiseStrategy(SearchStrategy[TWiseConfig]):
    """Asks the rows of a covering array for each scenario, one of each scenario in turn.

    Every tuple of `strength` values that any valid case contains is in at least one case. Cases
    that cover most of what is left come first, so that an aborted run has covered much. The array
    depends on the scenario, the settings and the seed alone.
    """

    Config: ClassVar[type[PluginConfig]] = TWiseConfig

    _seed: int = 0
    _rows: Sequence[_Row] = ()
    _position: int = 0

    def __init__(self, config: TWiseConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        if find_spec("numpy") is None:
            raise MissingExtra("covering arrays need numpy: pip install 'sparring[search]'")

    def start(self, space: Space, seed: int) -> None:
        check_requirements(space, self.config.groups, self.config.seeds)
        courses = [
            self._course(scenario, seed) for scenario in remove_repeated_values(space).scenarios
        ]
        mixed = chain.from_iterable(zip_longest(*courses))
        self._rows = [row for row in mixed if row is not None]
        self._seed, self._position = seed, 0

    def _course(self, scenario: Scenario, seed: int) -> list[_Row]:
        """Return the rows of a scenario; without variables, its one case as often as asked."""
        from sparring_plugins.search.strategies.t_wise.covering_array import (
            Requirements,
            covering_array,
        )

        cases = CaseSpace(scenario, self.context)
        if not cases.names:
            return [(cases, (), repeat) for repeat in range(1, repetitions(scenario) + 1)]
        requirements = Requirements(
            self.config.strength,
            stronger_groups(scenario, self.config.groups),
            seed_rows(cases, self.config.seeds),
            self.config.effort,
        )
        own_seed = int.from_bytes(sha256(f"{seed}/{scenario.name}".encode()).digest()[:4], "big")
        array = covering_array(cases, requirements, own_seed)
        return [(cases, tuple(row), 1) for row in array.rows.tolist()]

    def ask(self, n: int) -> Sequence[Case]:
        rows = self._rows[self._position : self._position + max(n, 0)]
        self._position += len(rows)
        return [
            cases.case(cases.params(row), run_seed=self._seed, repeat=repeat)
            for cases, row, repeat in rows
        ]

    @property
    def done(self) -> bool:
        return self._position >= len(self._rows)

    def state(self) -> JsonValue:
        return {"position": self._position, "array": self._digest()}

    def restore(self, state: JsonValue) -> None:
        saved = state if isinstance(state, dict) else {}
        position = saved.get("position")
        if type(position) is not int or not 0 <= position <= len(self._rows):
            raise StoredRunError("the saved state of the strategy 't-wise' is of another suite")
        if saved.get("array") != self._digest():
            raise StoredRunError(
                "the saved state of the strategy 't-wise' is of another suite, or another release "
                "made its covering array"
            )
        self._position = position

    def expected(self) -> int | None:
        return len(self._rows)

    def _digest(self) -> str:
        content = repr([(cases.scenario.name, row, repeat) for cases, row, repeat in self._rows])
        return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# What a suite asks for, checked and as numbers.


def check_requirements(
    space: Space, groups: Mapping[str, int], seeds: Sequence[Mapping[str, JsonValue]]
) -> None:
    """Raise ConfigurationError for groups and seeds that no scenario has room for."""
    known_groups = sorted({v.group for s in space.scenarios for v in s.variables if v.group})
    problems = [
        Problem(f"no feature is in the group {name!r}.{nearest(name, known_groups)}", key="groups")
        for name in groups
        if name not in known_groups
    ]
    problems += [
        _explain_unusable(space, seed)
        for seed in seeds
        if not any(_fits(s, seed) for s in space.scenarios)
    ]
    if problems:
        raise ConfigurationError(*problems)


def _explain_unusable(space: Space, seed: Mapping[str, JsonValue]) -> Problem:
    """Explain why no scenario has room for a seed."""
    names = [variable.name for scenario in space.scenarios for variable in scenario.variables]
    unknown = next((name for name in seed if name not in names), None)
    why = (
        "no scenario has all of its features"
        if unknown is None
        else f"there is no feature {unknown!r}.{nearest(unknown, names)}"
    )
    return Problem(f"the seed {dict(seed)!r}: {why}", key="seeds")


def _fits(scenario: Scenario, seed: Mapping[str, JsonValue]) -> bool:
    return bool(seed) and set(seed) <= {variable.name for variable in scenario.variables}


def stronger_groups(
    scenario: Scenario, groups: Mapping[str, int]
) -> list[tuple[tuple[int, ...], int]]:
    """Return the variables of each group that a scenario has, with the strength among them."""
    return [
        (numbers, strength)
        for name, strength in groups.items()
        if (numbers := tuple(n for n, v in enumerate(scenario.variables) if v.group == name))
    ]


def seed_rows(cases: CaseSpace, seeds: Sequence[Mapping[str, JsonValue]]) -> list[dict[int, int]]:
    """Return the seeds for a scenario as numbers; raises ConfigurationError for unknown values."""
    rows: list[dict[int, int]] = []
    for seed in seeds:
        if not _fits(cases.scenario, seed):
            continue
        row: dict[int, int] = {}
        for name, value in seed.items():
            number = cases.names.index(name)
            try:
                row[number] = cases.encoding.place(number, value)
            except ValueError as err:
                raise ConfigurationError(Problem(f"a seed: {err}", key="seeds")) from err
        rows.append(row)
    return rows
