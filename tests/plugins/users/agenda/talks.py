"""What the user without a model says next in a conversation."""

import asyncio
from collections.abc import Sequence

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Observation, Say, Turn
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import AgendaUser


def next_act(goal: str, context: Sequence[str] = (), *turns: tuple[str, Observation]) -> Act | None:
    """Return what a user with one goal says after some turns; None if it leaves.

    Args:
        goal: What it wants.
        context: What the profile tells of it.
        turns: What it has said, each with what came back.
    """
    talk = tuple(Turn(act=Say(text=said), observation=seen) for said, seen in turns)
    goals = (Goal(phrase=goal, template=goal),)
    task = UserTask(goals=goals, context=tuple(context), seed=1, turns=talk)
    return asyncio.run(FakeContext().build(AgendaUser).act(task)).act
