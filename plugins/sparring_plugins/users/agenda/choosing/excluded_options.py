"""Options that the profile rules out, and the one that is left."""

from collections.abc import Sequence

from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.app_reply import is_no
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.value_matching import contradicted_slots, stated_text


def only_left(state: DialogueState, options: Sequence[str]) -> int | None:
    """Return the one option that the profile does not rule out: "Saturdays are not possible"."""
    kept = [
        index
        for index, option in enumerate(options)
        if not is_ruled_out(state, option, options) and not is_no(option)
    ]
    real = [option for option in options if not is_no(option)]
    return kept[0] if len(kept) == 1 and len(real) > 1 else None


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
