"""Whether a text says a value, which option comes nearest to one, and what contradicts one."""

import calendar
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times, parse_date
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue, stem
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.replies.named_options import hour_of, hours_named, spans_of_hours
from sparring_plugins.users.agenda.words.phrase_book import word_lists

SAME_VALUE = 0.85
"""Least similarity of an option that is taken for a value."""

_MENU = 3
"""Values of one variable in a text from which on it lists what there is, and states none."""

_MOST_DAYS = 8
_ANY_DAY = date(2000, 1, 1)
_NEXT_DAY = date(2000, 1, 2)
_HALVES = ("am", "pm")


@lru_cache(maxsize=2048)
def mentions(text: str, value: str) -> bool:
    """Whether a folded text has a value in it: as written, in the plural, as a word or digit."""
    wanted = folded(value)
    if not wanted:
        return False
    if contains(text, wanted) or contains(text, f"{wanted}s") or contains(text, f"{wanted}es"):
        return True
    if _means_same(text, wanted):
        return True
    if wanted.isdigit():
        return len(wanted) <= 9 and any(
            number.value == int(wanted) for number in spelled_numbers(text)
        )
    spelled = spelled_numbers(wanted)
    if len(spelled) == 1 and (spelled[0].start, spelled[0].end) == (0, len(wanted)):
        return contains(text, str(int(spelled[0].value)))  # "2" is said by "two"
    if find_times(value):
        return bool(clock_times(value) & _clock_times_in(text))
    stems = [stem(word) for word in wanted.split()]
    return len(wanted) > 3 and contains(
        " ".join(stem(word) for word in text.split()), " ".join(stems)
    )


def _means_same(text: str, wanted: str) -> bool:
    """Whether a text has a value in other words: "Post" is "by post", and "Now" "at once"."""
    bare = _BY.sub("", wanted)
    if bare != wanted and len(text.split()) <= _LABEL and contains(text, bare):
        return True
    at_once = word_lists().at_once
    return wanted in at_once and any(contains(text, word) for word in at_once)


_BY = re.compile(
    r"^(?:by|via|per|mit|por|par|con|in|at|on|with|en|zum|zur|im|am|beim|als|com|tramite)"
    r" (?:the |a |an |der |dem |die |das |el |la |le |il |o )?(?=\w{3})"
)
"""What stands before a way to pay or to send something: "by post", "mit der Karte"."""
_LABEL = 3
"""Words of a label at most."""


def is_given_in(words: str, value: str) -> bool:
    """Whether a question itself names a value: "Which berth in Crane Dock?" asks for no dock."""
    text = folded(value)
    if text.isdigit() or not contains(words, text):
        return False
    return not _PLACING.isdisjoint(words.partition(text)[0].split()[-2:])


_PLACING = frozenset(
    ["in", "of", "at", "for", "on", "im", "am", "bei", "des", "der", "en", "de", "del", "du"]
)
"""What stands, with an article or not, before what a question says of what it asks for."""


@lru_cache(maxsize=4096)
def says_value(text: str, value: str) -> bool:
    """Whether a folded text says a value in any form: another date format, bare digits."""
    value = _ARTICLE.sub("", value)
    if mentions(text, value) or fits_moment(text, value):
        return True
    digits = "".join(char for char in value if char.isdigit())
    is_number = len(digits) >= _NUMBER_DIGITS and len(digits) >= len(value) / 2
    if is_number and digits[-_NUMBER_DIGITS:] in "".join(filter(str.isdigit, text)):
        return True
    days = _days_in(value)
    return bool(days) and bool(days & _days_in(_with_slashes(text)))


def _with_slashes(text: str) -> str:
    """A folded text with the marks that its numeric dates have lost: "03 05 2027"."""
    text = re.sub(r"\b(\d{4}) (\d\d) (\d\d)\b", r"\1-\2-\3", text)
    return re.sub(r"\b(\d{1,2}) (\d{1,2}) (\d{4})\b", r"\1/\2/\3", text)


# "+44 7700 900123" and "07700 900123" end alike: the last six digits decide.
_NUMBER_DIGITS = 6
_SHORT = 3
"""Letters that distinguish names of days and months: "Mon 12 Apr" is a Monday in April."""


@lru_cache(maxsize=4096)
def fits_moment(option: str, value: str) -> bool:
    """Whether an option names the day and the part of it that a value names, if shortened."""
    wanted = [word for word in folded(value).split() if word not in _LINKS]
    offered = folded(option).split()
    if not 0 < len(wanted) <= 6 or not any(word[:_SHORT] in _DAY_NAMES for word in wanted):
        return False
    if len(wanted) == 1 and wanted[0] not in _WEEKDAYS:
        return False  # "March" names no day, "Wednesday" is "Wed 3 Mar"
    return all(
        any(
            word == other or (word[:_SHORT] in _DAY_NAMES and word[:_SHORT] == other[:_SHORT])
            for other in offered
        )
        for word in wanted
    )


