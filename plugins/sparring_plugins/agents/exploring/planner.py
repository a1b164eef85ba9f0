"""The planner `rules`: the input that leads to something new the soonest."""

from collections.abc import Sequence
from typing import ClassVar

from sparring.interfaces.agent import Agent
from sparring.interfaces.explorer_roles import Effect, InputOrigin, KnownInput, Plan, PlanTask
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.behaviour.naming import input_key

_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED)
_FAR = 99
_ENOUGH = 3


class RulesPlanner(Agent[PlanTask, Plan, PluginConfig]):
    """Role ``planner``: never tried before least tried, and valid before vain, without a model.

    First comes what was never tried and answers the output, then what is known to lead on to
    something that was never tried, the nearest first, then what else was never tried, and last what
    was tried least. Further values for one and the same question, words of the system, and what
    ends the conversation wait their turn.
    """

    Config: ClassVar[type[PluginConfig]] = PluginConfig
    role: ClassVar[str] = "planner"

    async def act(self, task: PlanTask) -> Plan:
        best = best_of(task)
        return Plan(input=best.text, reason=_reason(best))


def best_of(task: PlanTask) -> KnownInput:
    """The input to choose by the rules; equal ones in the order of the list."""
    answered = {
        one.slot for one in task.inputs if one.slot and one.effect in (Effect.NEW, Effect.ENDED)
    }
    recent = [input_key(one) for one in task.recent]
    alike = all_alike([one.target for one in task.inputs if one.origin in _OWN and one.count])
    return min(task.inputs, key=lambda one: _rank(one, answered, recent, alike))


def all_alike(targets: Sequence[str | None]) -> bool:
    """Whether whatever was said in a state led to the same: then more of it tells little."""
    return len(targets) >= _ENOUGH and len(set(targets)) == 1


def _rank(one: KnownInput, answered: set[str], recent: list[str], alike: bool) -> tuple[float, ...]:
    again = recent.count(input_key(one.text)) if one.count else 0
    if one.count == 0:
        return (_untried(one, answered, alike), one.elsewhere, again)
    if one.effect in _VAIN:
        return (9, one.count, again)
    if one.distance is not None and one.distance < _FAR:
        return (2.5 if one.count < 4 else 4.7, one.distance, one.count)
    ends = one.effect is Effect.ENDED
    return (7 + ends, one.count, again)


def _untried(one: KnownInput, answered: set[str], alike: bool) -> float:
    """The class of an input that was never tried here; a smaller one is better."""
    if one.origin in _OWN:
        return 4.5 if alike or (one.slot is not None and one.slot in answered) else 1
    if one.origin is InputOrigin.SYSTEM:
        return 4 if one.elsewhere == 0 else 6
    return 2 if one.elsewhere == 0 else 5


def _reason(one: KnownInput) -> str:
    if one.count == 0:
        return f"never tried here ({one.origin.value})"
    if one.distance is not None:
        return f"{one.distance} inputs from something never tried"
    return f"tried {one.count} times here"
