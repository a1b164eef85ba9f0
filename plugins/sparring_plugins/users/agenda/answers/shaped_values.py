"""Values of the profile in the shape of the app's example: "e.g. D-4", "e.g. KL 250"."""

import re

from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import example_in
from sparring_plugins.users.agenda.profile.value_parts import floors_in
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm

_LETTERS_AND_DIGITS = r"[A-Z]{1,4} \d{1,6}\b"
# "16/09/2027" and "TB1 2AB" are no letter and number of a place.
_LETTER_AND_NUMBER = r"(?=[A-Z]{1,3}\W\d|\d{1,3}\W[A-Z])([A-Z0-9]{1,3})([-/ .])([A-Z0-9]{1,3})\b"
_SAME_PLACE = 2
"""Names that a sentence shares with a question at least, to be about the same place."""


def in_shape(state: DialogueState, text: str, hint: str) -> str:
    """Return a number with the letters that the profile has before it, if the example has some.

    "731" becomes "KL 731" for "The number is on your badge, e.g. KL 250".
    """
    if not text.isdigit() or example_in(hint, _LETTERS_AND_DIGITS) is None:
        return text
    profile = "\n".join((*(goal.words for goal in state.goals), *state.task.context))
    codes = re.findall(rf"\b{_LETTERS_AND_DIGITS}", profile)
    return next((code for code in codes if text in code.split()), text)


def place_in_shape(state: DialogueState, form: OpenForm, question: str) -> str | None:
    """Return the place that a question is about in the shape of the app's example, or None.

    "Wing and floor, e.g. D-4" is answered with "A-2" by "your desk is in wing A, on the second
    floor".
    """
    shape = example_in(form.hint, _LETTER_AND_NUMBER)
    if shape is None:
        return None
    for sentence in state.task.context:
        if len(names_in(f"{question} {form.hint}") & names_in(sentence)) < _SAME_PLACE:
            continue
        letters = re.findall(r"\b[A-Z]\b", sentence)
        numbers = [*re.findall(r"\b\d{1,3}", sentence), *map(str, floors_in(sentence))]
        parts = [(numbers if part.isdigit() else letters)[:1] for part in (shape[1], shape[3])]
        if all(parts):
            return f"{parts[0][0]}{shape[2]}{parts[1][0]}"
    return None
