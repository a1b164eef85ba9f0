"""Going through a conversation: what the user remembers of it, turn by turn."""

from collections.abc import Sequence
from dataclasses import replace

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Observation, meant_by
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import folded, plain
from sparring_plugins.users.agenda.app_reply import AppReply, read_app_reply
from sparring_plugins.users.agenda.goal_settlement import settle_goals
from sparring_plugins.users.agenda.goal_topics import goals_said_at_once, menu_topic, topic_of
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.user_goals import (
    UserGoal,
    is_yielding,
)

FALLBACK_SIMILARITY = 0.75
"""Least similarity of a reply to a fallback phrase."""


def remember(
    task: UserTask, goals: Sequence[UserGoal], slots: Sequence[Slot], patience: int
) -> Memory:
    """Go through the conversation so far, and settle goals turn by turn."""
    memory = Memory(goals, slots, patience, yielding=is_yielding(task, goals))
    memory.met.update(f"goal {index}" for index in task.goals_met)
    fallbacks = Fallbacks(task.fallbacks, FALLBACK_SIMILARITY)
    for turn in task.turns:
        text = _chosen_option(folded(plain(meant_by(turn.act))), memory.last)
        by_menu = memory.last is not None and text in map(folded, memory.last.menu)
        topic = topic_of(text, goals, slots) or (
            menu_topic(text, goals, slots) if by_menu else None
        )
        memory.acts.append(text)
        memory.tries.update(key for key in goals_said_at_once(text, goals) if key != topic)
        memory.topics.append(topic)
        if topic is not None:
            memory.tries[topic] += 1
        memory.replies.append(_read(turn.observation, fallbacks))
        settle_goals(memory)
    for goal in goals:
        given_up = memory.tries[goal.key] >= patience and goal.key not in memory.met
        if given_up and not _is_led_on(memory):
            memory.closed.add(goal.key)
    settle_foreseen(memory)
    return memory


def settle_foreseen(memory: Memory) -> None:
    """Count what the app refused as settled if the profile says what to do then, and that is done.

    "if they can't help, find out who can" foresees that no appointment is made.
    """
    foreseen = [goal for goal in memory.goals if goal.condition]
    services = {goal.key for goal in memory.goals if not goal.asks and not goal.condition}
    if services & memory.met:
        # "if that is not possible take Saturday": something was taken in the end
        memory.met |= {goal.key for goal in foreseen if not goal.asks}
    if memory.refused and foreseen and all(goal.key in memory.met for goal in foreseen):
        memory.met |= services & memory.closed


def _read(observation: Observation | None, fallbacks: Fallbacks) -> AppReply:
    """A reply as it reads; one of the app's fallback phrases settles and tells nothing."""
    reply = read_app_reply(observation)
    if reply.fallback or not fallbacks.match(reply.text):
        return reply
    return replace(reply, fallback=True, done=False, informative=False)


def _chosen_option(text: str, reply: AppReply | None) -> str:
    """What the user said, in words if it was the number of an option."""
    for question in reply.questions if reply is not None else ():
        if text in question.marks:
            return folded(question.options[question.marks.index(text)])
    return text


def _is_led_on(memory: Memory) -> bool:
    """Whether the app is leading the user on with questions of its own."""
    last = memory.last
    return last is not None and last.asks("select", "open", "confirm") and not last.fallback
