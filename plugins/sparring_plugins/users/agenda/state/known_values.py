"""Every value that the profile holds, and which of them a question of the app asks for.

Goals go first, then the context, then the role. A value is found by what it is called, by the kind
of value that is asked for and by the shape that the app describes; one that cannot be meant (a date
for a name) is never given.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.spoken_times import with_clock_times
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.profile.asked_facts import may_be_fact
from sparring_plugins.users.agenda.profile.asked_kinds import (
    accepted_kinds,
    asked_kinds,
    asks_who_from,
    kind_of_pattern,
)
from sparring_plugins.users.agenda.profile.facts import Fact, facts_of, names_in
from sparring_plugins.users.agenda.profile.formats import shape_fit, wants_digits
from sparring_plugins.users.agenda.profile.implied_values import duration_in
from sparring_plugins.users.agenda.profile.roles import (
    leads_to_place,
    names_place,
    places_of_way,
    roles_in,
    roles_of_label,
    roles_of_moment,
)
from sparring_plugins.users.agenda.profile.slots import Slot, slot_scores
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.profile.value_kinds import kinds_of
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.state.user_goals import UserGoal, joined
from sparring_plugins.users.agenda.state.value_matching import is_given_in
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_of

FITS = 1.0
"""Least score of a value that is given to a question."""

MAY_FIT = 0.6
"""Least score of one that is tried before anything is invented."""

_LOOKS = frozenset(
    {"email", "phone", "date", "time", "money", "code", "number", "address", "age", "iban"}
    | {"postcode"}
)
_LASTING = frozenset({"name", "person", "email", "phone", "address", "code", "iban", "postcode"})
"""Kinds that stay the same from question to question: two days of one trip do not."""

_AGE_DIGITS = 3
_AT_HOME = 2.0
"""What an address gains over its town, if somebody comes: "Where should the engineer come?"."""
_BORN_UNTIL = 2012
"""The last year of a day that may be a birthday though nothing calls it one."""

_SORT_OF = re.compile(r"\b(?:kinds?|types?|sorts?|makes?) of\b", re.IGNORECASE)
""""What kind of boat is it?" asks for the boat."""
_MOMENTS = frozenset({"date", "time", "phone", "email", "money", "age", "number"})
_WEAK = frozenset({"~number", "~id", "ticket", "~date", "~time", "~order", "~appointment", "~name"})


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value of the profile with what it is called.

    `near` are names of the words around it, `rank` counts how far from the goals it was found,
    `goal` is the key of the goal that uses it, and `slot` the variable that it is. `roles` are the
    ends of a way or a span that it is called.
    """

    text: str
    names: frozenset[str]
    kinds: frozenset[str]
    near: frozenset[str] = frozenset()
    rank: int = 0
    goal: str = ""
    slot: str = ""
    roles: frozenset[str] = frozenset()


def known_values(
    task: UserTask, goals: Sequence[UserGoal], slots: Sequence[Slot]
) -> list[KnownValue]:
    """All values of the profile: variables, what goals say in plain words, context, role."""
    values = [_with_postcode(_of_slot(slot, goals, task.language)) for slot in slots]
    said = " ".join(value.text for value in values)
    for goal in goals:
        values += [value for value in _in_goal(goal) if not _stands_in(value.text, said)]
    for rank, texts in enumerate((tuple(task.context), (task.role,)), 1):
        facts = (_with_postcode(_of_fact(fact, rank)) for fact in facts_of(texts))
        values += [_as_recipient(value, goals) for value in facts]
    return values


def _stands_in(value: str, text: str) -> bool:
    """Whether a text has a value in it as a whole: the 4 of "4 hours" is none of 2027-04-18."""
    return re.search(rf"(?<![\w.,:/-]){re.escape(value)}(?![\w:/-]|[.,]\d)", text) is not None


def _with_postcode(value: KnownValue) -> KnownValue:
    """A value that is called a postcode, with that kind: 28001 alone looks like any number."""
    if "postcode" not in value.names or not any(char.isdigit() for char in value.text):
        return value
    return replace(value, kinds=value.kinds | {"postcode"})


