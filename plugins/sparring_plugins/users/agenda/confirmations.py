"""Yes, or a correction, to what an app wants confirmed; yes and no by word, button or number.

Days, times of day, amounts and counts of a read-back are compared by their meaning, names by their
spelling: a name that nobody has used before replaces one of the user's that the read-back lacks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.numbers import amount, find_money
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import concepts, cue_phrases, has_cue
from sparring_plugins.users.agenda.app_reply import AppQuestion, AppReply, is_no, is_yes
from sparring_plugins.users.agenda.asked_clauses import asking_words
from sparring_plugins.users.agenda.conditional_wishes import is_case_of_wish
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.facts import clauses_of, names_in, names_per_head
from sparring_plugins.users.agenda.form_answers import yields
from sparring_plugins.users.agenda.formats import days_in
from sparring_plugins.users.agenda.knowledge import knowledge
from sparring_plugins.users.agenda.known_values import KnownValue
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_form import OpenForm
from sparring_plugins.users.agenda.phrase_book import LANGUAGES, filled, phrases, stop
from sparring_plugins.users.agenda.question_kinds import asks_for_yes, typed_no, typed_yes
from sparring_plugins.users.agenda.read_backs import reads_back
from sparring_plugins.users.agenda.roles import roles_of_label
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.stances import clause_about
from sparring_plugins.users.agenda.stated_answers import knows_whether
from sparring_plugins.users.agenda.user_goals import UserGoal, revises_value, waits_for_moment
from sparring_plugins.users.agenda.value_matching import (
    clock_times,
    contradicted_slots,
    mentions,
    says_value,
    stated_text,
)

# --- Values in a read-back that differ from those that the user gave


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
    """A value of the user's that a read-back gets wrong, and the words that correct it."""

    value: KnownValue
    text: str


def corrections(
    text: str, values: Sequence[KnownValue], memory: Memory, language: str
) -> list[Correction]:
    """Return the corrections of the values that a read-back gets wrong.

    Args:
        text: The sentences that read back.
        values: All values of the profile.
        memory: The conversation so far.
        language: The language of the conversation.
    """
    given = [value for value in values if _was_said(value, memory)]
    folded_text = folded(text)
    if not any(says_value(folded_text, value.text) for value in given) and not any(
        map(reads_back, sentences(text))
    ):
        return []  # "Check-out is until 11:00." reads nothing back
    own = [value for value in values if value in given or _is_named(value, values, text)]
    own += [value for value in _counted_in(text, values) if value not in own]
    found = [
        *_wrong_typed(text, own, language),
        *_wrong_counts(text, own),
        *_wrong_names(text, own, values, memory),
    ]
    return list({correction.value.text: correction for correction in found}.values())


def _was_said(value: KnownValue, memory: Memory) -> bool:
    """Whether the user has said a value."""
    return any(says_value(act, value.text) for act in memory.acts)


def _is_named(value: KnownValue, values: Sequence[KnownValue], text: str) -> bool:
    """Whether a value is the only one of its kind, and a text has a word for what it is."""
    kind = next((kind for kind in ("time", "date", "money") if kind in value.kinds), None)
    if kind is None:
        return "number" in value.kinds and "people" in value.names
    same = [other for other in values if kind in other.kinds and other.text != value.text]
    return not same and bool(value.slot or value.names & names_in(text))


# --- Days, times of day, amounts


def _wrong_typed(text: str, own: Sequence[KnownValue], language: str) -> Iterator[Correction]:
    for kind in ("time", "date", "money"):
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
    if any(_is_relative(kind, value.text, language) for value in missing):
        return  # "tomorrow" may well be the day that the app names
    other = [(said, start) for said, start in stated if not is_own(said)]
    for said, start in other:
        value = _find_replaced(text[:start], missing, alone=len(other) == 1)
        if value is not None and not _is_relative(kind, said, language):
            yield Correction(value, _with_lead(text[:start], value.text))


def _find_typed(kind: str, text: str) -> Iterator[tuple[str, int]]:
    spans = {"time": find_times, "date": date_spans, "money": find_money}[kind](text)
    for span in spans:
        yield span.text, span.start


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
    """The times of day that a text may mean: "6:30" is 6:30 or 18:30, "6:30 pm" only 18:30."""
    times = {time for span in find_times(text) for time in clock_times(span.text)}
    if _HALF_OF_DAY.search(text):
        return frozenset(times)
    parts = [time.split(":") for time in times]
    later = (f"{int(hour) + _HALF_DAY}:{minute}" for hour, minute in parts if int(hour) < _HALF_DAY)
    return frozenset(times).union(later)


