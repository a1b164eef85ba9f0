"""Answers to the open question of a form: from the profile's values, else the least invention."""

import re

from sparring.model.talk import meant_by
from sparring_plugins.language.candidates import find_times
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.users.agenda.answers.codes_asked import code_asked
from sparring_plugins.users.agenda.answers.context_answers import (
    changed_first,
    conceded,
    contact_to_send_to,
    in_own_person,
    new_first,
    reason_in_profile,
    says_none,
    skip_denied,
    stated_spot,
    whether_name_is,
)
from sparring_plugins.users.agenda.answers.joint_answers import (
    ages_of_all,
    count_per_head,
    counted_thing,
    is_code,
    with_counted_thing,
)
from sparring_plugins.users.agenda.answers.listed_things import answer_list, in_list
from sparring_plugins.users.agenda.answers.relevant_statements import (
    relevant_statement,
    statement_of_other,
)
from sparring_plugins.users.agenda.answers.remarks import noteworthy, remark, told_remark
from sparring_plugins.users.agenda.answers.shaped_values import in_shape, place_in_shape
from sparring_plugins.users.agenda.choosing.open_questions import stated_denial, stated_fault
from sparring_plugins.users.agenda.choosing.stated_answers import knows_whether
from sparring_plugins.users.agenda.profile.asked_facts import asks_fact
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds, asks_reason
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.formats import put_as_asked
from sparring_plugins.users.agenda.profile.implied_values import SPANS_OF_TIME
from sparring_plugins.users.agenda.profile.names_of_others import name_of_other
from sparring_plugins.users.agenda.profile.party import count_of_party
from sparring_plugins.users.agenda.profile.personal_details import (
    asked_details,
    personal_details,
    private_details,
    stated_details,
)
from sparring_plugins.users.agenda.profile.slots import asked_slots
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.profile.value_parts import part_of_value
from sparring_plugins.users.agenda.replies.asked_clauses import asks_for_any, asks_for_case
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.kinds_of_things import (
    asks_topic,
    class_named,
    kind_named,
    thing_wanted,
    topic_named,
)
from sparring_plugins.users.agenda.state.known_values import FITS, KnownValue, best_values
from sparring_plugins.users.agenda.state.open_form import (
    OpenForm,
    is_instruction,
    is_optional,
    skip_word,
)
from sparring_plugins.users.agenda.state.value_matching import counted_things
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

_FORMS = 4
"""Forms in which a value is put before another value is tried."""


def answer_open_form(state: DialogueState, form: OpenForm) -> Answer | None:
    """Answer an open question of a form; None if the profile has nothing that may be meant.

    A value is put as the app asks for it, and in other forms if it was not taken; then the next
    best value is tried. An optional question that nothing answers is skipped.
    """
    question = _with_context(form)
    things = answer_list(state, form)
    if things is not None:
        return things
    if not form.times:
        named = _noted(state, form, question) or _thing_or_reason(state, form)
        if named is not None:
            return named
        if _asks_for_whole_goal(state, question):
            return None
    answer = _skip_or_spot(state, form, question) or _several_data(state, form, question)
    if answer is not None:
        return answer
    several = _number_for_all(state, question) or ages_of_all(state, question)
    text = conceded(state, question, form) or several or _best_text(state, question, form)
    if text is not None:
        text = in_list(in_own_person(state, in_shape(state, text, form.hint)), form.reply.text)
        limit = most_allowed(text, form, form.reply.text) if yields(state) else None
        if limit is not None:
            return Answer(limit, "takes as many as the app allows", exact=True)
        return Answer(text, "gives what is asked for", exact=True)
    return _answer_without_value(state, form, question)


