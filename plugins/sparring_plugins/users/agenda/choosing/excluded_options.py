"""Options that the profile rules out, and the one that is left."""

from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.app_reply import is_no
from sparring_plugins.users.agenda.replies.described_options import described
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots, stated_text
from sparring_plugins.users.agenda.words.knowledge import knowledge


def only_left(state: DialogueState, options: Sequence[str], text: str) -> int | None:
    """Return the one option that the profile does not rule out: "Saturdays are not possible".

    Args:
        state: The conversation.
        options: The labels that can be chosen.
        text: The reply that names them, and may say more of them.
    """
    kept = [
        index
        for index, option in enumerate(options)
        if not is_ruled_out(state, option, options) and not is_no(option)
    ]
    real = [option for option in options if not is_no(option)]
    left = kept[0] if len(kept) == 1 and len(real) > 1 else None
    return _only_described_left(state, options, text) if left is None else left


def _only_described_left(state: DialogueState, options: Sequence[str], text: str) -> int | None:
    """The one option of which the reply says nothing that the profile rules out, or None.

    "there is no kitchen" leaves the second of "soup (needs a kitchen) or sandwiches".
    """
    if len(options) < 2 or any(map(is_no, options)):
        return None
    descriptions = described(options, text)
    kept = [
        index
        for index, option in enumerate(descriptions)
        if not is_ruled_out(state, option, descriptions) and not _is_dreaded(state, option)
    ]
    return kept[0] if len(kept) == 1 else None


def _is_dreaded(state: DialogueState, option: str) -> bool:
    """Whether an option has something that somebody fears or cannot stand: "scared of heights"."""
    for clause in clauses_of(state.task.context):
        for fear in map(folded, knowledge().fears):
            _, found, dreaded = f" {folded(clause)} ".partition(f" {fear} ")
            if found and names_in(dreaded) & names_in(option):
                return True
    return False


def is_ruled_out(state: DialogueState, option: str, options: Sequence[str]) -> bool:
    """Return whether the context says no to what sets an option apart from the others."""
    others = [names_in(other) for other in options if other != option]
    own = names_in(option).difference(*others) if others else frozenset[str]()
    if denies(option, own):
        return False  # "I did not buy it" is what "you have not bought it" says
    clauses = clauses_of(state.task.context)
    return any(
        own & names_in(clause) and denies(clause, own & names_in(clause))
        for clause in clauses
        if not states_condition(clause)
    )


def mistaken_option(state: DialogueState, options: Sequence[str]) -> int | None:
    """Return the option that names what the app got wrong, right after a no to it; else None."""
    replies = state.memory.replies
    if len(replies) < 2 or not replies[-2].asks("confirm"):
        return None
    for slot in contradicted_slots(stated_text(replies[-2]), state.slots):
        names = slot.own | {f"~{kind}" for kind in slot.kinds}
        for index, option in enumerate(options):
            if concepts(option) & names:
                return index
    return None
