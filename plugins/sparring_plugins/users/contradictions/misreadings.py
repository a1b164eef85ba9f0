"""Values that the user gave and the app reads back as others: an option, a day, a weekday."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from sparring_plugins.language.candidates import date_spans, find_times, parse_date
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.profile.formats import is_day_first
from sparring_plugins.users.agenda.replies.app_reply import is_no, is_yes
from sparring_plugins.users.agenda.state.open_form import is_complaint
from sparring_plugins.users.contradictions.messages import (
    Contradiction,
    Message,
    contradiction,
    contradiction_words,
    names_any,
)
from sparring_plugins.users.contradictions.moments import clock, weekdays_of

_ANY_DAY = date(2000, 1, 1)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_LEAST_OPTIONS = 2
"""Options without which a question leaves no choice."""
_SHORTEST = 3
_LONGEST_OPTION = 20


def _summaries(messages: Sequence[Message], since: int) -> Iterator[Message]:
    """The messages after a turn that read something back for a yes."""
    for message in messages:
        if message.index > since and message.reply.asks("confirm") and message.reply.statements:
            yield message


def replaced_choices(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find summaries with another of the options than the one that the user chose.

    "08:30, 10:15, 14:00 or 16:45?" with "14:00", and "on Tuesday at 16:45. Is that right?".
    """
    for asked, answer in itertools.pairwise(messages):
        options = _options_of(asked)
        if folded(answer.said) not in options or not _is_taken(answer):
            continue
        for summary in _summaries(messages, answer.index - 1):
            if _is_answered_again(messages, asked, answer, summary):
                break
            other = _other_option(folded(_stated(summary)), folded(answer.said), options)
            if other is not None and not _is_known(messages, other, asked, summary):
                message = f'The user chose "{answer.said}", and the summary has "{other}"'
                places = (answer.index, answer.said), (summary.index, summary.text)
                yield contradiction("other_value", message, *places)
                break


def _is_taken(answer: Message) -> bool:
    """Whether the app neither complains about an answer nor refuses it."""
    return not is_complaint(answer.reply) and not answer.reply.turns_down


def _other_option(text: str, chosen: str, options: Sequence[str]) -> str | None:
    """The one option that a folded text names in place of the chosen one; None if it is there."""
    if _names_option(text, chosen):
        return None
    named = [option for option in options if _names_option(text, option)]
    others = [option for option in named if option not in chosen and chosen not in option]
    return others[0] if len(others) == 1 and len(named) == 1 else None


def _stated(message: Message) -> str:
    return "\n".join((*message.reply.statements, *(q.text for q in message.reply.questions)))


def _options_of(asked: Message) -> list[str]:
    """The options, folded, of the one question of a message; none if they are yes and no."""
    questions = [question for question in asked.reply.questions if question.kind == "select"]
    if len(questions) != 1:
        return []
    options = [folded(option) for option in questions[0].options]
    # "We have rolls for $1.20, pies for $9.00" may be read as a list of prices, no options
    amounts = any(find_money(option) and option[0] in "$£€" for option in questions[0].options)
    plain = all(len(option) >= _SHORTEST and not option.isdigit() for option in options)
    polar = any(is_yes(option) or is_no(option) for option in options)
    usable = len(options) >= _LEAST_OPTIONS and plain and not polar and not amounts
    return options if usable else []


def _names_option(text: str, option: str) -> bool:
    return f" {option} " in f" {text} "


def _is_answered_again(
    messages: Sequence[Message], asked: Message, answer: Message, summary: Message
) -> bool:
    """Whether the same question was put once more before a summary."""
    words = {question.words for question in asked.reply.questions}
    return any(
        question.words in words
        for message in messages
        if answer.index <= message.index < summary.index
        for question in message.reply.questions
    )


def _is_known(messages: Sequence[Message], option: str, asked: Message, summary: Message) -> bool:
    """Whether the user said an option before a summary, or the app named it before it offered it.

    "What shall I change: date, days or trailer?" offers no values: the summary before it has the
    trailer in it, too.
    """
    said = [folded(message.said) for message in messages if message.index <= summary.index]
    said += [folded(message.text) for message in messages if message.index < asked.index]
    return any(_names_option(text, option) for text in said)


# --- Days


