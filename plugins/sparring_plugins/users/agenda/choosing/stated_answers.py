"""Yes or no as the profile says, and the option that sends what was read back."""

import re
from collections.abc import Sequence

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.profile.facts import (
    clauses_of,
    names_in,
)
from sparring_plugins.users.agenda.profile.history import customer_before
from sparring_plugins.users.agenda.profile.stances import (
    asks_of_before,
    denies,
    stance,
    weak_stance,
)
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.agenda.words.knowledge import says, starts_with_any


def knows_whether(state: DialogueState, question: str, *, by_role: bool = True) -> bool | None:
    """Yes or no to a question, as goals, context or role say; None if they say nothing of it.

    The role says who the user is, and not what it takes of what is offered.
    """
    before = customer_before(question, (*state.task.context, state.task.role))
    if before is not None:
        return before
    services = [goal.words for goal in state.goals if not goal.asks]
    if by_role and asks_of_before(question):
        services = []  # "have your fence painted" is no yes to "Have we painted your fence before?"
    # "you own a van" is no reason to decline the van that a goal wants to hire
    if _has_its_own(state, question) and not stance(question, services, wished=True):
        return False
    role = (state.task.role,) if by_role else ()
    for texts in (services, state.task.context, role):
        known = stance(question, texts, wished=texts is services)
        if known is not None:
            return known
    return _stance_of_statements(state, question, role) if by_role else None


def _stance_of_statements(state: DialogueState, question: str, role: Sequence[str]) -> bool | None:
    """Yes or no by the statements of goals, context and role, or None.

    Names in the other goals say nothing about a stance: the user wants these anyway.
    """
    statements = [goal.words for goal in state.goals if goal.form == "statement" and not goal.asks]
    common = names_in("\n".join(goal.words for goal in state.goals if goal.words not in statements))
    return weak_stance(question, (*statements, *state.task.context, *role), common)


def proposes_deed(words: str) -> bool:
    """Return whether folded words offer that somebody does something: "Shall we ring you?"."""
    return starts_with_any(words, "proposed_deeds")


def names_own_value(state: DialogueState, form: OpenForm) -> bool:
    """Return whether a yes-or-no question names a particular of the user: "Do you live at ...?"."""
    words, choices = form.question.words, form.reply.choices
    if form.question.kind != "fact" or says(words, "anything") or len(choices) > _TWO:
        return False
    texts = (v.text.partition(",")[0] for v in state.values if v.kinds & _PARTICULARS)
    return any(says_value(words, text) for text in texts)


_PARTICULARS = frozenset({"address", "code", "phone", "email", "iban", "postcode", "time"})


def _has_its_own(state: DialogueState, question: str) -> bool:
    """Whether the user has what is offered: "you have your own helmet"."""
    offered = names_in(question)
    if says(folded(question), "own_things"):
        return False
    owned = (clause for clause in clauses_of(state.task.context) if _says_own(clause))
    common = ((clause, offered & (names_in(clause) - _OWN_WORDS)) for clause in owned)
    # "you have no case of your own" is no reason to decline one
    return any(names and not denies(clause, names) for clause, names in common)


def _says_own(clause: str) -> bool:
    return says(folded(clause), "own_things")


_OWN_WORDS = names_in("own bring have need")


def sending_option(options: Sequence[str]) -> int | None:
    """The index of the option that sends what was read back, among some that change or drop it.

    "1 Send, 2 Change the address, 0 Discard" is a confirmation; a mere menu is not.
    """
    labels = [folded(option) for option in options]
    if any(re.search(r"\b(?:an?|another)\b", label) for label in labels):
        return None  # "1 Book an appointment, 2 Cancel an appointment" are two services
    others = [any(starts_with_any(label, what) for what in _NOT_SENDING) for label in labels]
    sends = [
        index
        for index, label in enumerate(labels)
        if starts_with_any(label, "sending") and not others[index]
    ]
    if not sends:
        return _only_one_left(labels, others)
    alone = len(sends) == 1 and sum(others) >= max(1, len(labels) - 1)
    return sends[0] if alone else None


def changing_option(options: Sequence[str]) -> int | None:
    """The index of the first option that changes what was read back; None if none does."""
    labels = map(folded, options)
    places = (at for at, label in enumerate(labels) if starts_with_any(label, "changing"))
    return next(places, None)


def _only_one_left(labels: Sequence[str], others: Sequence[bool]) -> int | None:
    """The option that neither changes nor drops: "Apuntala" beside "Retocar" and "Dejalo"."""
    left = len(labels) > _TWO and others.count(False) == 1 and _drops_and_changes(labels)
    return others.index(False) if left else None


_TWO = 2
_NOT_SENDING = ("changing", "dropping")


def _drops_and_changes(labels: Sequence[str]) -> bool:
    """Whether some labels have one that changes what was read back, and one that gives it up."""
    return all(any(starts_with_any(label, what) for label in labels) for what in _NOT_SENDING)