def _as_recipient(value: KnownValue, goals: Sequence[UserGoal]) -> KnownValue:
    """Somebody whom a goal wants to reach, as a recipient.

    "let your teacher know that ..." with "your teacher is Mr Reyes" answers "Who is the message
    for?" with the teacher, and not with the user's own name.
    """
    if "person" not in value.kinds:
        return value
    reached = any(value.names & names_in(goal.words) for goal in goals if not goal.asks)
    return replace(value, names=value.names | {"recipient"}) if reached else value


def _of_slot(slot: Slot, goals: Sequence[UserGoal], language: str) -> KnownValue:
    text = joined(list(slot.values), language)
    goal = next((goal.key for goal in goals if slot.name in dict(goal.values)), "")
    looks = _looks_of(slot)
    names = names_in(slot.name.replace("_", " ")) | slot.own
    near = _near_names(slot)
    if _is_proper(text) and not (looks | slot.kinds) & {"date", "time"}:
        looks |= {"person"}  # Thursday is nobody's name
    if not looks - {"text", "person"}:
        names |= _name_of_text(text, goals)
        looks |= {"city", "place"} if "remark" not in names and _is_place(slot) else set()
    roles = roles_of_label(slot.name.replace("_", " ")) or roles_of_label(slot.lead)
    if looks & _CODED and not looks & {"date", "time"}:
        # a label that is called "tag" is no day, which "Tag" is in German
        names, near = names - {"~date", "~time"}, near - {"~date", "~time"}
        return KnownValue(text, names, frozenset(looks), near, 0, goal, slot.name, roles)
    if text.isdigit():
        names |= _counted_names(text, goals)
        # "1" of "for 1 hour" is no time of day
        return KnownValue(
            text, names, (slot.kinds | looks) - {"time", "date"}, near, 0, goal, slot.name, roles
        )
    kinds = slot.kinds | looks | _house_number(text, names)
    if looks == {"text"} and len(text.split()) > _SHORT_TEXT:
        kinds -= {"date", "time"}  # "has not eaten since yesterday" is no day
    return KnownValue(text, names | _unit(text, looks), kinds, near, 0, goal, slot.name, roles)


def _name_of_text(text: str, goals: Sequence[UserGoal]) -> frozenset[str]:
    """What a text is called that a goal wants to be written: "it should say Happy birthday"."""
    return frozenset({"remark"}) if _is_written(text, goals) else frozenset[str]()


def _unit(text: str, looks: Collection[str]) -> frozenset[str]:
    """The unit of a number with one: "3 kg" answers "How heavy is it?"."""
    return names_in(text) if {"number", "text"} <= set(looks) else frozenset[str]()


def _house_number(text: str, names: frozenset[str]) -> frozenset[str]:
    is_house = "home" in names and _HOUSE.fullmatch(text) is not None
    return frozenset({"address"}) if is_house else frozenset()


_HOUSE = re.compile(r"\d{1,4}\s?[a-zA-Z]")
""""27b" of "leave it with your neighbour at number {{house}}"."""
_SHORT_TEXT = 3


def _looks_of(slot: Slot) -> set[str]:
    return {kind for value in slot.values for kind in kinds_of(value)}


def _near_names(slot: Slot) -> frozenset[str]:
    return frozenset(name for concept in slot.near for name in names_in(concept)) | slot.near


_CODED = frozenset({"code", "email", "phone", "iban", "postcode"})


def _is_place(slot: Slot) -> bool:
    """Whether a variable is called a place, or stands after "from" or "to" in a goal."""
    label = f"{slot.name.replace('_', ' ')} {' '.join(slot.near)}"
    return names_place(label) or leads_to_place(slot.lead)


def _is_written(text: str, goals: Sequence[UserGoal]) -> bool:
    """Whether a goal wants a text to be written somewhere: "it should say Happy birthday"."""
    before = (goal.words.partition(text)[0] for goal in goals if text in goal.words)
    return any(set(folded(words).split()[-3:]) & knowledge().writing for words in before)


def _counted_names(number: str, goals: Sequence[UserGoal]) -> frozenset[str]:
    """What a number counts where a goal says it, also through another variable: "3 chairs"."""
    matches = (re.search(rf"(?<!\S){number}\s+(.+)", goal.words) for goal in goals)
    after = [" ".join(match[1].split()[:2]) for match in matches if match]
    return frozenset(name for words in after for name in names_in(words))


