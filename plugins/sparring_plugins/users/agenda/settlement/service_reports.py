"""What a reply reports: something done, or only what there is.

"I've put that through." reports a service; "There is a bus at 9 for £12." only describes.
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import find_identifiers
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import has_cue, languages_of, starts_with_cue, stem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.app_reply import AppReply, reports_failure
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import any_of


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
    data = bundled_yaml("sparring_plugins.users.agenda.settlement", path)
    lists = ServiceWords.model_validate(data)
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
"""Words of a sentence that acknowledges by being brief: "Very well"."""


def only_offers(reply: AppReply) -> bool:
    """Return whether a reply does nothing: it only says what there is, or that something failed.

    "There is a bus at 9 for £12." buys no ticket.
    """
    if reply.done or not reply.statements:
        return False
    stated = [text for text in reply.statements if not has_cue(folded(text), "more")]
    if any(reports_failure(text) for text in stated):
        return True
    return any(says(folded(text), "offering") for text in stated) and not says_done(reply)


def only_describes(reply: AppReply) -> bool:
    """Return whether a reply in English has no word of anything done, agreed or ended."""
    if reply.done or reply.farewell or not reply.statements or find_identifiers(reply.text):
        return False
    if languages_of(reply.words)[:1] != ("English",):
        return False
    return not says_done(reply) and not any(map(_acknowledges, sentences(reply.text)))


def says_done(reply: AppReply) -> bool:
    """Return whether a reply in English says that something was, is or will be done."""
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


def says_it_is_done(goal: UserGoal, reply: AppReply) -> bool:
    """Return whether a reply says that a thing is what a goal wants to have done to it.

    "Your card is blocked." ends "have the card blocked" and "block the card", whatever else the app
    goes on with.
    """
    if reply.fallback:
        return False
    wanted = _HAVE_DONE.search(goal.words)
    if wanted is None:
        return _says_deed_is_done(goal, reply)
    if reply.turns_down:
        return False
    thing = names_in(wanted["thing"])
    done = rf"\b(?:is|are|has been|have been|was|were) (?:now |already )?{wanted['done']}\b"
    return bool(thing) and any(
        thing <= names_in(text) and re.search(done, text) is not None and not denies(text, thing)
        for text in reply.statements
        if not text.rstrip().endswith("?")
    )


def _says_deed_is_done(goal: UserGoal, reply: AppReply) -> bool:
    """Whether a reply reports the goal's own verb: "INC-7 has been closed." for "close INC-7"."""
    verb, _, thing = folded(goal.words).partition(" ")
    if goal.asks or goal.form == "statement" or goal.language != "English" or not thing:
        return False
    # "C-77 has been closed" closes "case C-77"
    codes = [word for word in goal.words.split() if any(map(str.isdigit, word))]
    things = [folded(text) for text in goal.texts or codes] or [thing]
    return any(
        stem(match["done"]) == stem(verb) and all(contains(folded(part), t) for t in things)
        for part in sentences("\n".join(reply.statements))
        for match in _WAS_DONE.finditer(part)
    )


_WAS_DONE = re.compile(
    r"\b(?:has|have) been (?:now |just |successfully )?(?P<done>\w{3,}ed)\b", re.IGNORECASE
)
_HAVE_DONE = re.compile(
    r"\bhave (?:the|my|a|an|one|this|that) (?P<thing>[\w -]{2,40}?) "
    r"(?P<done>\w{2,}ed|sent|paid|put|set)\b"
)
