"""Counts that an app offers to choose from: "How many guests? 1, 2, 3, 4"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.answers.form_answers import answer_open_form, most_allowed
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.option_wishes import option_leading_on
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.words.knowledge import says

_FEWEST = 2
_OWN = ("gives what is asked for", "wants none of it")
"""Reasons of an answer that the profile has, and that is no guess."""


@dataclass(frozen=True, slots=True)
class _Span:
    low: float
    high: float


def count_chosen(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the choice of a count that the profile has, or the count itself; None without one.

    Six guests are "5 or more" of "1, 2, 3, 4, 5 or more", and "Other" of "1, 2, 4, Other". Where
    neither is there, six is said: many apps show only the usual counts as buttons, and a smaller
    count would be another wish. An app that turns six down gets the greatest that it names.
    """
    options = form.question.options
    asked = _count_asked_beside(state, form)
    if asked is not None:
        return asked
    spans = [_span_of(option) for option in options]
    known = [span for span in spans if span is not None]
    if len(known) < max(_FEWEST, len(options) - 1):
        return None
    wanted = _count_wanted(state, form)
    if wanted is None:
        return None
    chooser = Chooser(state, form.question, form.reply)
    fitting = [at for at, span in enumerate(spans) if span and span.low <= wanted[0] <= span.high]
    if len(fitting) == 1:
        return chooser.take(fitting[0], "is as many as it wants")
    other = option_leading_on(options)
    if other is not None and spans[other] is None:
        return chooser.take(other, "wants another number")
    return _count_not_offered(state, form, wanted, spans)


def _count_asked_beside(state: DialogueState, form: OpenForm) -> Answer | None:
    """The count that an app asks for beside another choice: "A tent, or how many rooms?"."""
    leads = tuple(f"{word} " for word in map(folded, asking_words().how_many))
    options = [folded(option) for option in form.question.options]
    counting = [option for option in options if option.startswith(leads)]
    if len(counting) != 1 or form.reply.choices:
        return None
    profile = folded("\n".join((*(goal.words for goal in state.goals), *state.background)))
    others = [option for option in options if option not in counting]
    named = next((option for option in others if contains(profile, option)), None)
    if named is not None:
        return Answer(named, "is what the profile says", exact=True)
    question = replace(form.question, text=f"{counting[0]}?", kind="open", options=(), marks=())
    return answer_open_form(state, replace(form, question=question))


def _count_not_offered(
    state: DialogueState, form: OpenForm, wanted: tuple[int, str], spans: Sequence[_Span | None]
) -> Answer:
    """The count itself; once it was turned down, the most that the app allows or names."""
    last = state.memory.last
    if not state.times or last is None:
        return Answer(wanted[1], "gives what is asked for", exact=True)
    limit = most_allowed(str(wanted[0]), form, last.text)
    if limit is not None:
        return Answer(limit, "takes as many as the app allows", exact=True)
    greatest = max(range(len(spans)), key=lambda at: _greatest(spans[at]))
    return Chooser(state, form.question, form.reply).take(greatest, "takes the most there is")


def _count_wanted(state: DialogueState, form: OpenForm) -> tuple[int, str] | None:
    """What the profile answers to the question without its options, if that is a count."""
    question = replace(form.question, kind="open", options=(), marks=())
    reply = replace(form.reply, choices=())
    given = state.memory.acts[form.since + 1 :]
    count = next((span for span in map(_span_of, given) if span is not None), None)
    if count is not None:  # it was said before, and turned down
        return int(count.low), str(int(count.low))
    answer = answer_open_form(state, replace(form, question=question, reply=reply))
    if answer is None or answer.reason not in _OWN:
        return None
    span = _span_of(answer.text)
    if span is not None and span.low == span.high:
        return int(span.low), answer.text
    spelled = spelled_numbers(folded(answer.text))
    if len(spelled) != 1 or spelled[0].value != int(spelled[0].value):
        return None
    return int(spelled[0].value), str(int(spelled[0].value))


def _span_of(option: str) -> _Span | None:
    """The counts that an option stands for: "3 guests", "3-4", "5+", "5 or more"; else None."""
    match = _COUNTS.fullmatch(option.strip())
    if match is None:
        return None
    low = int(match[1])
    if match[2]:
        return _Span(low, int(match[2]))
    is_open = bool(match[3]) or says(folded(option), "or_more")
    return _Span(low, inf if is_open else low)


def _greatest(span: _Span | None) -> float:
    return span.high if span is not None else 0


_COUNTS = re.compile(r"(\d{1,3})(?:\s?[-\u2013]\s?(\d{1,3})|\s?(\+))?(?:\s[^\W\d]+){0,3}")
"""A count, a span of counts or the least of them, and up to three words after it."""
