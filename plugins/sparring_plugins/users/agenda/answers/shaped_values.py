"""Values of the profile in the shape of the app's example: "e.g. B-3", "e.g. OS 418"."""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import example_pattern
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm


def in_shape(state: DialogueState, text: str, hint: str) -> str:
    """Return a value with what the profile writes beside it, if the app's example has that too.

    "418" becomes "OS 418" for "The number is on your ticket, e.g. OS 200".
    """
    shape = example_pattern(hint) if text.isdigit() else None
    if shape is None:
        return text
    profile = "\n".join((*(goal.words for goal in state.goals), *state.task.context))
    longer = (match[0] for match in shape.finditer(profile))
    return next((found for found in longer if text in found.split()), text)


_SHAPE = re.compile(
    r"(?:e\.g\.|example|such as|like)[:,]?\s+([A-Z0-9]{1,3})([-/ .])([A-Z0-9]{1,3})\b"
)
"""The shape of a code, by its example: "A code looks like B-13"."""


def place_in_shape(state: DialogueState, form: OpenForm, question: str) -> str | None:
    """What the context says about a question's subject, in the shape of the app's example.

    "Building and floor, e.g. B-3" is answered by "you sit in block C on the second floor".
    """
    shape = _SHAPE.search(form.hint)
    if shape is None:
        return None
    for sentence in state.task.context:
        if len(names_in(f"{question} {form.hint}") & names_in(sentence)) < _SAME_PLACE:
            continue
        letters = re.findall(r"\b[A-Z]\b", sentence)
        numbers = [*re.findall(r"\b\d{1,3}", sentence), *_ordinals(sentence)]
        parts = [(numbers if part.isdigit() else letters)[:1] for part in (shape[1], shape[3])]
        if all(parts):
            return f"{parts[0][0]}{shape[2]}{parts[1][0]}"
    return None


_SAME_PLACE = 2
_ORDINALS = ("ground", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _ordinals(text: str) -> list[str]:
    return [str(_ORDINALS.index(word)) for word in folded(text).split() if word in _ORDINALS]
