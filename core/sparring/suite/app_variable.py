"""The apps of a connector as a variable of every scenario."""

from collections.abc import Sequence

from sparring.model.space import Space, Variable

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
