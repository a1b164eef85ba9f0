"""How an app reads back what it has understood, and waits for a yes, without asking for it plainly.

"Please verify the following: 2 tickets to Leeds at 16:00." and "So you would like a table on
Friday." want to be confirmed or corrected; "Please confirm your e-mail address." wants a datum.
"""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.number_words import spelled_numbers
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import cue_phrases, starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.personal_details import asked_details

# A capital inside a sentence: "a table for Smith".
_PROPER = re.compile(r"(?<=[\w,:;] )[A-ZÄÖÜÀ-Þ][a-zà-ÿ]+")
_BREAK = re.compile(r"[,;:.]\s+|\s[\u2013\u2014-]\s")
# "Date and time of your visit:" announces a value; a longer text explains.
_DATUM_WORDS = 7
_FEWEST_WORDS = 2
# "Your order of shoes will arrive": its verb stands within the first words.
_SUBJECT_WORDS = 5
_MOST_LEADS = 6


class ReadBackWords(BaseModel):
    """The word lists of reading back: see the comments of `read_backs.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verbs: tuple[str, ...]
    checks: tuple[str, ...]
    polite: tuple[str, ...]
    clauses: tuple[str, ...]
    leads: tuple[str, ...]
    told: tuple[str, ...]
    doing: tuple[str, ...]
    things: tuple[str, ...]
    verbs_of_statements: frozenset[str]
    subjects: frozenset[str]
    contracted: frozenset[str]
    conjunctions: frozenset[str]


@lru_cache(maxsize=1)
def _words() -> ReadBackWords:
    data = bundled_yaml("sparring_plugins.users.agenda.replies", "read_backs.yaml")
    return ReadBackWords.model_validate(
        {name: [folded(str(phrase)) for phrase in phrases] for name, phrases in data.items()}
    )


@lru_cache(maxsize=2048)
def asks_to_check(sentence: str) -> bool:
    """Return whether a sentence asks the user to look at what it says: "Please confirm: ...".

    One that names a datum and no value of it wants the datum: "Please confirm your surname."
    """
    lists = _words()
    rest = _without(_without_courtesy(folded(sentence)), lists.polite)
    checked = _after(rest, lists.checks)
    after = _after(rest, lists.verbs) if checked is None else checked
    # "Please confirm which day suits you." wants a day, and no look at one
    if not after or _goes_on_to_ask(sentence):
        return False
    if _after(after, lists.clauses) is not None:
        # "Please confirm this." alone says nothing that could be checked
        return len(after.split()) >= _FEWEST_WORDS or sentence.rstrip().endswith(":")
    return checked is None and names_value(sentence) and not _names_datum(after)


@lru_cache(maxsize=2048)
def announces(sentence: str) -> bool:
    """Return whether a sentence states what the app has understood, so that it can be corrected."""
    lists = _words()
    words = _without_courtesy(folded(sentence))
    if _goes_on_to_ask(sentence):
        return False
    after = _after(words, lists.leads)
    if after is not None:
        return len(after.split()) >= _FEWEST_WORDS
    after = _after(words, lists.told)
    if after is not None:
        return len(after.split()) >= _FEWEST_WORDS
    after = _after(words, lists.doing)
    # "Booking 2 tents for 4 May" reads back; "Booking is easy" does not
    begins = after is not None and (after[:1].isdigit() or _after(after, lists.things) is not None)
    return begins and names_value(sentence)


def reads_back(sentence: str) -> bool:
    """Return whether a sentence asks for a look at what it says, or states what was understood."""
    return asks_to_check(sentence) or announces(sentence)


@lru_cache(maxsize=2048)
def states(sentence: str) -> bool:
    """Return whether a sentence has its subject before its verb: "You leave at 9?"."""
    lists = _words()
    words = _without_courtesy(folded(sentence)).split()
    words = words[1:] if words[:1] and words[0] in lists.conjunctions else words
    if len(words) < _SUBJECT_WORDS - 1 or _goes_on_to_ask(sentence):
        return False
    if words[0] in lists.contracted:  # "And it's your first visit?"
        return True
    if words[0] not in lists.subjects:
        return False
    places = [at for at, word in enumerate(words[1:_SUBJECT_WORDS], 1) if _is_verb(word)]
    return bool(places) and places[0] < len(words) - 1


def _is_verb(word: str) -> bool:
    return word in _words().verbs_of_statements


@lru_cache(maxsize=2048)
def names_value(sentence: str) -> bool:
    """Return whether a sentence names a number, a time, or something with a name of its own."""
    words = folded(sentence)
    has_number = any(char.isdigit() for char in sentence) or any(
        words[span.start : span.end] != "one" for span in spelled_numbers(words)
    )
    return has_number or "@" in sentence or _PROPER.search(sentence) is not None


def _names_datum(words: str) -> bool:
    """Whether words name a datum to be given: "your date of birth, all 8 digits"."""
    return len(words.split()) <= _DATUM_WORDS and bool(asked_details(words))


def _goes_on_to_ask(sentence: str) -> bool:
    """Whether a question word begins a clause: "Just to confirm, which day is it?"."""
    clauses = (folded(clause) for clause in _BREAK.split(sentence))
    return any(
        starts_with_cue(clause, "wh") or starts_with_cue(" ".join(clause.split()[1:]), "wh")
        for clause in clauses
        if clause
    )


def _without_courtesy(words: str) -> str:
    for _ in range(_MOST_LEADS):
        lead = next(
            (cue for cue in cue_phrases(words, "courtesy") if f"{words} ".startswith(f"{cue} ")),
            None,
        )
        if lead is None or _after(words, _words().leads) is not None:
            return words
        words = words[len(lead) :].strip()
    return words


def _without(words: str, leads: tuple[str, ...]) -> str:
    """Words without the leads of a list that they begin with, several times over."""
    for _ in range(_MOST_LEADS):
        after = _after(words, leads)
        if after is None:
            return words
        words = after
    return words


def _after(words: str, leads: tuple[str, ...]) -> str | None:
    """What follows the longest lead that words begin with; None if they begin with none."""
    # "so you would like" goes before "so": the rest must be what was understood
    fitting = [lead for lead in leads if f"{words} ".startswith(f"{lead} ")]
    return words[len(max(fitting, key=len)) :].strip() if fitting else None
