"""Which goals something that the user says is about."""

from collections.abc import Sequence

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.user_goals import (
    UserGoal,
)

_TOPIC_OVERLAP = 0.6


def topic_of(text: str, goals: Sequence[UserGoal], slots: Sequence[Slot]) -> str | None:
    """The goal that an act brings up; None for a mere answer."""
    spoken = concepts(text)
    values = value_concepts(slots)
    best, score = None, 0.0
    for goal in goals:
        if not goal.concepts and contains(text, folded(goal.words)):
            return goal.key
        similarity = _topic_similarity(goal, spoken, values)
        if similarity >= _TOPIC_OVERLAP and similarity > score:
            best, score = goal.key, similarity
    return best


def _topic_similarity(goal: UserGoal, spoken: frozenset[str], values: frozenset[str]) -> float:
    """How much the concepts of an act are those of a goal, from 0 to 1.

    An act of nothing but values brings no goal up, unless these are the whole goal.
    """
    meant = goal.concepts
    if not spoken & meant or (spoken <= values and not meant <= spoken):
        return 0.0
    if goal.asks and not spoken & goal.subject:
        return 0.0
    similarity = overlap(meant, spoken)
    if len(spoken) > 1 or len(meant) == 1:
        similarity = max(similarity, 0.95 * overlap(spoken, meant))
    return similarity


def menu_topic(option: str, goals: Sequence[UserGoal], slots: Sequence[Slot]) -> str | None:
    """The goal that an option of a menu is part of, if that is one alone."""
    named = concepts(option)
    if not named or named <= value_concepts(slots):
        return None
    keys = [goal.key for goal in goals if not goal.is_output and named <= goal.concepts]
    return keys[0] if len(keys) == 1 else None


def value_concepts(slots: Sequence[Slot]) -> frozenset[str]:
    """Return the concepts of all values of some variables."""
    return frozenset(
        concept for slot in slots for value in slot.values for concept in concepts(value)
    )


def goals_said_at_once(text: str, goals: Sequence[UserGoal]) -> list[str]:
    """The goals of an act that brings up several at once, each in its own words."""
    keys = [
        goal.key
        for goal in goals
        if not goal.is_output and goal.concepts and contains(text, folded(goal.words))
    ]
    return keys if len(keys) > 1 else []
