"""What the profile tells of things and events that an app wants to be described."""

import re

from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.facts import clauses_of, names_in
from sparring_plugins.users.agenda.knowledge import knowledge, says
from sparring_plugins.users.agenda.known_values import asked_kinds
from sparring_plugins.users.agenda.named_options import things_listed
from sparring_plugins.users.agenda.open_form import OpenForm
from sparring_plugins.users.agenda.stances import denies

_LISTED, _LISTED_WORDS = 3, 3


def description(state: DialogueState, form: OpenForm) -> Answer | None:
    """What the profile tells of a thing or an event that is to be described; None for nothing.

    "What is wrong with it?" and "What does it look like?" are answered by what a goal tells ("one
    wheel squeaks"), else by the context: "it is green and has two handles".
    """
    words = form.question.words
    if form.times or not says(words, "descriptive") or asked_kinds(words):
        return None
    text = next(iter(_descriptions(state, words)), None)
    if text is None and "happen" in words and state.task.language.title() == "English":
        text = _event(state)
    return Answer(state.own_words(text), "tells what it knows of it", exact=True) if text else None


def _descriptions(state: DialogueState, question: str) -> list[str]:
    """What the profile tells, the most fitting first: reasons, then what is told or looks so."""
    own = [goal for goal in state.goals if not goal.asks]
    because = [goal.phrase for goal in own if " because " in goal.phrase]
    things = knowledge().things
    stated = [goal.words for goal in own if goal.form == "statement"]
    # "it is dark green" says more of what it is like than "I lost my coat"
    told = sorted(stated, key=lambda words: _first_word(words) not in things)
    of_context = [clause for clause in state.task.context if _first_word(clause) in things]
    looks = of_context if says(question, "looks") else []
    return [*because, *looks, *told, *of_context, *_clauses_on_goals(state)]


def _clauses_on_goals(state: DialogueState) -> list[str]:
    """What the context tells of what the goals are about: "your dog has been limping"."""
    about = frozenset(
        name for goal in state.goals if not goal.asks for name in names_in(goal.words)
    )
    clauses = (clause for text in state.task.context for clause in clauses_of([text]))
    return [
        clause
        for clause in clauses
        if folded(clause).startswith(_OWN) and about & names_in(clause) and _TELLS.search(clause)
    ]


_OWN = ("your ", "dein ", "deine ", "tu ", "su ", "votre ", "ton ", "ta ")
_TELLS = re.compile(r"\b(?:has been|have been|has|keeps|does not|doesn't|is \w+ing)\b")


def _first_word(clause: str) -> str:
    return next(iter(folded(clause).split()), "")


def _event(state: DialogueState) -> str | None:
    """What happened, as the role or the service that the user came for tells it; None for nothing.

    "What happened?" is answered by "you were on holiday and your suitcase was stolen" of the role.
    """
    active = state.memory.active
    services = [active] if active is not None and not active.asks else []
    services += [goal for goal in state.goals if not goal.asks]
    role = state.task.role if folded(state.task.role).startswith(("you ", "your ")) else ""
    return next(iter((*([role] if role else ()), *(g.phrase for g in services))), None)


def listed_extras(state: DialogueState, form: OpenForm) -> Answer | None:
    """The things of a list in the reply that the profile wants, all in one answer.

    "Would you like extras? There are towels, robes and slippers; name all that you want."
    """
    if form.reply.choices or form.times:
        return None
    listed = [
        item
        for statement in form.reply.statements
        for item in things_listed(statement)
        if len(item.split()) <= _LISTED_WORDS
    ]
    if len(listed) < _LISTED:
        return None
    texts = [goal.words for goal in state.goals if not goal.asks] + list(state.task.context)
    for text in texts:
        wanted = [item for item in listed if contains(folded(text), folded(item))]
        if wanted and not denies(text, names_in(" ".join(wanted))):
            return Answer(state.join(wanted), "names what it wants of them", exact=True)
    return None
