"""What an app proposes in place of something it cannot do, and whether the profile takes it.

"Would Monday work for you instead?" is a yes for somebody who comes "a day later if the day is not
possible", or "is flexible"; a no for somebody who comes earlier then.
"""

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.conditional_wishes import conditional_wishes
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.state.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.state.open_form import OpenForm

# A leap year, so that "29 February" is a day like others; only distances between days are asked.
_ANY_YEAR = 2000


def takes_alternative(state: DialogueState, form: OpenForm) -> bool | None:
    """Return whether the profile takes what a question proposes instead; None if it says nothing.

    Args:
        state: The conversation.
        form: A yes-or-no question after the app has turned something down.
    """
    question, language = form.question, state.task.language
    proposed = days_in(question.text, language)
    if not form.reply.turns_down and not _says(question.words, "instead"):
        return None
    wanted = _days_wanted(state)
    # a question for the day that was wanted anyway is no alternative
    if not proposed or not wanted or proposed & wanted:
        return None
    wishes = [wish.wish for wish in conditional_wishes(_texts(state)) if wish.fails]
    wishes += [text for text in _texts(state) if _says(folded(text), "flexible")]
    return next(
        (t for wish in wishes if (t := _fits(wish, proposed, wanted, language)) is not None), None
    )


def _fits(
    wish: str,
    proposed: frozenset[tuple[int, int]],
    wanted: frozenset[tuple[int, int]],
    language: str,
) -> bool | None:
    named = days_in(wish, language)
    if named:
        return bool(named & proposed)
    words = folded(wish)
    # "any later day is fine" takes 6 May for 4 May, and not 3 May
    later = all(_day(day) > max(map(_day, wanted)) for day in proposed)
    if _says(words, "later"):
        return later
    if _says(words, "earlier"):
        return not later
    if _says(words, "flexible") or not names_in(wish):
        return True
    return None


def _texts(state: DialogueState) -> Sequence[str]:
    return (*state.task.context, *(goal.phrase or goal.words for goal in state.goals))


def _days_wanted(state: DialogueState) -> frozenset[tuple[int, int]]:
    texts = [value.text for value in state.values if "date" in value.kinds and not value.rank]
    return frozenset(day for text in texts for day in days_in(text, state.task.language))


def _day(day: tuple[int, int]) -> date:
    return date(_ANY_YEAR, *day)


def _says(words: str, what: str) -> bool:
    return any(contains(words, phrase) for phrase in _phrases(what))


@lru_cache(maxsize=8)
def _phrases(what: str) -> tuple[str, ...]:
    data = bundled_yaml("sparring_plugins.users.agenda.answers", "alternatives_offered.yaml")
    return tuple(folded(str(phrase)) for phrase in data[what])


def way_named(state: DialogueState, form: OpenForm) -> Answer | None:
    """Return the word that an app names for the user's case once an answer was not taken, or None.

    "We take 8 at most. For a larger party type "party"." is for who wants a party of 25.
    """
    if not form.times:
        return None
    wanted = names_in("\n".join(goal.words for goal in state.goals if not goal.asks))
    for match in _WAY.finditer(form.reply.text):
        said = state.memory.said(match["word"])
        if names_in(match["case"]) & wanted and not said:
            return Answer(match["word"], "takes the way that the app names", exact=True)
    return None


_WAY = re.compile(
    r"\b(?:for|if|für|wenn|falls|para|si|pour|per|se)\b(?P<case>[^.?!\"\u201c\u201e\u00ab]{3,60}?),?\s"
    r"(?:please |just |bitte )?(?:say|type|write|enter|send|sagen sie|schreiben sie|tippen sie"
    r"|escriba|escribe|diga|di|\u00e9crivez|tapez|dites|scriva|digiti|escreva|digite)\s"
    r"[\"\u201c\u201e\u00ab'](?P<word>\w[\w ]{1,20})",
    re.IGNORECASE,
)
