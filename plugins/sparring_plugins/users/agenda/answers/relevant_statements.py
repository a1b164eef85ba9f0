"""The clause of the profile that has most to do with an open question, said as it is.

Before anything is made up and before a goal is said in place of an answer, what the profile tells
is looked through: "one of the guests is allergic to nuts" answers "Does anybody have an allergy?",
and "there had been two lamps in the parcel" answers "What was in it?", which names nothing.
"""

import re
from collections.abc import Sequence

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.profile.facts import names_in, values_in
from sparring_plugins.users.agenda.profile.stances import denies, own_question, states_condition
from sparring_plugins.users.agenda.profile.statements import (
    CONTEXT,
    ROLE,
    Statement,
    relevance,
    statements_of,
)
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm, skip_word
from sparring_plugins.users.agenda.state.user_goals import plans_change, waits_for_moment
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

_LEAST = 0.3
"""Least relevance of a clause: a name of the question that at most three clauses have."""


def best_statement(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """Return what the profile tells of a question's subject; None if it tells nothing of it.

    What it says there is none of skips an optional question.
    """
    statements = _telling(state)
    asked = names_in(own_question(question)) - _OF_KINDS
    fits = [(relevance(asked, one, statements), one) for one in statements]
    ranked = [(fit, one) for fit, one in fits if fit >= _LEAST and not _was_said(state, one)]
    if not ranked:
        return _pronoun_told(state, form, statements)
    best = max(fit for fit, _ in ranked)
    chosen = next(one for fit, one in ranked if fit == best)
    lacks = says(folded(chosen.text), "lacking") or bool(_LACK.search(folded(chosen.text)))
    if skip_word(form) is not None and lacks and denies(chosen.text, asked & chosen.names or asked):
        return Answer(skip_word(form) or state.phrases.no[0], "skips what is optional", exact=True)
    return Answer(_in_full(state, chosen), "tells what the profile says of it", exact=True)


_LACK = re.compile(
    r"\b(?:no|none|nothing|nobody|kein\w*|nichts|niemand|nada|ningun\w*|rien|aucun\w*|niente|nessun\w*"
    r"|nenhum\w*)\b"
)
"""Says that there is none of something: "he must not eat chicken" is a remark all the same."""


def statement_of_other(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """Return what the context tells of somebody or something that data are asked of; else None.

    "your neighbour is Mrs Ferris at number 18" answers "Your neighbour's name and house number?".
    """
    asked = names_in(own_question(question)) - _OF_KINDS
    for one in _telling(state):
        shared = asked & one.names
        names = shared and _PROPER.search(one.text) and not _was_said(state, one)
        if names and one.source == CONTEXT and not _is_datum(one.text):
            return Answer(
                state.own_words(one.text), "tells what the profile says of it", exact=True
            )
    return None


_PROPER = re.compile(r"(?<=\w )[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}")
"""A name in the middle of a clause."""


def bare_statement(state: DialogueState) -> Answer | None:
    """Return what the context tells besides data, if it is one thing that was not said yet.

    "there had been two lamps in the parcel" is all that is left to say to "What was in it?".
    """
    left = [
        one
        for one in _telling(state)
        if one.source == CONTEXT and not _was_said(state, one) and not _is_datum(one.text)
    ]
    if len(left) != 1 or denies(left[0].text, left[0].names):
        return None  # "you never buy online" is no answer to "What is it about?"
    return Answer(state.own_words(left[0].text), "tells what the profile says of it", exact=True)


def _telling(state: DialogueState) -> tuple[Statement, ...]:
    """The clauses of the services, the context and the role; plans to change tell nothing yet."""
    goals = tuple(
        _LEAD.sub("", goal.words)
        for goal in state.goals
        if not goal.asks
        and (goal.form == "statement" or _LEAD.match(goal.words))
        and not plans_change(goal)
        and not waits_for_moment(goal)
    )
    statements = statements_of(goals, tuple(state.task.context), state.task.role)
    # "You have to act as a student who needs a room" is no sentence of the student's
    return tuple(one for one in statements if one.source != ROLE or not _instructs(one.text))


def _instructs(clause: str) -> bool:
    return says(folded(clause), "instructing")


_LEAD = re.compile(
    r"^(?:also |please |and )?(?:tell|inform|let|remind|make sure|mention|say|point out)\b"
    r"(?: (?:them|him|her|it|the \w+|everybody))?(?: know)? (?:about|of|that)\s+",
    re.IGNORECASE,
)
"""How a goal begins that only tells something: "tell them about the guest who eats no fish"."""


def _was_said(state: DialogueState, statement: Statement) -> bool:
    """Whether the user has said a clause, or all data that are in it."""
    acts = state.memory.acts
    own = folded(state.own_words(statement.text))
    if any(contains(act, own) for act in acts):
        return True
    data = [folded(text) for kind, text, _ in values_in(statement.text) if kind in _DATA]
    return bool(data) and all(any(contains(act, text) for act in acts) for text in data)


_DATA = frozenset({"phone", "email", "code", "postcode", "date", "time", "address", "iban"})


def _is_datum(clause: str) -> bool:
    """Whether a clause holds a datum that some question of its own asks for."""
    return any(kind in _DATA | {"money", "age"} for kind, _, _ in values_in(clause))


_OF_KINDS = frozenset({"~number", "~name", "~id", "~type", "name", "surname", "remark", "anything"})
"""Names that only tell the kind of answer."""


def _in_full(state: DialogueState, statement: Statement) -> str:
    """A clause in the user's own words, with the rest of its sentence if that goes on from it."""
    whole = next((t for t in state.task.context if statement.text in t), statement.text)
    whole = _MENTION.sub(" ", whole).strip(" .")
    told = len(whole.split()) <= _MOST_WORDS and not _is_datum(whole) and not _has_case(whole)
    return state.own_words(whole if told else statement.text)


_MOST_WORDS = 24
_MENTION = re.compile(
    r"(?:(?<=,)\s*| and )(?:so |therefore )?(?:please )?(?:mention|say|tell them|point out)"
    r"(?: that)? ",
    re.IGNORECASE,
)
"""What an author tells the user to do: "one guest is ill, so mention that she eats no sugar"."""


def _has_case(text: str) -> bool:
    return any(states_condition(part.strip()) for part in text.split(","))


def _pronoun_told(
    state: DialogueState, form: OpenForm, statements: Sequence[Statement]
) -> Answer | None:
    """What a clause says that "it" is, if a question asks what kind of thing "it" is.

    "it is a summer meeting" answers "What kind of event is it?".
    """
    if not _WHAT_IS_IT.search(form.question.words):
        return None
    things = set(map(folded, knowledge().things))
    for one in statements:
        words = folded(one.text).split()
        is_told = bool(words) and words[0] in things and _IS.match(one.text) is not None
        if is_told and one.source == CONTEXT and not _was_said(state, one):
            text = state.own_words(one.text)
            return Answer(text, "tells what the profile says of it", exact=True)
    return None


_WHAT_IS_IT = re.compile(
    r"^(?:and |y |und |et )?(?:what|which|was fur|welche\w*|que|quel\w*|che)\b.*\b(?:it|es|is this"
    r"|ce|esto|eso)\b"
)
_IS = re.compile(r"\w+(?:'s| is| was| ist| war| es| est| c'est) ", re.IGNORECASE)
