"""Replaces an answer that was given before, or that nothing in the profile backs.

If a question comes again, the last answer was not accepted, in whatever words the app says so.
In the middle of a form the user does not say again what it came for either.
"""

from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.attempts import (
    QUOTED,
    backed_attempt,
    clause_of_answer,
    next_attempt,
)
from sparring_plugins.users.agenda.dead_ends import is_on_wrong_way, names_way_out
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.known_values import asked_kinds
from sparring_plugins.users.agenda.open_form import OpenForm
from sparring_plugins.users.agenda.open_questions import NOTHING_TO_SAY
from sparring_plugins.users.agenda.phrase_book import word_lists

UNBACKED = (
    NOTHING_TO_SAY,
    "brings up what is next",
    "declines",
    "gives a reason",
    "goes on",
    "has no preference",
    "says it in other words",
    "says what it wants",
)
"""How the reasons of answers begin that nothing in the profile backs."""

LIKELY = ("fits the goal", "is nearest", "declines", "agrees", "takes the offer")
"""How the reasons of answers begin that are only the most likely."""


def vary(state: DialogueState, form: OpenForm, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers to the question of a form, or another one in their place.

    Args:
        state: The conversation.
        form: The question that is open.
        answers: What would be said to it.
    """
    memory = state.memory
    if not any(memory.acts) or not answers:
        return answers
    if is_on_wrong_way(state, form):
        return []
    given = set(memory.acts[form.since + 1 :])
    stale = all(folded(answer.label) in given for answer in answers)
    unbacked = _are_unbacked(form, answers)
    if form.times and (stale or unbacked):
        return _answer_otherwise(state, form, answers)
    if form.times == 1 and _may_say_more(form):
        more = clause_of_answer(state, form)
        return [more] if more is not None else answers
    return _back(state, form, answers) if unbacked and not _is_general(form) else answers


def _are_unbacked(form: OpenForm, answers: Sequence[Answer]) -> bool:
    is_open = form.question.kind in ("open", "select")
    return is_open and all(answer.reason.startswith(UNBACKED) for answer in answers)


def _answer_otherwise(
    state: DialogueState, form: OpenForm, answers: Sequence[Answer]
) -> Sequence[Answer]:
    """Another answer to a question that comes again; none if there is none left."""
    if not any(state.memory.tries.values()):
        words = state.next_words()  # the app may not be asking for anything of a service yet
        return [Answer(words, "brings up what is next")] if words is not None else answers
    other = next_attempt(state, form, answers[0])
    return [other] if other is not None else []


def _may_say_more(form: OpenForm) -> bool:
    is_open = form.question.kind in ("open", "select") and not form.question.options
    return is_open and not _is_typed(form)


def _back(state: DialogueState, form: OpenForm, answers: Sequence[Answer]) -> Sequence[Answer]:
    """An answer that the profile backs, or a button, in place of one that it does not."""
    chooses = len(answers) == 1 and answers[0].press is not None
    if form.question.options and form.reply.choices and not chooses:
        other = next_attempt(state, form, answers[0])  # a button, and not what it came for
    else:
        other = None if form.question.options else backed_attempt(state, form)
    return [other] if other is not None else answers


def _is_general(form: OpenForm) -> bool:
    """Whether a question names nothing: "What would you like instead?"."""
    return not (concepts(form.question.words) - word_lists().generic_concepts)


def _is_typed(form: OpenForm) -> bool:
    """Whether a question asks for a datum that is written in one way, such as a date."""
    return bool(asked_kinds(form.question.words) - {"place", "number", "how_many", "why"})


def word_to_leave(state: DialogueState, form: OpenForm) -> str | None:
    """Return the word that leaves a form: one that the app names, else a usual one; None if said.

    A user that has nothing left to answer goes back, and tries another way to what it wants.
    """
    said = set(state.memory.acts[form.since + 1 :])
    offered = (*form.reply.menu, *form.reply.options, *QUOTED.findall(form.hint))
    named = [label for label in offered if names_way_out(label)]
    words = [*named, *state.phrases.stop_it]
    return next((word for word in words if folded(word) not in said), None)
