"""What a read-back gets wrong: values, counts, names and wishes that differ from the user's.

Days, times of day, amounts and counts of a read-back are compared by their meaning, names by their
spelling: a name that nobody has used before replaces one of the user's that the read-back lacks.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts, cue_phrases
from sparring_plugins.users.agenda.answers.contrasts import (
    contrasted,
    event_contrasted,
    swapped_ends,
)
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in, names_per_head
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.roles import BEGIN, END, roles_of_label
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.replies.read_backs import reads_back
from sparring_plugins.users.agenda.state.known_values import KnownValue
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.value_matching import (
    counted_things,
    says_value,
    times_named,
    weekdays_in,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge

_PROPER = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'\u2019&-]*(?:\s(?:(?:of|de|del|la|the|by|and|&|vs)\s)?[A-ZÀ-ÖØ-Þ0-9#][\w'\u2019&-]*)*"
)
_VAGUE = frozenset({"name", "surname", "~name", "~number"})
"""Names that describe no value: "the name Astoria" may be that of a hotel or a person."""
# "at 3:30" of a profile is "15:30" in the app's summary.
_HALF_DAY = 12
_HALF_OF_DAY = re.compile(r"\d\s?[ap]\.?\s?m\b", re.IGNORECASE)
"""Says which half of the day is meant: "9 am", "1pm"."""
_SAME_SPELLING = 78
"""Least ratio (0-100) of two spellings of one name: "Kilnwod Park"."""
_LONGEST_INITIALS = 4
"""Letters of initials at most, such as "SF" for "San Francisco"."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What a read-back gets wrong of what the user wants, and the words that correct it."""

    wrong: str
    text: str


def corrections(
    text: str,
    values: Sequence[KnownValue],
    memory: Memory,
    language: str,
    context: Sequence[str] = (),
) -> list[Correction]:
    """Return the corrections of the values that a read-back gets wrong.

    Args:
        text: The sentences that read back.
        values: All values of the profile.
        memory: The conversation so far.
        language: The language of the conversation.
        context: What the profile tells of the user.
    """
    given = _values_given(values, memory)
    if not _is_about_given(text, given, memory):
        # "Check-out is until 11:00." reads no value back
        return list(_wrong_facts(text, context))
    own = [value for value in values if value in given or _is_named(value, values, text)]
    own += [value for value in _counted_in(text, values) if value not in own]
    wrong = [
        *_wrong_typed(text, own, language),
        *_wrong_counts(text, own),
        *_wrong_names(text, own, values, memory),
        *_wrong_ways(text, own),
    ]
    if not wrong:
        wrong = [*_wrong_wishes(text, memory), *_wrong_facts(text, context)]
    return list({correction.wrong: correction for correction in wrong}.values())


def _is_about_given(text: str, given: Sequence[KnownValue], memory: Memory) -> bool:
    """Whether a text says a value that the user gave, reads back, or shares words with its goal."""
    folded_text = folded(text)
    if any(says_value(folded_text, value.text) for value in given):
        return True
    if any(map(reads_back, sentences(text))):
        return True
    names = names_in(text) - _VAGUE
    mentioned = (goal for goal in memory.goals if not goal.asks and memory.mentioned(goal))
    return any(len(names & names_in(goal.words)) >= _SHARED for goal in mentioned)


_SHARED = 2
"""Names that a read-back has in common with a goal at least: large pizza, mushrooms."""


def _wrong_ways(text: str, own: Sequence[KnownValue]) -> Iterator[Correction]:
    """Correct a way that is read back the other way round: "Rome to Oslo"."""
    starts = [value for value in own if BEGIN in value.roles and value.kinds & _PLACES]
    ends = [value for value in own if END in value.roles and value.kinds & _PLACES]
    # a trip there and back has two starts and two ends
    for start in starts:
        for end in ends:
            if swapped_ends(start.text, end.text, text):
                yield Correction(start.text, f"from {start.text} to {end.text}")


_PLACES = frozenset({"place", "city", "address"})


def _wrong_wishes(text: str, memory: Memory) -> Iterator[Correction]:
    """Correct a wish of which the opposite is read back: "a single room" for a double one.

    Only goals that the user has brought up and that are not settled yet: a small salad does not
    contradict the large pizza that was ordered before it.
    """
    for goal in memory.goals:
        if goal.asks or goal.key in memory.met or not memory.mentioned(goal):
            continue
        for words in contrasted(goal.words, text):
            yield Correction(words, words)


