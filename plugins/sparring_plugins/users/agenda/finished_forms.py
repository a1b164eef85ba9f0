"""Forms that the user did not want: finished ones that open again, and those opened by mistake."""

from collections.abc import Sequence

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.dialogue_state import Answer
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import OpenForm, leaves_form_open
from sparring_plugins.users.agenda.value_matching import says_value


def is_restarted(memory: Memory, form: OpenForm) -> bool:
    """Return whether a question for a missing output, after the end, was taken for a new order."""
    if _repeats_finished_form(memory, form):
        return True
    if memory.open_goals():
        return False
    index = form.since
    while index > 0 and leaves_form_open(memory.replies[:index]):
        index -= 1
    topic = memory.topics[index]
    return topic is not None and topic.startswith("output") and index > 0


def _repeats_finished_form(memory: Memory, form: OpenForm) -> bool:
    """Whether a form that the user has finished asks its questions again.

    Then the app took what was asked afterwards, such as "How much is it in total?", for another
    order. It is none if an open goal has a value that the user never gave.
    """
    done = [index for index, reply in enumerate(memory.replies) if reply.done]
    words = form.question.words
    if not done or not words or form.question.kind == "more":
        return False
    asked = [
        index
        for index, reply in enumerate(memory.replies[: done[-1]])
        if any(question.words == words for question in reply.questions)
    ]
    if not asked or form.since <= done[-1]:
        return False
    texts = [text for goal in memory.open_goals() for text in goal.texts]
    said = " ".join(memory.acts[: done[-1] + 1])
    return all(says_value(said, text) for text in texts)


def is_misled(
    memory: Memory, form: OpenForm, answers: Sequence[Answer], guesses: tuple[str, ...]
) -> bool:
    """Return whether a question of the user's was taken for a service that nobody asked for.

    "How long is the gate open?" is not answered by "What size do you need?": the
    user has no value for it, and must not rent anything by guessing.

    Args:
        memory: The conversation so far.
        form: The question that is open.
        answers: What would be said to it.
        guesses: How the reasons of answers begin that nothing in the profile backs.
    """
    active = memory.active
    if active is None or not active.asks or active.key in memory.met:
        return False
    start = form.since
    while start > 0 and leaves_form_open(memory.replies[:start]):
        start -= 1
    if memory.topics[start] != active.key:
        return False
    about = overlap(active.subject, concepts(memory.replies[start].text))
    unbacked = [answer for answer in answers if answer.reason.startswith(guesses)]
    return about < _ABOUT_IT and len(unbacked) == len(answers)


_ABOUT_IT = 0.5
"""Least share of a question's subject in a reply that answers it by a question of its own."""
