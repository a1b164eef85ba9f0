"""What the user without a model says next in a conversation."""

import asyncio
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sparring.interfaces.roles import Goal, UserMove, UserTask
from sparring.model.talk import Act, Choice, Listen, Observation, Say, Turn, act_text
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


def replies_to(
    goals: Sequence[str | Goal],
    context: Sequence[str],
    messages: Sequence[str | tuple[str, ...]],
    *,
    inputs: Mapping[str, JsonValue] | None = None,
    language: str = "English",
) -> list[str]:
    """Return what a user answers to each message of an app, by the label if it presses a button.

    Args:
        goals: What it wants.
        context: What the profile tells of it.
        messages: What the app says; a tuple has the labels of its buttons after the text.
        inputs: The values of the profile's variables.
        language: The language of the conversation.
    """
    moves = _moves(goals, context, messages, inputs or {}, language)
    return [act_text(move.act or Listen()) for move in moves]


def goals_met(
    goals: Sequence[str | Goal], context: Sequence[str], messages: Sequence[str | tuple[str, ...]]
) -> tuple[int, ...]:
    """Return the goals that are met after some messages of an app, as in `replies_to`."""
    return _moves(goals, context, messages, {}, "English")[-1].goals_met


def _moves(
    goals: Sequence[str | Goal],
    context: Sequence[str],
    messages: Sequence[str | tuple[str, ...]],
    inputs: Mapping[str, JsonValue],
    language: str,
) -> list[UserMove]:
    phrased = tuple(g if isinstance(g, Goal) else Goal(phrase=g, template=g) for g in goals)
    turns: list[Turn] = []
    moves: list[UserMove] = []
    act: Act = Listen()
    for message in messages:
        text, *labels = (message,) if isinstance(message, str) else message
        buttons = tuple(Choice(label=label, value=label) for label in labels)
        turns.append(Turn(act=act, observation=Observation(text=text, choices=buttons)))
        task = UserTask(
            goals=phrased,
            inputs=dict(inputs),
            domains={name: (value,) for name, value in inputs.items()},
            context=tuple(context),
            seed=1,
            turns=tuple(turns),
            language=language,
        )
        moves.append(asyncio.run(FakeContext().build(AgendaUser).act(task)))
        act = moves[-1].act or Listen()
    return moves
