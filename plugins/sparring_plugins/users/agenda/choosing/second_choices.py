"""What somebody takes where the first choice cannot be had: another time, another name.

"if one o'clock is full you join the latest session" chooses 15:30 of 10:30, 13:00 and 15:30 after
"Sorry, 13:00 is sold out.": the option that was refused often stands among the others again.
"""

import re
from collections.abc import Sequence

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.users.agenda.choosing.choices import Chooser
from sparring_plugins.users.agenda.choosing.conditional_wishes import (
    concerns,
    conditional_wishes,
)
from sparring_plugins.users.agenda.choosing.option_wishes import moment_of, rank_words
from sparring_plugins.users.agenda.profile.conditions import (
    concessions,
    condition_words,
    names_span,
    second_choice_of_goal,
    takes_extreme,
    takes_most,
)
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.relative_days import names_day_by_another
from sparring_plugins.users.agenda.profile.value_finders import values_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.value_matching import times_named
from sparring_plugins.users.agenda.words.knowledge import says

_RANKS = (("earliest", min), ("first_left", min), ("latest", max), ("last_left", max))
_REASON = "takes its second choice"


def fallback_answer(state: DialogueState, last: AppReply) -> Answer | None:
    """Return what the profile takes instead, if the app has just named it: a moment or a name.

    "if Ida is away that day, take Olga" answers "Ida is off on Friday. Olga would be here.", and
    not "Who shall it be, Ida or Olga?", which still offers what is wanted most.
    """
    moment = _second_moment(state, last) or _nearest_allowed(state, last)
    if moment is not None:
        return moment
    for wish in conditional_wishes(state.task.context):
        named = _name_in(wish.wish, last.text) if wish.fails else None
        if named is None or _was_said(state, named) or _offers_first_wish(state, last):
            continue
        if concerns(wish, last) or last.turns_down:
            words = folded(named)
            pressed = next((c for c in last.choices if contains(folded(c.label), words)), None)
            reason = "takes what the profile wants in this case"
            return Answer(named, reason, pressed, exact=True)
    return None


def _was_said(state: DialogueState, name: str) -> bool:
    return any(contains(act, folded(name)) for act in state.memory.acts)


def _name_in(wish: str, text: str) -> str | None:
    """The name of its own in a wish that a text has, too, or None."""
    if names_day_by_another(wish):
        return None  # "am Tag darauf" names nobody called Tag
    leads = {folded(word) for word in condition_words("wish_leads")}
    for span in date_spans(wish):
        wish = wish.replace(span.text, " ")  # "Friday 7 May" is a day as a whole
    names = [match[0] for match in _NAME.finditer(wish) if folded(match[0]) not in leads]
    return next((name for name in names if contains(folded(text), folded(name))), None)


_NAME = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w'\u2019-]+(?: [A-ZÀ-ÖØ-Þ][\w'\u2019-]+)*")
"""Names begin with a capital: Olga of "if Ida is away that day, take Olga"."""


def _offers_first_wish(state: DialogueState, reply: AppReply) -> bool:
    """Whether an option is a value of the goals: then it can be had."""
    wanted = [value.text for value in state.values if value.slot or not value.rank]
    options = [folded(option) for option in (*reply.menu, *reply.options)]
    named = (folded(text) for text in wanted if not text.isdigit())
    return any(
        contains(option, text) and len(option) < _LONG for text in named for option in options
    )


_LONG = 60
"""Letters from which on an option is a sentence, which may name what cannot be had."""


def _second_moment(state: DialogueState, reply: AppReply) -> Answer | None:
    """The answer that takes another day or time of day, as the profile says; else None."""
    if not reply.turns_down:
        return None
    goals = (goal.phrase or goal.words for goal in state.goals if not goal.asks)
    wishes = concessions((*state.task.context, *goals))
    question = next((q for q in reversed(reply.questions) if len(q.options) > 1), None)
    labels = tuple(choice.label for choice in reply.choices)
    options = labels or (question.options if question is not None else ())
    place = _place_of(wishes, options, state.memory.acts, state.task.language)
    if place is None:
        return None
    if place < len(reply.choices):
        return Answer("", _REASON, reply.choices[place])
    return Chooser(state, question, reply).take(place, _REASON) if question is not None else None


