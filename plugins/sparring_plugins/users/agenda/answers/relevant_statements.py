"""Answers from the clause of the profile that is most relevant to an open question.

The profile is searched before a detail is invented and before a goal takes the place of an answer:
"my sister can't have dairy" answers "Is there any food allergy?". A question that names nothing,
such as "What was inside?", is answered by the one clause of the context that is left.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.users.agenda.profile.asked_facts import may_answer
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import denies, own_question, with_same_root
from sparring_plugins.users.agenda.profile.statements import (
    CONTEXT,
    ROLE,
    Statement,
    relevances,
    statements_of,
)
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm, skip_word
from sparring_plugins.users.agenda.state.user_goals import waits_for_moment
from sparring_plugins.users.agenda.words.knowledge import knowledge, says, starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import any_of

_LEAST = 0.3
"""Least relevance of a clause: it shares a name with the question that three clauses have."""


def relevant_statement(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """Return the most relevant clause that was not said yet, or None if no clause is relevant.

    An optional question is skipped if the clause says that there is nothing to report.
    """
    statements = _usable_statements(state)
    asked = names_in(own_question(question)) - _OF_KINDS
    scores = relevances(asked, statements)
    # "who has lost something on the bus" does not say what was lost
    what = says(folded(question), "asking_what")
    fresh = [
        (score, statement)
        for score, statement in zip(scores, statements, strict=True)
        if score >= _LEAST
        and not (what and says(folded(statement.text), "indefinite"))
        and not _was_said(state, statement)
        and may_answer(folded(question), statement.text)
    ]
    if not fresh:
        return _statement_on_pronoun(state, form, statements)
    # "she must not eat nuts because of an allergy" has the very word of "Any allergies?"
    own = _long_words(question)
    _, best = max(
        fresh, key=lambda pair: (pair[0], len(with_same_root(own, _long_words(pair[1].text))))
    )
    skip = skip_word(form)
    # "he must not eat chicken" has a negation and is a remark all the same
    lacks = says(folded(best.text), "absence")
    if skip is not None and lacks and denies(best.text, asked & best.names or asked):
        return Answer(skip, "skips what is optional", exact=True)
    code = _code_of(best.text) if starts_with_cue(form.question.words, "wh") else None
    return Answer(code or _in_full(state, best), _REASON, exact=True)


def _long_words(text: str) -> frozenset[str]:
    return frozenset(word for word in folded(text).split() if len(word) >= _LONG)


_LONG = 5
_REASON = "quotes the profile"


def _code_of(clause: str) -> str | None:
    """The code in a short clause that gives nothing but its label, or None.

    "Which booking is it about?" is answered by KX-4471 of "the booking reference is KX-4471".
    """
    values = [(kind, text) for kind, text, _ in values_in(clause)]
    short = len(clause.split()) <= _LABELLED
    return values[0][1] if short and [kind for kind, _ in values] == ["code"] else None


_LABELLED = 7
"""Words of a clause that does nothing but give a code its label."""


def statement_of_other(state: DialogueState, question: str) -> Answer | None:
    """Return the clause that names the person or thing whose data are asked for, or None.

    "the concierge is Mr Vidal in flat 2" answers "The concierge's name and flat?".
    """
    # "your e-mail address" names no street
    asked = names_in(own_question(question)) - _OF_KINDS - _OF_CONTACTS
    for statement in _unsaid_context(state):
        if not may_answer(folded(question), statement.text):
            continue
        if asked & statement.names and _PROPER.search(statement.text):
            return _quoted(state, statement)
    return None


_OF_CONTACTS = frozenset({"street", "~email", "~phone"})
_PROPER = re.compile(r"(?<=\w )[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}")
"""A proper name that does not begin the clause."""


def last_statement(state: DialogueState) -> Answer | None:
    """Return the clause of the context that is left to say, or None if there is not just one.

    "the box held a teapot" is all that is left to answer "What was inside?".
    """
    left = _unsaid_context(state)
    if len(left) != 1 or denies(left[0].text, left[0].names):
        return None  # "you never shop by phone" is no answer to "What is it about?"
    return _quoted(state, left[0])


def _unsaid_context(state: DialogueState) -> list[Statement]:
    """The clauses of the context without those that were said, and without phone numbers, days."""
    return [
        statement
        for statement in _usable_statements(state)
        if statement.source == CONTEXT
        and not _was_said(state, statement)
        and not _has_datum(statement.text)
    ]


def _quoted(state: DialogueState, statement: Statement) -> Answer:
    return Answer(state.own_words(statement.text), _REASON, exact=True)


def _usable_statements(state: DialogueState) -> tuple[Statement, ...]:
    """The clauses of goals that inform the app of something, of the context and of the role.

    A goal that waits for its moment is left out: it is said when the moment comes.
    """
    lead = _informing()
    goals = tuple(
        lead.sub("", goal.words)
        for goal in state.goals
        if not goal.asks
        and (goal.form == "statement" or lead.match(goal.words))
        and not waits_for_moment(goal)
    )
    statements = statements_of(goals, tuple(state.task.context), state.task.role)
    # "You have to act as a student who needs a room" is no sentence of the student's
    return tuple(s for s in statements if s.source != ROLE or not _instructs(s.text))


def _instructs(clause: str) -> bool:
    return says(folded(clause), "instructing")


@lru_cache(maxsize=1)
def _informing() -> re.Pattern[str]:
    """How a goal begins that only informs: "let them know about the steep drive"."""
    lists = knowledge()
    return re.compile(
        rf"^(?:{any_of(lists.softeners)} )?{any_of(lists.informing)}\b"
        rf"(?: (?:{any_of(lists.informed)}|the \w+))?(?: know)? (?:about|of|that)\s+",
        re.IGNORECASE,
    )


def _was_said(state: DialogueState, statement: Statement) -> bool:
    """Whether the user has said a clause, or all data that are in it."""
    acts = state.memory.acts
    own = folded(state.own_words(statement.text))
    if any(contains(act, own) for act in acts):
        return True
    data = [folded(text) for kind, text, _ in values_in(statement.text) if kind in _DATA]
    return bool(data) and all(any(contains(act, text) for act in acts) for text in data)


_DATA = frozenset({"phone", "email", "code", "postcode", "date", "time", "address", "iban"})


def _has_datum(clause: str) -> bool:
    """Whether a clause has a value that apps ask for by a question of its own."""
    return any(kind in _DATA | {"money", "age"} for kind, _, _ in values_in(clause))


_OF_KINDS = frozenset({"~number", "~name", "~id", "~type", "name", "surname", "remark", "anything"})
"""Names that say what kind of answer is expected, and nothing of its subject."""


def _in_full(state: DialogueState, statement: Statement) -> str:
    """A clause in the user's own words, with the rest of its sentence unless that is too long."""
    whole = next((t for t in state.task.context if statement.text in t), statement.text)
    whole = _mention().sub(" ", whole).strip(" .")
    fits = len(whole.split()) <= _MOST_WORDS and not _has_datum(whole) and not _has_case(whole)
    return state.own_words(whole if fits else statement.text)


