"""Answers to open questions: values, personal details, descriptions, the next goal."""

import re
from collections.abc import Callable, Sequence

from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds, asks_reason
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.personal_details import (
    asked_details,
    personal_details,
    private_details,
)
from sparring_plugins.users.agenda.profile.slots import Slot, asked_slots
from sparring_plugins.users.agenda.profile.stances import (
    clause_about,
    denies,
    goes_on_if_so,
)
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion
from sparring_plugins.users.agenda.replies.named_options import things_listed
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.known_values import FITS, best_values
from sparring_plugins.users.agenda.state.open_form import OpenForm, is_optional
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    named_moment,
    plans_change,
    waits_for_question,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge, says, starts_with_any
from sparring_plugins.users.agenda.words.phrase_book import filled, word_lists

NOTHING_TO_SAY = "has nothing to say to it"
"""The reason of an answer that the user has no preference or does not know."""

# "Please send name, address, phone and email" is answered at once; more at once reads like a form.
_MOST_DETAILS = 4
_NEXT = "brings up what is next"
_SERVICE_FORMS = ("request", "action")
_PUT_AS_ASKED = ("birth", "date")
_CONTACTS = ("email", "phone", "digits")


def answer_open_question(state: DialogueState, question: AppQuestion) -> Answer:
    """Answer an open question or instruction.

    The answer gives the variables or personal details that are asked for, else brings up the next
    goal, unless the app is collecting data, else states that the user does not know.
    """
    words = question.words
    kinds = asked_details(words)
    data = _data_answer(state, words, kinds)
    if data is not None:
        return data
    if asks_reason(question.text):
        # before the next goal: who is asked why does not change the subject
        what = "why_service" if state.is_collecting() else "why"
        return state.idly(what, "says why")
    more = state.next_goal()
    is_general = not concepts(words) - word_lists().generic_concepts or state.times > 0
    if more is not None and is_general:
        return Answer(more, _NEXT)
    reworded = state.reworded_question() if has_cue(words, "elaborate") else None
    if reworded is not None:
        return Answer(reworded, "says it in other words")
    if kinds:
        return _details_answer(state, kinds)
    active = state.memory.active
    if active is not None and active.texts and not state.memory.said(active.words):
        return Answer(active.words, "says what it wants")
    if more is not None and _invites_goals(state, words):
        return Answer(more, _NEXT)
    return _uninformed_answer(state, more)


def _data_answer(state: DialogueState, words: str, kinds: Sequence[str]) -> Answer | None:
    """The values or personal details that a folded question asks for, or None."""
    # A variable with a phone number in it goes before an invented one, whatever its name is.
    held = [slot for kind in kinds for slot in state.slots if kind in slot.holds]
    if held and not has_cue(words, "more"):
        return answer_with_values(state, held[:1])
    slots = _changed(state, asked_slots(words, state.slots))
    private = private_details(words)
    if slots and _are_meant(slots, words, private):
        return answer_with_values(state, slots)
    if private or (kinds and list(kinds) != ["why"] and state.is_collecting()):
        return _details_answer(state, private or kinds)
    return None


def _changed(state: DialogueState, slots: list[Slot]) -> list[Slot]:
    """The variables that a question asks for, or the new one during a change."""
    active = state.memory.active
    if active is None or not plans_change(active) or active.key in state.memory.met:
        return slots
    names = {name for name, _ in active.values}
    kinds = frozenset[str]().union(*(slot.kinds for slot in slots))
    new = [slot for slot in state.slots if slot.name in names and slot.kinds & kinds]
    return new or slots


def _are_meant(slots: Sequence[Slot], words: str, private: Sequence[str]) -> bool:
    """Whether a question is about these slots, and not about private details of the user.

    It is if it names one of them; a question for contact data only if one of them holds such data.
    """
    by_name = any(slot.own & concepts(words) for slot in slots)
    asks_contact = any(kind in _CONTACTS for kind in private)
    is_contact = any(slot.own & {"~phone", "~email"} for slot in slots)
    return (by_name or not private) and (is_contact or not asks_contact)


