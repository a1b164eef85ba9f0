"""Options that no text names: how the user's wishes choose among them.

"As late as possible" wants the last time, "two miles" the step "up to 5 km", somebody who has a
contract "My contracts", and the user itself "me".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, stem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.suitable_times import hour_within, on_suitable_days
from sparring_plugins.users.agenda.profile.asked_kinds import asked_kinds
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.app_reply import AppQuestion, AppReply
from sparring_plugins.users.agenda.replies.named_options import hours_named, hours_of
from sparring_plugins.users.agenda.state.dialogue_state import DialogueState
from sparring_plugins.users.agenda.state.known_values import KnownValue
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.state.value_matching import (
    best_option,
    clock_times,
    says_value,
    times_named,
)
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import word_lists

# --- What goals and options of menus are for
#
# A menu's "Book a clean" shares its noun with "complain about the last clean", and leads into a
# form that nobody wants.


DEEDS = frozenset({"begin", "change", "cancel"})
"""What options and goals do, other than to report something."""


@lru_cache(maxsize=1)
def _intent_lists() -> dict[str, tuple[str, ...]]:
    data = bundled_yaml("sparring_plugins.users.agenda.words", "intents.yaml")
    return {intent: tuple(map(folded, words)) for intent, words in data.items()}


@lru_cache(maxsize=2048)
def intents_of(text: str) -> frozenset[str]:
    """Return what a text is for, of ``begin``, ``change``, ``cancel`` and ``report``; often one."""
    words = folded(text)
    if _NEW_DATUM.search(words):
        return frozenset({"change"})  # "tell them your new address" begins nothing
    done = _DONE_FOR_USER.search(words)
    if done is not None:
        words = f"{words} {_base_of_participle(done[1])}"
    return frozenset(
        intent
        for intent, cues in _intent_lists().items()
        if any(contains(words, cue) for cue in cues)
    )


_DONE_FOR_USER = re.compile(r"\b(?:have|get) (?:\w+ ){1,6}?(\w{3,}ed)\b")
"""What is to be done to a thing: "have the visit moved to Friday" changes it."""


def _base_of_participle(word: str) -> str:
    """The base forms that a regular participle may have: "moved", "postponed", "cancelled"."""
    stem = word[:-2]
    undoubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return " ".join(dict.fromkeys((stem, undoubled, word[:-1])))


# "a new address" changes something; "a new order" begins it.
_NEW_DATUM = re.compile(
    r"\b(?:new|neue[nsr]?|nuevo|nueva|nouvelle?|nouveau|nuovo|nuova|novo|nova) (?:\w+ )?"
    r"(?:address|adress\w*|phone|number|email|mail|e mail|home|anschrift|nummer|telefon\w*"
    r"|direccion"
    r"|telefono|numero|correo|adresse|telephone|indirizzo|morada|endereco)\b"
)


def is_still_offered(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Return whether a reply offers what a goal wants in a menu that was not shown before.

    "Pottery, starts on 4 May. What would you like to do? 1. Switch 2. Cancel it" has cancelled
    nothing. A menu that comes again, such as the main menu, offers it to whoever wants it once
    more, and "Order another pass" is for a second one.
    """
    menu = set(map(folded, reply.menu))
    if not menu or reply.done or any(menu == set(map(folded, r.menu)) for r in memory.replies[:-1]):
        return False
    deeds = intents_of(goal.words) & DEEDS
    return any(deeds & intents_of(entry) for entry in menu if not says(entry, "once_more"))


def is_for_another(option: str, goal: str) -> bool:
    """Return whether an option is for something else than a goal; not if either says nothing.

    Args:
        option: The label of an option.
        goal: What the user wants, in words.
    """
    offered, wanted = intents_of(option), intents_of(goal)
    return bool(offered) and bool(wanted) and offered.isdisjoint(wanted)


# --- Something new beside what somebody has: "New booking", "My bookings"


