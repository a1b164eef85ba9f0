"""The option that the profile speaks for most: each clause is weighed against each option.

What sets an option apart from the others counts, and whether a clause is about the question at all:
"the car stands on the driveway at night" answers "Where is it parked overnight?" with "Driveway",
though the profile has a street as well. A clause that says no to an option speaks against it, and
one that tells of something of the user's own for the option that declines.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.menu_ranking import events_in
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import denies, have_same_root, own_question
from sparring_plugins.users.agenda.profile.statements import (
    ROLE,
    Statement,
    amounts_in,
    statements_of,
)
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import names_way_out
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    plans_change,
    waits_for_moment,
)

_T = TypeVar("_T")

CERTAIN = 1.1
"""Least weight of an option that goes before any other way to choose."""

LIKELY = 0.45
"""Least weight of one that goes before a choice by chance."""

_APART = 0.25
"""Least share of its weight that the best option has more than the next one."""

_ABOUT = 0.4
"""What a clause on the subject of the question gains over any other one."""

_OF_ROLE = 0.6
"""What a role tells of its user in passing weighs less."""

_ITS_OWN = 0.9
"""The weight of an option that declines for somebody who has one: "your things are insured"."""


@dataclass(frozen=True, slots=True)
class _Option:
    """An option by what sets it apart: the weights of its names, its events and its amounts."""

    label: str
    weights: dict[str, float]
    events: frozenset[int]
    amounts: frozenset[tuple[str, str]]


def weighed_option(
    state: DialogueState, question: AppQuestion, reply: AppReply, least: float
) -> int | None:
    """Return the index of the option that the profile clearly speaks for most; None for none.

    Args:
        state: The conversation.
        question: What the options answer.
        reply: The reply that asks it.
        least: Least weight of the option.
    """
    options = [option for option in question.options if not names_way_out(option)]
    place = _clear_option(state, _asking(question, reply), options, least)
    return question.options.index(options[place]) if place is not None else None


_ENOUGH = 2
"""Names of a question from which on it says itself what it is about."""


def _asking(question: AppQuestion, reply: AppReply) -> str:
    """A question without its options, with the sentence before it if it says little itself.

    "Your goods must be insured. Choose your cover:" is about what is insured.
    """
    asking = own_question(question.text if reply.choices else question.text.partition(":")[0])
    if len(names_in(asking)) > _ENOUGH:
        return asking
    labels = [folded(option) for option in question.options]
    told = [t for t in reply.statements if not any(label in folded(t) for label in labels)]
    return " ".join((*told[-1:], asking))


def _clear_option(
    state: DialogueState, question: str, options: Sequence[str], least: float
) -> int | None:
    services = tuple(goal.words for goal in state.goals if _counts_now(state, goal))
    statements = statements_of(services, tuple(state.task.context), state.task.role)
    asked = names_in(question)
    read = _read_options(options)
    weights = [_weight(option, asked, statements) for option in read]
    ranked = sorted(weights, reverse=True)
    if len(ranked) < 2 or ranked[0] < least or ranked[0] - ranked[1] < _APART * ranked[0]:
        return None
    return weights.index(ranked[0])


def _counts_now(state: DialogueState, goal: UserGoal) -> bool:
    """Whether a goal has a say: one that changes something only once its change has begun."""
    if goal.asks or goal.key in state.memory.met:
        return False
    waits = plans_change(goal) or waits_for_moment(goal)
    return not waits or goal == state.memory.active


def _read_options(options: Sequence[str]) -> list[_Option]:
    heads = [_HEAD.split(option, maxsplit=1)[0] or option for option in options]
    pairs = zip(heads, options, strict=True)
    named = [names_in(head) or names_in(option) for head, option in pairs]
    events = _of_one([events_in(option) for option in options])
    amounts = _of_one([amounts_in(head) for head in heads])
    return [
        _Option(*parts) for parts in zip(options, _weights_of(named), events, amounts, strict=True)
    ]


def _weights_of(named: Sequence[frozenset[str]]) -> list[dict[str, float]]:
    """The names of each option with what they weigh; none for those that all options have."""
    shares = Counter(name for names in named for name in names)
    most = max(len(named), 2)
    return [{n: 1 / shares[n] ** 2 for n in names if shares[n] < most} for names in named]


def _of_one(sets: Sequence[frozenset[_T]]) -> list[frozenset[_T]]:
    """Of each of some sets the members that no other one has."""
    counts = Counter(member for members in sets for member in members)
    return [frozenset(m for m in members if counts[m] == 1) for members in sets]


# "Small - 25 sq ft, £13 a week" and "Thursday (3 places)" begin with what is chosen.
_HEAD = re.compile(r"\s[-\u2013]\s|\s?\(|:\s")


def _weight(option: _Option, asked: frozenset[str], statements: Sequence[Statement]) -> float:
    """How much the profile speaks for an option; below 0 if it speaks against it."""
    gains = [_gain(option, asked, statement) for statement in statements]
    return max((0.0, *gains)) + min((0.0, *gains))


def _gain(option: _Option, asked: frozenset[str], statement: Statement) -> float:
    """How much one clause speaks for an option."""
    about = any(have_same_root(name, other) for name in asked for other in statement.names)
    if starts_with_cue(folded(option.label), "negative"):  # "No cover", "None of these"
        return _ITS_OWN if about and _has_already(statement.text) else 0.0
    shared = frozenset(
        name for name in option.weights if any(have_same_root(name, n) for n in statement.names)
    )
    if shared and denies(statement.text, shared) and not denies(option.label, shared):
        return -1.0
    counted = _share_counted(option, statement)
    about = about or counted > 0  # "For how long?" is answered by "12 months"
    fit = max(_share_named(option, shared), counted)
    if option.events & events_in(statement.text):
        fit = max(fit, LIKELY)
    return fit * (1 + _ABOUT * about) * (_OF_ROLE if statement.source == ROLE else 1)


def _share_named(option: _Option, shared: frozenset[str]) -> float:
    """How much of what sets an option apart a clause names."""
    whole = sum(option.weights.values())
    return sum(option.weights[name] for name in shared) / whole if whole else 0.0


def _share_counted(option: _Option, statement: Statement) -> float:
    """Whether a clause has the amount that sets an option apart: "12 months"."""
    units = (amount for amount in option.amounts if amount[1])
    return 1.0 if any(amount in statement.amounts for amount in units) else 0.0


def _has_already(clause: str) -> bool:
    return any(contains(folded(clause), word) for word in _already())


@lru_cache(maxsize=1)
def _already() -> tuple[str, ...]:
    lists = bundled_yaml("sparring_plugins.users.agenda.choosing", "weighed_options.yaml")
    return tuple(folded(str(word)) for word in lists["already"])