def _invites_goals(state: DialogueState, words: str) -> bool:
    """Whether a question invites the next goal: by its words, or because none was tried yet."""
    asks_for_more = has_cue(words, "more") or has_cue(words, "help")
    return asks_for_more or not any(state.memory.tries.values())


def _uninformed_answer(state: DialogueState, more: str | None) -> Answer:
    """An answer that the user does not know or mind; in a service never twice in a row."""
    if not state.is_collecting():
        return state.idly("unknown", NOTHING_TO_SAY)
    if more is not None and state.memory.idle:
        return Answer(more, _NEXT)
    what = ("indifferent", "unknown")[state.times % 2]
    return Answer(state.fresh(what) or state.say(what, state.times), NOTHING_TO_SAY)


def answer_with_values(state: DialogueState, slots: Sequence[Slot]) -> Answer:
    """Return the values asked for: bare at first, then in a sentence, then as the whole goal."""
    value = values_in_words(state, slots)
    ways = [value, *(filled(phrase, value) for phrase in state.phrases.value[1:])]
    names = {slot.name for slot in slots}
    ways += [goal.words for goal in state.goals if names & {name for name, _ in goal.values}]
    return Answer(ways[min(state.times, len(ways) - 1)], f"gives {', '.join(sorted(names))}")


def values_in_words(state: DialogueState, slots: Sequence[Slot]) -> str:
    """Return the values of slots, in the words of the goal that has them all if there is one."""
    if len(slots) > 1:
        names = {slot.name for slot in slots}
        for goal in state.goals:
            if names <= {name for name, _ in goal.values} and goal.form in _SERVICE_FORMS:
                return goal.words
    return ", ".join(state.join(slot.values) for slot in slots)


def _held_details(state: DialogueState, kinds: Sequence[str]) -> dict[str, str]:
    """The details that the profile has; they are not replaced by invented ones."""
    held: dict[str, str] = {}
    for kind in kinds:
        if kind in _HELD:
            texts = [value.text for value in state.values if kind in value.kinds]
            held |= {kind: texts[0]} if texts else {}
    spot = _spot_of_service(state) if "address" in kinds else None
    return {**held, "address": spot} if spot is not None else held


def _spot_of_service(state: DialogueState) -> str | None:
    """The one place with a house number that a service was asked for and the app asks for, or None.

    "Where is it? Please give the street." after "report a pothole outside 8 Linden Close" asks for
    no address of the user's.
    """
    words = state.form.question.words if state.form is not None else ""
    if says(words, "yours"):
        return None
    spots = {
        text
        for goal in state.memory.open_goals()
        if not goal.asks and state.memory.mentioned(goal)
        for text in goal.texts
        if _HOUSE.search(text)
    }
    return spots.pop() if len(spots) == 1 else None


_HOUSE = re.compile(
    r"\b\d{1,4}[a-z]? [A-ZÀ-ÖØ-Þ]\w+|\b[A-ZÀ-ÖØ-Þ]\w+ \d{1,4}[a-z]?$|\b\d{1,4} rue\b"
)
"""A street with a house number: "8 Linden Close", "Gartenstraße 12"."""


_HELD = frozenset({"phone", "email", "address", "postcode", "name", "city"})


def _details_answer(state: DialogueState, kinds: Sequence[str]) -> Answer:
    """Personal details, or a day or an hour of a goal; a rejected phone number with its prefix."""
    task = state.task
    details = personal_details(task.seed, task.context, task.language)
    if {"first_name", "last_name"} <= set(kinds) or ("last_name" in kinds and state.times):
        kinds = ["name"]  # "Vor- und Nachname"
    asked = kinds[:_MOST_DETAILS]
    if asked == ["phone"] and state.times % 2:
        prefix = "+34" if task.language.lower() == "spanish" else "+1"
        digits = "".join(char for char in details["phone"] if char.isdigit())
        details = {**details, "phone": f"{prefix}{digits}"}
    details = {**details, **_held_details(state, asked)}
    said = {kind: named_moment(kind, state.goals) or details[kind] for kind in asked}
    form = state.form
    if form is not None and len(asked) == 1 and asked[0] in _PUT_AS_ASKED:
        written = frozenset({"date"})
        said = {
            kind: put_as_asked(text, written, form.hint, form.times, task.language)
            for kind, text in said.items()
        }
    return Answer(", ".join(said.values()), f"gives {', '.join(asked)}")


