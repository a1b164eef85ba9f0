"""Whether a reply says that a service was done, or only what there is.

"I've put that through." and "See you on Friday!" end what the user came for; "There is a bus at 9
for £12." and "The Crown is a nice hotel in York." sell no ticket and book no room.
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import find_identifiers
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import has_cue, languages_of, starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.app_reply import AppReply, reports_failure
from sparring_plugins.users.agenda.asked_clauses import asking_words
from sparring_plugins.users.agenda.knowledge import says, starts_with_any
from sparring_plugins.users.agenda.phrase_book import any_of
from sparring_plugins.users.agenda.user_goals import UserGoal


class ServiceWords(BaseModel):
    """The word lists of service reports: see the comments of `service_reports.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    deeds: tuple[str, ...]
    objects: tuple[str, ...]
    futures: tuple[str, ...]
    states: tuple[str, ...]
    phrases: tuple[str, ...]


@lru_cache(maxsize=1)
def _done_by_app() -> re.Pattern[str]:
    """What an app says of what it did, does or will do; English."""
    path = "service_reports.yaml"
    lists = ServiceWords.model_validate(bundled_yaml("sparring_plugins.users.agenda", path))
    return re.compile(
        r"\b(?:i|we)(?:'ve| have|'ll| will| am| are|'m|'re| just| also| now)? (?:just |now |also )?"
        rf"(?:\w{{3,}}ed|\w{{3,}}ing|{any_of(lists.deeds)}|\w+ {any_of(lists.objects)})\b"
        r"|\b(?:has|have|had) (?:now |just |already )?been\b"
        rf"|\bwill {any_of(lists.futures)}\b"
        r"|\b(?:is|are|was|were|you're|it's|that's) (?:now |all |just |already )?"
        rf"(?:\w{{3,}}ed|{any_of(lists.states)})\b"
        r"|\b(?:is|are) now \w+"  # "The urgency is now high."
        rf"|\b{any_of(lists.phrases)}\b",
        re.IGNORECASE,
    )


_SHORT = 4


def only_offers(reply: AppReply) -> bool:
    """Return whether a reply does nothing: it only says what there is, or that something failed.

    "There is a bus at 9 for £12." buys no ticket.
    """
    if reply.done or not reply.statements:
        return False
    told = [text for text in reply.statements if not has_cue(folded(text), "more")]
    if any(reports_failure(text) for text in told):
        return True
    return any(says(folded(text), "offering") for text in told) and not _says_done(reply)


def only_describes(reply: AppReply) -> bool:
    """Return whether a reply in English has no word of anything done, agreed or ended."""
    if reply.done or reply.farewell or not reply.statements or find_identifiers(reply.text):
        return False
    if languages_of(reply.words)[:1] != ("English",):
        return False
    return not _says_done(reply) and not any(map(_acknowledges, sentences(reply.text)))


def _says_done(reply: AppReply) -> bool:
    return any(_done_by_app().search(text) is not None for text in reply.statements)


def _acknowledges(sentence: str) -> bool:
    """Whether a sentence agrees, thanks or is brief: "Very well.", "Noted, two tickets."."""
    words = folded(sentence)
    cues = ("affirm", "courtesy", "thanks")
    brief = len(words.split()) <= _SHORT
    return brief or assents(sentence) or any(starts_with_cue(words, cue) for cue in cues)


def assents(sentence: str) -> bool:
    """Return whether a sentence begins with a word of agreement: "Noted, two tickets."."""
    words = folded(sentence)
    return any(f"{words} ".startswith(f"{folded(word)} ") for word in asking_words().assents)


@lru_cache(maxsize=256)
def _begins_by_seeking(phrase: str) -> bool:
    return starts_with_any(folded(phrase), "seeking")


def seeks(goal: UserGoal) -> bool:
    """Return whether a goal wants something found, and nothing done with it."""
    return _begins_by_seeking(goal.phrase or goal.words)


def is_settled_by(reply: AppReply, goal: UserGoal) -> bool:
    """Return whether a reply may be the end of the service that a goal wants."""
    if seeks(goal):
        return True
    # "1 small pizza, that is $12. Anything else?" has taken the order
    return not only_offers(reply) and (reply.asks_what_else or not only_describes(reply))
