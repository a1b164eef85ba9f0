"""Which goal comes next, and which entry of a menu leads to it.

Some goals wait for others, and a question that led to nothing twice is not asked once more. A menu
that comes again once all is done would begin the service anew.
"""

from collections.abc import Callable, Sequence

from sparring_plugins.language.similarity import Fallbacks, overlap
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.choosing.menu_ranking import (
    best_entry,
    distinct_option,
    menu_screen,
    takes_questions,
)
from sparring_plugins.users.agenda.moves.attempts import QUOTED
from sparring_plugins.users.agenda.moves.number_menus import NumberMenus
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.personal_details import private_details
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, are_marks
from sparring_plugins.users.agenda.replies.named_options import shared_roots, things_listed
from sparring_plugins.users.agenda.state.dialogue_state import Answer
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import (
    is_closing,
    is_complaint,
    is_main_menu,
    leaves_form_open,
    open_form,
)
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    is_service,
    revises_value,
    waits_for_moment,
)
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import is_leaving, is_word_to_stop

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


# --- Menus


def is_served_at_menu(memory: Memory) -> bool:
    """Return whether the menu comes back once all is done: an entry of it would begin anew.

    "Sent. Your number is C-12. 1 Collection 2 Report 3 End" orders a second collection if the first
    entry is chosen in search of an output that the app has not said.
    """
    last = memory.last
    if last is None or not last.menu or last.asks("more"):
        return False
    if open_form(memory.replies) is not None:
        return False
    return is_served(memory)


def is_served(memory: Memory) -> bool:
    """Return whether all services that the user came for are done: then it chooses no other."""
    services = [goal for goal in memory.goals if is_service(goal) and not goal.is_output]
    return bool(services) and all(goal.key in memory.met for goal in services)


def begins_anew(memory: Memory, answers: Sequence[Answer]) -> bool:
    """Return whether the app asks for the same service again after the user wanted nothing more.

    Many small bots forget a conversation with its end: "Anything else?", "No, that's all.",
    "Welcome! Which bike would you like?" Whoever answers that hires a second bike. What comes after
    the end and is new, such as "What is your e-mail for the receipt?", is answered.

    Args:
        memory: The conversation so far.
        answers: What would be said to the last question.
    """
    turns = range(1, len(memory.acts))
    ends = [
        at for at in turns if memory.replies[at - 1].asks("more") and is_leaving(memory.acts[at])
    ]
    if not ends or not answers or any(not goal.is_output for goal in memory.open_goals()):
        return False
    # the same answer as before the end belongs to a second service
    said = " ".join(memory.acts[: ends[0]])
    return all(
        answer.reason in _OF_GOALS or bool(answer.text and says_value(said, answer.text))
        for answer in answers
    )


_OF_GOALS = ("is what a goal says", "tries what the profile says")


def wants_numbers(reply: AppReply) -> bool:
    """Return whether a reply is a menu whose buttons bear only the numbers of its entries."""
    return bool(reply.choices) and are_marks(reply.choices) and bool(menu_screen(reply))


def asks_beside_menu(last: AppReply, slots: Sequence[Slot]) -> bool:
    """Return whether a menu asks for a value of the user's; one of bare numbers never does."""
    asked = any(asked_slots(question.words, slots) for question in last.questions)
    return asked and not wants_numbers(last)


def entry_chosen(last: AppReply, place: int) -> Answer:
    """Return what chooses an entry of a menu: its button, or its number."""
    if last.choices:
        return Answer("", _LOOKING, last.choices[place])
    menu = next(question for question in last.questions if question.marks)
    return Answer(menu.marks[place], _LOOKING)


def entry_for_what_is_left(memory: Memory, background: Sequence[str]) -> Answer | None:
    """Return what chooses the entry under which an open question of the goals is asked, or None."""
    left = [goal for goal in memory.open_goals() if goal.asks and not goal.is_output]
    place = NumberMenus(memory, background).press(left)
    return entry_chosen(memory.replies[-1], place) if place is not None else None


_LOOKING = "looks through the menu"


def takes_numbers_only(memory: Memory) -> bool:
    """Return whether the last menu is one of numbers, and of no buttons."""
    last = memory.last
    return last is not None and not last.choices and any(q.numbered for q in last.questions)


