"""The option that the profile supports most: each clause is weighed against each option.

What distinguishes an option from the others counts, and whether a clause is about the question:
"the bike is kept in the shed in winter" answers "Where is it kept in winter?" with "Shed", though
the profile names a garage as well. A clause that negates an option counts against it. A clause
about something that the user has already supports the option that declines.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.users.agenda.choosing.menu_ranking import events_in
from sparring_plugins.users.agenda.profile.distinctive_names import (
    distinctive_weights,
    members_of_one,
    share_of_weight,
)
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import (
    denies,
    own_question,
    with_same_root,
)
from sparring_plugins.users.agenda.profile.statements import (
    ROLE,
    Statement,
    amounts_in,
    statements_of,
)
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import names_way_out
from sparring_plugins.users.agenda.state.user_goals import UserGoal, waits_for_moment
from sparring_plugins.users.agenda.words.knowledge import says

CERTAIN = 1.1
"""Least weight of an option that goes before any other way to choose."""

LIKELY = 0.45
"""Least weight of one that goes before a choice by chance."""

_APART = 0.25
"""Least share of its weight that the best option has more than the next one."""

_ABOUT = 0.4
"""By how much of its weight a clause on the subject of the question counts more."""

_OF_ROLE = 0.6
"""How much a clause of the role counts, which mentions things in passing."""

_ITS_OWN = 0.9
"""The weight of an option that declines, for a user who has one: "the boat is insured already"."""


@dataclass(frozen=True, slots=True)
class _Option:
    """What distinguishes an option: the weights of its names, its events and its amounts."""

    label: str
    weights: dict[str, float]
    events: frozenset[int]
    amounts: frozenset[tuple[str, str]]


def weighed_option(
    state: DialogueState, question: AppQuestion, reply: AppReply, least: float
) -> int | None:
    """Return the index of the option that the profile clearly supports most, or None.

    Args:
        state: The conversation.
        question: What the options answer.
        reply: The reply that asks it.
        least: Least weight of the option.
    """
    options = tuple(option for option in question.options if not names_way_out(option))
    services = tuple(goal.words for goal in state.goals if _counts_now(state, goal))
    statements = statements_of(services, tuple(state.task.context), state.task.role)
    weights = _weights(options, names_in(_asking(question, reply)), statements)
    ranked = sorted(weights, reverse=True)
    if len(ranked) < 2 or ranked[0] < least or ranked[0] - ranked[1] < _APART * ranked[0]:
        return None
    return question.options.index(options[weights.index(ranked[0])])


_ENOUGH = 2
"""Names of a question from which on it says itself what it is about."""


def _asking(question: AppQuestion, reply: AppReply) -> str:
    """A question without its options, with the sentence before it if it says little itself.

    "Every boat needs a fender. Which size?" is about boats and fenders.
    """
    asking = own_question(question.text if reply.choices else question.text.partition(":")[0])
    if len(names_in(asking)) > _ENOUGH:
        return asking
    labels = [folded(option) for option in question.options]
    before = [t for t in reply.statements if not any(label in folded(t) for label in labels)]
    return " ".join((*before[-1:], asking))


# A question is weighed for a clear option first, and for a likely one if nothing else decides.
@lru_cache(maxsize=64)
def _weights(
    options: tuple[str, ...], asked: frozenset[str], statements: tuple[Statement, ...]
) -> tuple[float, ...]:
    """The weight of each option: how much the profile supports it."""
    return tuple(_weight(option, asked, statements) for option in _read_options(options))


def _counts_now(state: DialogueState, goal: UserGoal) -> bool:
    """Whether a goal supports options now; one that waits for its moment only once it is active."""
    if goal.asks or goal.key in state.memory.met:
        return False
    return not waits_for_moment(goal) or goal == state.memory.active


def _read_options(options: Sequence[str]) -> list[_Option]:
    heads = [_HEAD.split(option, maxsplit=1)[0] or option for option in options]
    pairs = zip(heads, options, strict=True)
    named = [names_in(head) or names_in(option) for head, option in pairs]
    events = members_of_one([events_in(option) for option in options])
    amounts = members_of_one([amounts_in(head) for head in heads])
    return [
        _Option(*parts) for parts in zip(options, _weights_of(named), events, amounts, strict=True)
    ]


def _weights_of(named: Sequence[frozenset[str]]) -> list[dict[str, float]]:
    """The names of each option with what they weigh; none for those that all options have."""
    of_all = frozenset[str].intersection(*named) if len(named) > 1 else frozenset[str]()
    weights = distinctive_weights(named)
    return [{n: w for n, w in own.items() if n not in of_all} for own in weights]


# "Cabin - two berths, £40" and "Thursday (3 places)" begin with what is chosen.
_HEAD = re.compile(r"\s[-\u2013]\s|\s?\(|:\s")


def _weight(option: _Option, asked: frozenset[str], statements: Sequence[Statement]) -> float:
    """How much the profile supports an option; negative if a clause negates it."""
    gains = [_gain(option, asked, statement) for statement in statements]
    return max((0.0, *gains)) + min((0.0, *gains))


def _gain(option: _Option, asked: frozenset[str], statement: Statement) -> float:
    """How much one clause supports an option."""
    about = bool(with_same_root(asked, statement.names))
    if starts_with_cue(folded(option.label), "negative"):  # "No fender", "None of these"
        return _ITS_OWN if about and _has_already(statement.text) else 0.0
    shared = with_same_root(frozenset(option.weights), statement.names)
    if shared and denies(statement.text, shared) and not denies(option.label, shared):
        return -1.0
    counted = _share_counted(option, statement)
    about = about or counted > 0  # "For how long?" is answered by "9 weeks"
    fit = max(share_of_weight(option.weights, shared), counted)
    if option.events & events_in(statement.text):
        fit = max(fit, LIKELY)
    return fit * (1 + _ABOUT * about) * (_OF_ROLE if statement.source == ROLE else 1)


def _share_counted(option: _Option, statement: Statement) -> float:
    """Whether a clause has the amount that distinguishes an option: 1 for "9 weeks", else 0."""
    units = (amount for amount in option.amounts if amount[1])
    return 1.0 if any(amount in statement.amounts for amount in units) else 0.0


def _has_already(clause: str) -> bool:
    words = folded(clause)
    return says(words, "own_things") or says(words, "already")
