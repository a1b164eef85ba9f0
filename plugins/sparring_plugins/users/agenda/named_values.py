"""Names that the profile and a reply share, though no question plainly asks for one.

"Ann and Boris would be free" is answered by "Boris" if the profile says "then take Boris".
"""

import re
from collections.abc import Iterator

from sparring_plugins.language.candidates import date_spans
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.dialogue_state import DialogueState
from sparring_plugins.users.agenda.facts import clauses_of
from sparring_plugins.users.agenda.stances import denies

_NAME = re.compile(r"(?<=[\w,'\u2019] )[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}(?: [A-ZÀ-ÖØ-Þ][^\W\d_]{2,}){0,2}")
"""Capitalised words in the middle of a sentence."""

_OWN = frozenset({"name", "email", "phone", "address"})


def named_value(state: DialogueState, text: str) -> str | None:
    """Return a name of the profile that a text has, and that nobody has said yet; None for none."""
    words = folded(text)
    said = " ".join((*state.memory.acts, *(reply.words for reply in state.memory.replies[:-1])))
    names = (
        name
        for name in _names(state)
        if contains(words, folded(name)) and not contains(said, folded(name))
    )
    return next(names, None)


def _names(state: DialogueState) -> Iterator[str]:
    own = [value.text for value in state.values if value.kinds & _OWN]
    if state.task.language.lower() == "german":
        return  # every noun has a capital
    for clause in clauses_of((*(goal.words for goal in state.goals), *state.task.context)):
        for match in _NAME.finditer(clause):
            is_own = any(match[0] in text for text in own)
            if not is_own and not date_spans(match[0]) and not denies(clause, frozenset[str]()):
                yield match[0]