_ARTICLE = re.compile(
    r"^(?:on|at|from|until|an?|the|el|la|una?|eine?n?|der|die|das|une?|le)\s+", re.IGNORECASE
)
_LINKS = frozenset({"on", "the", "at", "in", "of", "next"})
_WEEKDAYS = frozenset(name.lower() for name in calendar.day_name)
_DAY_NAMES = frozenset(
    name[:_SHORT].lower() for name in (*calendar.day_name, *calendar.month_name) if name
)


def similarity(option: str, value: str) -> float:
    """How much an option's label says a value, from 0 to 1."""
    from rapidfuzz import fuzz

    label, wanted = folded(option), folded(value)
    if not label or not wanted:
        return 0.0
    if label == wanted:
        return 1.0
    if mentions(label, value) or fits_moment(label, value):
        return 0.95
    meant = concepts(option)
    if meant and meant == concepts(value):
        return 0.93
    if concepts(value) and concepts(value) <= meant:
        return 0.9
    if contains(wanted, label) and len(label) > 2:
        return 0.88
    # "Family (from 150)" is the family room
    bare = concepts(re.sub(r"\([^)]{0,200}\)", " ", option))
    if bare and bare <= concepts(value):
        return 0.87
    return fuzz.ratio(label, wanted) / 100 if min(len(label), len(wanted)) >= 4 else 0.0


