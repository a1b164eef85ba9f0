"""The planner `rules`: the input that leads to something new the soonest."""

from collections.abc import Sequence
from typing import ClassVar

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring_plugins.voice.agents.rules_generator import WORDS
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.outputs.capabilities import HELPING
from sparring_plugins.voice.outputs.plausible_answers import UNKNOWN
from sparring_plugins.voice.roles.explorer import (
    Effect,
    InputOrigin,
    KnownInput,
    OutputKind,
    Plan,
    PlanTask,
)

_OWN = (InputOrigin.CONTEXT, InputOrigin.CHOICE)
_VAIN = (Effect.SAME, Effect.CONFUSED, Effect.FAILED)
_FAR = 99
_ENOUGH = 3
_TWICE = 2
_OFTEN = 6
_STOPS = ("stop", "cancel")


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
    found = _Ranking(task)
    return min(task.inputs, key=found.rank)


def all_alike(targets: Sequence[str | None]) -> bool:
    """Whether whatever was said in a state led to the same: then more of it tells little."""
    return len(targets) >= _ENOUGH and len(set(targets)) == 1


class _Ranking:
    """How good the inputs of a state are: the classes of a smaller number are better."""

    def __init__(self, task: PlanTask) -> None:
        self._asks = task.expects not in (OutputKind.OTHER, OutputKind.INSTRUCTION)
        answered = [one.slot for one in task.inputs if one.effect in (Effect.NEW, Effect.ENDED)]
        vain = [one.slot for one in task.inputs if one.effect in _VAIN]
        self._tried_enough = {*answered, *(slot for slot in vain if vain.count(slot) >= _TWICE)}
        self._state = task.state
        self._recent = [input_key(one) for one in task.recent]
        own = [one.target for one in task.inputs if one.origin in _OWN and one.count]
        self._alike = all_alike(own)

    def rank(self, one: KnownInput) -> tuple[float, ...]:
        """The class of an input, and what decides within it."""
        again = self._recent.count(input_key(one.text)) if one.count else 0
        if one.count == 0:
            far = one.distance if one.distance is not None else _FAR
            return (self._untried(one), one.elsewhere, far, again)
        if one.effect in _VAIN:
            return (9, one.count, again)
        if one.news and one.target == self._state and one.count < _OFTEN:
            return (3, one.count, again)  # it goes on, as the next question of a quiz
        if one.distance is not None and one.distance < _FAR:
            return (2.5 if one.count < 4 else 4.7, one.distance, one.count)
        ends = one.effect is Effect.ENDED
        return (7 + ends, one.count, again)

    def _untried(self, one: KnownInput) -> float:
        """The class of an input that was never tried here."""
        if one.elsewhere >= _TWICE and one.in_vain == one.elsewhere:
            return 8.5  # it was in vain wherever it was tried
        if one.origin in _OWN:
            return self._own(one)
        if one.origin is InputOrigin.SYSTEM:
            return self._of_system(one)
        if one.elsewhere == 0:
            return 2
        return 2.6 if one.distance is not None else 5

    def _own(self, one: KnownInput) -> float:
        """Further values for one and the same question wait, and having no answer, too."""
        if one.slot == UNKNOWN:
            return 1 if self._asks else 4.2
        if one.slot == WORDS:
            return 4.3 if self._asks else 4.5
        further = one.slot is not None and one.slot in self._tried_enough
        return 4.5 if self._alike or further else 1

    def _of_system(self, one: KnownInput) -> float:
        """Help is asked for soon; an app that asks something must let itself be stopped."""
        said = input_key(one.text)
        if one.elsewhere == 0 and said in HELPING and not self._asks:
            return 1.5
        if said in _STOPS and self._asks and one.elsewhere < _OFTEN:
            return 3.9 if one.elsewhere < _TWICE else 4.4
        return 4 if one.elsewhere == 0 else 6


def _reason(one: KnownInput) -> str:
    if one.count == 0:
        return f"never tried here ({one.origin.value})"
    if one.distance is not None:
        return f"{one.distance} inputs from something never tried"
    return f"tried {one.count} times here"