def misread_days(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find summaries with a day that nobody has named, in place of the one that the user gave.

    "When? (DD/MM/YYYY)" with "05/04/2027", and "Moving in: 4 May 2027. Is that right?".
    """
    for asked, answer in itertools.pairwise(messages):
        given = _days(answer.said, day_first=is_day_first(asked.text))
        if len(given) != 1 or not _is_taken(answer):
            continue
        known = _days_of(m.text for m in messages if m.index <= asked.index)
        for summary in _summaries(messages, answer.index - 1):
            if _days_of(_said_between(messages, answer, summary)) - given:
                break
            stated = _days(_stated(summary), day_first=None)
            if len(stated) == 1 and not stated & (given | known):
                (was,), (became,) = given, stated
                text = f"The user said {was:%d %B %Y}, and the summary has {became:%d %B %Y}"
                places = (answer.index, answer.said), (summary.index, summary.text)
                yield contradiction("other_value", text, *places)
                break


def _said_between(messages: Sequence[Message], answer: Message, summary: Message) -> list[str]:
    return [m.said for m in messages if answer.index < m.index <= summary.index]


def _days_of(texts: Iterable[str]) -> set[date]:
    return {day for text in texts for day in _days(text, day_first=None)}


def _days(text: str, *, day_first: bool | None) -> set[date]:
    """The days with their years in a text; numeric ones either way if the order is not known."""
    days: set[date] = set()
    for span in date_spans(text):
        if span.certainty < 1 or not _YEAR.search(span.text):
            continue
        orders = (True, False) if day_first is None else (day_first,)
        read = {_parse(span.text, first) for first in orders}
        days |= {day for day in read if day is not None}
    return days


def _parse(text: str, day_first: bool) -> date | None:
    return parse_date(text, _ANY_DAY, "English", day_first) or parse_date(
        text, _ANY_DAY, "any", day_first
    )


# --- Weekdays


def misread_weekdays(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find replies that take another weekday than the one that the user just gave.

    "Which day?" with "Thursday", answered by "Tuesday, fine. At what time?".
    """
    for asked, answer in itertools.pairwise(messages):
        given = weekdays_of(answer.said)
        if len(given) != 1 or not asked.reply.asks("open", "select") or not _is_taken(answer):
            continue
        first = next(iter(sentences(answer.text)), "")
        if _takes_other_day(first, given) and given[0] not in weekdays_of(answer.text):
            message = f"The user said {given[0]}, and the reply has {weekdays_of(first)[0]}"
            places = (answer.index, answer.said), (answer.index, answer.text)
            yield contradiction("other_value", message, *places)


def _takes_other_day(sentence: str, given: Sequence[str]) -> bool:
    """Whether a sentence names one other weekday, and neither refuses nor speaks of hours."""
    lists = contradiction_words()
    days = weekdays_of(sentence)
    refuses = names_any(sentence, lists.closed) or names_any(sentence, lists.exceptions)
    denies = names_any(sentence, lists.lacks) or names_any(sentence, lists.other_moments)
    return (
        len(days) == 1
        and days[0] not in given
        and not (refuses or denies)
        and "?" not in sentence
        and not find_times(sentence)
    )


# --- Hours


def misread_hours(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find summaries with an hour that nobody has named, in place of the one that the user gave.

    "14:45" or "afternoon (3 pm)", and "Departure: 02:45" or "at 3 am" in the summary.
    """
    for asked, answer in itertools.pairwise(messages):
        given = _given_hour(asked, answer)
        if given is None or not _is_taken(answer):
            continue
        known = {hour for m in messages if m.index <= asked.index for hour in _hours(m.text)}
        for summary in _summaries(messages, answer.index - 1):
            if _proposes_other(summary):
                break
            said = {
                hour for text in _said_between(messages, answer, summary) for hour in _hours(text)
            }
            stated = set(_hours(_stated(summary)))
            if said or _is_answered_again(messages, asked, answer, summary):
                break
            if len(stated) == 1 and not stated & (known | set(_readings_of(given))):
                message = f"The user chose {given}, and the summary has {stated.pop()}"
                places = (answer.index, answer.said), (summary.index, summary.text)
                yield contradiction("other_value", message, *places)
                break


def _proposes_other(summary: Message) -> bool:
    """Whether a summary offers something else: "I was unable to book that. At 12 pm then?"."""
    lists = contradiction_words()
    refused = names_any(summary.text, (*lists.closed, *lists.unable))
    return refused or summary.reply.turns_down or is_complaint(summary.reply)


def _given_hour(asked: Message, answer: Message) -> str | None:
    """The one hour of an answer, or of the option in the question that it names."""
    hours = _hours(answer.said)
    if not hours and 0 < len(folded(answer.said)) <= _LONGEST_OPTION:
        # "morning (9 am), afternoon (3 pm) or evening (7 pm)?"
        pattern = rf"\b{re.escape(answer.said.strip())}\s*\(([^()\n]{{1,20}})\)"
        hours = [hour for m in re.finditer(pattern, asked.text, re.I) for hour in _hours(m[1])]
    return hours[0] if len(hours) == 1 else None


def _hours(text: str) -> list[str]:
    return [clock(span.text) for span in find_times(text) if span.certainty >= 1]


def _readings_of(hour: str) -> tuple[str, ...]:
    """The hours that a clock time may mean: "7:30" in the evening is 19:30."""
    number, minutes = int(hour[:2]), hour[2:]
    return (hour, f"{number + 12:02d}{minutes}") if number < 12 else (hour,)


# --- Days that there are not


def impossible_days(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find days that no calendar has and that the app takes from the user: 31 April 2027."""
    lists = contradiction_words()
    for answer in messages:
        if is_complaint(answer.reply) or answer.reply.fallback:
            continue
        for span in date_spans(answer.said):
            if not _is_impossible(span.text):
                continue
            for message in messages[answer.index :]:
                repeated = [
                    part
                    for line in message.text.split("\n")
                    for part in sentences(line)
                    if _names_option(folded(part), folded(span.text))
                ]
                # "31 April does not exist" repeats it, too
                if not repeated or is_complaint(message.reply):
                    continue
                denied = (*lists.lacks, *lists.existence, *lists.closed)
                if not any(names_any(part, denied) for part in repeated):
                    text = f"There is no {span.text}, and the app takes it"
                    places = (answer.index, answer.said), (message.index, message.text)
                    yield contradiction("no_such_day", text, *places)
                    break


def _is_impossible(written: str) -> bool:
    """Whether a date would be one if its day were the first of the month."""
    if not _YEAR.search(written) or any(_parse(written, first) for first in (True, False)):
        return False
    first = re.sub(r"\b(?:29|30|31)\b", "1", written, count=1)
    return first != written and _parse(first, True) is not None
