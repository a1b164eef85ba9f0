"""Scenarios whose variables have each value once."""

import json

from sparring.model.space import Scenario, Space, Variable


def distinct(space: Space) -> Space:
    """The space without second mentions of a value, which would give the same case again."""
    return Space(scenarios=tuple(_scenario(one) for one in space.scenarios))


def _scenario(scenario: Scenario) -> Scenario:
    variables = tuple(_variable(one) for one in scenario.variables)
    return scenario.model_copy(update={"variables": variables})


def _variable(variable: Variable) -> Variable:
    first: dict[str, int] = {}
    for number, value in enumerate(variable.domain):
        first.setdefault(json.dumps(value, sort_keys=True), number)
    if len(first) == len(variable.domain):
        return variable
    labels = variable.labels
    kept = tuple(labels[n] for n in first.values()) if len(labels) == len(variable.domain) else ()
    domain = tuple(variable.domain[n] for n in first.values())
    return variable.model_copy(update={"domain": domain, "labels": kept})
