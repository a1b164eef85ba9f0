"""Answers to questions for a particular of somebody: "What is the participant's full name?".

`people.py` says whose particular is asked for; here it is put as the app wants it.
"""

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.facts import Fact, names_in
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.people import (
    USER,
    People,
    Person,
    people_of,
    people_words,
)
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.profile.roles import END, roles_in
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm

_FORMS = 3
"""Ways to put a particular before another value is tried."""

_NAMES = ("name", "first_name", "last_name")
_STATED = ("birth", "age", "phone", "email", "address", "postcode", "city")


def people(state: DialogueState) -> People:
    """Return the people of the profile that a user plays."""
    services = [goal.words for goal in state.goals if not goal.asks]
    return people_of(state.task.context, state.task.role, services)


def particular_of_somebody(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return a particular of the one whom a question means; None if it means nobody for certain."""
    question = form.question.text
    everybody = people(state)
    person = everybody.meant(question) if form.times < _FORMS else None
    person = person or _at_destination(question, everybody)
    if person is None and asked_details(folded(question)) == ("last_name",):
        person = everybody.user  # "the surname on the file?" asks for no number
    elif person is None or (person.relation == USER and not everybody.others):
        return None
    full_name = everybody.full_name(person)
    text = _relationship(question, everybody) or _asked_of(person, full_name, form, state)
    if text is None or (form.times and folded(text) in state.memory.acts[form.since + 1 :]):
        return None
    return Answer(text, "gives what is asked for", exact=True)


def _at_destination(question: str, everybody: People) -> Person | None:
    """The one other person whose address or town a question for a destination means, or None.

    "Which postcode shall it go to?" asks for that of "your aunt lives at LS6 3AB".
    """
    kinds = asked_kinds(folded(question)) & _PLACES
    if not kinds or END not in roles_in(question):
        return None
    there = [p for p in everybody.others if any(fact.kinds & kinds for fact in p.facts)]
    return there[0] if len(there) == 1 else None


_PLACES = frozenset({"address", "city", "postcode"})


def _relationship(question: str, everybody: People) -> str | None:
    """What somebody is to the user: "my mother"."""
    words = folded(question)
    asked = any(contains(words, word) for word in people_words().relationships)
    whom = everybody.beneficiary
    if not asked or whom is None or whom is everybody.user:
        return None
    return f"my {whom.word.lower()}"


def _asked_of(person: Person, full_name: str, form: OpenForm, state: DialogueState) -> str | None:
    words = form.question.words
    kinds = {*asked_details(words), *asked_kinds(words)}
    if len(kinds & {*_STATED, "name"}) > 1:
        return None
    if kinds & set(_NAMES) or (_asks_name(words) and not kinds & set(_STATED)):
        whole = "last_name" in kinds or any(contains(words, word) for word in people_words().whole)
        return _name(full_name if whole else person.name, kinds)
    for kind in _STATED:
        if kind in kinds:
            fact = _fact(person, kind)
            if fact is None:
                return None
            return put_as_asked(fact.text, fact.kinds, form.hint, form.times, state.task.language)
    return _by_names(person, form.question.text)


def _asks_name(words: str) -> bool:
    return bool({"name", "~name", "recipient"} & names_in(words))


def _name(name: str, kinds: set[str]) -> str | None:
    parts = name.split()
    if not parts:
        return None
    if "name" not in kinds and "last_name" in kinds:
        return parts[-1] if len(parts) > 1 else None
    return parts[0] if "first_name" in kinds and "name" not in kinds else name


def _fact(person: Person, kind: str) -> Fact | None:
    if kind == "birth":
        dates = [fact for fact in person.facts if "date" in fact.kinds]
        return next((fact for fact in dates if "birth" in fact.names), None)
    return next((fact for fact in person.facts if kind in fact.kinds), None)


def _by_names(person: Person, question: str) -> str | None:
    """The code of somebody that a question names: "his licence number"."""
    asked = names_in(question) - names_in(person.word) - {"~number"}
    fitting = [fact for fact in person.facts if "code" in fact.kinds and asked & fact.names]
    return fitting[0].text if len(fitting) == 1 else None