def _is_proper(text: str) -> bool:
    """Whether a value may be somebody's name: up to three capitalised words without digits."""
    words = text.split()
    return 1 <= len(words) <= 3 and all(word[:1].isupper() and word.isalpha() for word in words)


def _in_goal(goal: UserGoal) -> Iterable[KnownValue]:
    """The values that a goal names in plain words: "on Thursday 18 March (08:00)"."""
    words = with_clock_times(goal.words)
    for kind, text, start in values_in(words):
        before = " ".join(words[:start].split()[-3:])
        after = " ".join(words[start + len(text) :].split()[:2])
        names = names_in(after) if kind == "number" else names_in(before)
        if kind not in ("number", "code", "money"):
            # "leave the dog on 7 June": the day is not what the dog is called
            names = frozenset[str]()
        near, roles = names_in(f"{before} {after}"), roles_of_moment(before)
        yield KnownValue(text, names, frozenset({kind}), near, 0, goal.key, roles=roles)
        lasting = duration_in(text, words[start + len(text) :]) if kind == "number" else None
        if lasting is not None:
            of_time, kinds = frozenset({"~duration"}), frozenset({"duration"})
            yield KnownValue(lasting, of_time, kinds, near, 0, goal.key)
    for text, role in places_of_way(goal.words):
        kinds, names = frozenset({"city", "place"}), frozenset({"~place", "city"})
        yield KnownValue(text, names, kinds, names, 0, goal.key, roles=frozenset({role}))
    for match in _titled().finditer(goal.words):
        # "with Dr Shah" answers "Which doctor would you like to see?"
        names = names_in(match[1])
        yield KnownValue(match[0], names, frozenset({"person"}), names, 0, goal.key)
    before, colon, quoted = goal.words.partition(": ")
    if colon and " " in quoted.strip():
        # "have it say: Happy birthday" wants a text to be written
        names = names_in(before) | {"remark"}
        yield KnownValue(quoted.strip(), names, frozenset({"text"}), frozenset(), 0, goal.key)


def known_value(fact: Fact) -> KnownValue:
    """Return what a sentence states as a value of the profile."""
    return _of_fact(fact, 0)


def _of_fact(fact: Fact, rank: int) -> KnownValue:
    roles = dict(places_of_way(fact.clause)).get(fact.text)
    before = fact.clause.partition(fact.text)[0]
    ends = frozenset({roles}) if roles else roles_of_moment(before)
    return KnownValue(fact.text, fact.names, fact.kinds, names_in(fact.clause), rank, roles=ends)


@lru_cache(maxsize=1)
def _titled() -> re.Pattern[str]:
    """Somebody with a title: "Dr Shah"."""
    return re.compile(rf"\b((?i:{any_of(knowledge().titles)}))\.? [A-ZÀ-Þ][\w'-]+")


# --- Matching


def best_values(
    question: str,
    values: Sequence[KnownValue],
    *,
    goal: str = "",
    hint: str = "",
    given: Sequence[str] = (),
    slots: Sequence[Slot] = (),
) -> list[tuple[float, KnownValue]]:
    """The values that may answer a question, the best first, with their scores.

    `goal` is the key of the goal that the conversation is about, `hint` what the app says about
    the shape of the answer, `given` are texts that the user gave to other questions before.
    """
    words = folded(question)
    kinds = asked_kinds(words)
    if kinds and kinds <= {"date", "time"}:
        # "When does it begin? HH:MM": what stands behind the question says which
        kinds = kind_of_pattern(folded(hint)) or kinds
    if not kinds and wants_digits(hint):
        kinds = frozenset({"digits"})  # "Which number is it about? Please type all 11 digits."
    weights = _weights(question)
    if "place" in kinds:
        weights["~place"] = 1.0  # "Where are you right now?"
    if "people" in kinds:
        weights["people"] = 1.0  # "How many will you be?"
    scored = [
        (_score(value, kinds, weights, goal, f"{question} {hint}", given), value)
        for value in values
    ]
    ends = roles_in(question)
    scored = [
        (score + _fit_of_ends(value, ends) if score else 0.0, value) for score, value in scored
    ]
    by_slot = slot_scores(words, slots)
    scored = _with_slots(scored, by_slot, kinds, weights, ends)
    scored = _of_what_is_counted(_own_first(scored, words, kinds), question)
    scored = [(score if _may_be_meant(words, v.text) else 0.0, v) for score, v in scored]
    listed = f" {folded(question)} {folded(hint)} "
    scored = _words_listed(scored, listed)
    ranked = [(score, value) for score, value in scored if score >= MAY_FIT]
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].rank))


