"""Reports of what was done that have another number, hour or day than the user asked for.

"I'd like a table for four at 7 pm." and "Your table for 2 is booked for 7 pm." Nothing was asked
and nothing was read back in between, so the report alone shows the fault.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from sparring.model.talk import Observation
from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import stem
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.relative_days import is_of_later_event
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.agenda.settlement.service_reports import opposite_report
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES, phrases
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
)
from sparring_plugins.users.contradictions.moments import clock, weekdays_of

_ANSWER_WORDS = 4
"""Most words of a bare answer to a question: "for 4 people, please"."""


def other_reports(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find reports of something done with another value than the user gave, the only one.

    Nothing is found if the app had named the other value before, perhaps as an offer, or if the
    user gave several of its kind: then nobody knows which one was agreed on.
    """
    for message in messages:
        report = _report(message)
        if not report:
            continue
        asked = _requested(messages[: message.index + 1])
        said_before = " ".join(other.said for other in messages[: message.index + 1])
        of_later = is_of_later_event(report, said_before)
        for what, stated in _values(report).items():
            given, said = asked.get(what, (stated, message))
            if len(given) != 1 or len(stated) != 1 or given == stated:
                continue
            if of_later and what in _MOMENTS:
                continue
            if given & _values(message.text)[what] or _was_named(messages, message, what, stated):
                continue
            text = f'The user said "{said.said}", and the report has {min(stated)}'
            places = (said.index, said.said), (message.index, report)
            yield contradiction("reported", text, *places)
            break


def opposite_reports(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find reports of the opposite of what the user has just asked for.

    "I want to cancel my appointment." and "Booked: Friday at five." A reply that still asks for
    something has not dealt with the wish yet.
    """
    for message in messages:
        asks = any(question.kind != "more" for question in message.reply.questions)
        if asks or message.reply.turns_down or not _is_request(folded(message.said)):
            continue
        report = opposite_report(message.said, message.reply.statements)
        if report is not None:
            text = f'The user said "{message.said}", and the app reports "{report}"'
            yield contradiction(
                "reported", text, (message.index, message.said), (message.index, report)
            )


_MOMENTS = ("the hour", "the weekday", "the day")


def _was_named(messages: Sequence[Message], report: Message, what: str, stated: set[str]) -> bool:
    """Whether anybody had named the value of a report before it, or will ask for it."""
    offered = " . ".join(message.text for message in messages[: report.index])
    said = " . ".join(message.said for message in messages)
    if stated & _values(f"{offered} . {said}").get(what, set()):
        return True
    # "Only 2 places are left, shall I book for 2?" was an offer, whatever its noun
    return bool(stated & set(re.findall(r"\d+", _plain_numbers(offered))))


def _report(message: Message) -> str:
    """What a reply reports as done; empty if it ends something, or only says when it was noted.

    What follows is on other things: "Your subscription is set up. The first month is free, then 2
    months at 10 euros." Only after "Done!" the report is still to come.
    """
    if not message.reply.done:
        return ""
    words = contradiction_words()
    stated = [line for text in message.reply.statements for line in sentences(text)]
    places = [
        at for at, sentence in enumerate(stated) if read_app_reply(Observation(text=sentence)).done
    ]
    end = places[0] + 1 if places else 0
    if places and len(folded(stated[places[0]]).split()) <= _BARE_REPORT:
        end += 1
    report = " ".join(stated[:end])
    other = (*words.cancelled, *words.cancelling, *words.recorded)
    return "" if names_any(folded(report), other) else report


_BARE_REPORT = 2
"""Most words of a report that says nothing else: "All set!"."""


def _requested(messages: Sequence[Message]) -> dict[str, tuple[set[str], Message]]:
    """What the user asked for or answered, by what it is a value of, and where it said so."""
    requested: dict[str, tuple[set[str], Message]] = {}
    for message in messages:
        for sentence in sentences(message.said):
            words = folded(sentence)
            if names_any(words, contradiction_words().cancelling):
                continue
            if len(words.split()) > _ANSWER_WORDS and not _is_request(words):
                continue
            for what, values in _values(sentence).items():
                before = requested.get(what, (set[str](), message))[0]
                requested[what] = before | values, message
    return requested


def _is_request(words: str) -> bool:
    return any(contains(words, wish) for wish in _wishes())


@lru_cache(maxsize=1)
def _wishes() -> tuple[str, ...]:
    books = [phrases(language) for language in LANGUAGES]
    wishes = {folded(wish) for book in books for wish in book.wishing}
    return (*wishes, *map(folded, contradiction_words().requesting))


# --- The values of a text


def _values(text: str) -> Mapping[str, set[str]]:
    """The numbers, hours and days of a text by what they are values of.

    "2 days" has the number of days, "a table for 4" that of the table, "at 7 pm" the hour.
    """
    values: dict[str, set[str]] = defaultdict(set)
    values["the hour"] |= {clock(span.text) for span in find_times(text)}
    values["the weekday"] |= set(weekdays_of(text))
    values["the day"] |= {f"{day}.{month}." for month, day in days_in(text, "English")}
    for match in _counted().finditer(_plain_numbers(text)):
        noun, thing = match["noun"], match["thing"]
        if (match["lead"] or "").lower() in contradiction_words().bounds:
            continue  # "within 5 days" and "up to 3 guests" are limits of the app's
        if noun:
            values[f"the number of {stem(folded(noun))}"].add(match["number"])
        if thing:
            values[f"the {stem(folded(thing))} for"].add(match["number"])
    return values


@lru_cache(maxsize=1)
def _counted() -> re.Pattern[str]:
    """A number with the thing before it ("a table for 4") and the noun behind it ("2 days")."""
    meant_for = "|".join(contradiction_words().meant_for)
    return re.compile(
        rf"(?:(?P<thing>[^\W\d]{{3,}}) (?:{meant_for}) |(?P<lead>[^\W\d]+) )?"
        r"(?<![\w.,/:#-])(?P<number>\d{1,3})(?![\w/:%-]|[.,]\d)(?: (?P<noun>[^\W\d]{3,}))?"
    )


def _plain_numbers(text: str) -> str:
    """A text without days, hours and money, and with its numbers in figures."""
    spans = [(span.start, span.end, " . ") for span in (*date_spans(text), *find_times(text))]
    ranges = [range(start, end) for start, end, _ in spans]
    for number in spelled_numbers(text):
        if number.value > 1 and not any(number.start in place for place in ranges):
            spans.append((number.start, number.end, str(number.value)))
    for start, end, shown in sorted(spans, reverse=True):
        text = text[:start] + shown + text[end:]
    return text
