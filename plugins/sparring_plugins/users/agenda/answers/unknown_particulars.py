"""Answers to a question for a fact that the profile does not hold: "I don't know."."""

from sparring_plugins.users.agenda.profile.asked_facts import asks_fact
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import has_denial, with_same_root
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm, skip_word

_REASON = "does not know it"


def lacks_particular(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return that there is none of what is asked for, or that the user does not know it, or None.

    "you own no loyalty card" answers "Your card number?" with what skips it, else with the
    sentence itself; a question for a fact that nothing in the profile answers gets "I don't know."
    once, and something made up if the app insists.
    """
    words = form.question.words
    if form.times or form.question.options or not asks_fact(words):
        return None
    denial = _denial_of(state, form)
    if denial is not None:
        skip = skip_word(form)
        return Answer(skip or state.own_words(denial), "has none of it", exact=True)
    return Answer(state.phrases.unknown[0], _REASON)


def _denial_of(state: DialogueState, form: OpenForm) -> str | None:
    """The clause of the context that says that there is none of what is asked for, or None."""
    asked = names_in(form.question.text) - {"~number", "~id", "~date"}
    clauses = (c for c in clauses_of(state.task.context) if has_denial(c))
    return next((c for c in clauses if with_same_root(names_in(c), asked)), None)