def _may_be_meant(words: str, text: str) -> bool:
    return may_be_fact(words, text) and not is_given_in(words, text)


def _of_what_is_counted(
    scored: list[tuple[float, KnownValue]], question: str
) -> list[tuple[float, KnownValue]]:
    """Scores of values, 0 for numbers of something else if one counts what a question does.

    "How many beds has the cabin?" asks for the 3 of "3 beds", and not for the 2 of "the cabin is on
    deck 2".
    """
    match = _counting().search(folded(question))
    head = names_in(match[2] or match[1]) - {"~number"} if match is not None else frozenset[str]()
    counting = [value for score, value in scored if score and _counts(value, head)]
    if not head or not counting:
        return scored
    # of two variables that count, such as the hours before and after a change, both stay
    by_slot = any(value.slot for value in counting)

    def may_count(value: KnownValue) -> bool:
        return value in counting or "number" not in value.kinds or (by_slot and bool(value.slot))

    return [(score if may_count(value) else 0.0, value) for score, value in scored]


def _counts(value: KnownValue, head: frozenset[str]) -> bool:
    return "number" in value.kinds and bool(head & value.names)


@lru_cache(maxsize=1)
def _counting() -> re.Pattern[str]:
    """What is counted; of "How many of the tents are waterproof?" the waterproof ones."""
    return re.compile(
        rf"\b{any_of(map(folded, asking_words().how_many))} (?:of (?:the |your |you |them )*)?"
        r"(\w+)(?:[\w ]{0,20}? (?:is|are) (\w+))?"
    )


def _own_first(
    scored: list[tuple[float, KnownValue]], words: str, kinds: frozenset[str]
) -> list[tuple[float, KnownValue]]:
    """Scores of values, higher for values of the owner that a question names: "your name"."""
    for kind, whose in _WHOSE.items():
        is_owned = whose(words) if kind in kinds else None
        if is_owned is not None:
            scored = [(s + (_OWN if s and is_owned(v) else 0.0), v) for s, v in scored]
    return scored


def _words_listed(
    scored: list[tuple[float, KnownValue]], listed: str
) -> list[tuple[float, KnownValue]]:
    """Scores of values, higher for those that the question or its hint lists."""
    return [
        (score + (0.4 if score and f" {folded(value.text)} " in listed else 0.0), value)
        for score, value in scored
    ]


def _with_slots(
    scored: list[tuple[float, KnownValue]],
    by_slot: Mapping[str, float],
    kinds: frozenset[str],
    weights: dict[str, float],
    ends: frozenset[str],
) -> list[tuple[float, KnownValue]]:
    """Scores of values, at least those of the variables that they are."""
    return [
        (
            max(score, by_slot.get(value.slot, 0.0) + _fit_of_ends(value, ends))
            if _can_be(value, kinds, weights)
            else score,
            value,
        )
        for score, value in scored
    ]


# Whose name or birthday is asked for, by the words of the question.


def _whose_name(words: str) -> Callable[[KnownValue], bool] | None:
    """Which values "your name" means: the user's own, whatever else is called "name"."""
    return (lambda value: "name" in value.kinds) if _OWN_NAME.search(words) else None


def _whose_birthday(words: str) -> Callable[[KnownValue], bool] | None:
    """A test for the birthday that a question means: the user's, or that of somebody in a goal.

    "your own date of birth" is in the context, "their date of birth" in the goal that adds
    somebody.
    """
    if _OF_OTHERS.search(words):
        return lambda value: not value.rank
    return (lambda value: bool(value.rank)) if _OWN_BIRTH.search(words) else None


def _whose_part_of_name(words: str) -> Callable[[KnownValue], bool] | None:
    """Which values "What's your last name?" means: the user's own, unless it names somebody."""
    others = names_in(words) - _CALLED - {"~name"} - names_in("first last full given family")
    return None if others else lambda value: "name" in value.kinds


