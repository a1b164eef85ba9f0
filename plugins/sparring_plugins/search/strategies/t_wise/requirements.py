"""What a suite asks of the covering array of a scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError, Problem
from sparring.model.space import Scenario, Space
from sparring_plugins.search.space import CaseSpace


@dataclass(frozen=True)
class Wanted:
    """What is to be covered: all tuples of `strength` values, and more within some groups.

    `stronger` has the numbers of a group's variables with the strength among them. `seeds` are
    rows that have to be in, as values by the number of the variable; what they leave open is
    filled in. `effort` scales the work of making the array small, 0 being none.
    """

    strength: int = 2
    stronger: Sequence[tuple[Sequence[int], int]] = ()
    seeds: Sequence[Mapping[int, int]] = ()
    effort: float = 1.0


def check_wanted(
    space: Space, groups: Mapping[str, int], seeds: Sequence[Mapping[str, JsonValue]]
) -> None:
    """Raise ConfigurationError for groups and seeds that no scenario has room for."""
    known = sorted({v.group for one in space.scenarios for v in one.variables if v.group})
    problems = [
        Problem(f"no feature is in the group {name!r}.{nearest(name, known)}", key="groups")
        for name in groups
        if name not in known
    ]
    for seed in seeds:
        fitting = [one for one in space.scenarios if _fits(one, seed)]
        if not fitting:
            names = [v.name for one in space.scenarios for v in one.variables]
            unknown = next((name for name in seed if name not in names), None)
            why = (
                "no scenario has all of its features"
                if unknown is None
                else f"there is no feature {unknown!r}.{nearest(unknown, names)}"
            )
            problems.append(Problem(f"the seed {dict(seed)!r}: {why}", key="seeds"))
    if problems:
        raise ConfigurationError(*problems)


def _fits(scenario: Scenario, seed: Mapping[str, JsonValue]) -> bool:
    return bool(seed) and set(seed) <= {variable.name for variable in scenario.variables}


def stronger_groups(
    scenario: Scenario, groups: Mapping[str, int]
) -> list[tuple[tuple[int, ...], int]]:
    """The variables of each group that a scenario has, with the strength among them."""
    return [
        (numbers, strength)
        for name, strength in groups.items()
        if (numbers := tuple(n for n, v in enumerate(scenario.variables) if v.group == name))
    ]


def seed_rows(cases: CaseSpace, seeds: Sequence[Mapping[str, JsonValue]]) -> list[dict[int, int]]:
    """The seeds for a scenario as numbers; raises ConfigurationError for unknown values."""
    found: list[dict[int, int]] = []
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
        found.append(row)
    return found
