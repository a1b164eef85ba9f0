"""Which goals wait for others, and which questions and outputs are worth another try."""

from collections.abc import Sequence

from sparring_plugins.language.similarity import Fallbacks, overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.profile.personal_details import private_details
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import leaves_form_open
from sparring_plugins.users.agenda.state.user_goals import UserGoal, revises_value, waits_for_moment
from sparring_plugins.users.agenda.words.knowledge import knowledge

OUTPUT_TRIES = 2
"""How often a declared output is asked for."""

_SAME_QUESTION = 0.6
"""Least share of an output's concepts in a goal that asks for the same."""


def comes_later(goal: UserGoal, memory: Memory) -> bool:
    """Return whether a goal is to be said at a moment of another one that has not come yet."""
    others = any(not other.asks and other is not goal for other in memory.open_goals())
    # "when it is read back, say that ..." has its moment from the first read-back on
    begun = any(reply.asks("confirm") or reply.done for reply in memory.replies)
    return waits_for_moment(goal) and others and not begun


def is_conceded(goal: UserGoal, memory: Memory) -> bool:
    """Return whether the app could not do a goal as it was said, and something else is taken.

    The goal is not said again while the app is still about it: "on Sunday" was refused.
    """
    served = memory.yielding and memory.refused and leaves_form_open(memory.replies)
    return served and not goal.condition and bool(goal.texts) and memory.mentioned(goal)


def sayable_goals(memory: Memory) -> list[UserGoal]:
    """Return the open goals that may be said now, in order."""
    return [
        goal
        for goal in memory.open_goals()
        if not is_conceded(goal, memory) and not comes_later(goal, memory)
    ]


def asked_in_vain(output: UserGoal, goals: Sequence[UserGoal], memory: Memory) -> bool:
    """Return whether an output was already asked for in vain, as a goal."""
    return any(
        overlap(output.concepts, goal.concepts) >= _SAME_QUESTION
        # a question that led to nothing twice is not asked once more for an output
        and (goal.key in memory.closed or memory.tries[goal.key] >= OUTPUT_TRIES)
        for goal in goals
        if goal.asks
    )


def main_goals(goals: Sequence[UserGoal]) -> list[UserGoal]:
    """Return the goals without the details of others, which no entry of a main menu is for.

    "take the Plus cover" is no reason to press "Add a driver" for who wants a quote.
    """
    leads = tuple(f"{folded(lead)} " for lead in knowledge().minor)
    main = [goal for goal in goals if goal.asks or not f"{folded(goal.words)} ".startswith(leads)]
    # if only details are left, one of them must be what the user came for
    return main if any(not goal.asks for goal in main) else list(goals)


def values_for_later(goals: Sequence[UserGoal], memory: Memory) -> set[str]:
    """Return the variables of goals that change something and were not brought up yet."""
    now: set[str] = set()
    later: set[str] = set()
    for goal in goals:
        changes = revises_value(goal) or waits_for_moment(goal)
        waits = changes and not memory.tries[goal.key]
        (later if waits else now).update(name for name, _ in goal.values)
    # a day that another goal uses as well is needed before the change
    return later - now


def is_definite(question: AppQuestion, slots: Sequence[Slot], fallbacks: Fallbacks) -> bool:
    """Return whether a question names options, or asks for a value or a detail of the user."""
    if has_cue(question.words, "fallback"):
        return False
    if question.kind == "select":
        return True
    return (
        question.kind in ("open", "confirm")
        and not fallbacks.match(question.text)
        and bool(asked_slots(question.words, slots) or private_details(question.words))
    )
