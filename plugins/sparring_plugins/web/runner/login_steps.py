"""Steps of a sentence that logs in, carried out by the form that asks for a secret."""

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.step import Step


def login_part(step: Step) -> tuple[Intent, ...]:
    """Return what one of the steps of a sentence that logs in wants done; nothing of another.

    Of "Log in to the project 'flat' with the code 'x'" plain rules make fields called so, which no
    page need have.
    """
    intents = _read_whole(step) if step.sentence and step.sentence != step.text else []
    if not any(intent.verb == "enter_login" for intent in intents):
        return ()
    values = [reading.value for reading in step.readings if reading.value]
    if entries := [i for i in intents if i.verb in _LOGIN_ENTRIES and i.value in values]:
        return tuple(entries)
    sends = any(reading.action == "click" for reading in step.readings)
    return tuple(i for i in intents if sends and i.verb == "enter_login")


def _read_whole(step: Step) -> list[Intent]:
    """Return all that the sentence of a step wants done."""
    clauses = split_sentence(step.sentence or step.text)
    return [intent for clause in clauses for intent in read_intents(clause)]


_LOGIN_ENTRIES = frozenset({"user", "password", "credential"})


def has_logged_in(step: Step, view: PageView | None) -> bool:
    """Return whether a step logs in and the page no longer asks for a password: that was no guess.

    A login that is refused shows its form again.
    """
    intents = login_part(step) or [
        i for clause in split_sentence(step.text) for i in read_intents(clause)
    ]
    if view is None or not intents or not all(i.verb in _OF_LOGIN for i in intents):
        return False
    return not any(e.input_type == "password" and e.visible for e in view.snapshot.elements)


_OF_LOGIN = _LOGIN_ENTRIES | {"enter_login"}