_MOST_WORDS = 24


@lru_cache(maxsize=1)
def _mention() -> re.Pattern[str]:
    """An author's order within a sentence: "the lift is broken, so please mention that ..."."""
    lists = knowledge()
    return re.compile(
        rf"(?:(?<=,)\s*| and )(?:so |therefore )?(?:{any_of(lists.softeners)} )?"
        rf"{any_of(lists.mentioning)}(?: that)? ",
        re.IGNORECASE,
    )


def _has_case(text: str) -> bool:
    return any(states_condition(part.strip()) for part in text.split(","))


def _statement_on_pronoun(
    state: DialogueState, form: OpenForm, statements: Sequence[Statement]
) -> Answer | None:
    """The clause that says what "it" is: "it is a school trip" for "What sort of visit is it?"."""
    words = form.question.words
    of_kind = starts_with_any(words, "asking_kind") and says(words, "asked_pronouns")
    # "it is a farewell party" is the occasion
    if not of_kind and not says(words, "occasions"):
        return None
    of_it = (s for s in statements if s.source == CONTEXT and _of_pronoun().match(s.text))
    first = next((s for s in of_it if not _was_said(state, s)), None)
    return _quoted(state, first) if first is not None else None


@lru_cache(maxsize=1)
def _of_pronoun() -> re.Pattern[str]:
    lists = knowledge()
    verbs = any_of(lists.singular_copulas)
    return re.compile(
        rf"(?:{any_of(lists.things)}(?:'s| {verbs})|{any_of(lists.bare_copulas)}) ", re.IGNORECASE
    )
