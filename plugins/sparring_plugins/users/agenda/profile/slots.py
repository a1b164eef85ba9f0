"""The user's variables as slots, and which of them a question is about."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from sparring.interfaces.roles import UserTask
from sparring_plugins.language.candidates import date_spans, find_emails, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import as_texts, contains, folded, words
from sparring_plugins.language.vocabulary import concepts, has_cue, name_concepts
from sparring_plugins.users.agenda.profile.implied_values import SPANS_OF_TIME
from sparring_plugins.users.agenda.words.phrase_book import word_lists

ENOUGH = 1.0
"""Least score of a variable that a question is about."""

# In "{{n}} nights in {{city}}" the words next to a hole describe it.
_NEIGHBOURS = 2
_TIMES = frozenset({"~time", "~duration"})
_PHONE = re.compile(r"\+?[\d(][\d \-./()]{5,24}")


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable of the user.

    `domain` has all values it might have had; `own` are the concepts of its name, `near` those
    around its holes in the goals, `kinds` what its values look like (time, date, number), `lead`
    is the word before its hole, `holds` the personal details (phone, email) that its values are.
    """

    name: str
    values: tuple[str, ...]
    domain: tuple[str, ...]
    own: frozenset[str]
    near: frozenset[str]
    kinds: frozenset[str]
    lead: str
    holds: frozenset[str] = frozenset()


def slots_of(task: UserTask) -> list[Slot]:
    """Return one slot per input that has a value."""
    templates = tuple(goal.template for goal in task.goals)
    return [
        _slot(name, tuple(as_texts(value)), _domain(task.domains, name), templates)
        for name, value in task.inputs.items()
        if as_texts(value)
    ]


def asked_slots(question: str, slots: Sequence[Slot]) -> list[Slot]:
    """Return the slots that a folded question asks for, those it names before similar ones."""
    asked = concepts(question)
    scores = {slot.name: _score(question, asked, slot) for slot in slots}
    # "From when to when?" asks for two slots that score about alike
    floor = max(ENOUGH, 0.6 * max(scores.values(), default=0.0))
    return _hours_or_duration(question, [slot for slot in slots if scores[slot.name] >= floor])


def slot_scores(question: str, slots: Sequence[Slot]) -> dict[str, float]:
    """Return how much a folded question asks for each slot, by the slot's name."""
    asked = concepts(question)
    return {slot.name: _score(question, asked, slot) for slot in slots}


def _hours_or_duration(question: str, slots: list[Slot]) -> list[Slot]:
    """Without the count of hours if a time of day is asked for, and the other way round."""
    timely = [slot for slot in slots if slot.own & _TIMES]
    counts = [slot for slot in timely if "number" in slot.kinds]
    clock = [slot for slot in timely if "number" not in slot.kinds]
    # the profile has only one of both, so there is nothing to mix up
    if not counts or not clock:
        return slots
    counted = has_cue(question, "expects_duration") or has_cue(question, "asks_number")
    if counted and has_cue(question, "expects_time"):
        return slots  # "From what time and for how many hours?"
    others = clock if counted else counts
    return [slot for slot in slots if slot not in others]


def _score(question: str, asked: frozenset[str], slot: Slot) -> float:
    """How much a question is about a slot: by its name, its kind, its context, its values."""
    score = 0.0
    if slot.own & asked:
        score += 2.0 * len(slot.own & asked) / len(slot.own)
    for kind in slot.kinds:
        # "What time?" may be for any slot with a time of day
        if has_cue(question, f"asks_{kind}"):
            score += 1.2
    if slot.near & asked:
        score += 0.6
    if (
        "number" in slot.kinds
        and slot.own & SPANS_OF_TIME
        and has_cue(question, "expects_duration")
    ):
        score += 1.5
    if _asks_for_place(question, slot.lead):
        score += 1.5
    others = [value for value in slot.domain if value not in slot.values]
    # "Cabin or tent?" asks for the slot that has both among its values
    if sum(contains(question, folded(value)) for value in (*slot.values, *others)) >= 2:
        score += 1.5
    return score