def menu_unanswered(
    replies: Sequence[AppReply], is_misunderstood: Callable[[AppReply], bool]
) -> AppReply | None:
    """Return the list to choose from by number that the app would still have an answer to."""
    understood = (reply for reply in reversed(replies[:-1]) if not is_misunderstood(reply))
    reply = next(understood, None)
    return reply if reply is not None and reply.asks("select") and reply.menu else None


def closing_entry(menu: Sequence[str]) -> int | None:
    """Return the place of the entry that ends the conversation; None if a menu has none."""
    return next((place for place, label in enumerate(menu) if is_closing(label)), None)


def is_back_at_menu(memory: Memory) -> bool:
    """Return whether the app shows the menu that it began with to somebody who types in words.

    An option of it would open a form that nobody wants, if it names nothing of the goal.
    """
    last, active = memory.last, memory.active
    if last is None or active is None or not is_main_menu(last, memory.replies):
        return False
    return distinct_option(last.menu, active.words) is None and memory.answered_text()


def service_named(goal: UserGoal, replies: Sequence[AppReply]) -> str | None:
    """Return the app's own words for what a goal wants; None if some replies name none.

    "I can arrange a hire, a return or a repair." names "repair" to somebody who wants an instrument
    "repaired", and "report a fault" of a greeting is what reports that a machine loses oil.
    """
    words = goal.phrase or goal.words
    for reply in replies:
        lists = [question.options for question in reply.questions if question.options]
        # 'Try "reserve a book" or "renew".' names them in quotation marks
        quoted = tuple(QUOTED.findall(reply.text))
        lists += [quoted] if len(quoted) > 1 else []
        lists += [things_listed(text) for text in sentences(reply.text) if not quoted]
        for things in lists:
            place = best_entry(things, words) if things else None
            named = _bare_service(things[place], words) if place is not None else ""
            # words that the goal has itself were said already and did not help
            if named and not contains(folded(goal.words), folded(named)):
                return named
    return None


def _bare_service(thing: str, words: str) -> str:
    """A service as it may be said: "repair" of "I can arrange a repair", "report a fault"."""
    if folded(thing).split()[0] not in knowledge().who_serves:
        return thing
    shared = (word.strip(".,;:?!") for word in thing.split())
    return " ".join(word for word in shared if shared_roots(names_in(word), names_in(words)))


def gave_data(memory: Memory, misunderstood: Callable[[AppReply], bool]) -> bool:
    """Return whether the app has taken anything that was typed where it showed no menu."""
    turns = zip(memory.replies, memory.acts[1:], memory.replies[1:], strict=False)
    # "Which day?" answered by "4 May" shows that the app reads what is typed
    return any(act and not r.menu and not misunderstood(n) for r, act, n in turns)


# --- Where the user was led to by mistake


def is_dead_end(memory: Memory) -> bool:
    """Return whether the app asks for one of its things, whatever else the user asks for.

    "We don't have that one, sorry. We have sanders and drills." after a report of a fault, and
    again after a question, has understood neither.
    """
    if len(memory.replies) < _TWICE + 1:
        return False
    before, last = memory.replies[-_TWICE:]
    # after an answer to a question of the app its list is no refusal of a goal
    asked = all(topic is not None for topic in memory.topics[-_TWICE:])
    things = [folded(option) for option in before.options]
    same = last.words == before.words or bool(things and all(t in last.words for t in things))
    refused = (last.turns_down or is_complaint(last)) and not last.fallback
    # an app that answers nothing at all has taken the goals for nothing
    return asked and same and refused and bool(last.words) and not last.choices


_TWICE = 2


def was_misled(memory: Memory, goal: UserGoal) -> bool:
    """Return whether the user has left what the app took a goal for."""
    first = next((at for at, topic in enumerate(memory.topics) if topic == goal.key), None)
    return first is not None and any(map(is_word_to_stop, memory.acts[first:]))


def entry_for_questions(last: AppReply) -> int | None:
    """Return the place of the one button under which questions are asked: "Ask a question"."""
    if not last.choices or wants_numbers(last):
        return None
    places = [at for at, label in enumerate(last.menu) if takes_questions(label)]
    # "Ask about prices" and "Ask about dogs" need a choice by the question
    return places[0] if len(places) == 1 else None