def _several_data(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """Data that are asked for at once, or that none of something is wanted, or None."""
    several = _whole_address(state, question, form) or _parts_in_one(state, question, form)
    if several is not None:
        return Answer(several, "gives what is asked for", exact=True)
    counts = asked_kinds(folded(question)) & {"number", "how_many"}
    if counts and _wants_none(state, question):
        return Answer("0", "wants none of it", exact=True)
    return None


def _noted(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """What is to be noted, if an app asks whether there is anything: "Any allergies to note?"."""
    asks = says(folded(question), "anything") and not asked_kinds(folded(question))
    told = told_remark(state, form)
    return told or relevant_statement(state, form, question) if asks else None


def _thing_or_reason(state: DialogueState, form: OpenForm) -> Answer | None:
    """What is asked for by its kind, or why: "Why do you want to cancel it?", or None."""
    thing = code_asked(state, form) or _thing_or_its_name(state, form)
    if thing is not None:
        return Answer(thing, "gives what is asked for", exact=True)
    named = whether_name_is(state, form.question.text)
    if named is not None:
        return named
    contact = contact_to_send_to(state, form.question.text)
    if contact is not None:
        return Answer(contact, "gives a contact", exact=True)
    stated = any("reason" in value.names for value in state.values)  # "the reason is a move"
    if stated or not asks_reason(form.question.text):
        return None
    reason = reason_in_profile(state)
    return Answer(reason, "says why") if reason else state.idly("why_service", "says why")


def _skip_or_spot(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """What skips a question for what there is none of, or where a thing is, or None."""
    skipped = skip_denied(state, form, question)
    spot = stated_spot(state, form) if skipped is None and not form.times else None
    return Answer(spot, "tells where it is", exact=True) if spot is not None else skipped


def _thing_or_its_name(state: DialogueState, form: OpenForm) -> str | None:
    """The kind of thing that is asked for, its topic, what somebody else is called, or None."""
    begun_first = sorted(state.goals, key=lambda goal: not state.memory.mentioned(goal))
    services = [goal.words for goal in begun_first if not goal.asks]
    question = form.question.text
    # "your neighbour's name and house number" wants more than the name
    more = asked_kinds(folded(question)) - _NAMES - {"who"}
    other = name_of_other(question, [g.words for g in state.goals], state.task.context)
    kind = kind_named(question, (*services, *state.background))
    return (None if more else other) or kind or topic_named(question, services)


def _parts_in_one(state: DialogueState, question: str, form: OpenForm) -> str | None:
    """The data that one question asks for at once; None if it asks for one, or one is missing."""
    parts = _parts_asked(question)
    if len(parts) < 2 or form.times:
        return None
    texts = [_best_text(state, part, form) or _invent(state, part) for part in parts]
    return ", ".join(dict.fromkeys(text for text in texts if text)) if all(texts) else None


def _wants_none(state: DialogueState, question: str) -> bool:
    """Whether the profile denies what is to be counted: "no children's tickets"."""
    counted = names_in(question) - {"~number"}
    if bool(counted) and knows_whether(state, question, by_role=False) is False:
        return True
    thing = names_in(counted_thing(question, question)) - {"~number"}
    return bool(thing) and any(
        thing <= names_in(clause) and says(folded(clause), "own_things")
        for clause in clauses_of(state.task.context)
    )


def _whole_address(state: DialogueState, question: str, form: OpenForm) -> str | None:
    """An address with its town, if a question asks for its parts: "Street, number and town?"."""
    asked = set(asked_details(folded(question)))
    if "address" not in asked or not asked & {"postcode", "city"} or form.times:
        return None
    held = {
        kind: next((value.text for value in state.values if kind in value.kinds), "")
        for kind in ("address", "postcode", "city")
    }
    if not held["address"]:
        return None
    rest = " ".join(held[k] for k in ("postcode", "city") if held[k] not in held["address"])
    return f"{held['address']}, {rest}" if rest else held["address"]


def _number_for_all(state: DialogueState, question: str) -> str | None:
    """How many there are of the party, if everybody gets one: "everybody needs a helmet"."""
    counted = names_in(counted_thing(question, question)) - {"~number"}
    if not counted or not asked_kinds(folded(question)) & {"number", "how_many"}:
        return None
    for clause in clauses_of((*(goal.words for goal in state.goals), *state.task.context)):
        words = names_in(clause)
        if counted <= words and says(folded(clause), "everybody") and not denies(clause, counted):
            return _party_of(state)
    return None


def _party_of(state: DialogueState) -> str | None:
    """The number of people that the user comes with, else the one number of its service."""
    numbers = [
        value
        for value in state.values
        if value.kinds & {"number"} and not value.rank and not value.names & SPANS_OF_TIME
    ]
    people = [value.text for value in numbers if "people" in value.names | value.near]
    active = state.memory.active
    own = [v.text for v in numbers if active is not None and v.goal == active.key]
    return next(iter(people or own or [v.text for v in numbers]), None)


def _asks_for_whole_goal(state: DialogueState, question: str) -> bool:
    """Whether a question asks for several values of one goal: "How many cans and which drink?"."""
    names = {slot.name for slot in asked_slots(folded(question), state.slots)}
    joined_by = re.search(r"\b(?:and|y|und|et|e)\b", question)
    return (
        bool(joined_by)
        and len(names) > 1
        and any(names <= {name for name, _ in goal.values} for goal in state.goals)
    )


def _invent(state: DialogueState, question: str) -> str | None:
    """A particular of the user for a part of a question; None if it asks for none."""
    details = personal_details(state.task.seed, state.task.context, state.task.language)
    return next((details[kind] for kind in private_details(folded(question))), None)


_CONTACTS, _POSTCODE = frozenset({"email", "phone"}), frozenset({"postcode"})
# "What is its colour?", "Please enter it": the thing was named before the question.
_OF_THING = re.compile(
    r"\b(?:its|their)\b(?! mind)"
    r"|\b(?:enter|type|give|write|state|send|provide|quote|put) (?:it|them|this|that)\b",
    re.IGNORECASE,
)
_BARE_ADDRESS = re.compile(r"^(?:and )?(?:your |the )?address(?: please)?$")
""""We write by e-mail. Your address, please." asks for no street."""


def _with_context(form: OpenForm) -> str:
    """The question; with the reply's statements if it says too little itself ("Again?")."""
    text = form.question.text
    if is_instruction(form.question):
        return form.reply.text  # 'You may add a message. Type "skip" to leave it out.'
    asks_place = asked_kinds(folded(text)) <= {"place"}
    rest = form.reply.text.partition(text)[2] if text else ""
    if asks_place and asked_kinds(folded(rest)) == _POSTCODE:
        return f"{text} {rest.strip()}"  # "Where shall we come? The postcode is enough."
    if starts_with_cue(form.question.words, "wh"):
        # "Helmets are free. How many should we set aside?" counts what stands before it
        people = "people" in asked_kinds(form.question.words)
        return text if people else with_counted_thing(text, form.reply.text)
    if _BARE_ADDRESS.match(form.question.words) and "email" in asked_kinds(folded(form.reply.text)):
        return form.reply.text.replace(text, "")  # "We write by e-mail. Your address, please."
    if asks_place and asked_kinds(folded(rest)) & _CONTACTS:
        return rest.strip()  # "Where shall we send it? A phone number or e-mail will do."
    if _OF_THING.search(text):
        return form.reply.text  # "We have a card on file. Please type its last four digits."
    return text if names_in(text) or asked_kinds(folded(text)) else form.reply.text


_NAMES = frozenset({"name", "first_name", "last_name"})
_STREET = frozenset({"address", "place"})
"""Kinds of "the house number and street", which are one line."""


def _parts_asked(question: str) -> list[str]:
    """The data that one question asks for at once: "your name and your e-mail address"."""
    parts = re.split(r"\s(?:and|y|und|et|e)\s(?:your |the |tu |su |ihre? |votre )?", question)
    kinds = [asked_kinds(folded(part)) for part in parts]
    if len(parts) < 2 or len(parts) > 3 or not all(kinds):
        return [question]
    if all(kind <= _NAMES | {"who"} for kind in kinds) or all(kind <= _STREET for kind in kinds):
        return [question]  # "first name and surname" are one name, and not two of them
    return parts if len(set(kinds)) == len(parts) else [question]


def _best_text(state: DialogueState, question: str, form: OpenForm) -> str | None:
    """The first form of the best value that was not yet given to this question, or None."""
    given = set(state.memory.acts[form.since + 1 :])
    ranked = best_values(
        question,
        state.values,
        goal=state.memory.active.key if state.memory.active else "",
        hint=form.hint,
        given=state.memory.acts,
        slots=state.slots,
    )
    ranked = new_first(state, question, changed_first(state, ranked))
    best = ranked[0][0] if ranked else 0.0
    for score, value in ranked:
        if score < FITS and score < best:
            break
        for turn in range(_FORMS):
            kinds = (
                value.kinds
                if not asked_kinds(folded(question))
                else _find_wanted_kinds(value, question)
            )
            part = part_of_value(question, value.text, value.kinds)
            if part == value.text:
                part = put_as_asked(value.text, kinds, form.hint, turn, state.task.language)
            text = _name_part(part, question, value)
            if folded(text) not in given or (not given and not turn):
                return text
    return None


def _find_wanted_kinds(value: KnownValue, question: str) -> frozenset[str]:
    """The kinds in which a value is put for a question."""
    kinds = asked_kinds(folded(question))
    return value.kinds | (frozenset({"number"}) & kinds)


def _name_part(text: str, question: str, value: KnownValue) -> str:
    """A first or last name of a full one, if that alone is asked for."""
    kinds = private_details(folded(question))
    whole = "name" in asked_kinds(folded(question))  # "Bitte Vor- und Nachname."
    if whole or "name" not in value.kinds or " " not in text:
        return text
    if "first_name" in kinds and "last_name" not in kinds and "name" not in kinds:
        return text.split()[0]
    if "last_name" in kinds and "first_name" not in kinds and "name" not in kinds:
        return text.split()[-1]
    return text


# --- Without a value


def _answer_without_value(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """What the active goal still has to say, a remark of the context, or that there is nothing."""
    first = _first_answer(state, form, question) if not form.times else None
    if first is not None:
        return first
    unnamed = _answer_unnamed(state, form) if not asked_kinds(folded(question)) else None
    if unnamed is not None:
        return unnamed
    place = place_in_shape(state, form, question)
    place = place or (_stated_particular(state, question) if not form.times else None)
    if place is not None:
        return Answer(place, "gives what the profile says", exact=True)
    any_of = says(folded(question), "anything") or asks_for_any(question)
    if skip_word(form) is not None or asks_for_case(question) or any_of:
        return _skip_or_remark(state, form, question)
    contact = _invent(state, question) if question != form.question.text else None
    if contact is not None and asked_kinds(folded(question)) & _CONTACTS:
        return Answer(contact, "gives a contact", exact=True)
    return _invented_count(state, form, question)


# "the door is behind the yard" answers for a place as a whole, "nobody told me a budget" for money
_BARE_KINDS = frozenset({"place", "who", "name", "money"})


def _first_answer(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """The answer in the profile to a question that is asked for the first time, or None."""
    services = [goal.words for goal in state.goals if not goal.asks]
    begun = [g.words for g in state.goals if not g.asks and state.memory.mentioned(g)]
    candidates = (
        (class_named(question, (*state.task.context, *services)), "gives what is asked for"),
        (stated_fault(state, question), "says what is wrong"),
        (_description(state, question), "says what it is like"),
        (contact_to_send_to(state, question), "gives a contact"),
        (_value_like_stated(state, form), "gives what is asked for"),
        (_statement(state, form), "says what its goal tells"),
        (stated_denial(state, question), "says what is wrong"),
        (
            thing_wanted(form.question.text, begun, state.task.language),
            "gives what is asked for",
        ),
    )
    first = next(
        (Answer(text, why, exact=True) for text, why in candidates if text is not None), None
    )
    if first is None and asked_kinds(folded(question)) - _BARE_KINDS:
        return statement_of_other(state, question)
    return first or relevant_statement(state, form, question)


def _statement(state: DialogueState, form: OpenForm) -> str | None:
    """A goal's statement, if a bare "what" is asked for: "the rear brake squeaks"; else None."""
    words = form.question.words
    of_topic = asks_topic(form.question.text)
    if not (says(words, "asking_what") or of_topic) or asked_kinds(words) or is_optional(form):
        return None
    stated = [g for g in state.goals if g.form == "statement" and not g.asks]
    fresh = [g for g in stated if of_topic or not state.memory.mentioned(g)]
    asked = names_in(form.question.text)
    best = max(fresh, key=lambda g: len(names_in(g.words) & asked), default=None)
    return state.phrase(best) if best is not None else None


def _value_like_stated(state: DialogueState, form: OpenForm) -> str | None:
    """The goal's value of the kind that the app has just stated, if it asks for that in a pronoun.

    "You pay £84 a month. What would you like it to be?" is answered by the amount of the goal.
    """
    words = form.question.words.split()
    if form.times or names_in(form.question.text) or not _IT.intersection(words):
        return None
    stated = {kind for text in form.reply.statements for kind, _, _ in values_in(text)}
    for value in state.values:
        kinds = value.kinds | ({"money"} if value.near & _AMOUNTS else frozenset[str]())
        if (
            not value.rank
            and kinds & stated & _CHANGED
            and folded(value.text) not in state.memory.acts
        ):
            return value.text
    return None


_IT = frozenset({"it", "them", "es", "sie", "lo", "la", "le"})
_AMOUNTS = names_in("pounds euros dollars amount")
_CHANGED = frozenset({"money", "date", "time", "phone", "address", "email"})


def _answer_unnamed(state: DialogueState, form: OpenForm) -> Answer | None:
    """What the service under way still has to say, if the app names no kind of datum."""
    value = _repeated_answer(state, form) or _single_value(state, form)
    if value is not None:
        return Answer(value, "gives what is asked for", exact=True)
    unsaid = _unsaid_of_goal(state, form) if not form.times else None
    return Answer(unsaid, "says what the goal is about", exact=True) if unsaid is not None else None


def _skip_or_remark(state: DialogueState, form: OpenForm, question: str) -> Answer:
    """What the context says of an optional question, else what skips it."""
    text = remark(state, question) or remark(state, form.reply.text)
    text = text or noteworthy(state, question) or _statement_about(state, question)
    if text is not None and not form.times and not says_none(text, question):
        return Answer(text, "tells what the profile says of it", exact=True)
    return Answer(skip_word(form) or state.phrases.no[0], "skips what is optional", exact=True)


def _statement_about(state: DialogueState, question: str) -> str | None:
    """The goal on a question's subject: "tengo una lesión" for "¿alguna lesión ...?"; or None."""
    asked = names_in(question)
    own = (g for g in state.goals if g.form == "statement" and not g.asks)
    return next((state.phrase(g) for g in own if names_in(g.words) & asked), None)


def _stated_particular(state: DialogueState, question: str) -> str | None:
    """A particular of the user in the context: the company of "you work for Ash & Co"; or None."""
    details = stated_details(state.task.context)
    return next(
        (details[kind] for kind in private_details(folded(question)) if kind in details), None
    )


def _description(state: DialogueState, question: str) -> str | None:
    """What a goal states of the thing, if the app asks what it is like: "it is green"."""
    if not says(folded(question), "describing"):
        return None
    stated = (g for g in state.goals if g.form == "statement" and not g.asks)
    return next((state.phrase(g) for g in stated if not state.memory.mentioned(g)), None)


def _invented_count(state: DialogueState, form: OpenForm, question: str) -> Answer | None:
    """A number for a question that asks for one of which the profile says nothing.

    A value of the profile that the app turns down is not replaced by an invented one.
    """
    kinds = asked_kinds(folded(question))
    texts = (state.task.role, *state.task.context)
    party = count_of_party(question, texts, of_people="people" in kinds)
    if party is not None and not form.times and kinds & {"people", "how_many", "number"}:
        return Answer(str(party), "counts its party", exact=True)
    per_head = count_per_head(state, question, kinds) if not form.times else None
    if per_head is not None:
        return Answer(per_head, "gives the number of its party", exact=True)
    has_own = bool(best_values(question, state.values, slots=state.slots)) and not yields(state)
    guesses = bool(form.times) or not asks_fact(folded(question))  # of kilometres nobody does
    if guesses and kinds & {"people", "how_many", "number"} and not is_code(kinds) and not has_own:
        return Answer(_least_count(state, form), "gives a number", exact=True)
    return None


def most_allowed(text: str, form: OpenForm, reply: str) -> str | None:
    """Return the most that a reply allows, if a number is more than that; None if it is not.

    "How many? (up to 2 per member)" is answered by 2 if the user takes less than the 3 it wants.
    Of "9 seats, up to 5 children", five is what "How many children?" may get.
    """
    if not text.isdigit() or not says(folded(reply), "limits"):
        return None
    allowed = re.findall(r"\b\d{1,3}\b", reply)
    if len(allowed) > 1:
        asked = names_in(form.question.text) - {"~number"}
        allowed = [str(n) for n, thing in counted_things(reply) if names_in(thing) & asked]
    fewer = [number for number in allowed if int(number) < int(text)]
    return fewer[0] if len(set(allowed)) == 1 and fewer else None


def offered_value(form: OpenForm) -> str | None:
    """The time that the app itself names in its question, or in what it said about the answer."""
    times = find_times(form.hint)
    return times[-1].text if times else None


def yields(state: DialogueState) -> bool:
    """Whether the profile says that its user takes something else than it asked for."""
    return state.memory.yielding


def _least_count(state: DialogueState, form: OpenForm) -> str:
    """One of what is counted, in digits once a word was not taken or the app shows numbers."""
    if form.times and yields(state):
        allowed = re.findall(r"\b\d{1,3}\b", form.reply.text)
        if allowed:
            return str(allowed[0])
    zero = re.search(r"\b0\b (?:for|if|para|wenn|pour|per) ", form.hint)
    if zero or _counts_children(state, form):
        return "0"
    word = state.phrases.how_many
    return "1" if form.times or re.search(r"\d", form.hint) else word


def _counts_children(state: DialogueState, form: OpenForm) -> bool:
    """Whether children are counted, and the profile says nothing of any."""
    words = knowledge().children
    profile = folded("\n".join((*(goal.words for goal in state.goals), *state.task.context)))
    return bool(words & set(form.question.words.split())) and not words & set(profile.split())


def _single_value(state: DialogueState, form: OpenForm) -> str | None:
    """The one value of the service under way, in another form each time; None if it is none.

    "Enter the new one." is answered by the number of "change my number to 07700 900266".
    """
    active = state.memory.active
    if active is None or active.asks or len(active.texts) != 1 or is_optional(form):
        return None
    values = [value for value in state.values if value.slot and value.goal == active.key]
    if len(values) != 1 or "text" in values[0].kinds:
        return None
    if _asks_for_another(form, values[0]):
        return None
    before = " ".join(state.memory.acts[: form.since + 1])
    if not form.times and folded(values[0].text) in before and form.since > 1:
        return None  # it was the answer to another question
    return _next_form(state, form, values[0])


def _asks_for_another(form: OpenForm, value: KnownValue) -> bool:
    """Whether a question names something else: "What is wrong with your bike?" wants no day."""
    own = names_in(form.question.text)
    return "?" in form.question.text and bool(own) and not own & (value.names | value.near)


def _next_form(state: DialogueState, form: OpenForm, value: KnownValue) -> str | None:
    """A value in the next form that the app has not turned down yet; None if it has all."""
    given = set(state.memory.acts[form.since + 1 :])
    ways = (
        put_as_asked(value.text, value.kinds, form.hint, turn, state.task.language)
        for turn in range(_FORMS)
    )
    return next((text for text in ways if folded(text) not in given), None)


def _repeated_answer(state: DialogueState, form: OpenForm) -> str | None:
    """The last answer, if the app wants it once more: "Please enter it again to make sure."."""
    if form.times or not _ONCE_MORE.search(form.question.words) or len(state.task.turns) < 2:
        return None
    return meant_by(state.task.turns[-1].act) or None


_ONCE_MORE = re.compile(r"\b(?:enter|type|repeat|give) (?:it|them|the same) (?:once more|again)\b")
""""Please enter it again to make sure." wants the answer before."""


def _unsaid_of_goal(state: DialogueState, form: OpenForm) -> str | None:
    """A text of the goals under way that was not said yet: "a rattle" for "What is it about?"."""
    active = state.memory.active
    acts = " ".join(state.memory.acts)
    values = [
        value
        for value in state.values
        if value.slot and "text" in value.kinds and folded(value.text) not in acts
    ]
    asked = names_in(form.question.text)
    own = [value for value in values if active is not None and value.goal == active.key]
    near = [value for value in values if value.near & asked]
    if is_optional(form):
        own = []  # "Anything we should know?" is no question about what was ordered
    chosen = next(iter(near or own), None)
    return in_own_person(state, chosen.text) if chosen is not None else None
