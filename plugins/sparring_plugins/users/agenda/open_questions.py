"""Answers to open questions: values of the user's variables, personal details, the next goal."""

from collections.abc import Sequence

from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.app_reply import AppQuestion
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.formats import put_as_asked
from sparring_plugins.users.agenda.personal_details import (
    asked_details,
    personal_details,
    private_details,
)
from sparring_plugins.users.agenda.phrase_book import filled, word_lists
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.user_goals import named_moment

NOTHING_TO_SAY = "has nothing to say to it"
"""The reason for saying that the user has no preference or does not know."""

_MOST_DETAILS = 4
_NEXT = "brings up what is next"
_SERVICE_FORMS = ("request", "action")
_PUT_AS_ASKED = ("birth", "date")
_CONTACTS = ("email", "phone", "digits")


def answer_open_question(state: DialogueState, question: AppQuestion) -> Answer:
    """Answer an open question or instruction.

    With the variables or personal details it asks for; else by bringing up the next goal, unless
    the app is collecting data; at last by having nothing to say.
    """
    words = question.words
    kinds = asked_details(words)
    data = _data_answer(state, words, kinds)
    if data is not None:
        return data
    more = state.next_goal()
    is_general = not concepts(words) - word_lists().generic_concepts or state.times > 0
    if more is not None and is_general:
        return Answer(more, _NEXT)
    reworded = state.reworded_question() if has_cue(words, "elaborate") else None
    if reworded is not None:
        return Answer(reworded, "says it in other words")
    if kinds == ["why"]:
        what = "why_service" if state.is_collecting() else "why"
        return state.idly(what, "gives a reason")
    if kinds:
        return _details_answer(state, kinds)
    active = state.memory.active
    if active is not None and active.texts and not state.memory.said(active.words):
        return Answer(active.words, "says what it wants")
    if more is not None and _invites_goals(state, words):
        return Answer(more, _NEXT)
    return _uninformed_answer(state, more)


def _data_answer(state: DialogueState, words: str, kinds: Sequence[str]) -> Answer | None:
    """The values or personal details that a folded question asks for; None if it asks for none."""
    # A variable with a phone number in it goes before an invented one, whatever its name is.
    held = [slot for kind in kinds for slot in state.slots if kind in slot.holds]
    if held and not has_cue(words, "more"):
        return answer_with_values(state, held[:1])
    slots = asked_slots(words, state.slots)
    private = private_details(words)
    if slots and _are_meant(slots, words, private):
        return answer_with_values(state, slots)
    if private or (kinds and list(kinds) != ["why"] and state.is_collecting()):
        return _details_answer(state, private or kinds)
    return None


def _are_meant(slots: Sequence[Slot], words: str, private: Sequence[str]) -> bool:
    """Whether a question means these slots, rather than private details of the user.

    It does if it names one of them, and means no contact data unless one of them holds such.
    """
    by_name = any(slot.own & concepts(words) for slot in slots)
    asks_contact = any(kind in _CONTACTS for kind in private)
    is_contact = any(slot.own & {"~phone", "~email"} for slot in slots)
    return (by_name or not private) and (is_contact or not asks_contact)


def _invites_goals(state: DialogueState, words: str) -> bool:
    """Whether a question is an occasion to say what one wants: by its words, or the first one."""
    asks_for_more = has_cue(words, "more") or has_cue(words, "help")
    return asks_for_more or not any(state.memory.tries.values())


def _uninformed_answer(state: DialogueState, more: str | None) -> Answer:
    """That the user does not know or mind; in a service never twice in a row."""
    if not state.is_collecting():
        return state.idly("unknown", NOTHING_TO_SAY)
    if more is not None and state.memory.idle:
        return Answer(more, _NEXT)
    what = ("indifferent", "unknown")[state.times % 2]
    return Answer(state.fresh(what) or state.say(what, state.times), NOTHING_TO_SAY)


def answer_with_values(state: DialogueState, slots: Sequence[Slot]) -> Answer:
    """The values asked for: bare at first, then in a sentence, then as the whole goal."""
    value = values_in_words(state, slots)
    ways = [value, *(filled(phrase, value) for phrase in state.phrases.value[1:])]
    names = {slot.name for slot in slots}
    ways += [goal.words for goal in state.goals if names & {name for name, _ in goal.values}]
    return Answer(ways[min(state.times, len(ways) - 1)], f"gives {', '.join(sorted(names))}")


def values_in_words(state: DialogueState, slots: Sequence[Slot]) -> str:
    """The values of slots: in the words of the goal that has them all, if there is one."""
    if len(slots) > 1:
        names = {slot.name for slot in slots}
        for goal in state.goals:
            if names <= {name for name, _ in goal.values} and goal.form in _SERVICE_FORMS:
                return goal.words
    return ", ".join(state.join(slot.values) for slot in slots)


def _details_answer(state: DialogueState, kinds: Sequence[str]) -> Answer:
    """Personal details, a day or an hour as a goal names it; a phone number that fails in full."""
    task = state.task
    details = personal_details(task.seed, task.context, task.language)
    if {"first_name", "last_name"} <= set(kinds) or ("last_name" in kinds and state.times):
        kinds = ["name"]  # "Vor- und Nachname"
    asked = kinds[:_MOST_DETAILS]
    if asked == ["phone"] and state.times % 2:
        prefix = "+34" if task.language.lower() == "spanish" else "+1"
        digits = "".join(char for char in details["phone"] if char.isdigit())
        details = {**details, "phone": f"{prefix}{digits}"}
    said = {kind: named_moment(kind, state.goals) or details[kind] for kind in asked}
    form = state.form
    if form is not None and len(asked) == 1 and asked[0] in _PUT_AS_ASKED:
        written = frozenset({"date"})
        said = {
            kind: put_as_asked(text, written, form.hint, form.times, task.language)
            for kind, text in said.items()
        }
    return Answer(", ".join(said.values()), f"gives {', '.join(asked)}")