_WHOSE = {
    "name": _whose_name,
    "first_name": _whose_part_of_name,
    "last_name": _whose_part_of_name,
    "birth": _whose_birthday,
}
_OWN_NAME = re.compile(
    r"\b(?:your|dein|ihr|tu|su|votre|ton|il tuo|il suo|o seu|o teu) (?:full |own |first and last )?"
    r"(?:name|nombre|nom|nome)\b"
)
_OWN = 5.0
"""What the user's own name gains where an app asks for "your name"."""
_OWN_BIRTH = re.compile(r"\b(?:your|deine?|ihre?|tu|su|votre|ta|tua|sua)\b")
_OF_OTHERS = re.compile(r"\b(?:their|his|her|child'?s|childs|driver'?s|drivers|person|partner)\b")


def _fit_of_ends(value: KnownValue, ends: frozenset[str]) -> float:
    """What a value gains as the end that is asked for, or loses as the other one.

    Only places and times are ends: "deux enfants de 6 et 9 ans" come from nowhere.
    """
    if not ends or not value.roles or not value.kinds & _OF_ENDS:
        return 0.0
    return _RIGHT_END if ends & value.roles else _WRONG_END


_OF_ENDS = frozenset({"address", "city", "date", "place", "postcode", "time"})
# Of two places, "from" takes the one that the profile calls the origin.
_RIGHT_END = 1.0
_WRONG_END = -3.0


def _can_be(value: KnownValue, kinds: frozenset[str], weights: dict[str, float]) -> bool:
    """Whether a value is of a kind that is asked for, or none is; counts must count the same."""
    names = (value.names | value.near) - {"~number"}
    if value.kinds & _CODED and kinds & {"date", "time", "birth"}:
        return False
    if value.kinds & {"number"} and kinds & {"number", "how_many", "people"}:
        named = not names or not names.isdisjoint(weights)
        return named or not _counts_something(weights)
    return not kinds or _is_possible(value, kinds, is_named=True)


def _counts_something(weights: dict[str, float]) -> bool:
    """Whether a question says what is to be counted: "How many passengers?"."""
    return bool(set(weights) - {"~number"})


def _weights(question: str) -> dict[str, float]:
    """The names in a question with their weights: its head more than what it belongs to.

    "the registration of the car" asks for the registration.
    """
    question = _SORT_OF.sub(" ", question)
    head, _, rest = re.sub(r"[^\w' -]", " ", question).partition(" of ")
    weights = dict.fromkeys(names_in(rest), _OWNER)
    weights |= dict.fromkeys(names_in(head), 1.0)
    owners = set(weights) - _CALLED
    if owners and not _CALLED.isdisjoint(weights):
        # "What is the name of your company?" asks for the company, and nobody's name
        weights |= dict.fromkeys(owners, 1.0) | dict.fromkeys(_CALLED & weights.keys(), _OWNER)
    if asks_who_from(question):
        weights.pop("recipient", None)
    if len(weights) > 1:
        weights.pop("~number", None)  # "How many guests?" asks for guests, not for any number
    return {n: min(weight, _OWNER) if n in _WEAK else weight for n, weight in weights.items()}


_CALLED = frozenset({"name", "surname"})
_OWNER = 0.4
"""How much a name tells that only says what a thing belongs to."""


def _score(
    value: KnownValue,
    kinds: frozenset[str],
    weights: dict[str, float],
    goal: str,
    hint: str,
    given: Sequence[str],
) -> float:
    """How well a value answers a question; 0 if it cannot be meant."""
    named = _weight_of(value.names, weights)
    if not _is_possible(value, kinds, is_named=named > 0) or (
        not named and _is_foreign_phone(value, kinds, weights)
    ):
        return 0.0
    score = 1.3 * named + 0.3 * _weight_of(value.near - value.names, weights)
    score += _fit_of_kind(value, kinds, weights, hint)
    if "person" in value.kinds and not named:
        score -= 0.3 if kinds == frozenset({"who"}) else 0.6
    if goal and value.goal == goal:
        score += 0.3
    if not named and _is_used_up(value, given):
        score -= 0.6
    return score


