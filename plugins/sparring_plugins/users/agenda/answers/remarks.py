"""What the profile has to say to optional questions: remarks, and what is wrong with somebody."""

import re

from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.words.knowledge import says


def remark(state: DialogueState, question: str) -> str | None:
    """Return the clause of the context on the subject of an optional question, or None."""
    asked = names_in(question) - {"remark"}
    clauses = [c for c in clauses_of(state.task.context) if not _is_about_lack(c)]
    near = [clause for clause in clauses if asked & names_in(clause)]
    # "allergic to nuts" answers "Any allergies?" before "you don't eat meat" does
    same = max(near, key=lambda c: shared_roots(concepts(c), concepts(question)), default=None)
    return state.own_words(same) if same is not None else None


def remark_of_goals(state: DialogueState, form: OpenForm) -> str | None:
    """Return the text that a goal wants to be written, if a question invites it, or None."""
    asked = names_in(form.question.text)
    # "have the card say: Welcome home" is the text itself, and no sentence about it
    for value in state.values:
        if value.names & asked & {"remark"} and "text" in value.kinds and not value.rank:
            return value.text
    return None


def told_remark(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return what a goal says to somebody, if an app asks for remarks; None without one.

    "tell the groomer that he bites" answers "Any remarks for the groomer?".
    """
    words = form.question.words
    if not says(words, "anything") or asked_kinds(words):
        return None
    for goal in state.memory.open_goals():
        tells = goal.form == "statement" and not goal.asks and not goal.condition
        if tells and _TELLING.match(goal.phrase) and not state.memory.mentioned(goal):
            return Answer(state.phrase(goal), "says what its goal tells", exact=True)
    return None


_TELLING = re.compile(
    r"\W*(?:tell|let|inform|mention|say|add|point out|note"
    r"|sag|sagen|teile|dile|diles|di|dis|di che)\b",
    re.IGNORECASE,
)
"""How a goal begins that tells something which may go into a field for remarks."""


def noteworthy(state: DialogueState, question: str) -> str | None:
    """Return a trouble that the context mentions: "he has been limping"; or None."""
    if not says(folded(question), "anything"):
        return None
    for clause in clauses_of(state.task.context):
        # "she doesn't eat" and "the left pedal squeaks" are worth a remark, "she is four" is not
        is_trouble = _TROUBLE.search(clause) or says(folded(clause), "troubles")
        if is_trouble and not _holds_datum(clause):
            return state.own_words(clause)
    return None


_TROUBLE = re.compile(
    r"\b(?:has|have|had) been \w+ing\b|\b(?:keeps|kept) \w+ing\b"
    r"|\b(?:he|she|it|they|your \w+) (?:\w+ ){0,2}(?:doesn't|does not|don't|cannot|can't|won't"
    r"|is \w+ing|has an?)\b",
    re.IGNORECASE,
)


def _holds_datum(clause: str) -> bool:
    """Whether a clause holds a datum, such as a phone number, which is no remark."""
    return any(
        kind in ("phone", "email", "code", "address", "money") for kind, _, _ in values_in(clause)
    )


def _is_about_lack(clause: str) -> bool:
    """Whether a clause says that there is nothing to remark: "you have no special wishes"."""
    words = folded(clause).split()
    return any(word in ("nothing", "no", "nada", "keine", "nichts") for word in words)
