"""What a reply reports: something done, only what there is, or the end of something else.

"I've put that through." reports a service; "There is a bus at 9 for £12." only describes. "A pass
costs £9. Anything else?" answers the question beside "I want a pass, and what is it?", "Your letter
is ready." ends no report that was only said within the form of the letter, and "Booked: Friday at
five" is the opposite of what somebody wants who cancels.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import find_identifiers
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.vocabulary import (
    concepts,
    has_cue,
    languages_of,
    starts_with_cue,
    stem,
)
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.choosing.option_wishes import DEEDS, intents_of
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.stances import denies
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_yes, reports_failure
from sparring_plugins.users.agenda.replies.asked_clauses import asking_words
from sparring_plugins.users.agenda.state.memory import Memory, goals_said_at_once
from sparring_plugins.users.agenda.state.user_goals import UserGoal, has_answer, is_service
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.agenda.words.knowledge import says
from sparring_plugins.users.agenda.words.phrase_book import announces, any_of


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


# --- Replies that end something else


def was_passed_over(memory: Memory, goal: UserGoal, reply: AppReply) -> bool:
    """Return whether a goal was said beside a question, and the reply deals with that alone.

    "Milk is £1.20 a day. Anything else?" has one word of "order oat milk for Ben from 3 May, and
    what does it cost?" and orders nothing.
    """
    at_once = goals_said_at_once(memory.acts[-1], memory.goals)
    asked = [other for other in memory.goals if other.asks and other.key in at_once]
    if reply.done or goal.key not in at_once or not asked:
        return False
    stated = "\n".join(reply.statements)
    answers = any(has_answer(other, stated) or _is_about(other, stated) for other in asked)
    # an identifier shows that something was done beside the answer
    least = _HALF if answers and not find_identifiers(reply.text) else _SOME
    return overlap(goal.subject, concepts(stated)) < least


def is_answered_at_once(memory: Memory, goal: UserGoal, stated: str) -> bool:
    """Return whether a statement is about a question that was put together with other goals.

    "You can pay by card or in cash." answers the last of "How much is a bouquet? Do you deliver?
    Can I pay by card?".
    """
    if goal.key not in goals_said_at_once(memory.acts[-1], memory.goals):
        return False
    return has_answer(goal, stated) is not False and _is_about(goal, stated)


def _is_about(goal: UserGoal, stated: str) -> bool:
    return bool(goal.subject) and overlap(goal.subject, concepts(stated)) >= _HALF


_SOME = 0.01
_HALF = 0.5
"""Share of a goal's concepts in a reply from which on the reply speaks of the goal."""


def asked_in_between(memory: Memory) -> bool:
    """Return whether the last reply answers a question that the user put in the middle of a form.

    "Is my furniture insured?" instead of an answer to "What is it about?" orders no call back,
    though the reply names an amount and asks nothing.
    """
    asked = {goal.key for goal in memory.goals if goal.asks}
    return memory.topics[-1] in asked


def is_end_of_other(memory: Memory, goal: UserGoal) -> bool:
    """Return whether a reply ends another form than that of a goal, or a cancelling."""
    return was_interjected(memory, goal) or ends_in_cancelling(memory, goal)


def ends_in_cancelling(memory: Memory, goal: UserGoal) -> bool:
    """Return whether the user has just agreed to cancel what a goal wants something else done to.

    "Lesson S-12 is cancelled." after "Shall I really cancel it?" moves no lesson to Monday.
    """
    if len(memory.replies) < _BEFORE_AND_AFTER or not is_yes(memory.acts[-1]):
        return False
    wanted = intents_of(goal.words)
    # "close the ticket" is done by "Close it for good?" though no word says "cancel"
    if "cancel" in wanted or not wanted & DEEDS:
        return False
    asked = [intents_of(question.text) for question in memory.replies[-2].questions]
    # "Anular" among the options, then "¿Seguro?": the option itself said what is to be done
    chosen = [intents_of(memory.acts[-2])] if len(memory.acts[-2].split()) <= _LABEL else []
    return any(intents & DEEDS == frozenset({"cancel"}) for intents in (*asked, *chosen))


_BEFORE_AND_AFTER = 2
_LABEL = 3
"""Words of an option's label at most."""


def was_interjected(memory: Memory, goal: UserGoal) -> bool:
    """Return whether a goal was brought up last within the form of another one."""
    places = [at for at, key in enumerate(memory.topics) if key == goal.key]
    return bool(places) and is_interjected(memory, goal, places[-1])


def is_interjected(memory: Memory, goal: UserGoal, at: int) -> bool:
    """Return whether a goal was said in the middle of another one's form, which went on with it.

    "Any whole amount from 30 to 300 is possible." after "I also want another tariff." has
    understood nothing of the tariff, whatever the form ends with.
    """
    if goal.form != "action" and not is_announced(goal):
        return False  # "2 cans of coke" after "Anything to drink?" is a part of the order
    led = next((place for place in range(at - 1, -1, -1) if memory.topics[place]), None)
    services = {other.key for other in memory.goals if is_service(other)} - {goal.key}
    if led is None or memory.topics[led] not in services:
        return False
    if any(reply.done or reply.asks_what_else for reply in memory.replies[led:at]):
        return False
    return not _is_spoken_of(goal, "\n".join(reply.text for reply in memory.replies[at:]))


