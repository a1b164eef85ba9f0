"""Conditions of a profile: "if it is closed then, Saturday at 11:15 is fine".

A goal of this kind is pursued only once the app has refused something; a sentence of the context
says what its user takes instead.
"""

import re
from functools import lru_cache

from sparring_plugins.language.text import contains, folded, sentences
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.words.goal_verbs import is_verb
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import any_of

_SHORTEST_CONDITION = 3
"""Words of a condition without a comma after it: "if this is not possible take Saturday"."""


_SHORTEST_SAYING = 2
"""Words before "if it is needed" that are no saying: "ask them" is a question."""


@lru_cache(maxsize=1)
def _condition_lists() -> dict[str, list[str]]:
    return dict(bundled_yaml("sparring_plugins.users.agenda.profile", "conditions.yaml"))


def condition_words(what: str) -> tuple[str, ...]:
    """Return a list of words of ``conditions.yaml``: ``failing``, ``extremes``."""
    return tuple(_condition_lists()[what])


@lru_cache(maxsize=1)
def _lead() -> re.Pattern[str]:
    lists = _condition_lists()
    joint = rf"(?:{any_of(lists['joints'])}\s+)?"
    return re.compile(rf"^\W*{joint}{any_of(lists['leads'])}\s", re.IGNORECASE)


@lru_cache(maxsize=1)
def _lead_within() -> re.Pattern[str]:
    return re.compile(rf"(?<=\w),? {any_of(_condition_lists()['leads'])}\s", re.IGNORECASE)


@lru_cache(maxsize=512)
def split_condition(text: str) -> tuple[str, str] | None:
    """Return a condition that something fails, and what holds then; None if there is none.

    "if they cannot do it here, leave your number" has "leave your number". What only names a time
    is no condition: "when it is ready, pick it up".
    """
    if not _lead().match(text):
        return None
    condition, comma, rest = text.partition(",")
    if not comma:
        words = text.split()
        places = range(_SHORTEST_CONDITION, len(words) - 1)
        verbs = (n for n in places if is_verb(folded(words[n])))
        at = next((n for n in verbs if _fails(" ".join(words[:n]))), None)
        condition, rest = (" ".join(words[:at]), " ".join(words[at:])) if at else (text, "")
    rest = re.sub(rf"^\s*{any_of(condition_words('then'))}\s", "", rest.strip(), flags=re.I).strip()
    return (condition, rest) if rest and _fails(condition) else None


def split_condition_at_end(clause: str) -> tuple[str, str] | None:
    """Return a condition at the end that something fails, and what holds then; None without one.

    "take the last tour if 13:00 is gone" has "take the last tour". "find out if it is closed" has
    none: it asks whether.
    """
    for match in _lead_within().finditer(clause):
        wish, condition = clause[: match.start()].strip(), clause[match.start() :].strip()
        asks = bool(wish) and folded(wish.split()[-1]) in knowledge().of_questions
        if len(wish.split()) > 1 and not asks and not states_condition(wish) and _fails(condition):
            return condition, wish
    return None


def without_condition(clause: str) -> str:
    """Return a clause without the condition at its end: "say that you ski if they ask"."""
    match = _lead_within().search(clause)
    main = clause[: match.start()] if match is not None else clause
    return main if len(main.split()) > 1 else clause


@lru_cache(maxsize=1)
def _asked() -> tuple[re.Pattern[str], ...]:
    asked = any_of(condition_words("asked"))
    only = any_of(condition_words("only"))
    leads = rf"(?:{only}\s+)?{any_of(_condition_lists()['leads'])}\s+"
    return (
        re.compile(rf"^\W*({leads}{asked})[,:]\s+(.+)$", re.IGNORECASE | re.DOTALL),
        re.compile(rf"^(.+?),?\s+\(?({leads}{asked})\)?\W*$", re.IGNORECASE | re.DOTALL),
    )


@lru_cache(maxsize=512)
def split_question_awaited(text: str) -> tuple[str, str] | None:
    """Return the condition that the app asks, and what is then said; None if there is none.

    "say that you ski if somebody asks" has "say that you ski": nobody says it unasked. "find
    out if they ask for a deposit" has none.
    """
    before, behind = (pattern.match(text) for pattern in _asked())
    if before is not None:
        return before[1], before[2].strip()
    if behind is None:
        return None
    said = behind[1].strip()
    asks = folded(said.split()[-1]) in knowledge().of_questions
    return None if asks or len(said.split()) <= _SHORTEST_SAYING else (behind[2], said)


def states_condition(clause: str) -> bool:
    """Return whether a clause only says in which case something holds: "if it is full"."""
    return _lead().match(clause) is not None


def _fails(condition: str) -> bool:
    words = re.findall(r"[\w'\u2019]+", condition.lower())
    denied = any(word in knowledge().denials or word.endswith("n't") for word in words)
    return denied or any(
        contains(folded(condition), folded(word)) for word in condition_words("failing")
    )


@lru_cache(maxsize=256)  # asked in each turn
def concessions(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a profile takes if it cannot have what it asked for: "Saturday is fine"."""
    parts = [
        part
        for text in texts
        for sentence in sentences(text)
        for part in re.split(r";\s+", sentence)
    ]
    parts = [part.strip(" .") for part in parts]
    split = (split_condition(part) or split_condition_at_end(part) for part in parts)
    wishes = [pair[1] for pair in split if pair is not None]
    others = (m[1] for part in parts for r in _other_choices() for m in r.finditer(part))
    return (*wishes, *others)


@lru_cache(maxsize=1)
def _other_choices() -> tuple[re.Pattern[str], ...]:
    """What follows "if need be" or goes before "is fine too": what somebody takes besides."""
    leads, ends = any_of(condition_words("last_resorts")), any_of(condition_words("also_fine"))
    joints = any_of(condition_words("joints"))
    return (
        re.compile(rf"(?:^|[,;]\s+|\bor\s){leads}[,]?\s+([^,;]{{3,}})", re.IGNORECASE),
        re.compile(rf"(?:^|[,;]\s+)(?:{joints}\s+)?([^,;]{{3,}}?)\s{ends}\s*$", re.IGNORECASE),
    )


def takes_extreme(text: str) -> bool:
    """Return whether a concession takes what is nearest to the wish: "the lowest amount"."""
    return any(contains(folded(text), folded(word)) for word in condition_words("extremes"))


def takes_most(text: str) -> bool:
    """Return whether a concession takes the upper end of what is accepted: "the most you get"."""
    return any(contains(folded(text), folded(word)) for word in condition_words("most"))


def names_span(text: str) -> bool:
    """Return whether a text names both ends of what is accepted: "between 5 and 40"."""
    return any(contains(folded(text), folded(word)) for word in condition_words("spans"))


def second_choice_of_goal(words: str) -> str | None:
    """Return what a goal takes behind an "or": "on 2 June or the earliest day that is possible"."""
    _, joint, rest = words.rpartition(" or ")
    return rest if joint and takes_extreme(rest) else None