def _asks_for_place(question: str, lead: str) -> bool:
    """Whether a question is for the place that stands after "from" or "to" in the goal.

    "Where do you want to travel to?" asks for the one after "to".
    """
    lists = word_lists()
    if lead not in lists.directions:
        return False
    words = question.split()
    place = not lists.places.isdisjoint(words)
    if lead in ("to", "hacia"):
        going = any(word in words for word in ("to", "going", "travel", "travelling", "heading"))
        asks = place and going and "from" not in words and "desde" not in words
    else:
        asks = place and lead in words
    return asks or question == lead


@lru_cache(maxsize=512)
def _slot(
    name: str, values: tuple[str, ...], domain: tuple[str, ...], templates: tuple[str, ...]
) -> Slot:
    own = name_concepts(name)
    # A bare "number" is a count: a phone number or an order number is not asked for by it.
    counted = own == frozenset({"~number"})
    kinds = {kind for value in values for kind in _kinds(value)}
    # "noon" does not look like a time of day; the name of its variable says so
    if own & {"~time"}:
        kinds.add("time")
    if own & {"~date"}:
        kinds.add("date")
    if "~number" in own or "~people" in own:
        kinds.add("number")
    return Slot(
        name,
        values,
        domain,
        own=frozenset() if counted else own,
        near=_near(name, templates),
        kinds=frozenset(kinds),
        lead=_lead(name, templates),
        holds=frozenset({kind for value in values for kind in _details_held(value)}),
    )


def _details_held(value: str) -> list[str]:
    """The personal details that a value is by its looks."""
    text = value.strip()
    if any(span.text == text for span in find_emails(text)):
        return ["email"]
    digits = sum(char.isdigit() for char in text)
    # "2027-05-04" has eight digits and is a day
    if _PHONE.fullmatch(text) and 7 <= digits <= 15 and not date_spans(text):
        return ["phone"]
    return []


def _kinds(value: str) -> list[str]:
    """What a value looks like: a number, a time of day, a date."""
    text = value.strip()
    looks = {
        "number": text.isdigit(),
        "time": any(span.text == text for span in find_times(value)),
        "date": bool(date_spans(value)),
    }
    return [kind for kind, holds in looks.items() if holds]


def _near(name: str, templates: Sequence[str]) -> frozenset[str]:
    """The concepts next to the variable's holes."""
    near: set[str] = set()
    for template in templates:
        for match in re.finditer(r"\{\{\s*" + re.escape(name) + r"\s*\}\}", template):
            lead = re.sub(r"\{\{.{0,200}?\}\}", " ", template[: match.start()])
            before = _uncounted(words(lead))[-_NEIGHBOURS:]
            after = words(re.sub(r"\{\{.{0,200}?\}\}", " ", template[match.end() :]))[:_NEIGHBOURS]
            near |= concepts(" ".join((*before, *after)))
    return frozenset(near)


def _uncounted(before: Sequence[str]) -> list[str]:
    """Words without those that another number counts: of "2 cats for {{nights}} nights" no cats."""
    counts = ["", *before]
    return [
        word
        for count, word in zip(counts, before, strict=False)
        if not count.isdigit() and not spelled_numbers(count)
    ]


def _lead(name: str, templates: Sequence[str]) -> str:
    """The word right before the variable's first hole."""
    for template in templates:
        match = re.search(r"([\w' ]{0,40}?)\s{0,5}\{\{\s{0,5}" + re.escape(name), template)
        leads = words(match.group(1)) if match else []
        before = [word for word in leads if word not in word_lists().skipped_before_holes]
        if before:
            return before[-1]
    return ""


def _domain(domains: Mapping[str, Sequence[JsonValue]], name: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(text for value in domains.get(name, ())[:200] for text in as_texts(value))
    )