def _is_spoken_of(goal: UserGoal, later: str) -> bool:
    """Whether what an app says later has a value of a goal, or enough of its words."""
    if any(says_value(folded(later), text) for text in goal.texts):
        return True
    # "A unit number is like A-10." has one word of "the light beside your unit is broken"
    return overlap(goal.subject, concepts(later)) >= (_HALF if is_announced(goal) else _SOME)


def is_announced(goal: UserGoal) -> bool:
    """Return whether a statement is a service of its own: "report that Leo is ill"."""
    return goal.form == "statement" and announces(goal.phrase, goal.language)


def clauses_told(words: str, language: str) -> list[str]:
    """Return the particulars of a statement: "I move on 2 May" and "there is a dog"."""
    parts = [
        part for part in _CLAUSES.split(words) if len(names_in(part)) > 1 or days_in(part, language)
    ]
    return parts if len(parts) > 1 else [words]


_CLAUSES = re.compile(r",? and (?=\w+ )|,? (?:und|y|et|e) (?=\w+ )|; ")


# --- Reports of the opposite

# Only plain reports count, of a sentence without a condition or a denial, in a reply that names
# nothing of what was wanted: "Your order, placed on 3 May, will not be sent" has cancelled it.

_OPPOSITES = {
    "wants_made": (("made",), "undone"),
    "wants_undone": (("undone", "about_undoing"), "made"),
    "wants_changed": (("changed", "made"), "undone"),
}


def opposite_report(wanted: str, statements: Sequence[str]) -> str | None:
    """Return the sentence that reports the opposite of what is wanted; None if none does.

    Args:
        wanted: What the user wants, in words: "cancel my appointment".
        statements: What the app states, without its questions.
    """
    words, lists = folded(wanted), _deed_lists()
    kind = _first_kind(words)
    if kind is None:
        return None
    own, other = _OPPOSITES[kind]
    stated = folded("\n".join(statements))
    named = (word for name in (*own, kind) for word in lists[name])
    if any(contains(stated, word) for word in named):
        return None
    stated_each = (text for part in statements for text in sentences(part))
    return next((text for text in stated_each if _reports_deed(text, other)), None)


def reports_other_code(wanted: str, statements: Sequence[str]) -> bool:
    """Return whether a reply names another code of the same form than the one to be changed.

    "I have you booked. Your booking number is KB2207." has not moved booking KB1041.
    """
    own = set(_CODE.findall(wanted))
    if not own or not intents_of(wanted) & {"change", "cancel"}:
        return False
    stated = {code for text in statements for code in _CODE.findall(text)}
    forms = {re.sub(r"\d", "0", code) for code in own}
    others = {code for code in stated - own if re.sub(r"\d", "0", code) in forms}
    return bool(others) and not own & stated


_CODE = re.compile(r"\b[A-Z]{1,4}-?\d{3,}\b")
"""A code with letters before its digits: "KB1041"."""


def _first_kind(words: str) -> str | None:
    """What is wanted first, "cancel" of "cancel my order"; None for "cancel and book another"."""
    lists = _deed_lists()
    places = ((re.search(rf"\b{any_of(lists[kind])}\b", words), kind) for kind in _OPPOSITES)
    begun = sorted((match.start(), kind) for match, kind in places if match is not None)
    joined = (words[:at].split()[-1:] for at, _ in begun[1:])
    if not begun or any(before and before[0] in lists["and"] for before in joined):
        return None
    return begun[0][1]


def _reports_deed(sentence: str, deed: str) -> bool:
    """Whether a sentence reports a deed, without a condition or a denial."""
    words = f"{folded(sentence)} "
    if "?" in sentence or any(f" {word} " in f" {words}" for word in _deed_lists()["no_report"]):
        return False
    return _report_of(deed).search(words) is not None


@lru_cache(maxsize=2)
def _report_of(deed: str) -> re.Pattern[str]:
    lists = _deed_lists()
    deeds = any_of(lists[deed])
    # "Ich habe den Tisch gebucht": in German the deed comes last
    return re.compile(
        rf"^(?:done |ok |okay |fertig |listo |fait |fatto )?{deeds}\b"
        rf"|\b{any_of(lists['reporting'])} {deeds}\b"
        rf"|\b(?:habe|haben|hat|wurde) (?:\w+ ){{1,8}}{deeds}\s*$"
    )


@lru_cache(maxsize=1)
def _deed_lists() -> dict[str, tuple[str, ...]]:
    data = bundled_yaml("sparring_plugins.users.agenda.settlement", "opposite_deeds.yaml")
    return {name: tuple(folded(str(word)) for word in words) for name, words in data.items()}
