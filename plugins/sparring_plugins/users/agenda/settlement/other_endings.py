"""Replies that look like the end of a service and belong to something else.

"A pass costs £9. Anything else?" answers the question beside "I want a pass, and what is it?", and
"Your letter is ready." ends no report that was only said within the form of the letter.
"""

import re

from sparring_plugins.language.candidates import find_identifiers
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.choosing.option_wishes import DEEDS, intents_of
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_yes
from sparring_plugins.users.agenda.state.memory import Memory, goals_said_at_once
from sparring_plugins.users.agenda.state.user_goals import UserGoal, has_answer, is_service
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.agenda.words.phrase_book import announces


def was_passed_over(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Return whether a goal was said beside a question, and the reply deals with that alone.

    "Milk is £1.20 a day. Anything else?" has one word of "order oat milk for Ben from 3 May, and
    what does it cost?" and orders nothing.
    """
    at_once = goals_said_at_once(memory.acts[-1], memory.goals)
    asked = [other for other in memory.goals if other.asks and other.key in at_once]
    if reply.done or goal.key not in at_once or not asked:
        return False
    stated = "\n".join(reply.statements)
    answers = any(has_answer(other, stated) or _is_about(other, stated) for other in asked)
    # an identifier shows that something was done beside the answer
    least = _HALF if answers and not find_identifiers(reply.text) else _SOME
    return overlap(goal.subject, concepts(stated)) < least


def is_answered_at_once(memory: Memory, goal: UserGoal, stated: str) -> bool:
    """Return whether a statement is about a question that was put together with other goals.

    "You can pay by card or in cash." answers the last of "How much is a bouquet? Do you deliver?
    Can I pay by card?".
    """
    if goal.key not in goals_said_at_once(memory.acts[-1], memory.goals):
        return False
    return has_answer(goal, stated) is not False and _is_about(goal, stated)


def _is_about(goal: UserGoal, stated: str) -> bool:
    return bool(goal.subject) and overlap(goal.subject, concepts(stated)) >= _HALF


_SOME = 0.01
_HALF = 0.5
"""Share of a goal's concepts in a reply from which on the reply speaks of the goal."""


def asked_in_between(memory: Memory) -> bool:
    """Return whether the last reply answers a question that the user put in the middle of a form.

    "Is my furniture insured?" instead of an answer to "What is it about?" orders no call back,
    though the reply names an amount and asks nothing.
    """
    asked = {goal.key for goal in memory.goals if goal.asks}
    return memory.topics[-1] in asked


def is_end_of_other(memory: Memory, goal: UserGoal) -> bool:
    """Return whether a reply ends another form than that of a goal, or a cancelling."""
    return was_interjected(memory, goal) or ends_in_cancelling(memory, goal)


def ends_in_cancelling(memory: Memory, goal: UserGoal) -> bool:
    """Return whether the user has just agreed to cancel what a goal wants something else done to.

    "Lesson S-12 is cancelled." after "Shall I really cancel it?" moves no lesson to Monday.
    """
    if len(memory.replies) < _BEFORE_AND_AFTER or not is_yes(memory.acts[-1]):
        return False
    wanted = intents_of(goal.words)
    # "close the ticket" is done by "Close it for good?" though no word says "cancel"
    if "cancel" in wanted or not wanted & DEEDS:
        return False
    asked = [intents_of(question.text) for question in memory.replies[-2].questions]
    # "Anular" among the options, then "¿Seguro?": the option itself said what is to be done
    chosen = [intents_of(memory.acts[-2])] if len(memory.acts[-2].split()) <= _LABEL else []
    return any(intents & DEEDS == frozenset({"cancel"}) for intents in (*asked, *chosen))


_BEFORE_AND_AFTER = 2
_LABEL = 3
"""Words of an option's label at most."""


def was_interjected(memory: Memory, goal: UserGoal) -> bool:
    """Return whether a goal was brought up last within the form of another one."""
    places = [at for at, key in enumerate(memory.topics) if key == goal.key]
    return bool(places) and is_interjected(memory, goal, places[-1])


def is_interjected(memory: Memory, goal: UserGoal, at: int) -> bool:
    """Return whether a goal was said in the middle of another one's form, which went on with it.

    "Any whole amount from 30 to 300 is possible." after "I also want another tariff." has
    understood nothing of the tariff, whatever the form ends with.
    """
    if goal.form != "action" and not is_announced(goal):
        return False  # "2 cans of coke" after "Anything to drink?" is a part of the order
    led = next((place for place in range(at - 1, -1, -1) if memory.topics[place]), None)
    services = {other.key for other in memory.goals if is_service(other)} - {goal.key}
    if led is None or memory.topics[led] not in services:
        return False
    if any(reply.done or reply.asks_what_else for reply in memory.replies[led:at]):
        return False
    return not _is_spoken_of(goal, "\n".join(reply.text for reply in memory.replies[at:]))


def _is_spoken_of(goal: UserGoal, later: str) -> bool:
    """Whether what an app says later has a value of a goal, or enough of its words."""
    if any(says_value(folded(later), text) for text in goal.texts):
        return True
    # "A unit number is like A-10." has one word of "the light beside your unit is broken"
    return overlap(goal.subject, concepts(later)) >= (_HALF if is_announced(goal) else _SOME)


def is_announced(goal: UserGoal) -> bool:
    """Return whether a statement is a service of its own: "report that Leo is ill"."""
    return goal.form == "statement" and announces(goal.phrase, goal.language)


def clauses_told(words: str, language: str) -> list[str]:
    """Return the particulars of a statement: "I move on 2 May" and "there is a dog"."""
    parts = [
        part for part in _CLAUSES.split(words) if len(names_in(part)) > 1 or days_in(part, language)
    ]
    return parts if len(parts) > 1 else [words]


_CLAUSES = re.compile(r",? and (?=\w+ )|,? (?:und|y|et|e) (?=\w+ )|; ")
