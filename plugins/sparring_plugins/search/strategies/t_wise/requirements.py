"""What a suite requires of the covering array of a scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace


@dataclass(frozen=True)
class Requirements:
    """What is to be covered: all tuples of `strength` values, and more within some groups.

    `stronger` has the numbers of a group's variables with the strength among them. `seeds` are
    required rows, as values by the number of the variable; other values are filled in. `effort`
    scales the work of making the array small; 0 means none.
    """

    strength: int = 2
    stronger: Sequence[tuple[Sequence[int], int]] = ()
    seeds: Sequence[Mapping[int, int]] = ()
    effort: float = 1.0


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