def _wrong_facts(text: str, context: Sequence[str]) -> Iterator[Correction]:
    """Correct what happened, if the context says otherwise: "blocked as lost" for a stolen card.

    A clause of which the read-back has another word is about something else: "the small room is
    too dark" contradicts no large one.
    """
    for clause in clauses_of(context):
        for words in event_contrasted(clause, text):
            yield Correction(words, words)


def _values_given(values: Sequence[KnownValue], memory: Memory) -> list[KnownValue]:
    """The values that the user has said; "ann.bell@example.org" says no name."""
    addresses = {folded(value.text) for value in values if "email" in value.kinds}
    others = [act for act in memory.acts if act not in addresses]
    return [
        value
        for value in values
        if folded(value.text) in memory.acts or any(says_value(a, value.text) for a in others)
    ]


def _is_named(value: KnownValue, values: Sequence[KnownValue], text: str) -> bool:
    """Whether a value is the only one of its kind, and a text has a word for what it is."""
    # "Date: 4 May" may be the day that no question was asked for, if the profile has one day
    kind = next((kind for kind in ("time", "date", "money") if kind in value.kinds), None)
    if kind is None:
        return "number" in value.kinds and "people" in value.names
    same = [other for other in values if kind in other.kinds and other.text != value.text]
    return not same and bool(value.slot or value.names & names_in(text))


# --- Days, times of day, amounts


def _wrong_typed(text: str, own: Sequence[KnownValue], language: str) -> Iterator[Correction]:
    for kind in ("time", "date", "money"):
        # a birthday is no day of the service, although a read-back may show both
        values = [value for value in own if kind in value.kinds and "birth" not in value.names]
        yield from _wrong_of_kind(kind, text, values, language)


def _wrong_of_kind(
    kind: str, text: str, values: Sequence[KnownValue], language: str
) -> Iterator[Correction]:
    stated = list(_find_typed(kind, text))

    def is_own(said: str) -> bool:
        return any(_is_same(kind, said, value.text, language) for value in values)

    def is_missing(value: KnownValue) -> bool:
        return not any(_is_same(kind, said, value.text, language) for said, _ in stated)

    missing = [value for value in values if is_missing(value)] if stated else []
    if kind == "date" and (other_day := _wrong_weekday(text, missing)) is not None:
        yield other_day
        return
    if any(_is_relative(kind, value.text, language) for value in missing):
        return  # "tomorrow" may well be the day that the app names
    other = [(said, start) for said, start in stated if not is_own(said)]
    for said, start in other:
        value = _find_replaced(text[:start], missing, alone=len(other) == 1)
        if value is not None and not _is_relative(kind, said, language):
            yield Correction(value.text, _with_lead(text[:start], value.text))


def _wrong_weekday(text: str, missing: Sequence[KnownValue]) -> Correction | None:
    """Correct a weekday: "Wednesday at 15:30" for "next Tuesday"; None if none is wrong."""
    named = weekdays_in(text)
    wanted = [value for value in missing if weekdays_in(value.text)]
    # "Tuesday to Friday" names no single day that could be wrong
    if len(named) != 1 or len(wanted) != 1 or named & weekdays_in(wanted[0].text):
        return None
    return Correction(wanted[0].text, wanted[0].text)


def _find_typed(kind: str, text: str) -> Iterator[tuple[str, int]]:
    spans = {"time": find_times, "date": date_spans, "money": find_money}[kind](text)
    for span in spans:
        yield span.text, span.start
        first = _FIRST_OF_SPAN.search(text[: span.start]) if kind == "date" else None
        month = _WITHOUT_DAY.sub("", span.text)
        if first is not None and month[:1].isalpha():
            yield f"{first[1]} {month}", first.start()  # "from 12 to 16 July"


_FIRST_OF_SPAN = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|\.)? ?(?:to|until|till|-|\u2013|bis|al?|au) ?$", re.IGNORECASE
)
"""The first day of a span whose month stands only once."""
_WITHOUT_DAY = re.compile(r"^\d{1,2}(?:st|nd|rd|th|\.)?\s*(?:of\s+)?", re.IGNORECASE)