class NewOrExistingWords(BaseModel):
    """The word lists of this choice: see the comments of `new_or_existing.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fresh: tuple[str, ...]
    existing: tuple[str, ...]
    beginning: tuple[str, ...]


def new_one(options: Sequence[str], words: str) -> int | None:
    """Return the index of the option that begins what a goal wants to begin; None for no such pair.

    "book a ferry" means "New booking", though "My booking" has as many of its words.

    Args:
        options: What the app offers.
        words: The goal.
    """
    verb = " ".join(words.split()[:_VERB_WORDS])
    if "begin" not in intents_of(verb) and not _has(verb, "beginning"):
        return None
    fresh = [at for at, option in enumerate(options) if _has(option, "fresh")]
    if len(fresh) != 1:
        return None
    thing = concepts(options[fresh[0]])
    others = [
        at for at, option in enumerate(options) if at != fresh[0] and concepts(option) & thing
    ]
    if not others or not all(_has(options[at], "existing") for at in others):
        return None
    return fresh[0] if thing & concepts(words) else None


_VERB_WORDS = 5
"""Words of a goal in which its verb stands: "I would like to book"."""


def _has(text: str, what: str) -> bool:
    phrases: tuple[str, ...] = getattr(new_or_existing_words(), what)
    return any(contains(folded(text), folded(phrase)) for phrase in phrases)


@lru_cache(maxsize=1)
def new_or_existing_words() -> NewOrExistingWords:
    """Return the words of entries for something new, and for what somebody has already."""
    path = "new_or_existing.yaml"
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", path)
    return NewOrExistingWords.model_validate(data)


# --- The option that means the user itself: "me" of "Who is it for, you or somebody else?"


_NEAR = 3
"""Words after "for" among which the person is named: "for your younger son"."""


def option_for_whom(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the index of the option that says for whom a thing is; None if none means the user.

    Users want things for themselves, unless their profile names somebody else. A guess here gets
    the service done for the wrong person, which nothing that the app says later shows.

    Args:
        options: two options of which one may mean the user.
        texts: goals, context and role.
    """
    own = [index for index, option in enumerate(options) if means_user(option)]
    if len(options) != 2 or len(own) != 1:
        return None
    return 1 - own[0] if any(map(_is_for_others, texts)) else own[0]


def means_user(option: str) -> bool:
    """Whether an option means the user: "you", "Myself", "for me"."""
    return folded(option) in word_lists().self_options


def _is_for_others(text: str) -> bool:
    """Whether a text wants something for a relative or a friend: "it is for your son Ben"."""
    lists, words = word_lists(), folded(text).split()
    return any(
        word in lists.on_behalf and set(words[index + 1 : index + 1 + _NEAR]) & lists.relatives
        for index, word in enumerate(words)
    )


# --- Options that a value of the profile names
#
# "Ann and Boris would be free" is answered by "Boris" if the profile says "then take Boris".


_NAME = re.compile(r"(?<=[\w,'\u2019] )[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}(?: [A-ZÀ-ÖØ-Þ][^\W\d_]{2,}){0,2}")
"""Capitalised words in the middle of a sentence."""

_OWN = frozenset({"name", "email", "phone", "address"})


def named_value(state: DialogueState, text: str) -> str | None:
    """Return a name of the profile that a text has, and that nobody has said yet, or None."""
    words = folded(text)
    said = " ".join((*state.memory.acts, *(reply.words for reply in state.memory.replies[:-1])))
    names = (
        name
        for name in _names(state)
        if contains(words, folded(name)) and not contains(said, folded(name))
    )
    return next(names, None)


def _names(state: DialogueState) -> Iterator[str]:
    own = [value.text for value in state.values if value.kinds & _OWN]
    if state.task.language.lower() == "german":
        return  # every noun has a capital
    for clause in clauses_of((*(goal.words for goal in state.goals), *state.task.context)):
        for match in _NAME.finditer(clause):
            is_own = any(match[0] in text for text in own)
            if not is_own and not date_spans(match[0]) and not denies(clause, frozenset[str]()):
                yield match[0]


# --- Steps of one measure: "up to 5 km", "5 to 10 km", "10 km or more"


# "up to 5 kg", "2-3 people", "10+ pages": amounts with a unit, as steps of a price list have.
_AMOUNT = re.compile(
    r"(?<![\w.,:/-])(\d+(?:[.,]\d+)?)(\+)?"
    r"(?:\s?(?:-|\u2013|to|and|bis|a|à|y|und|et)\s?(\d+(?:[.,]\d+)?))?\s?([^\W\d_]+)"
)
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class _Step:
    """What one option covers of a measure: from `low` to `high`, both included, in its unit."""

    low: float
    high: float
    unit: str


