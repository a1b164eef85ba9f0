"""The goal checker without a language model."""

from bisect import bisect_left
from typing import ClassVar

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import GoalCheck, GoalTask, MetGoal, UserTask
from sparring.model.talk import Turn
from sparring_plugins.language.text import plain
from sparring_plugins.users.agenda.adversarial import heeded
from sparring_plugins.users.agenda.next_move import Agenda

_QUOTED = 600
_PATIENCE = 3


class AgendaGoalChecker(Agent[GoalTask, GoalCheck, PluginConfig]):
    """Role ``goal_checker``: decides as the user `agenda` does for itself, whoever speaks.

    A goal that was brought up is met when the app then answers it with a value of the kind that is
    asked for, or says its values back and that it is done. What shows it is the whole answer of
    the first turn after which that holds.
    """

    role: ClassVar[str] = "goal_checker"

    async def act(self, task: GoalTask) -> GoalCheck:
        known = set(task.goals_met)
        found = [goal for goal in _met(task, len(task.turns)) if goal not in known]
        return GoalCheck(met=tuple(self._shown(task, goal) for goal in found))

    def _shown(self, task: GoalTask, goal: int) -> MetGoal:
        """A goal that is met, with the answer after which it was."""
        counts = range(1, len(task.turns) + 1)
        turn = bisect_left(counts, True, key=lambda count: goal in _met(task, count))
        turn = min(turn, len(task.turns) - 1)
        return MetGoal(goal=goal, quotation=_answer(task.turns[turn]), turn=turn)


def _met(task: GoalTask, count: int) -> tuple[int, ...]:
    """The goals that are met after so many turns; those that are met stay so."""
    seen = UserTask(
        goals=task.goals,
        inputs=task.inputs,
        domains=task.domains,
        outputs=task.outputs,
        fallbacks=task.fallbacks,
        language=task.language,
        turns=heeded(task.turns[:count]),
        seed=task.seed,
    )
    return Agenda(seen, (), patience=_PATIENCE, farewell=True).goals_met


def _answer(turn: Turn) -> str:
    text = plain(turn.observation.text) if turn.observation else ""
    return " ".join(text.split())[:_QUOTED]
