"""A scenario's variables with their selectors, and what a plan over them offers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Protocol

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.model.space import Scenario, Variable
from sparring_plugins.users.selectors.notation import (
    Selector,
    parse_selector,
    reference_problems,
)

Params = dict[str, JsonValue]


class Plan(Protocol):
    """The cases of one scenario, in order."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    @property
    def period(self) -> int | None:
        """After how many cases their contents repeat, all differing before; None: unknown."""
        ...

    def params(self, start: int) -> Iterator[Params]:
        """The values of the cases from the 0-based number `start` on, without end."""
        ...


@dataclass(frozen=True)
class Inputs:
    """A scenario's variables with their selectors, checked.

    `plain` says that no variable has a selector, as in scenarios of other players: then all
    of them move as ``forward()`` and a case holds single values, not lists.
    """

    scenario: Scenario
    variables: dict[str, Variable]
    selectors: dict[str, Selector]
    plain: bool

    @classmethod
    def of(cls, scenario: Scenario) -> "Inputs":
        """Check a scenario; raises ConfigurationError with all that is wrong with it."""
        plain = all(variable.selector is None for variable in scenario.variables)
        problems: list[Problem] = []
        selectors: dict[str, Selector] = {}
        for variable in scenario.variables:
            try:
                selectors[variable.name] = parse_selector(variable.selector or "forward()")
            except ValueError as err:
                problems.append(_problem(scenario, variable.name, str(err)))
                continue
            if not variable.domain:
                problems.append(_problem(scenario, variable.name, "has no values"))
        if not problems:
            found = reference_problems(selectors)
            problems += [_problem(scenario, name, message) for name, message in found]
        if problems:
            raise ConfigurationError(*problems)
        variables = {variable.name: variable for variable in scenario.variables}
        return cls(scenario, variables, selectors, plain)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many values each variable has."""
        return {name: len(variable.domain) for name, variable in self.variables.items()}

    @cached_property
    def distinct(self) -> bool:
        """Whether no variable lists a value twice."""
        return all(
            len({(type(value), repr(value)) for value in variable.domain}) == len(variable.domain)
            for variable in self.variables.values()
        )


def _problem(scenario: Scenario, variable: str, message: str) -> Problem:
    return Problem(message, scenario.source, key=f"{scenario.name}.{variable}")


def stream_name(seed: int, scenario: str) -> str:
    """The name of a scenario's own random stream, whatever other scenarios there are."""
    return f"{seed}/{scenario}"


def stream_seed(stream: str) -> int:
    """The seed of a named random stream."""
    return int.from_bytes(blake2b(stream.encode("utf-8", "replace"), digest_size=8).digest())
