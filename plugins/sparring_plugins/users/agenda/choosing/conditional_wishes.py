"""What a profile wants in some case: "if Ida is away that day, take Olga", "falls nicht, Wangen".

The user says it once the app's words show that the case has come. A condition that fails
something has come when the app names what is wanted then; any other one is looked up in what the
app has just stated, as a question would be in the profile.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.profile.conditions import (
    condition_words,
    split_condition,
    split_condition_at_end,
    states_condition,
)
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import denies, stance
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.user_goals import waits_for_moment
from sparring_plugins.users.agenda.words.knowledge import knowledge


@dataclass(frozen=True, slots=True)
class ConditionalWish:
    """What somebody wants in a case: the case, the wish, whether the case is that of a failure."""

    case: str
    wish: str
    fails: bool


def conditional_wishes(texts: Sequence[str]) -> tuple[ConditionalWish, ...]:
    """Return the wishes that some sentences of a profile tie to a case, in order."""
    return _wishes_in(tuple(texts))


@lru_cache(maxsize=256)
def _wishes_in(texts: tuple[str, ...]) -> tuple[ConditionalWish, ...]:
    parts = (part for text in texts for sentence in sentences(text) for part in _parts(sentence))
    return tuple(wish for part in parts for wish in _wish_of(part))


def _parts(sentence: str) -> Iterator[str]:
    """A sentence from each of its conditions on: "best here, and if that fails, there" has one."""
    begins = [0, *(match.end() for match in re.finditer(r"[,;]\s+", sentence))]
    for begin in begins:
        part = sentence[begin:].strip(" .")
        clause = part.partition(",")[0]
        if states_condition(part):
            yield part
        elif split_condition_at_end(clause) is not None:
            yield clause


def _wish_of(part: str) -> Iterator[ConditionalWish]:
    split = split_condition(part) or split_condition_at_end(part)
    if split is not None:
        yield ConditionalWish(*split, fails=True)
        return
    case, comma, wish = part.partition(",")
    if comma and wish.strip():
        yield ConditionalWish(case, wish.strip(), fails=False)


def concerns(wish: ConditionalWish, reply: AppReply, *, anyway: bool = False) -> bool:
    """Return whether a reply states something of what a condition is about: "Ida is off on Friday".

    A condition that names nothing, "if this is not possible", has come with any refusal, or
    `anyway`.
    """
    about = names_in(wish.case) - names_in(wish.wish) - _names_of("possible")
    stated = names_in("\n".join(reply.statements) or reply.text)
    return bool(about & stated) or (not about and (anyway or reply.turns_down))


def wish_in_this_case(state: DialogueState, options: Sequence[str], reply: AppReply) -> int | None:
    """Return the option that the profile wants in a case that has come, or None.

    "if it costs something to cancel, you rather move it" chooses "move" of "Cancel or move?" after
    "I would have to charge half, £31.", and nothing after "It is free of charge.". "if no locker is
    possible, leave it with the neighbour" chooses the neighbour once "Locker" was chosen in vain.
    """
    again = state.times > 0 or reply.turns_down
    for wish in _all_wishes(state):
        if wish.fails:
            has_come = again and concerns(wish, reply, anyway=True)
        else:
            has_come = _holds(wish.case, reply.statements) is True
        if not has_come:
            continue
        names = names_in(wish.wish) - names_in(wish.case)
        scores = [shared_roots(names_in(option), names) for option in options]
        best = max(scores, default=0)
        if best and scores.count(best) == 1:
            return scores.index(best)
    return None


def wished_offer(state: DialogueState, question: str, reply: AppReply) -> bool | None:
    """Return whether the profile wants what is offered in a case that has come; None without one.

    "if the piano must be tuned before, you pay for a tuner" is a yes to "The piano must be tuned
    before. May I send a tuner?".
    """
    offered = names_in(question)
    deeds = intents_of(question)
    for wish in _all_wishes(state):
        stated = not wish.fails and _holds(wish.case, reply.statements) is True
        failed = wish.fails and reply.turns_down and concerns(wish, reply, anyway=True)
        if not stated and not failed:
            continue
        names = names_in(wish.wish) - names_in(wish.case)
        if shared_roots(offered, names) or deeds & intents_of(wish.wish):
            return not denies(wish.wish, names)
    return None


def is_case_of_wish(state: DialogueState) -> bool:
    """Return whether the app has stated that a case of the profile has come: then that counts.

    Who "rather moves it if it costs something" does not insist on the cancellation.
    """
    stated = [text for reply in state.memory.replies for text in reply.statements]
    return any(not w.fails and _holds(w.case, stated) is True for w in _all_wishes(state))


def _all_wishes(state: DialogueState) -> tuple[ConditionalWish, ...]:
    # "when the details are read back, change it" names a moment, and no case
    services = (goal for goal in state.goals if not goal.asks and not waits_for_moment(goal))
    goals = (goal.phrase or goal.words for goal in services)
    return conditional_wishes((*state.task.context, *goals))


def _holds(case: str, stated: Sequence[str]) -> bool | None:
    """Whether a case has come, as some statements of the app say; None if they do not say."""
    about = names_in(case)
    if about & _names_of("costing"):
        amounts = any(map(find_money, stated))
        return amounts or (False if any(map(_is_free, stated)) else None)
    return stance(case, list(stated))


@lru_cache(maxsize=4)
def _names_of(what: str) -> frozenset[str]:
    """The names of a list of words of conditions."""
    return names_in(" ".join(condition_words(what)))


def _is_free(text: str) -> bool:
    words = folded(text)
    return has_cue(words, "free") or bool(knowledge().denials & set(words.split()))
