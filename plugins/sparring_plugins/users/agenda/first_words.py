"""The first words of a conversation, and when they are better than answers."""

from collections.abc import Sequence

from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import OpenForm
from sparring_plugins.users.agenda.phrase_book import stop

_LONGEST_TELLING = 12
"""Words of a sentence that is said beside the first goal."""


def with_reference(state: DialogueState, words: str) -> str:
    """Return the first words of all with what the profile's own number is of, if no goal says it.

    "We will be six. The booking has the reference KT-31." spares a question what it is about.
    """
    memory = state.memory
    if any(memory.acts) or (memory.last is not None and memory.last.menu):
        return words
    in_goals = {name for goal in state.goals for name, _ in goal.values}
    codes = [
        value.text
        for value in state.values
        if value.slot and value.slot not in in_goals and "code" in value.kinds
    ]
    told = [text for text in state.task.context if any(code in text for code in codes)]
    if len(told) != 1 or len(told[0].split()) > _LONGEST_TELLING:
        return words
    return f"{stop(words)} {stop(state.own_words(told[0]))}"


def says_nothing_new(
    memory: Memory, form: OpenForm, answers: Sequence[Answer], guessing: tuple[str, ...]
) -> bool:
    """Return whether the goal is better said at first than answers that are mere guesses.

    "When, and with how many?" of a greeting is no question to somebody who wants to cancel.

    Args:
        memory: The conversation so far.
        form: The question that is open.
        answers: What would be said to it.
        guessing: How the reasons of answers begin that nothing in the profile backs.
    """
    if any(memory.tries.values()) or any(memory.acts):
        return False
    guesses = any(answer.reason.startswith(guessing) for answer in answers)
    return guesses and not form.reply.choices and not form.question.marks