def _find_replaced(before: str, missing: Sequence[KnownValue], *, alone: bool) -> KnownValue | None:
    """The missing value that another one replaces: the one of its role, else the only one.

    In "from York to Hull" for a trip from Leeds to Hull, York replaces the origin.
    """
    ends = roles_of_label(before)
    by_end = [value for value in missing if ends and value.roles & ends]
    if len(by_end) == 1:
        return by_end[0]
    fitting = [value for value in missing if not ends or not value.roles or value.roles & ends]
    return fitting[0] if len(fitting) == 1 and alone else None


def _with_lead(before: str, text: str) -> str:
    """A value with the preposition that stood before the wrong one: "from Leeds"."""
    last = folded(" ".join(before.split()[-1:]))
    if last not in asking_words().prepositions or folded(text).split()[:1] == [last]:
        return text
    return f"{last} {text}"


# --- Counts


def _wrong_counts(text: str, own: Sequence[KnownValue]) -> Iterator[Correction]:
    """Correct the counts of people and things: "3 tickets" for two people."""
    counted = list(_find_counts(text))
    for value in own:
        if "number" not in value.kinds or value.kinds & {"time", "date", "money", "code", "phone"}:
            continue
        wanted = _number(value.text)
        names = value.names | value.near
        same = [(number, thing) for number, thing in counted if _counts_same(names, thing)]
        if wanted is None or not same or any(number == wanted for number, _ in same):
            continue
        thing = same[0][1]
        yield Correction(value, f"{value.text} {thing}")


def _find_counts(text: str) -> Iterator[tuple[int, str]]:
    """The numbers of a text, each with the word after it that it counts."""
    words = re.sub(r"\d{1,2}[:.]\d\d", " ", text)
    for match in re.finditer(r"(?<![\w$€£.,:/-])(\d{1,3})\s+([^\W\d_]+)", words):
        yield int(match[1]), match[2]
    for span in spelled_numbers(folded(words)):
        after = folded(words)[span.end :].split()
        if after and span.end > span.start and not folded(words)[span.start : span.end].isdigit():
            yield int(span.value), after[0]


def _counts_same(names: frozenset[str], thing: str) -> bool:
    lists = knowledge()
    word = folded(thing)
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
    things = {name for _, thing in _find_counts(text) for name in names_in(thing) - {"~number"}}
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
    called = [value for value in values if _is_name(value) and not _is_in(value.text, text)]
    if not called:
        return
    foreign = [
        (name, start) for name, start in _proper_names(text) if _is_foreign(name, values, memory)
    ]
    for name, start in foreign:
        before = text[:start]
        value = _find_described(before, called) or _find_replaced(
            before, missing, alone=len(foreign) == 1
        )
        if value is not None and not _is_like(name, value.text):
            yield Correction(value, _with_lead(before, value.text))


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


def _proper_names(text: str) -> Iterator[tuple[str, int]]:
    """The names of a text: not what begins a sentence, nor days and months."""
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


def _is_foreign(name: str, values: Sequence[KnownValue], memory: Memory) -> bool:
    """Whether neither the profile nor anybody in the conversation has used a name before."""
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

    one, other = folded(name), folded(value)
    if not one or not other or one in other or other in one or concepts(one) == concepts(other):
        return True
    short, long = sorted((name.strip(".,"), value.strip(".,")), key=len)
    initials = "".join(word[0] for word in long.split() if word[:1].isupper()).lower()
    letters = re.sub(r"[^a-z]", "", short.lower())
    if 0 < len(letters) <= _LONGEST_INITIALS and (
        letters.startswith(initials) or initials.startswith(letters)
    ):
        return len(initials) > 1 or letters == initials
    same_start = one[:3] == other[:3] and min(len(one), len(other)) > 3
    return same_start or fuzz.ratio(one, other) >= _SAME_SPELLING


# --- Answers to confirmations


MOST_CORRECTIONS = 2
"""Corrections of one read-back after which the user gives in."""


def agreement(state: DialogueState, form: OpenForm, reason: str) -> Answer:
    """Yes to a question: by a button, by the word or number that the app wants, else in words."""
    return _decide(state, form, reason, yes=True)