def measured_option(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return the index of the only option that covers the amount some text names; else None.

    "you easily lift 60 kilos" is "50 kilos or more", and not "20 kilos": an option with a single
    amount reaches up to the next one. Texts that name several amounts of the unit decide nothing.
    """
    steps = {index: step for index, option in enumerate(options) if (step := _read_step(option))}
    amount = _named_amount(texts, _common_unit(list(steps.values())))
    if amount is None:
        return None
    lows = sorted(step.low for step in steps.values())
    fitting = [i for i, step in steps.items() if step.low <= amount <= _reach(step, lows)]
    return fitting[-1] if len(fitting) == 1 else None


def _common_unit(steps: Sequence[_Step]) -> str:
    """The unit of several steps, of which one at least is a range; empty if they have none."""
    units = {step.unit for step in steps}
    has_range = any(step.low != step.high for step in steps)
    return units.pop() if len(steps) >= _FEWEST and len(units) == 1 and has_range else ""


def _named_amount(texts: Sequence[str], unit: str) -> float | None:
    amounts = {low for text in texts for low, _, _, name in _amounts(text) if name == unit}
    return amounts.pop() if len(amounts) == 1 else None


def _reach(step: _Step, lows: Sequence[float]) -> float:
    """How far an option reaches: a single amount up to just below the next one."""
    if step.low != step.high:
        return step.high
    above = [low for low in lows if low > step.low]
    return above[0] - 1e-9 if above else step.low


def _read_step(option: str) -> _Step | None:
    amounts = _amounts(option)
    if len(amounts) != 1:
        return None
    low, high, is_open, unit = amounts[0]
    words = folded(option)
    if low != high:
        return _Step(low, high, unit)
    if is_open or says(words, "or_more"):
        return _Step(low, inf, unit)
    if says(words, "up_to"):
        return _Step(0.0, low, unit)
    return _Step(low, low, unit)


def _amounts(text: str) -> list[tuple[float, float, bool, str]]:
    """The amounts of a text: from, to, whether open above ("50+ kg"), and the unit's stem."""
    amounts: list[tuple[float, float, bool, str]] = []
    for match in _AMOUNT.finditer(text):
        low = _number(match[1])
        high = _number(match[3]) if match[3] else low
        amounts.append((low, high, match[2] is not None, stem(folded(match[4]))))
    return amounts


def _number(text: str) -> float:
    return float(text.replace(",", "."))


# --- The first or last of some days and times: "as late as possible"


def ranked_moment(options: Sequence[str], texts: Sequence[str], language: str) -> int | None:
    """Return the index of the earliest or latest of some moments, as a profile wants it; else None.

    Args:
        options: What the app offers.
        texts: The goals and the context.
        language: The language of the conversation.
    """
    said = " ".join(map(folded, texts))
    wanted = [
        rank for rank in ("earliest", "latest") if any(contains(said, w) for w in rank_words(rank))
    ]
    moments = [at for at, option in enumerate(options) if find_times(option) or date_spans(option)]
    # "Other times" may stand among them
    if len(wanted) != 1 or len(moments) < 2 or len(moments) < len(options) - 1:
        return None
    choose = min if wanted == ["earliest"] else max
    return choose(moments, key=lambda at: (*moment_of(options[at], language), at))


def option_in_part_of_day(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """The first of some times of day that lies in the morning, afternoon or evening wanted.

    "in the afternoon" chooses 15:10 among 08:40, 11:20 and 15:10, and "12-17" among spans. Of
    options with weekdays only those on days that suit are looked at.
    """
    places = on_suitable_days(options, texts)
    if len(places) < len(options):
        best = _in_part_of_day([options[at] for at in places], texts)
        return places[best or 0] if best is not None or len(places) == 1 else None
    return _in_part_of_day(options, texts)


def _in_part_of_day(options: Sequence[str], texts: Sequence[str]) -> int | None:
    wanted, avoided = _hours_wanted(_unconditional(texts))
    hours = [hours_of(option) or hour_within(option) for option in options]
    timed = [span for span in hours if span is not None]
    # "Back" may stand among them
    if not (wanted or avoided) or len(timed) < 2 or len(timed) < len(options) - 1:
        return None
    shares = [_share(span, wanted, avoided) if span else 0.0 for span in hours]
    best = max(shares)
    all_fit = all(share == best for share, span in zip(shares, hours, strict=True) if span)
    return shares.index(best) if best > _HALF and not all_fit else None


def _unconditional(texts: Sequence[str]) -> list[str]:
    """Texts without cases: "if there is no evening round, take the morning" wants no morning."""
    return [text for text in texts if not states_condition(text)]


def contact_held(options: Sequence[str], values: Sequence[KnownValue]) -> int | None:
    """Return the one way of contact that the profile has: a phone number, an address."""
    kinds = [asked_kinds(folded(option)) & {"phone", "email", "address"} for option in options]
    held = {kind for value in values for kind in value.kinds}
    fitting = [at for at, kind in enumerate(kinds) if kind & held]
    return fitting[0] if len(fitting) == 1 and sum(map(bool, kinds)) > 1 else None


def option_on_day(options: Sequence[str], value: KnownValue, language: str) -> int | None:
    """Return the one option on the day of a value, however it is written, or None.

    01.05.2027 is chosen for "1 May".
    """
    days = days_in(value.text, language) if "date" in value.kinds else frozenset[tuple[int, int]]()
    fitting = [at for at, option in enumerate(options) if days & days_in(option, language)]
    return fitting[0] if len(fitting) == 1 else None


def _hours_wanted(texts: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
    """The hours that some texts want and those that they exclude, none if they want several parts.

    "you work in the mornings" leaves the afternoon and the evening.
    """
    wanted: list[range] = []
    avoided: list[range] = []
    for clause in clauses_of(texts):
        parts = hours_named(folded(clause))
        names = names_in(clause)
        limit = _hours_limited(clause)
        if limit is not None:
            wanted.append(limit)
            continue
        busy = denies(clause, names) or bool(set(rank_words("busy")) & set(folded(clause).split()))
        (avoided if busy else wanted).extend(parts)
    if len(set(wanted)) > 1:
        return frozenset(), frozenset()
    return frozenset(h for part in wanted for h in part), frozenset(h for p in avoided for h in p)


def _hours_limited(clause: str) -> range | None:
    """The hours after or before a time of day that a clause names: "erst nach 16 Uhr"; else None.

    Who leaves work at three is free from then on; a bare hour up to 7 is one of the afternoon.
    """
    words = folded(clause)
    after = any(contains(words, word) for word in rank_words("after"))
    before = any(contains(words, word) for word in rank_words("before"))
    clocks = times_named(clause)
    after = after or (bool(clocks) and _FROM_THEN.search(words) is not None)
    if after == before:
        return None
    hours = [int(clock.partition(":")[0]) for clock in clocks]
    hours += [int(number.value) for number in spelled_numbers(words)] if not hours else []
    if len(set(hours)) != 1 or not 0 < hours[0] < _HOURS:
        return None
    hour = hours[0]
    hour += _NOON if hour <= _EARLIEST and not re.search(r"\d{1,2}[:.h]\d|\bam\b", words) else 0
    return range(hour, _HOURS) if after else range(hour)


_FROM_THEN = re.compile(
    r"\b(?:from|ab|a partir de|desde|des|dalle|das)\b"
    r"(?!.*\b(?:to|until|till|bis|hasta|jusqu|fino|ate)\b)"
)
""""you are free from 6 pm" leaves the hours after it, "from 2 to 4 pm" two of them."""
_HOURS, _NOON, _EARLIEST = 24, 12, 7


def _share(span: range, wanted: frozenset[int], avoided: frozenset[int]) -> float:
    """The share of a span's hours that are wanted, or that nothing excludes."""
    fitting = set(span) & wanted if wanted else set(span) - avoided
    return len(fitting) / len(span)


_HALF = 0.5
"""Least share of a span of hours that lies in the part of the day that is wanted."""


def moment_of(option: str, language: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the month and day, and the hour and minute of an option, zeros without one."""
    days = sorted(days_in(option, language))
    times = sorted(times_named(option))
    hour, _, minute = times[0].partition(":") if times else ("0", "", "0")
    clock = (int(hour), int(minute)) if hour.isdigit() and minute.isdigit() else (0, 0)
    return (days[0] if days else (0, 0), clock)


def rank_words(rank: str) -> tuple[str, ...]:
    """Return a list of words of ``ranked_options.yaml``: ``earliest``, ``last_left``."""
    return _rank_lists()[rank]


@lru_cache(maxsize=1)
def _rank_lists() -> dict[str, tuple[str, ...]]:
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", "ranked_options.yaml")
    return {rank: tuple(folded(str(phrase)) for phrase in data[rank]) for rank in data}


# --- Options among which the user's own day or time of day is not


def moment_not_offered(state: DialogueState, question: AppQuestion) -> KnownValue | None:
    """Return the day or time of day of a goal that a question asks for and does not offer.

    "When should it start? Today, Tomorrow" has not the 8th of March; None if it has, or if no goal
    names a moment, or if the app has turned the user's own down.
    """
    options = question.options
    kind = _kind_of(question)
    if kind is None or not options or _has_refused(state):
        return None
    own = [value for value in state.values if kind in value.kinds and value.goal]
    language = state.task.language
    # "14.10.2027" and "am 14.10.2027" are one day
    if len({days_in(value.text, language) or folded(value.text) for value in own}) != 1:
        return None
    value = min(own, key=lambda value: len(value.text))
    if any(act == folded(value.text) for act in state.memory.acts):
        return None  # it was given before, and the app offers something else
    return None if any(_says(option, value.text, kind, language) for option in options) else value


def _has_refused(state: DialogueState) -> bool:
    """Whether an app has turned something down; only just now, if it asks for data of a form.

    "I am sorry to hear that." before the first question of a form has refused nothing.
    """
    last = state.memory.last
    return state.memory.refused and (state.form is None or bool(last and last.turns_down))


def _kind_of(question: AppQuestion) -> str | None:
    """Whether days or times of day are asked for, by the words or by the options."""
    options = question.options
    for kind, find in (("date", date_spans), ("time", find_times)):
        if sum(bool(find(option)) for option in options) >= max(2, len(options) - 1):
            return kind
    asked = asked_kinds(question.words)
    # "When is a good time for you: morning or afternoon?" asks for no day
    finders = {"date": date_spans, "time": find_times}
    return next(
        (k for k, find in finders.items() if asked == frozenset({k}) and any(map(find, options))),
        None,
    )


def _says(option: str, value: str, kind: str, language: str) -> bool:
    if says_value(folded(option), value) or best_option([option], value) is not None:
        return True
    if kind == "date":
        wanted, named = days_in(value, language), days_in(option, language)
        # a weekday alone may be any of these days
        return not wanted or bool(wanted & named)
    return bool(clock_times(value) & {t for s in find_times(option) for t in clock_times(s.text)})


def option_leading_on(options: Sequence[str]) -> int | None:
    """Return the index of the one option that shows more of them: "Other times", or None."""
    places = [
        at for at, option in enumerate(options) if _lacking_words() & set(folded(option).split())
    ]
    return places[0] if len(places) == 1 else None


@lru_cache(maxsize=1)
def _lacking_words() -> frozenset[str]:
    data = bundled_yaml("sparring_plugins.users.agenda.choosing", "lacking_options.yaml")
    return frozenset(folded(str(word)) for word in data["leading_on"])


def ranked_option(question: AppQuestion, goals: Sequence[UserGoal]) -> int | None:
    """Return the place of an option that a goal chooses by its order: "the first showing".

    What is first must be what the question asks for: "it is a first visit" chooses no department
    of "Which department do you need, general practice or dentistry?".
    """
    asked = names_in(question.text)
    for goal in goals:
        words = folded(goal.words).split()
        for index, word in enumerate(words):
            ranked = " ".join(words[index + 1 : index + 1 + _RANKED_WORDS])
            if word not in _RANKS or not asked & names_in(goal.words):
                continue
            if asked & names_in(ranked) or not names_in(ranked):  # "the first one"
                return 0 if _RANKS[word] == 0 else len(question.options) - 1
    return None


_RANKS = {"first": 0, "earliest": 0, "last": -1, "latest": -1}
_RANKED_WORDS = 2
"""Words after "first" that say what is first: "the first evening showing"."""
