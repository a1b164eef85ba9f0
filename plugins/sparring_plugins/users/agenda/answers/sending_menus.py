"""Menus that send what was read back, change it or give it up: "1 Send, 2 Change, 0 Discard"."""

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.answers.confirmations import (
    MOST_CORRECTIONS,
    answer_confirmation,
    corrections_made,
    pending_change,
    put_right,
)
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.stated_answers import changing_option
from sparring_plugins.users.agenda.replies.question_kinds import typed_yes
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots, stated_text


def answer_sending_menu(state: DialogueState, form: OpenForm, sending: int) -> Answer:
    """Send what a menu reads back, or choose what changes what is wrong in it.

    Args:
        state: The conversation.
        form: The menu.
        sending: The place of the option that sends.
    """
    chooser = Chooser(state, form.question, form.reply)
    options = form.question.options
    changing = changing_option(options)
    if changing is not None and state.memory.said(options[changing]):
        changing = None
    elif changing is not None and pending_change(state, form.reply) is not None:
        return chooser.take(changing, "changes what is read back", marked=True)
    elif pending_change(state, form.reply) is not None:
        return answer_confirmation(state, form.question, form.reply)
    corrected = _correction(state, form, chooser, changing)
    if corrected is not None:
        return corrected
    typed = typed_yes(form.reply.text) if not form.reply.choices else None
    if typed is not None and contains(folded(options[sending]), folded(typed)):
        return Answer(typed, "confirms as told", exact=True)
    return chooser.take(sending, "confirms what was read back", marked=True)


def _correction(
    state: DialogueState, form: OpenForm, chooser: Chooser, changing: int | None
) -> Answer | None:
    """What changes a wrong value: its own entry, the entry for changes, or words; else None."""
    if corrections_made(state) >= MOST_CORRECTIONS:
        return None
    wrong = contradicted_slots(stated_text(form.reply), state.slots)
    names = frozenset(name for slot in wrong for name in (*slot.own, *slot.near))
    for index, option in enumerate(form.question.options):
        if concepts(option) & names:
            return chooser.take(index, "corrects what was understood")
    objection = put_right(state, form.reply)
    if objection is None or changing is None:
        return objection
    return chooser.take(changing, "corrects what was understood", marked=True)