def _fit_of_kind(
    value: KnownValue, kinds: frozenset[str], weights: dict[str, float], hint: str
) -> float:
    """What a value gains by its kind and its shape."""
    gain = 0.0
    if _shows_kind(value, kinds):
        # "for your son, who is 8" answers "How old is the pupil?" if nothing answers it better
        weak = MAY_FIT if "age" in value.kinds & kinds else 0.3
        gain += 1.0 if _counts_what_is_asked(value, weights) else weak
    if value.kinds & {"code", "phone", "number"} and kinds & {"code", "id", "digits"}:
        gain += shape_fit(value.text, hint)
    if "address" in value.kinds and kinds == frozenset({"place"}) and asks_to_come(hint):
        gain += _AT_HOME
    return gain


def _is_foreign_phone(value: KnownValue, kinds: frozenset[str], weights: dict[str, float]) -> bool:
    """Whether a phone number is none of what a question names: "Your card's last four digits?"."""
    return "phone" in value.kinds and "phone" not in kinds and bool(set(weights) - _WEAK)


def asks_to_come(question: str) -> bool:
    """Return whether a question asks where somebody is to come to: "Where should he come?"."""
    words = folded(question)
    return says(words, "at_home") and not contains(words, "from")


def _is_possible(value: KnownValue, kinds: frozenset[str], *, is_named: bool) -> bool:
    """Whether a value is of a kind that is asked for; if none is, no date or number unnamed."""
    if kinds == frozenset({"birth"}):
        return "date" in value.kinds and _may_be_birthday(value)
    if is_of_other_use(value, kinds):
        return False
    counts = bool(kinds & {"how_many", "people"})
    if value.kinds >= _QUANTITY and not counts and (kinds & {"code", "id"} or not is_named):
        return False  # "2 days" is no order number
    if kinds == frozenset({"money"}) and value.kinds >= _QUANTITY and "money" not in value.kinds:
        return False  # nor are "30 people" a budget
    if kinds:
        return bool(value.kinds & accepted_kinds(kinds))
    return is_named or not value.kinds & _MOMENTS


_QUANTITY = frozenset({"number", "text"})
"""A number with its unit."""


def is_of_other_use(value: KnownValue, kinds: frozenset[str]) -> bool:
    """Return whether a value has a kind that is asked for, and cannot be meant all the same.

    Nobody leaves for Rome on the day of their birth, and no washing machine is 55012377 years old.
    """
    if "date" in value.kinds and kinds and "birth" not in kinds:
        return "birth" in value.names
    digits = sum(char.isdigit() for char in value.text)
    return kinds == frozenset({"age"}) and digits > _AGE_DIGITS


def is_birthday(value: KnownValue) -> bool:
    """Return whether a day is called a birthday."""
    return "birth" in value.names | value.near


def _may_be_birthday(value: KnownValue) -> bool:
    """Whether a day is called a birthday, or lies so long ago that it is no appointment."""
    if is_birthday(value):
        return True
    years = re.findall(r"\b(?:19|20)\d\d\b", value.text)
    return bool(years) and int(years[0]) <= _BORN_UNTIL


def _weight_of(names: frozenset[str], weights: dict[str, float]) -> float:
    """How much of a question some names cover."""
    return sum(weights.get(name, 0.0) for name in names)


def _shows_kind(value: KnownValue, kinds: frozenset[str]) -> bool:
    """Whether a value is by its looks, or as a name, of a kind that is asked for."""
    looks = value.kinds & accepted_kinds(kinds) & _LOOKS
    return bool(kinds) and bool(looks or value.kinds & {"name", "person", "city", "place"})


def _counts_what_is_asked(value: KnownValue, weights: dict[str, float]) -> bool:
    """Whether a value is no number, or counts what a question names.

    A bare number answers "how many" only for what it counts: 204 is the room, not the guests.
    """
    counted = value.names - {"~number"}
    return not value.kinds & {"number", "age"} or _weight_of(counted, weights) > 0 or not counted


def _is_used_up(value: KnownValue, given: Sequence[str]) -> bool:
    """Whether a value was given to another question, and is of a kind that changes with it."""
    return not value.kinds & _LASTING and folded(value.text) in given