def refusal(state: DialogueState, form: OpenForm, reason: str) -> Answer:
    """No to a question: by a button, by the number that the app wants, else in words."""
    return _decide(state, form, reason, yes=False)


def _decide(state: DialogueState, form: OpenForm, reason: str, *, yes: bool) -> Answer:
    pressed = state.press(form.reply, is_yes if yes else is_no)
    typed = typed_yes(form.hint) if yes else typed_no(form.hint)
    if pressed is None and typed is not None:
        return Answer(typed, "confirms as told" if yes else "declines as told", exact=True)
    return pressed or Answer(state.say("yes" if yes else "no", form.times), reason)


def answer_confirmation(state: DialogueState, question: AppQuestion, reply: AppReply) -> Answer:
    """Yes if what the app states agrees with the user's values, else a correction.

    After two corrections the user gives in, so that the app's mistake comes to light in what it
    does next.
    """
    words = question.words
    if has_cue(words, "all") and "all right" not in words:  # which asks for consent
        more = state.next_words()
        if more is not None:
            return Answer(f"{stop(state.say('no'))} {more}", "wants more")
    changed = _change_of_read_back(state, reply)
    if changed is not None:
        return changed
    left_out = _left_out_statement(state, reply) if summarises(state, reply) else None
    if left_out is not None:
        return Answer(left_out, "adds what was left out")
    misread = _misread_fact(state, reply)
    if misread is not None:
        return misread
    wrong = contradicted_slots(stated_text(reply), _slots_said(state))
    response = _answer_mistake(state, wrong, reply) if wrong else _put_right(state, reply)
    if response is not None:
        return response
    if asks_for_yes(words) and not reply.choices:
        return Answer(state.phrases.yes[0], "confirms as told")
    if _asks_to_drop(state, words, reply):
        return state.decline(reply, "declines")
    form = state.form
    if form is not None and form.reply == reply:
        return agreement(state, form, "confirms")
    return state.agree(reply, "confirms")


def _asks_to_drop(state: DialogueState, words: str, reply: AppReply) -> bool:
    """Whether a question is about what users decline; "Reply Y to confirm, N to cancel" is not."""
    unwanted = typed_yes(reply.text) is None and is_unwanted(state, words)
    return unwanted and not repeats_user(state, words)


_SUMMARY = 2
"""Values of the user in a reply from which on it reads back what was said."""


def summarises(state: DialogueState, reply: AppReply) -> bool:
    """Return whether a reply states at least two of the user's values, as a summary does."""
    stated = folded("\n".join(reply.statements))
    return len({v.text for v in state.values if says_value(stated, v.text)}) >= _SUMMARY


def _answer_mistake(state: DialogueState, wrong: Sequence[Slot], reply: AppReply) -> Answer | None:
    """Yield to the app, correct it or give in; None if it is to be confirmed by a button."""
    if yields(state):
        return state.agree(reply, "takes what the app offers instead")
    return _object(state, reply, lambda made: _correction_of_slots(state, wrong, made))


def _object(state: DialogueState, reply: AppReply, correct: Callable[[int], str]) -> Answer | None:
    """Say no by a button, else what is right; None if it is to be confirmed by a button.

    A user who has corrected twice gives in. `correct` makes the words of a correction from how many
    there were before.
    """
    made = corrections_made(state)
    if made >= MOST_CORRECTIONS:
        return None if reply.choices else Answer(state.say("accept"), "gives in")
    return state.press(reply, is_no) or Answer(correct(made), "corrects what was understood")


def _misread_fact(state: DialogueState, reply: AppReply) -> Answer | None:
    """Correct a line that says yes or no otherwise than the profile: "Pets: no" for a cat."""
    clauses = (_clause_against(state, *line) for line in _YES_OR_NO_LINE.findall(reply.text))
    clause = next((clause for clause in clauses if clause is not None), None)
    if clause is None:
        return None
    right = f"{stop(state.phrases.no[0])} {state.own_words(clause)}"
    return _object(state, reply, lambda made: right)


def _clause_against(state: DialogueState, label: str, said: str) -> str | None:
    """The clause of the context that says the contrary of a line; None if none does."""
    known = knows_whether(state, f"{label}?")
    if known is None or known is is_yes(said):
        return None
    return clause_about(label, clauses_of(state.task.context))


