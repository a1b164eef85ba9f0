"""Entries of a menu that lead to the next goal, do what is wanted, or end the conversation."""

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply, are_marks
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import is_closing
from sparring_plugins.users.agenda.words.knowledge import says


def press_way_to(
    state: DialogueState, question: AppQuestion, reply: AppReply, words: str
) -> Answer | None:
    """The choice that leads to the next goal; none of those that do the same once more."""
    if not question.options or not reply.choices:
        return None
    chooser = Chooser(state, question, reply)
    index = chooser.way_to(words)
    if index is None:
        return None
    label = question.options[index]
    is_spent = state.memory.said(label) or says(folded(label), "once_more")
    return None if is_spent else chooser.take(index, "fits the goal")


def deed_offered(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer | None:
    """What a goal wants done, of what can be done with a thing that was found; or None.

    "Pottery, starts on 4 May. What would you like to do? 1. Switch 2. Cancel the enrolment"
    """
    chooser = Chooser(state, question, reply)
    entry = chooser.clear_entry_of_menu() if len(question.options) > 1 else None
    return chooser.take(entry, "leads to its goal") if entry is not None else None


def end_by_number(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer | None:
    """The entry of a menu of numbers that ends the conversation; None if there is none."""
    if not question.numbered or (reply.choices and not are_marks(reply.choices)):
        return None
    labels = map(folded, question.options)
    ends = (
        at
        for at, words in enumerate(labels)
        if is_closing(words) or (says(words, "ending") and not says(words, "main_menu"))
    )
    place = next(ends, None)
    if place is None:
        return None
    by_number = bool(reply.choices)
    return Chooser(state, question, reply).take(place, "wants nothing more", marked=by_number)