# --- Descriptions of things and events


_LISTED, _LISTED_WORDS = 3, 3


def description(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the profile's description of a thing or an event, if an app asks for one; else None.

    "What is wrong with it?" and "What does it look like?" are answered from a goal ("one wheel
    squeaks"), else from the context: "it is green and has two handles".
    """
    words = form.question.words
    typed = asked_kinds(words) and not says(words, "describing")
    if form.times or not says(words, "descriptive") or typed:
        return None
    text = _clause_on_fault(state, words, _fails)
    text = text or next(iter(_descriptions(state, words)), None)
    text = text or _clause_on_fault(state, words, _denies)
    if text is None and "happen" in words and state.task.language.title() == "English":
        text = _event(state)
    if text is None and not is_optional(form):
        text = _service_in_words(state)
    return Answer(state.own_words(text), "describes it", exact=True) if text else None


def _descriptions(state: DialogueState, question: str) -> list[str]:
    """Descriptions in the profile, by the names they share with the question, then by source."""
    own = _telling_goals(state)
    because = [goal.phrase for goal in own if " because " in goal.phrase]
    things = knowledge().things
    stated = [goal.words for goal in own if goal.form == "statement"]
    # "it is dark green" says more of what it is like than "I lost my coat"
    described = sorted(stated, key=lambda words: _first_word(words) not in things)
    of_context = [
        clause
        for clause in state.task.context
        if _first_word(clause) in things and not _only_dates(clause)
    ]
    looks = of_context if says(question, "looks") else []
    texts = [*because, *looks, *described, *_descriptive_values(state), *of_context]
    texts += _clauses_on_goals(state)
    # "describe the noise, so that our fitter knows it" asks for no fitter
    asked = names_in(_PURPOSE.split(question)[0]) - _WHEN_IT_WAS
    if says(question, "describing"):
        # "Describe it (colour, make)": "it is dark blue and of the make Kestner"
        texts += [text for text in state.task.context if names_in(text) & asked]
    return _by_subject(texts, asked, [*because, *described]) if asked else texts


def _telling_goals(state: DialogueState) -> list[UserGoal]:
    """The goals that may describe something; "mention the dog if they ask" describes nothing."""
    return [goal for goal in state.goals if not goal.asks and not waits_for_question(goal)]


def _by_subject(texts: Sequence[str], asked: frozenset[str], stated: Sequence[str]) -> list[str]:
    """Texts by the names that they share with a question; for a problem what goals state first."""
    faults = set(stated) if "problem" in asked else set[str]()
    return sorted(texts, key=lambda text: (text not in faults, -len(names_in(text) & asked)))


_PURPOSE = re.compile(r"\b(?:so that|so we|in order|damit|para que|afin que|pour que|affinche)\b")


def _descriptive_values(state: DialogueState) -> list[str]:
    """The values of services that are descriptions: "makes a grinding noise"."""
    services = {goal.key for goal in state.goals if not goal.asks}
    wishes = {goal.key for goal in state.goals if has_cue(folded(goal.phrase), "wanting")}
    return [
        value.text
        for value in state.values
        if value.slot
        and value.kinds == frozenset({"text"})
        and value.goal in services
        and value.goal not in wishes
        and len(value.text.split()) >= _TELLING
    ]


_TELLING = 3
"""Least number of words of a value that is a description."""


def _service_in_words(state: DialogueState) -> str | None:
    """The service that the user came for, in words; None if there is none."""
    active = state.memory.active
    services = [goal for goal in state.goals if not goal.asks]
    first = active if active is not None and not active.asks else next(iter(services), None)
    return state.phrase(first) if first is not None else None


def _only_dates(clause: str) -> bool:
    """Whether a clause only dates something: "it happened on Monday"."""
    dates = [text for kind, text, _ in values_in(clause) if kind in ("date", "time")]
    rest = clause
    for text in dates:
        rest = rest.replace(text, " ")
    return bool(dates) and len(names_in(rest) - _WHEN_IT_WAS) <= 1


_WHEN_IT_WAS = names_in("happened last next this first")


def _clauses_on_goals(state: DialogueState) -> list[str]:
    """The clauses of the context on subjects of the goals: "your dog has been limping"."""
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
# "the boiler has been dripping" describes a fault; "the boiler is ten years old" does not.
_TELLS = re.compile(r"\b(?:has been|have been|has|keeps|does not|doesn't|is \w+ing)\b")


def _first_word(clause: str) -> str:
    return next(iter(folded(clause).split()), "")


def stated_fault(state: DialogueState, question: str) -> str | None:
    """Return what the profile says is wrong with a thing, if a question asks that; else None.

    "FAULT?" and "What is wrong with it?" are answered by "the drum does not turn any more".
    """
    return _own_clause(state, _clause_on_fault(state, question, _fails))


def stated_denial(state: DialogueState, question: str) -> str | None:
    """Return what the profile says is not so with a thing, if a question asks what is wrong.

    "el tambor no gira" has no word that says that something fails.
    """
    return _own_clause(state, _clause_on_fault(state, question, _denies))


def _own_clause(state: DialogueState, clause: str | None) -> str | None:
    return state.own_words(clause) if clause is not None else None


def _clause_on_fault(
    state: DialogueState, question: str, tells: Callable[[str], bool]
) -> str | None:
    if "problem" not in names_in(question):
        return None
    stated = [goal.words for goal in state.goals if goal.form == "statement" and not goal.asks]
    if stated and not any(map(tells, stated)):
        return None  # what the user came to tell goes before what stands beside it
    clauses = [_after_label(clause) for clause in clauses_of((*stated, *state.task.context))]
    of_things = (c for c in clauses if not starts_with_any(folded(c), "of_user"))
    return next(filter(tells, of_things), None)


def _fails(clause: str) -> bool:
    return says(folded(clause), "troubles") or says(folded(clause), "failing")


def _denies(clause: str) -> bool:
    """Whether a clause says that something is not so: "el tambor no gira"."""
    return not knowledge().denials.isdisjoint(folded(clause).split())


def _after_label(clause: str) -> str:
    """A clause without what it is called: "fault: the drum does not turn"."""
    label, colon, rest = clause.partition(": ")
    return rest if colon and "problem" in names_in(label) else clause


def _event(state: DialogueState) -> str | None:
    """The event in the role, else the service that the user came for, or None.

    "What happened?" is answered by the role "you were on holiday and your suitcase was stolen".
    """
    active = state.memory.active
    services = [active] if active is not None and not active.asks else []
    services += [goal for goal in state.goals if not goal.asks]
    role = state.task.role if folded(state.task.role).startswith(("you ", "your ")) else ""
    return next(iter((*([role] if role else ()), *(g.phrase for g in services))), None)


def listed_extras(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the items of a list in the reply that the profile wants, all in one answer.

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


# --- Particulars after a yes: "Any medicine? If so, which?"


def answer_if_so(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the particular that an app asks for in case of a yes, or None.

    "Do you take any medicine? If so, which?" is answered by "I take ibuprofen", and not by "Yes".
    """
    asked = next((text for text in sentences(form.reply.text) if goes_on_if_so(text)), None)
    if asked is None:
        return None
    if asked_kinds(folded(asked)):
        ranked = best_values(f"{form.question.text} {asked}", state.values, slots=state.slots)
        if ranked and ranked[0][0] >= FITS:
            return Answer(ranked[0][1].text, "says what a yes is about", exact=True)
    clauses = clauses_of((*(goal.words for goal in state.goals), *state.task.context))
    clause = clause_about(form.question.text, clauses)
    if clause is None:
        return None
    return Answer(state.own_words(clause), "says what a yes is about", exact=True)