def _place_of(
    wishes: Sequence[str], options: Sequence[str], refused: Sequence[str], language: str
) -> int | None:
    """The place of the option that the first wish chooses, without those that were refused."""
    moments = [at for at, option in enumerate(options) if find_times(option) or date_spans(option)]
    left = [at for at in moments if folded(options[at]) not in refused]
    if not left or len(moments) < len(options) - 1:  # "Other times" may stand among them
        return None
    for wish in wishes:
        named = _named_in(wish, [options[at] for at in left], language)
        if named is not None:
            return left[named]
        words = folded(wish)
        ranks = [
            choose
            for rank, choose in _RANKS
            if any(contains(words, word) for word in rank_words(rank))
        ]
        if len(set(ranks)) == 1:
            return ranks[0](left, key=lambda at: (*moment_of(options[at], language), at))
    return None


def _named_in(wish: str, options: Sequence[str], language: str) -> int | None:
    """The only option with the times of day or the day that a wish names, or None."""
    times = times_named(wish)
    days = days_in(wish, language)
    fitting = [
        at
        for at, option in enumerate(options)
        if (times or days)
        and (not times or times & times_named(option))
        and (not days or days & days_in(option, language) or not days_in(option, language))
    ]
    return fitting[0] if len(fitting) == 1 else None


# --- The nearest that an app accepts


def second_choices(state: DialogueState) -> list[str]:
    """Return what goals and context take besides: "the earliest possible", "the lowest"."""
    goals = (second_choice_of_goal(goal.phrase or goal.words) for goal in state.goals)
    return [*(text for text in goals if text), *concessions(state.background)]


def _nearest_allowed(state: DialogueState, last: AppReply) -> Answer | None:
    """The limit that an app names after a value, for somebody who takes that; else None.

    "2 June" and "The earliest day is 5 June." are followed by 5 June without a new question.
    """
    act = state.memory.acts[-1] if state.memory.acts else ""
    kinds = frozenset(kind for kind, _, _ in values_in(act))
    wish = next((text for text in second_choices(state) if takes_extreme(text)), None)
    if wish is None or not kinds or len(act.split()) > _BARE:
        return None  # a whole sentence was no answer that is now corrected
    nearest = nearest_named(state, last, _alike(kinds), wish)
    if nearest is None or last.choices:
        return None
    return Answer(nearest, "takes the nearest that is allowed", exact=True)


_BARE = 8
_AMOUNTS = frozenset({"money", "number"})


def _alike(kinds: frozenset[str]) -> frozenset[str]:
    return kinds | _AMOUNTS if kinds & _AMOUNTS else kinds


def nearest_named(
    state: DialogueState, last: AppReply, accepted: frozenset[str], wish: str
) -> str | None:
    """Return the amount, day or time that an app names as the nearest one, or None.

    Args:
        state: The conversation.
        last: What the app has said.
        accepted: The kinds of values that may be meant; others count if none of these may.
        wish: What the profile takes: "the lowest amount".
    """
    accepted = accepted & _NAMED_KINDS or _NAMED_KINDS
    for sentence in sentences(last.text):
        typed = [text for kind, text, _ in values_in(sentence) if kind in accepted]
        if not typed or not (names_span(sentence) or _names_limit(sentence)):
            continue
        highest = names_span(sentence) and len(typed) > 1 and takes_most(wish)
        nearest = typed[-1] if highest else typed[0]
        if not _was_said(state, nearest):
            return nearest.rstrip(".,;")
    return None


def _names_limit(sentence: str) -> bool:
    """Whether a sentence names what is accepted: "The least we take is £20."."""
    words = folded(sentence)
    return takes_extreme(sentence) or says(words, "limits") or says(words, "or_more")


_NAMED_KINDS = frozenset({"money", "number", "date", "time"})
