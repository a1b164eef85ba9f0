"""Questions that a sentence of the app answers in other words, also before they are put.

"A technician arrives in three hours." tells "how quickly the engineer is there", and "£64 a month"
what one pays a month. A sentence counts if it has a value of the kind that is asked for, and is
about the same thing or the same event.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import (
    date_spans,
    find_durations,
    find_times,
)
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import has_cue, stem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.stances import with_same_root
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import word_lists


class ToldWords(BaseModel):
    """The word lists of told answers: see the comments of `told_answers.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: tuple[str, ...]
    day: tuple[str, ...]
    cost: tuple[str, ...]
    why: tuple[str, ...]
    reasons: tuple[str, ...]
    needs: tuple[str, ...]
    moments: tuple[str, ...]
    nothing_to_pay: tuple[str, ...]
    fillers: tuple[str, ...]
    verifying: tuple[str, ...]
    right: tuple[str, ...]
    went_through: tuple[str, ...]
    done: tuple[str, ...]
    events: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1)
def _words() -> ToldWords:
    data = bundled_yaml("sparring_plugins.users.agenda.settlement", "told_answers.yaml")
    return ToldWords.model_validate(data)


def is_told(
    goal: UserGoal, stated: Sequence[str], service: str = "", *, asked: bool = False
) -> bool:
    """Return whether one of some sentences tells what a question wants to know.

    Args:
        goal: The question.
        stated: The sentences, without questions of the app.
        service: The words of the service that has just been done: "does the change cost anything?"
            after "move my appointment" is answered by the price in its read-back.
        asked: Whether the app has not understood the question, so that the user looks for an
            answer in what it said before.
    """
    words = folded(goal.words)
    if any(f"{folded(goal.phrase)} ".startswith(f"{lead} ") for lead in _words().verifying):
        return any(_verifies(goal, text, service) for text in stated)
    if _asks(words, _words().when):
        return _tells_when(goal, stated, service, asked=asked)
    if _asks(words, _words().cost):
        return any(_names_price(text) and _is_about(goal, text) for text in stated) or (
            _is_price_of(goal, stated, service)
        )
    return False


def _tells_when(goal: UserGoal, stated: Sequence[str], service: str, *, asked: bool) -> bool:
    only_day = _asks(folded(goal.words), _words().day)
    moments = [text for text in stated if _names_moment(text, only_day=only_day)]
    # "which day is noted now" names no thing: the day of what has been done is meant
    bare = asked and bool(service) and not _subject(goal)
    return any(
        bare or _is_about(goal, text) or (asked and _is_same_event(goal, text, service))
        for text in moments
    )


def _verifies(goal: UserGoal, text: str, service: str) -> bool:
    """Whether a sentence says that something is as a goal wants to make sure.

    "Stay T-88 is cancelled now." for "make certain that the stay has been cancelled", and the day
    of the service for "make sure that the day is correct".
    """
    words, stated = folded(goal.words), folded(text)
    if has_cue(stated, "deny") or text.rstrip().endswith("?"):
        return False
    if _asks(words, _words().right):
        days = days_in(service, goal.language) & days_in(text, goal.language)
        times = {span.text for span in find_times(service)} & {s.text for s in find_times(text)}
        return bool(days or times)
    if _asks(words, _words().went_through):
        return _asks(stated, _words().done)
    deed = words.split()[-1]
    return len(deed) > _DEED and any(stem(word) == stem(deed) for word in stated.split())


_DEED = 4
"""Letters of a word that is no participle: "make sure that they know"."""


def asks_why(goal: UserGoal) -> bool:
    """Return whether a question wants a reason: "find out why it is not possible"."""
    words = f"{folded(goal.words)} "
    return goal.asks and any(words.startswith(f"{cue} ") for cue in _words().why)


def gives_reason(stated: Sequence[str]) -> bool:
    """Return whether a sentence says why: "I may not repeat it: the vet has to see Rex first"."""
    return any(
        _asks(words, _words().reasons) or (has_cue(words, "deny") and _asks(words, _words().needs))
        for words in map(folded, stated)
    )


def parts_told(goal: UserGoal) -> tuple[str, str] | None:
    """Return the thing and the question of "get a number for it and find out when it comes"."""
    match = _THING_AND_QUESTION.match(goal.words)
    return None if match is None or goal.language != "English" else (match[1], match[2])


_THING_AND_QUESTION = re.compile(
    r"(.+?),? and (?:then )?(?:find out|ask|learn|see|check|know) (?:\w+ )?"
    r"((?:when|how|what|whether|where|until|by|from|on)\b.+)"
)


def _asks(words: str, cues: Sequence[str]) -> bool:
    return any(contains(words, cue) for cue in cues)


def _names_moment(text: str, *, only_day: bool) -> bool:
    # "emptied once a week" names no day of the week
    others = () if only_day else (*find_times(text), *find_durations(text))
    return bool(date_spans(text) or others) or _asks(folded(text), _words().moments)


def _names_price(text: str) -> bool:
    return bool(find_money(text)) or _asks(folded(text), _words().nothing_to_pay)


def _subject(goal: UserGoal) -> frozenset[str]:
    """The names of what is asked about, without those that only ask."""
    words = _words()
    lists = (*knowledge().of_questions, *words.when, *words.cost, *words.fillers)
    names = {name for name in names_in(goal.words) if not name.startswith("~")}
    asking = names_in(" ".join((*lists, *word_lists().answer_kinds)))
    return frozenset(names) - asking - word_lists().generic_concepts


def _is_about(goal: UserGoal, text: str) -> bool:
    """Whether a sentence has at least half of the names of what is asked about."""
    subject = _subject(goal)
    return bool(subject) and len(with_same_root(subject, names_in(text))) >= len(subject) / 2


def _is_same_event(goal: UserGoal, text: str, service: str) -> bool:
    """Whether a sentence has the event of a question, and not that of another thing.

    "A technician arrives in three hours." tells how quickly the engineer is there; "The vase
    arrives on 3 May.", about a vase that was ordered, does not tell when the bus comes.
    """
    words = folded(goal.words)
    event = next((event for event in _words().events if _asks(words, event)), None)
    if event is None or not _asks(folded(text), event):
        return False
    return not with_same_root(names_in(text), names_in(service) - names_in(" ".join(event)))


def _is_price_of(goal: UserGoal, stated: Sequence[str], service: str) -> bool:
    """Whether a question for the price of the service itself meets the one price that is named."""
    subject = _subject(goal)
    prices = {span.text for text in stated for span in find_money(text)}
    served = names_in(service)
    return bool(service) and len(prices) == 1 and subject == with_same_root(subject, served)
