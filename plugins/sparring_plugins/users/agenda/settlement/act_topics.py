"""Which goal an act of the user brings up: by its words, or by the entry that it chooses."""

from collections.abc import Sequence

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.choosing.changed_lines import changed_by_mark
from sparring_plugins.users.agenda.choosing.option_wishes import DEEDS, intents_of
from sparring_plugins.users.agenda.choosing.stated_answers import changing_option, sending_option
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.replies.app_reply import is_yes
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.memory import (
    Memory,
    goals_said_at_once,
    menu_topic,
    questions_of_label,
    topic_of,
)
from sparring_plugins.users.agenda.state.user_goals import UserGoal, is_service, plans_change


def topic_of_act(text: str, memory: Memory) -> str | None:
    """Return the goal that an act brings up; the questions that its label names count as asked."""
    goals, slots = memory.goals, memory.slots
    by_menu = memory.last is not None and text in map(folded, memory.last.menu)
    topic = topic_of(text, _led_to(text, goals) if by_menu else goals, slots)
    topic = topic or (menu_topic(text, goals, slots) if by_menu else None)
    topic = topic or _change_begun(text, memory) or _goal_of_entry(text, memory)
    at_once = questions_of_label(text, goals) if by_menu else goals_said_at_once(text, goals)
    memory.tries.update(key for key in at_once if key != topic)
    return topic


def _led_to(label: str, goals: Sequence[UserGoal]) -> Sequence[UserGoal]:
    """The goals that an entry of a menu may be chosen for: no question by one that does something.

    Who presses "Book a visit" asks for no "reference of the booked visit".
    """
    does = bool(intents_of(label) & DEEDS)
    return [goal for goal in goals if not goal.asks] if does else goals


def _goal_of_entry(label: str, memory: Memory) -> str | None:
    """The service that an entry was chosen for, if it has words of that one alone; else None.

    "Change my address" is chosen to "tell the insurer your new address", and "report a lost SIM",
    from what the app can do, to "report what happened and have the SIM blocked".
    """
    last = memory.last
    if last is None or not label:
        return None
    named = last.fallback and len(label.split()) > 1 and contains(last.words, label)
    if not named and label not in map(folded, last.menu):
        return None
    served = [goal.key for goal in memory.open_goals() if _may_serve(label, goal)]
    return served[0] if len(served) == 1 else None


def _may_serve(label: str, goal: UserGoal) -> bool:
    """Whether an entry has words of a service, and does nothing that is opposed to it."""
    deeds, wanted = intents_of(label) & DEEDS, intents_of(goal.words) & DEEDS
    # "Change a delivery" is not chosen to cancel one
    if not is_service(goal) or (deeds and wanted and not deeds & wanted):
        return False
    # "Make a claim" has one word of "have somebody call you back about that claim"
    tells_new = goal.form == "statement" and deeds == frozenset({"change"})
    return shared_roots(names_in(label), names_in(goal.words)) >= (1 if tells_new else _SHARED)


_SHARED = 2
"""Words that an entry has in common with the service that it is chosen for, at least."""


def _change_begun(label: str, memory: Memory) -> str | None:
    """The planned change that begins with "Change" beside "Send" at a read-back, or None."""
    question = memory.last.questions[-1:] if memory.last is not None else ()
    options = question[0].options if question else ()
    place = changing_option(options)
    sends = sending_option(options) is not None or any(map(is_yes, options))
    begun = place is not None and sends and folded(options[place]) == label
    by_mark = memory.last is not None and len(label) <= MARK and changed_by_mark(memory.last.text)
    if not begun and not (by_mark and label):
        return None
    return next((g.key for g in memory.goals if plans_change(g) and g.key not in memory.met), None)


MARK = 2
"""Letters or digits of the mark of a line at most."""