def _is_same(kind: str, said: str, value: str, language: str) -> bool:
    match kind:
        case "time":
            return bool(_clock(said) & _clock(value))
        case "date":
            return bool(days_in(said, language) & days_in(value, language)) or (
                not days_in(said, language) and folded(said) == folded(value)
            )
        case _:
            return amount(said) == amount(value)


def _is_relative(kind: str, text: str, language: str) -> bool:
    """Whether a day depends on today, or a time of day is put in words."""
    if kind == "date":
        return not days_in(text, language)
    return kind == "time" and not _clock(text)


@lru_cache(maxsize=512)
def _clock(text: str) -> frozenset[str]:
    """Return what times a text may mean: "6:30" is 6:30 or 18:30, "6:30 pm" only 18:30."""
    times = times_named(text)
    if _HALF_OF_DAY.search(text):
        return frozenset(times)
    parts = [time.split(":") for time in times]
    # "6:30" in a read-back may well mean the evening that the user asked for
    later = (f"{int(hour) + _HALF_DAY}:{minute}" for hour, minute in parts if int(hour) < _HALF_DAY)
    return frozenset(times).union(later)


def _find_replaced(before: str, missing: Sequence[KnownValue], *, alone: bool) -> KnownValue | None:
    """The missing value that another one replaces: the one of its role, else the only one.

    In "from York to Hull" for a trip from Leeds to Hull, York replaces the origin.
    """
    ends = roles_of_label(before)
    # "From: York" replaces where the trip begins, even if the day is missing, too
    by_end = [value for value in missing if ends and value.roles & ends]
    if len(by_end) == 1:
        return by_end[0]
    fitting = [value for value in missing if not ends or not value.roles or value.roles & ends]
    return fitting[0] if len(fitting) == 1 and alone else None


def _with_lead(before: str, text: str) -> str:
    """A value with the preposition that stood before the wrong one: "from Leeds"."""
    last = folded(" ".join(before.split()[-1:]))
    # "on Friday" has its preposition, "Friday" takes that of the read-back
    if last not in asking_words().prepositions or folded(text).split()[:1] == [last]:
        return text
    return f"{last} {text}"


# --- Counts


def _wrong_counts(text: str, own: Sequence[KnownValue]) -> Iterator[Correction]:
    """Correct the counts of people and things: "3 tickets" for two people."""
    counted = list(counted_things(text))
    for value in own:
        if "number" not in value.kinds or value.kinds & {"time", "date", "money", "code", "phone"}:
            continue
        wanted = _number(value.text)
        names = value.names | value.near
        same = [(number, thing) for number, thing in counted if _counts_same(names, thing)]
        # "2 adults and 1 child, 3 people" has the right number somewhere
        if wanted is None or not same or any(number == wanted for number, _ in same):
            continue
        thing = same[0][1]
        yield Correction(value.text, f"{value.text} {thing}")


def _counts_same(names: frozenset[str], thing: str) -> bool:
    lists = knowledge()
    word = folded(thing)
    # "3 tickets", "3 seats" and "3 riders" all count the people who come
    heads = word in lists.per_head or "people" in names_in(thing)
    if heads and (names & names_per_head() or "people" in names):
        return True
    spans = word in lists.spans and bool(names & _span_names())
    return spans or bool(names & (names_in(thing) - {"~number"}))


@lru_cache(maxsize=1)
def _span_names() -> frozenset[str]:
    words = (*knowledge().spans, *knowledge().span_names)
    return frozenset(name for word in words for name in names_in(word))


def _counted_in(text: str, values: Sequence[KnownValue]) -> list[KnownValue]:
    """The numbers of the context whose thing a read-back counts, too, though nobody was asked.

    "3 bedrooms" is wrong for "your flat has two bedrooms", which the user has not said.
    """
    things = {name for _, thing in counted_things(text) for name in names_in(thing) - {"~number"}}
    counts = [value for value in values if "number" in value.kinds and value.rank]
    named = [value for value in counts if value.names & things - names_per_head() - _span_names()]
    return [v for v in named if sum(bool(v.names & o.names & things) for o in named) == 1]