def shared_by_most(meant: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return what all options have in common, or of three and more all but one: "The chair"."""
    counts = Counter(name for names in meant for name in names)
    least = len(meant) - 1 if len(meant) > _FEW else len(meant)
    return frozenset(name for name, count in counts.items() if count >= least)


_FEW = 2


def best_option(options: Sequence[str], value: str) -> int | None:
    """The index of the option that says a value best; None if none is like it."""
    scores = [(similarity(option, value), -index) for index, option in enumerate(options)]
    score, index = max(scores, default=(0.0, 0))
    return -index if score >= SAME_VALUE else None


# --- Times of day


@lru_cache(maxsize=1024)
def _clock_times_in(text: str) -> frozenset[str]:
    """The times of day in a folded text (whose colons are blanks)."""
    parts = _APART_H.sub(r"\1h\2", text).split()
    times: set[str] = set()
    for index, part in enumerate(parts):
        if part.isdigit() and len(part) <= 2 and int(part) < 24:
            times |= clock_times(_time_at(parts, index))
        elif _HALF_DAY.fullmatch(part) or _HOUR_WITH_H.fullmatch(part):
            times |= clock_times(part)
    return frozenset(times)


# "18h", "18 h", "8h30" and "8 h 30" are how French and Spanish write the time of day.
_HOUR_WITH_H = re.compile(r"\d{1,2}h(?:\d\d)?")
_HALF_DAY = re.compile(r"\d{1,2}[ap]m")
_APART_H = re.compile(r"\b(\d{1,2}) h\b(?: (\d\d)\b)?")


def _time_at(parts: Sequence[str], index: int) -> str:
    """The time that an hour begins: "10 30 am", "at 10"; nothing if the number is no hour."""
    follows, after = [*parts[index + 1 : index + 3], "", ""][:2]
    is_minute = len(follows) == 2 and follows.isdigit()
    before = parts[max(0, index - 1)]
    if not is_minute and before not in word_lists().clock_leads and follows not in _HALVES:
        return ""
    half = next((part for part in (follows, after) if part in _HALVES), "")
    return f"{parts[index]}:{follows if is_minute else '00'}{half}"


@lru_cache(maxsize=1024)
def clock_times(written: str) -> frozenset[str]:
    """Return a time of day as ``13:30``; none if the text is no time."""
    low = re.sub(r"(?<=\d)h(?=\d)", ":", written.lower().replace(".", ":").replace(" ", ""))
    digits = low.rstrip("apmh:oclk'\u2019")
    hour, _, rest = digits.partition(":")
    if not hour.isdigit() or len(hour) > 2 or int(hour) > 23:
        return frozenset()
    minute = rest[:2] if rest[:2].isdigit() else "00"
    value = int(hour)
    if "pm" in low or "p:m" in low:
        value = value % 12 + 12
    elif "am" in low or "a:m" in low:
        value %= 12
    return frozenset({f"{value}:{minute}"})


# --- What contradicts the user's values


def is_in_words(values: Sequence[str], text: str) -> bool:
    """Return whether a text has all numbers and longer words of some values: "in April"."""
    told = set(folded(text).split())
    words = [_digits_of(word) for value in values for word in folded(value).split()]
    counted = [word for word in words if word.isdigit() or len(word) > _SMALL_WORD]
    return bool(counted) and told.issuperset(counted)


def _digits_of(word: str) -> str:
    numbers = list(spelled_numbers(word))
    return str(numbers[0].value) if len(numbers) == 1 else word


_SMALL_WORD = 3
"""Letters of a word at most that only joins others: "in", "the", "auf"."""


def contradicted_slots(text: str, slots: Sequence[Slot]) -> list[Slot]:
    """The slots that a text states with another value than the user's.

    That is: a value of the domain that the user did not choose, without or beside its own; some
    but not all of several values; another time of day; another number of the same thing. A text
    that names many values of a domain is a menu and states none.
    """
    dates = [slot for slot in slots if "date" in slot.kinds]
    chosen = {day for slot in dates for value in slot.values for day in weekdays_in(value)}
    return [slot for slot in slots if _contradicts(text, slot, chosen)]


def stated_text(reply: AppReply) -> str:
    """What a reply states: all of it but the sentences that list options."""
    stated = [sentence for sentence in reply.statements if not _lists_options(sentence)]
    # buttons beside a read-back, "Confirm, Change, Cancel", are no options of its own
    asked = [q.text for q in reply.questions if len(q.options) < _MENU or q.kind == "confirm"]
    # "8. Amount: 30" counts no amounts
    return _ITEM_MARK.sub("", "\n".join([*stated, *asked]))


_ITEM_MARK = re.compile(r"^\s*\d{1,2}[.)]\s+|\b[Ss]tep \d+ of \d+\b", re.MULTILINE)
"""The number of an item or a step counts nothing: "8. Amount: 30" is no eight."""


def _lists_options(sentence: str) -> bool:
    words = folded(sentence)
    return has_cue(words, "options") and ("," in sentence or has_cue(words, "or"))


def _may_be_same_day(other: str, own: Sequence[str]) -> bool:
    """Whether a day may be one of the user's in other words: "12 March" is 12/03/2027.

    Nor does "Tuesday" contradict "tomorrow": the app may have another today.
    """
    days = days_in(other, "English")
    return any(
        bool(days & days_in(value, "English"))
        or not (any(map(str.isdigit, value)) or weekdays_in(value))
        for value in own
    )


def _contradicts(text: str, slot: Slot, chosen: Collection[int]) -> bool:
    """Whether a text contradicts a slot; `chosen` are the weekdays of all the user's dates."""
    words = folded(_WHOLE.sub("", text))  # "640.00 EUR" are 640 euros
    if "number" in slot.kinds:
        return _states_other_number(_WHOLE.sub("", text), slot)
    own = [value for value in slot.values if mentions(words, value)]
    if "time" in slot.kinds:
        return not own and bool(find_times(text)) and _has_other_hours(text, slot)
    if "date" in slot.kinds:
        if own:
            return False  # "Friday 12 March" says no other day than "12 March", though it names one
        if _states_other_day(text, slot) or _states_other_weekday(text, slot, chosen):
            return True
    others = _other_values(words, slot)
    if "date" in slot.kinds:
        others = [other for other in others if not _may_be_same_day(other, slot.values)]
    if others:
        return len(others) < _MENU
    return 0 < len(own) < len(slot.values)


def _has_other_hours(text: str, slot: Slot) -> bool:
    """Whether a text lies in no hours that a slot names; "the first sailing" is at any hour."""
    named = [v for v in slot.values if any(map(str.isdigit, v)) or hours_named(folded(v))]
    # "Thursday, 22 April, 14:20" lies in "in the afternoon", though it is no label of an option
    stated = [text, *(span.text for span in find_times(text))]
    return bool(named) and not any(
        lies_within(part, value) for value in slot.values for part in stated
    )


def lies_within(text: str, value: str) -> bool:
    """Return whether a time of day lies in a span of hours that a text names.

    "Wed 3 Mar 17-21" contradicts neither "after 5 pm" nor "in the evening".
    """
    said = folded(value)
    wanted = hours_named(said)
    if not wanted:
        clocks = (int(time.partition(":")[0]) for time in _clock_times_in(said))
        wanted = [range(hour, hour + 1) for hour in clocks]
    stated = spans_of_hours(text)
    hour = hour_of(text)
    stated += [range(hour, hour + 1)] if hour is not None else []
    return any(set(wish) & set(other) for wish in wanted for other in stated)


_WHOLE = re.compile(r"(?<=\d)[.,]00?(?!\d)")
""""640.00 EUR" are 640 euros."""


def _other_values(words: str, slot: Slot) -> list[str]:
    """The values of the domain that a folded text names besides the user's own."""
    for value in sorted(slot.values, key=len, reverse=True):
        words = f" {words} ".replace(f" {folded(value)} ", " ").strip()
    return [v for v in slot.domain if v not in slot.values and mentions(words, v)]


def _states_other_day(text: str, slot: Slot) -> bool:
    """Whether the text names calendar days, and none of them is the user's."""
    wanted = {day for value in slot.values for day in _days_in(value)}
    named = _days_in(text)
    return bool(wanted) and bool(named) and not wanted & named


def _states_other_weekday(text: str, slot: Slot, chosen: Collection[int]) -> bool:
    """Whether the text names one weekday, and it is none of the user's.

    "Done, it is now on Tuesday" contradicts "Thursday"; "Monday to Saturday" are opening hours. A
    user that books for Tuesday and then moves to Thursday has chosen both.
    """
    wanted = any(weekdays_in(value) for value in slot.values)
    named = weekdays_in(text)
    return wanted and len(named) == 1 and named.isdisjoint(chosen)


def weekdays_in(text: str) -> set[int]:
    """Return the weekdays that a text names, 0 for Monday."""
    weekdays: set[int] = set()
    for span in date_spans(text)[:_MOST_DAYS]:
        if span.certainty >= 1:
            continue
        days = [parse_date(span.text, today, "any", True) for today in (_ANY_DAY, _NEXT_DAY)]
        # a weekday is the same one whatever day it is today, which "tomorrow" is not
        named = {day.weekday() for day in days if day is not None}
        weekdays |= named if len(named) == 1 else set()
    return weekdays


def _days_in(text: str) -> set[tuple[int, int]]:
    """The calendar days in a text as month and day, numeric ones read either way."""
    days = [
        _day_named(span.text, day_first)
        for span in date_spans(text)[:_MOST_DAYS]
        if span.certainty >= 1
        for day_first in (True, False)
    ]
    return {(day.month, day.day) for day in days if day is not None}


def _day_named(text: str, day_first: bool) -> date | None:
    """The day that a text names, in English or Spanish, else in any language: "9. März 2027"."""
    day = parse_date(text, _ANY_DAY, "English", day_first)
    named = any(char.isalpha() for char in text)
    return parse_date(text, _ANY_DAY, "any", day_first) if day is None and named else day


def _states_other_number(text: str, slot: Slot) -> bool:
    """Whether another number stands before a word that stands beside the user's own one.

    "3 cans of coke" contradicts "2 cans of coke".
    """
    beside = slot.near | (slot.own - {"~number"})
    return any(
        number < _LARGEST_COUNT and concepts(thing) & beside and str(number) not in slot.values
        for number, thing in counted_things(text)
    )


_LARGEST_COUNT = 10**6


def times_named(text: str) -> frozenset[str]:
    """Return the times of day that a text names, by the clock of 24 hours: "13:00" of "1 pm"."""
    return frozenset(time for span in find_times(text) for time in clock_times(span.text))


def counted_things(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers of a text, each with the word that it counts: "6 adults", "Adults: 6"."""
    # "at 10:30 two boats" counts boats, and no 30 of them
    rest = re.sub(r"\d{1,2}[:.]\d\d", " ", text)
    for match in _COUNT_LINE.finditer(rest):
        yield int(match[2]), match[1].split()[-1]
    for line in _COUNT_LINE.sub("\n", rest).splitlines():
        for match in re.finditer(r"(?<![\w$€£.,:/-])(\d{1,6})\s+([^\W\d_]+)", line):
            yield int(match[1]), match[2]
        words = folded(line)
        for span in spelled_numbers(words):
            after = words[span.end :].split()
            spelled = words[span.start : span.end]
            if after and spelled and not spelled.isdigit():
                yield int(span.value), after[0]


_COUNT_LINE = re.compile(
    r"(?:^|(?<=[,;]))[ \t\W]*([^\W\d_][^\W\d_ ]*(?: [^\W\d_]+){0,3}):"
    r"[ \t]*(\d{1,6})[ \t]*(?=$|[,;])",
    re.MULTILINE,
)
"""A label with its count: "Adults: 6", "Adults: 6, Children: 0"."""


# "the soup and then the fish" are two answers, one after the other.
_SEQUENCE = re.compile(
    r",?\s(?:and then|and afterwards|then|und dann|danach|y luego|y después|et puis|puis|e poi"
    r"|e depois)\s",
    re.IGNORECASE,
)


def in_sequence(text: str) -> tuple[str, ...]:
    """Return the things that a value wants one after the other: "the red one and then the blue"."""
    return tuple(part.strip(" ,") for part in _SEQUENCE.split(text) if part.strip(" ,"))