_YES_OR_NO_LINE = re.compile(
    r"^\W*([^\W\d][\w ]{1,30}):\s*(yes|no|none|ja|nein|s[ií]|oui|non|sim|n[aã]o)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a read-back that says yes or no of a thing: "Pets: no"."""


def _correction_of_slots(state: DialogueState, wrong: Sequence[Slot], made: int) -> str:
    """What is right, as the goal puts it, or the values alone."""
    book = state.phrases
    goal = state.goal_using({slot.name for slot in wrong})
    if goal is not None and goal.form in ("request", "action"):
        ways = book.correction if goal.form == "request" else book.correction_action
        return filled(ways[made], goal.words)
    return filled(book.correction[made], state.join([v for slot in wrong for v in slot.values]))


def _change_of_read_back(state: DialogueState, reply: AppReply) -> Answer | None:
    """The change that a goal wants of what is read back, if that has not got it yet.

    "when they read it back, change the branch to Elm Street" is said in place of the yes.
    """
    if state.times or reply.choices or corrections_made(state) or is_case_of_wish(state):
        return None
    goal = pending_change(state, reply)
    if goal is None:
        return None
    return Answer(f"{stop(state.phrases.no[0])} {state.phrase(goal)}", "changes it")


def pending_change(state: DialogueState, reply: AppReply) -> UserGoal | None:
    """Return the goal that wants what is read back to be changed, and is not in it yet."""
    for goal in state.memory.open_goals():
        changes = (revises_value(goal) or waits_for_moment(goal)) and not goal.asks
        if changes and not all(mentions(reply.words, text) for text in goal.texts):
            return goal
    return None


def _put_right(state: DialogueState, reply: AppReply) -> Answer | None:
    """Correct a read-back that differs from what the user said; None if nothing does."""
    language = state.task.language
    wrong = corrections(stated_text(reply), state.values, state.memory, language)
    if not wrong or yields(state):
        return None
    values = state.join([correction.text for correction in wrong])
    return _object(state, reply, lambda made: filled(state.phrases.correction[made], values))


def _left_out_statement(state: DialogueState, reply: AppReply) -> str | None:
    """What is yet to be told of the service that is to be confirmed: "it needs new brakes"."""
    for goal in state.memory.open_goals():
        tells = goal.form == "statement" and bool(goal.texts) and not revises_value(goal)
        if tells and not goal.asks and not state.memory.mentioned(goal):
            responded = all(mentions(reply.words, text) for text in goal.texts)
            return None if responded or reply.done else state.phrase(goal)
    return None


def _slots_said(state: DialogueState) -> list[Slot]:
    """The slots that the app can know of: those of goals brought up, all if none was.

    A taxi for 7:15 does not contradict the wake-up call at 5:45 that was arranged before it.
    """
    memory = state.memory
    brought_up = [goal for goal in state.goals if memory.mentioned(goal)]
    open_ones = [goal for goal in brought_up if goal.key not in memory.met]
    said = {name for goal in open_ones or brought_up for name, _ in goal.values}
    return [slot for slot in state.slots if not said or slot.name in said]


def corrections_made(state: DialogueState) -> int:
    """How often the user has corrected the app, or said no to a confirmation."""
    memory = state.memory
    refusals = sum(
        is_no(act) and reply.asks("confirm")
        for act, reply in zip(memory.acts[1:], memory.replies, strict=False)
    )
    starts = _correction_starts()
    # "No, thanks." to an offer corrects nothing
    return refusals + sum(
        any(act.startswith(start) and act != start for start in starts)
        and (reply.asks("confirm") or summarises(state, reply))
        for act, reply in zip(memory.acts[1:], memory.replies, strict=False)
    )


@lru_cache(maxsize=1)
def _correction_starts() -> frozenset[str]:
    """How corrections begin, folded, in all languages."""
    books = [phrases(language) for language in LANGUAGES]
    texts = [text for book in books for text in (*book.correction, *book.correction_action)]
    return frozenset(folded(text.split("{x}")[0]) for text in texts)


def repeats_user(state: DialogueState, words: str) -> bool:
    """Whether a question says again what the user just said."""
    said = state.memory.acts[-1] if state.memory.acts else ""
    return (
        len(said) > 1 and words.startswith(("did", "you", "so", "is it")) and contains(words, said)
    )


def is_unwanted(state: DialogueState, words: str) -> bool:
    """Whether a question is about what users mostly decline, such as to cancel, and no goal is."""
    return has_cue(words, "no_thanks") and not any(
        has_cue(folded(goal.words), "no_thanks") and concepts(words) & goal.concepts
        for goal in state.goals
    )
