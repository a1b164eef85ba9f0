"""What a yes is followed by, if the app asks on at once: "Any medicine? If so, which?"."""

from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.facts import clauses_of
from sparring_plugins.users.agenda.known_values import FITS, asked_kinds, best_values
from sparring_plugins.users.agenda.open_form import OpenForm
from sparring_plugins.users.agenda.stances import clause_about, goes_on_if_so


def answer_if_so(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the particular that a yes has to be followed by; None if the app asks for none.

    "Do you take any medicine? If so, which?" is answered by "I take ibuprofen", and not by "Yes".
    """
    asked = next((text for text in sentences(form.reply.text) if goes_on_if_so(text)), None)
    if asked is None:
        return None
    if asked_kinds(folded(asked)):
        ranked = best_values(f"{form.question.text} {asked}", state.values, slots=state.slots)
        if ranked and ranked[0][0] >= FITS:
            return Answer(ranked[0][1].text, "says what a yes is about", exact=True)
    clauses = clauses_of((*(goal.words for goal in state.goals), *state.task.context))
    clause = clause_about(form.question.text, clauses)
    if clause is None:
        return None
    return Answer(state.own_words(clause), "says what a yes is about", exact=True)
