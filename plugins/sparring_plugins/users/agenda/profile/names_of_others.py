"""What animals, children, boats and other things of a profile are called.

"Rufus is a terrier", "your dog Rufus" and "cancel Rufus's bath" name the dog, and "the file is
under Parry" names its owner: "What is the dog called?" is answered by the first.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.profile.fact_patterns import CAPITALISED
from sparring_plugins.users.agenda.profile.facts import clauses_of, facts_of, names_in, small_words
from sparring_plugins.users.agenda.profile.people import people_words
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import any_of

_OF_CLASS = 4
_NAMED_SO = 3
_SUBJECT = 2
"""What a name gains if its clause says what it is one of, what is called so, or what it does."""


@dataclass(frozen=True, slots=True)
class NamedOther:
    """A name that is not the user's own, the words beside it, and how clearly it is a name."""

    name: str
    clause: str
    weight: int


def name_of_other(question: str, goals: Sequence[str], context: Sequence[str]) -> str | None:
    """Return what somebody or something is called, if a question asks for that name; else None.

    Args:
        question: What the app asks: "What is the dog called?".
        goals: What the user wants, in words.
        context: What the profile says of the user.
    """
    if not asks_name_of_other(folded(question)):
        return None
    asked = names_in(question) - {"name", "~name", "surname"}
    others = [*named_others(context), *named_others(goals)]
    own = " ".join(folded(fact.text) for fact in facts_of(context) if "name" in fact.kinds)
    others = [other for other in others if not contains(own, folded(other.name))]
    totals: dict[str, int] = {}
    for other in others:
        of_class = bool(asked & names_in(other.clause.replace(other.name, " ")))
        gain = other.weight + _OF_CLASS * of_class
        totals[other.name] = totals.get(other.name, 0) + gain
    return max(totals, key=lambda name: totals[name], default=None)


def asks_name_of_other(words: str) -> bool:
    """Return whether a folded question asks what somebody or something else is called."""
    # "the name of the lead passenger" is the user's
    own = any(contains(words, user) for user in people_words().users)
    return not own and words not in knowledge().polite_names and bool(_asking().search(words))


@lru_cache(maxsize=1)
def _asking() -> re.Pattern[str]:
    """How a name is asked for that is not the user's: "your dog's name", "what is he called"."""
    things = any_of(knowledge().things_with_names)
    return re.compile(
        rf"\b{things}s?(?: first| last| full| family)? (?:sur)?name\b|\bones name\b"
        r"|\bname of (?:your|the|his|her) (?!company|person|booking|order|user|customer|account)"
        r"|\b(?:its|his|her|their) (?:first )?names?\b"
        r"|\bwhat(?:s| is| are) (?:it|he|she|they) called\b"
        rf"|\bwhat(?:s| is) (?:your|the) {things} called\b"
        r"|\bhow is (?:it|he|she) called\b|\bwie heisst (?:es|er|sie|das tier|das kind)\b"
        r"|\bcomo se llama(?! usted)\b|\bcomment s ?'?appelle t (?:il|elle)\b"
        r"|\bcome si chiama\b"
    )


@lru_cache(maxsize=256)
def _named_in(texts: tuple[str, ...]) -> tuple[NamedOther, ...]:
    return tuple(other for clause in clauses_of(texts) for other in _in_clause(clause))


def named_others(texts: Sequence[str]) -> tuple[NamedOther, ...]:
    """Return the names in some texts that are nobody's surname, no place, day or thing ordered."""
    return _named_in(tuple(texts))


def _in_clause(clause: str) -> Iterator[NamedOther]:
    called = _called().search(clause)
    if called is not None:
        yield NamedOther(called["quoted"] or called["name"], clause, _NAMED_SO)
        return
    subject = _SUBJECT_NAME.match(clause)
    if subject is not None and _may_be_name(subject["name"]):
        yield NamedOther(subject["name"], clause, _SUBJECT)
        return
    for match in _WITHIN.finditer(clause):
        words = clause[: match.start()].split()
        before = folded(words[-1]).split()[-1:] if words else []
        # "Fort Hedley" is one name
        is_part = len(words) > 1 and words[-1][:1].isupper()
        if is_part or (before and before[0] in _not_before()) or not _may_be_name(match["name"]):
            continue
        yield NamedOther(match["name"], clause, 1)


def _may_be_name(word: str) -> bool:
    """Whether a word with a capital may be a name: no day, pronoun or label."""
    words = folded(word)
    is_small = words in small_words() or words in knowledge().details
    return not is_small and words not in _PRONOUNS and not date_spans(f"1 {word}")


_PRONOUNS = frozenset(
    {"you", "your", "it", "she", "he", "they", "there", "this", "that", "if", "i"}
)

_NAME = r"(?P<name>[A-ZÀ-ÖØ-Þ][a-zà-ÿ]{1,20})"

_SUBJECT_NAME = re.compile(rf"^{_NAME}(?=\s*$|['\u2019]s\b|\s(?:[a-z]+)\b)")
"""A name that begins its clause: "Rufus is a terrier", "Rufus the dog", "Rufus"."""

_WITHIN = re.compile(rf"(?<=[a-zà-ÿ:,] ){_NAME}(?!\s{CAPITALISED}|\s\d)(?=['\u2019]s\b|\W|$)")
"""A name within a clause, which is no part of a longer one: "a bath for Rufus"."""


@lru_cache(maxsize=1)
def _called() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?i:{any_of(knowledge().named)})\s(?:{_NAME}|[\"\u201c](?P<quoted>[^\"\u201d]{{2,60}}))"
    )


@lru_cache(maxsize=1)
def _not_before() -> frozenset[str]:
    """What stands before places, owners, days and things, and before no name of an animal."""
    lists = knowledge()
    small = small_words() - {folded(word) for word in (*lists.purposes, *lists.copulas)}
    return small | {"under", "surname", "name", "takes", "needs"}
