"""Options that a goal means without naming them as they are labelled.

"swap from the early shift to the late shift" means "Late", "a course for beginners" the first of
some levels, "straight away" means "Now", and "return your pram" the entry "Return something".
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.roles import BEGIN, roles_in
from sparring_plugins.users.agenda.profile.stances import with_same_root
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.state.value_matching import shared_by_most
from sparring_plugins.users.agenda.words.goal_verbs import is_verb
from sparring_plugins.users.agenda.words.phrase_book import any_of, word_lists


def option_of_goal(state: DialogueState, question: AppQuestion) -> int | None:
    """Return the index of the option that a goal means by other words than its label, or None."""
    services = [goal.words for goal in state.goals if not goal.asks]
    # "Where do you want to depart from?": a way from Leeds to York begins in Leeds
    begins = roles_in(question.text) == frozenset({BEGIN})
    place = None if begins else option_changed_to(question.options, question.text, services)
    if place is None:
        place = option_of_level(question.options, (*services, *state.task.context))
    if place is None:
        place = option_at_once(question.options, services)
    if place is None and state.form is None:
        place = option_of_verb(question.options, [g.words for g in _fresh(state)])
    return place


def option_named_otherwise(options: Sequence[str], goals: Sequence[UserGoal]) -> int | None:
    """Return the one option that a service names with another word of the same root or meaning.

    "Cancellation" is chosen for "the trip you had to cancel", "Luggage" for a suitcase.
    """
    named = [names_in(option) for option in options]
    named = [names - shared_by_most(named) for names in named]
    said = names_in("\n".join(goal.words for goal in goals if not goal.asks))
    fitting = [
        index for index, names in enumerate(named) if names and with_same_root(names, said) == names
    ]
    return fitting[0] if len(fitting) == 1 and len(named) > 1 else None


def _fresh(state: DialogueState) -> list[UserGoal]:
    return [goal for goal in state.memory.open_goals() if not state.memory.mentioned(goal)]


def option_of_verb(options: Sequence[str], goals: Sequence[str]) -> int | None:
    """Return the entry of a menu that begins with the verb of the next goal, or None.

    "return your pram because a wheel is loose" means "Return something", and not "Prams".
    """
    verbs = [folded(option).split()[:1] for option in options]
    first = folded(goals[0]).split()[:1] if goals else []
    if not first or first[0] in _lists()["light"] or not is_verb(first[0]):
        return None
    fitting = [at for at, verb in enumerate(verbs) if verb == first]
    return fitting[0] if len(fitting) == 1 else None


def option_at_once(options: Sequence[str], goals: Sequence[str]) -> int | None:
    """Return the option that a goal means by "straight away": "Now"; None if none or several do."""
    at_once = word_lists().at_once
    if not any(contains(folded(goal), word) for goal in goals for word in at_once):
        return None
    now = [at for at, o in enumerate(options) if any(contains(folded(o), w) for w in at_once)]
    return now[0] if len(now) == 1 else None


def option_changed_to(options: Sequence[str], question: str, goals: Sequence[str]) -> int | None:
    """Return the option to which a goal wants something changed; None if none or several fit.

    Args:
        options: What the app offers.
        question: The question for one of them.
        goals: The services that are wanted.
    """
    if any(contains(folded(question), word) for word in _lists()["old"]):
        return None
    for goal in goals:
        match = _from_to().search(f"{folded(goal)} ")
        if match is None:
            continue
        old = [at for at, option in enumerate(options) if contains(match["old"], folded(option))]
        new = [at for at, option in enumerate(options) if contains(match["new"], folded(option))]
        new = [at for at in new if at not in old]
        if old and len(new) == 1:
            return new[0]
    return None


@lru_cache(maxsize=1)
def _from_to() -> re.Pattern[str]:
    lists = _lists()
    return re.compile(
        rf"\b{any_of(lists['from'])} (?P<old>.{{2,60}}?) {any_of(lists['to'])} (?P<new>.{{2,60}})"
    )


@lru_cache(maxsize=1)
def _lists() -> dict[str, list[str]]:
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", "goal_options.yaml")
    return {name: [folded(str(word)) for word in words] for name, words in data.items()}


_GRADE = re.compile(r"\b([abc])([12])\b")
"""A level of the Common European Framework of Reference for Languages."""


def option_of_level(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the option for the level that a profile names: A1 for beginners; or None.

    Args:
        options: What the app offers: "A1", "A2", "B1", "I don't know".
        texts: The goals and the context, those that count most first.
    """
    graded = [at for at, option in enumerate(options) if _GRADE.search(folded(option))]
    if len(graded) < _SCALE:
        return None
    for text in map(folded, texts):
        if _GRADE.search(text):
            return None  # which is matched as it is
        for level in ("beginner", "intermediate", "advanced"):
            if any(contains(text, word) for word in _lists()[level]):
                place = {"beginner": 0, "intermediate": len(graded) // 2, "advanced": -1}[level]
                return graded[place]
    return None


_SCALE = 2
"""Levels from which on options are a scale."""