def _number(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    if text[:1].isupper():
        return None  # Mila is somebody's name, and not a thousand in Italian
    spelled = spelled_numbers(folded(text))
    return int(spelled[0].value) if len(spelled) == 1 else None


# --- Names


def _wrong_names(
    text: str, own: Sequence[KnownValue], values: Sequence[KnownValue], memory: Memory
) -> Iterator[Correction]:
    """Correct a name that nobody has used, if the read-back lacks one of the user's instead."""
    names = [value for value in own if _is_name(value)]
    missing = [value for value in names if not _is_in(value.text, text)]
    # a name in the read-back replaces none if all of the user's names are there
    called = [value for value in values if _is_name(value) and not _is_in(value.text, text)]
    if not called:
        return
    foreign = [
        (name, start) for name, start in proper_names(text) if is_foreign(name, values, memory)
    ]
    for name, start in foreign:
        before = text[:start]
        value = _find_described(before, called) or _find_replaced(
            before, missing, alone=len(foreign) == 1
        )
        if value is not None and not _is_like(name, value.text):
            yield Correction(value.text, _with_lead(before, value.text))


def _is_name(value: KnownValue) -> bool:
    return value.text[:1].isupper() and not value.kinds & _WRITTEN


_WRITTEN = frozenset(
    ["date", "time", "money", "number", "phone", "email", "code", "age", "iban", "postcode"]
)
"""Kinds of values that are no names, though some begin with a capital: "M14 6QT"."""


def _find_described(before: str, missing: Sequence[KnownValue]) -> KnownValue | None:
    """The missing name that the words before the foreign one describe: "at the hotel Astoria"."""
    words = names_in(" ".join(before.split()[-3:])) - _VAGUE
    fitting = [value for value in missing if words & value.names]
    return fitting[0] if len(fitting) == 1 else None


def proper_names(text: str) -> Iterator[tuple[str, int]]:
    """Yield the names of a text: not what begins a sentence, nor days and months."""
    for match in _PROPER.finditer(text):
        before = text[: match.start()].rstrip()
        begins = not before or before[-1] in ".!?:\n"
        words = folded(match[0])
        first = words.split()[:1]
        common = match[0].isupper() and match[0].isalpha()  # "reply YES"
        if begins:
            common = common or len(words.split()) == 1 or first[0] in _openers(words)
        if not common and not date_spans(match[0]) and words not in ("i", "im", "ill", "id", "ive"):
            yield match[0], match.start()


def _openers(words: str) -> tuple[str, ...]:
    return (
        *cue_phrases(words, "courtesy"),
        *cue_phrases(words, "wh"),
        *cue_phrases(words, "polar"),
    )


def is_foreign(name: str, values: Sequence[KnownValue], memory: Memory) -> bool:
    """Return whether neither the profile nor anybody in the conversation has used a name before."""
    words = folded(name)
    if any(_is_like(name, value.text) for value in values):
        return False
    said = (*memory.acts, *(reply.words for reply in memory.replies[:-1]))
    goals = " ".join(folded(goal.words) for goal in memory.goals)
    return not any(f" {words} " in f" {text} " for text in (*said, goals))


def _is_in(value: str, text: str) -> bool:
    """Whether a text has a name in it, also spelt a little otherwise or shortened."""
    if says_value(folded(text), value):
        return True
    return any(_is_like(name, value) for name, _ in _all_names(text))


def _all_names(text: str) -> Iterator[tuple[str, int]]:
    for match in _PROPER.finditer(text):
        yield match[0], match.start()


def _is_like(name: str, value: str) -> bool:
    """Whether two names may be one: "SF" and "San Francisco", "Philly" and "Philadelphia"."""
    from rapidfuzz import fuzz

    name_words, other = folded(name), folded(value)
    if (
        not name_words
        or not other
        or name_words in other
        or other in name_words
        or concepts(name_words) == concepts(other)
    ):
        return True
    short, long = sorted((name.strip(".,"), value.strip(".,")), key=len)
    initials = "".join(word[0] for word in long.split() if word[:1].isupper()).lower()
    letters = re.sub(r"[^a-z]", "", short.lower())
    if 0 < len(letters) <= _LONGEST_INITIALS and (
        letters.startswith(initials) or initials.startswith(letters)
    ):
        return len(initials) > 1 or letters == initials
    same_start = name_words[:3] == other[:3] and min(len(name_words), len(other)) > 3
    return same_start or fuzz.ratio(name_words, other) >= _SAME_SPELLING
