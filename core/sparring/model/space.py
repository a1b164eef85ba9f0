"""What may vary from case to case: the only thing a strategy knows of a player."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, JsonValue

from sparring.model.base import Value


class Variable(Value):
    """One thing that may vary.

    `selector` says how the author wants values chosen, in the notation of the strategy that
    reads it (for example ``forward(size)``); strategies that do not know it ignore it. `labels`
    has a word for people per value, in order, or nothing.
    """

    name: str
    domain: tuple[JsonValue, ...]
    scale: Literal["categorical", "ordinal"] = "categorical"
    group: str | None = None
    selector: str | None = None
    labels: tuple[str, ...] = ()


class Constraint(Value):
    """A condition that every case must satisfy, over the values of its variables by name.

    `expression` is true of every case. `assign` are values that make it true if it is not: a
    feature that is dropped is given its value for *none*. `when` is the part of the expression
    that says which cases it is about, if it is an implication: those variables are the last
    to be changed. `language` names the condition language of the texts (entry points
    ``sparring.conditions``); ``rules`` is the expression language of rules. `source` is the file
    and line. Strategies obey constraints with the `CaseSpace` of the room `search`.
    """

    expression: str
    description: str = ""
    when: str | None = None
    assign: dict[str, JsonValue] = {}
    language: str = "rules"
    source: str | None = None


class Scenario(Value):
    """One test case of the author's with the variables it leaves open.

    A profile, a feature space and a scripted GUI test case are each one scenario.
    `outputs` are the names of what its conversations may bring to light.
    `number` is how many cases the author asked for: a count, a share of all combinations
    in (0, 1] as ``sample``, ``"all"`` combinations, or `None` if the strategy decides.
    """

    name: str
    variables: tuple[Variable, ...] = ()
    outputs: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    number: int | Literal["all"] | None = None
    sample: float | None = Field(default=None, gt=0, le=1)
    description: str = ""
    source: str | None = None
    tags: tuple[str, ...] = ()


class Space(Value):
    """All scenarios that a player offers; their names are unique."""

    scenarios: tuple[Scenario, ...]

    def names(self) -> frozenset[str]:
        """The names of all inputs and outputs."""
        return frozenset(
            name
            for scenario in self.scenarios
            for name in (*(variable.name for variable in scenario.variables), *scenario.outputs)
        )

    def scenario(self, name: str) -> Scenario:
        """Return the scenario called `name`; raises KeyError."""
        for scenario in self.scenarios:
            if scenario.name == name:
                return scenario
        raise KeyError(name)


APP = "app"
"""The parameter of a case that names the app."""


def with_apps(space: Space, apps: Sequence[str]) -> Space:
    """The space with each scenario played with each app; scenarios that choose apps stay."""
    if not apps:
        return space
    choice = Variable(name=APP, domain=tuple(apps))
    return Space(
        scenarios=tuple(
            scenario
            if any(variable.name == APP for variable in scenario.variables)
            else scenario.model_copy(update={"variables": (choice, *scenario.variables)})
            for scenario in space.scenarios
        )
    )
