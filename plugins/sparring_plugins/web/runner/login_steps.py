"""Steps of a sentence that logs in, carried out by the form that asks for a secret."""

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.intents import Intent, read_intents
from sparring_plugins.web.grammar.free.seeking import drop_seeking
from sparring_plugins.web.grammar.free.sentences import split_sentence
from sparring_plugins.web.grammar.free.words import FREE, has_phrase, plain, split_words
from sparring_plugins.web.step import Step


def login_part(step: Step) -> tuple[Intent, ...]:
    """Return what a step asks for if it is a part of a sentence that logs in; else nothing.

    The grammar reads "Log in to the club 'rowers' with the code 'oar'" as fields with the names
    'club' and 'code', which no page need have.
    """
    whole = step.sentence or step.text
    intents = read_all_intents(whole) if whole != step.text else []
    if not any(intent.verb == "enter_login" for intent in intents):
        return ()
    values = [reading.value for reading in step.readings if reading.value]
    if entries := [i for i in intents if i.verb in _LOGIN_ENTRIES and i.value in values]:
        return tuple(entries)
    if not _sends_login(step):
        return ()
    return tuple(intent for intent in intents if intent.verb == "enter_login")


def _sends_login(step: Step) -> bool:
    """Return whether a part of a sentence that logs in presses the button for it.

    "Log in as ida with x and open 'Oak'": what is opened then is no part of the login.
    """
    if not any(reading.action == "click" for reading in step.readings):
        return False
    if has_phrase(plain(step.text).replace("'", " "), FREE.log_in):
        return True
    return any(
        intent.verb == "submit" or set(split_words(intent.words)) <= FREE.submitters
        for intent in read_all_intents(step.text)
    )


def read_all_intents(sentence: str) -> list[Intent]:
    """Return what all clauses of a sentence ask for, in order."""
    return [
        intent
        for clause in split_sentence(drop_seeking(sentence))
        for intent in read_intents(clause)
    ]


_LOGIN_ENTRIES = frozenset({"user", "password", "credential"})


def has_logged_in(step: Step, view: PageView | None) -> bool:
    """Return whether a step logs in, and with success: no field for a password is left.

    A login that is refused shows its form again.
    """
    intents = login_part(step) or read_all_intents(step.text)
    if view is None or not intents or not all(i.verb in _OF_LOGIN for i in intents):
        return False
    return not any(e.input_type == "password" and e.visible for e in view.snapshot.elements)


_OF_LOGIN = _LOGIN_ENTRIES | {"enter_login"}
