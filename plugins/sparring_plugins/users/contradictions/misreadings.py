"""Values that the user gave and the app reads back as others: an option, a day, a weekday."""

import itertools
import re
from collections.abc import Iterator, Sequence
from datetime import date

from sparring_plugins.language.candidates import date_spans, find_times, parse_date
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.users.agenda.app_reply import is_no, is_yes
from sparring_plugins.users.agenda.formats import is_day_first
from sparring_plugins.users.agenda.open_form import is_complaint
from sparring_plugins.users.contradictions.messages import Contradiction, Message, contradiction
from sparring_plugins.users.contradictions.moments import weekdays_of
from sparring_plugins.users.contradictions.words import contradiction_words, names_any

_ANY_DAY = date(2000, 1, 1)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_LEAST_OPTIONS = 2
_SHORTEST = 3


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
        chosen = folded(answer.said)
        if chosen not in options or is_complaint(answer.reply) or answer.reply.turns_down:
            continue
        for summary in _summaries(messages, answer.index - 1):
            if _is_answered_again(messages, asked, answer, summary):
                break
            text = folded(_stated(summary))
            others = [o for o in options if _names_option(text, o) and o not in chosen]
            if len(others) != 1 or _names_option(text, chosen) or chosen in others[0]:
                continue
            if _was_said(messages, others[0], summary) or _was_given_first(messages, text, asked):
                continue
            message = f'The user chose "{answer.said}", and the summary has "{others[0]}"'
            places = (answer.index, answer.said), (summary.index, summary.text)
            yield contradiction("other_value", message, *places)
            break


def _stated(message: Message) -> str:
    return "\n".join((*message.reply.statements, *(q.text for q in message.reply.questions)))


def _options_of(asked: Message) -> list[str]:
    """The options, folded, of the one question of a message; none if they are yes and no."""
    questions = [question for question in asked.reply.questions if question.kind == "select"]
    if len(questions) != 1:
        return []
    options = [folded(option) for option in questions[0].options]
    plain = all(len(option) >= _SHORTEST and not option.isdigit() for option in options)
    polar = any(is_yes(option) or is_no(option) for option in options)
    return options if len(options) >= _LEAST_OPTIONS and plain and not polar else []


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


def _was_said(messages: Sequence[Message], option: str, summary: Message) -> bool:
    """Whether the user said an option at any time before a summary."""
    said = (folded(message.said) for message in messages if message.index <= summary.index)
    return any(_names_option(text, option) for text in said)


def _was_given_first(messages: Sequence[Message], text: str, asked: Message) -> bool:
    """Whether what stands in a summary beside the options was there before they were offered.

    "Room: 2.04, large room" may name a word of an option for another reason.
    """
    earlier = (folded(m.text) for m in messages if m.index < asked.index)
    return text in earlier


# --- Days


def misread_days(messages: Sequence[Message]) -> Iterator[Contradiction]:
    """Find summaries with a day that nobody has named, in place of the one that the user gave.

    "When? (DD/MM/YYYY)" with "05/04/2027", and "Moving in: 4 May 2027. Is that right?".
    """
    for asked, answer in itertools.pairwise(messages):
        given = _days(answer.said, day_first=is_day_first(asked.text))
        if len(given) != 1 or is_complaint(answer.reply) or answer.reply.turns_down:
            continue
        known = {
            day
            for message in messages
            if message.index <= asked.index
            for day in _days(message.text, day_first=None)
        }
        for summary in _summaries(messages, answer.index - 1):
            later = [m for m in messages if answer.index < m.index <= summary.index]
            said = {day for m in later for day in _days(m.said, day_first=None)}
            stated = _days(_stated(summary), day_first=None)
            if said - given:
                break
            if len(stated) != 1 or stated & (given | known):
                continue
            (was,), (became,) = given, stated
            message = f"The user said {was:%d %B %Y}, and the summary has {became:%d %B %Y}"
            places = (answer.index, answer.said), (summary.index, summary.text)
            yield contradiction("other_value", message, *places)
            break


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
        asks = any(question.kind in ("open", "select") for question in asked.reply.questions)
        if len(given) != 1 or not asks or answer.reply.turns_down or is_complaint(answer.reply):
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
