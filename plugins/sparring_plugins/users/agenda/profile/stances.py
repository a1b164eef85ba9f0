"""What a profile says to a yes-or-no question of an app."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import starts_with_cue
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.conditions import states_condition
from sparring_plugins.users.agenda.profile.facts import clauses_of, names_in
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_of

_TOO_MUCH = re.compile(
    r"\btoo \w+ to\b|\bzu \w+,? um\b|\btrop \w+ pour\b|\bdemasiado \w+ para\b", re.I
)
""""it is too far to walk" says no to walking."""


def _scope(words: Sequence[str], place: int) -> frozenset[str]:
    """What a negation of a thing says no to: tattoos of "no tattoos and always in Europe"."""
    if folded(words[place]) not in _words().of_things:
        return frozenset()
    after = words[place + 1 :]
    end = next((at for at, word in enumerate(after) if word in _words().conjunctions), len(after))
    return names_in(" ".join(after[:end]))


def _ends_in_denial(words: Sequence[str]) -> bool:
    """Whether words from a negation on are the end of a clause that it says no to as a whole."""
    negates = folded(words[0]).replace("'", "") in _words().of_clauses or words[0].endswith("n't")
    if " ".join(words[-2:]) in _words().for_somebody:
        words = words[:-2]  # "Saturdays are not possible for you"
    return negates and len(words) <= _MOST_AFTER


_MOST_AFTER = 3
"""Words of a clause that a denial ends: "Saturdays are not possible"."""


_LEFT_BEHIND = re.compile(
    r"\b(?:stays?|staying) (?:at home|behind|with)\b|\bbleib(?:t|en) (?:zu hause|daheim|bei)\b"
    r"|\bse quedan? (?:en casa|con)\b|\breste(?:nt)? (?:à la maison|chez)\b",
    re.IGNORECASE,
)
"""Who does not come along: "your dog stays with friends"."""


@lru_cache(maxsize=1024)
def denies(clause: str, about: frozenset[str]) -> bool:
    """Whether a clause says no to what the concepts are about: "you do not need a car".

    "without" and "no" deny only what follows them: "from Monday, without a bath".
    """
    if about & names_in(clause) and _LEFT_BEHIND.search(clause):
        return True
    return _says_no_to(clause, about)


def _place_of_excess(clause: str) -> int | None:
    """The place of the word from which on a clause says that something is too much, or None.

    "it is too far to walk" says no to walking.
    """
    beyond = _TOO_MUCH.search(clause)
    return len(re.findall(r"[\w'\u2019-]+", clause[: beyond.start()].lower())) if beyond else None


def has_denial(text: str) -> bool:
    """Return whether a text has a negation in it: "if it contains no nuts"."""
    return bool(_places_of_denials(re.findall(r"[\w'\u2019-]+", text.lower())))


def _places_of_denials(words: Sequence[str]) -> list[int]:
    denials = knowledge().denials
    return [
        index
        for index, word in enumerate(words)
        if word in denials or folded(word) in denials or word.endswith("n't")
    ]


def _next_names(words: Sequence[str], place: int) -> frozenset[str]:
    return names_in(" ".join(words[place + 1 : place + 2]))


def _says_no_to(clause: str, about: frozenset[str]) -> bool:
    words = re.findall(r"[\w'\u2019-]+", clause.lower())
    lists = _words()
    every = _places_of_denials(words)
    if any(_scope(words, place) & about for place in every):
        return True
    places = (place for place in every if folded(words[place]) not in lists.of_things)
    first = next(places, _place_of_excess(clause))
    if first is None:
        return False
    before = names_in(" ".join(words[:first]))
    after = names_in(" ".join(words[first:]))
    if not after & about:
        # "a reminder is not needed", "angerufen werden möchtest du nicht"
        return not before & about or _ends_in_denial(words[first:])
    if first and says(words[first - 1], "having"):
        return True  # "the house has no lift" denies the lift, whatever the house is asked for
    # "two tickets for adults and no children's tickets" denies those that it says more of
    if folded(words[first]) == "no" and not _next_names(words, first).isdisjoint(about - before):
        return True  # "it contains no nuts" denies the nuts, whatever else it shares
    more = len(after & about) > len(before & about) or not before & about
    return more or _ends_in_denial(words[first:])  # "the box was not damaged"


def stance(question: str, texts: Sequence[str], *, wished: bool = False) -> bool | None:
    """Yes or no to a question, as the clauses of some texts say; None if they say nothing of it.

    The question's own subject decides: what "Do you need a courtesy car?" is about stands in "you
    do not need a courtesy car". Texts that are `wished` are what the user came for.
    """
    asked = names_in(own_question(question))
    asked = (asked - _small_names()) or asked
    asked = (asked - _COUNTERS) or asked
    if not asked:
        return None
    clauses = [_in_words(c) for c in clauses_of(texts) if not states_condition(c)]
    scores = (
        (_share(asked, clause, wished=wished), -at)
        for at, clause in enumerate(clauses)
        if not _shares_only_mark(asked, question, clause)
    )
    best = max(scores, default=None)
    if best is None or best[0] < _SAME_SUBJECT:
        return None
    index = -best[1]
    shared = _shared_names(asked, clauses[index]) or asked
    truth = not denies(_without_common_lack(question, clauses[index]), shared)
    if is_turned(question, clauses[index]):
        truth = not truth
    return _relate_having(question, clauses[index], clauses[index + 1 :][:1], truth=truth)


def _without_common_lack(question: str, clause: str) -> str:
    """A clause without what both say that there is none of.

    "can write without glasses" is a yes to "Can you write without glasses?", whatever it lacks.
    """
    words = folded(question)
    for match in re.finditer(
        rf"\b{any_of(sorted(_words().lacking))} [^\W\d_]+", clause, re.IGNORECASE
    ):
        if contains(words, folded(match[0])):
            clause = clause.replace(match[0], " ")
    return clause


def _in_words(clause: str) -> str:
    """A clause; "insurance: no" as "no insurance", and "insurance: yes" as "insurance"."""
    label, colon, decision = clause.partition(":")
    if colon and folded(decision) in knowledge().yes_words:
        return label
    return f"no {label}" if colon and folded(decision) in knowledge().no_words else clause


_COUNTERS = frozenset({"people"})
"""What is only counted: "for 4 people" is no wish for a child seat, though a seat is for people."""


def weak_stance(question: str, texts: Sequence[str], known: frozenset[str]) -> bool | None:
    """Yes or no by the one clause that has a word of the question in it; None if none has.

    Args:
        question: What the app asks.
        texts: The texts of the profile about its user.
        known: Names that decide nothing, because the whole conversation is about them.
    """
    asked = _telling_names(names_in(own_question(question)) - _small_names() - known)
    whole = [_in_words(c) for c in clauses_of(texts) if not states_condition(c)]
    clauses = [(clause, _shared_names(asked, clause)) for clause in whole]
    most = max((len(shared) for _, shared in clauses), default=0)
    fitting = [(clause, shared) for clause, shared in clauses if most and len(shared) == most]
    truths = {denies(clause, shared) is is_turned(question, clause) for clause, shared in fitting}
    if truths == {True} and not any(asked & shared for _, shared in fitting):
        return None  # "you are healthy" is no yes to "Do you have any health condition?"
    return truths.pop() if len(truths) == 1 else None


def _telling_names(names: frozenset[str]) -> frozenset[str]:
    """Names without short ones, and without kinds of data if there are others.

    A phone number is no yes to "Do you have a frequent flyer number?".
    """
    long = frozenset(name for name in names if len(name) >= _SHORTEST_NAME)
    return frozenset(name for name in long if not name.startswith("~")) or long


def clause_about(question: str, clauses: Sequence[str]) -> str | None:
    """Return the clause that has most to do with a question; None if none has a word of it."""
    asked = names_in(own_question(question)) - _small_names()
    best = max(clauses, key=lambda clause: len(_shared_names(asked, clause)), default=None)
    return best if best is not None and _shared_names(asked, best) else None


_SHORTEST_NAME = 4


@lru_cache(maxsize=1)
def _small_names() -> frozenset[str]:
    return frozenset(name for word in _words().small for name in (*names_in(word), folded(word)))


def _shared_names(asked: frozenset[str], clause: str) -> frozenset[str]:
    """The names of a clause that have a root in common with one of those that are asked for."""
    return with_same_root(names_in(clause), asked)


def is_turned(question: str, clause: str) -> bool:
    """Return whether what a clause says is the contrary of what a question asks.

    "end the contract" is a no to "Would you like to keep the contract?", "for the first time" to
    "Have you been here before?" and "only in Europe" to "Have you been outside of Europe?".
    """
    asked, clause_words = folded(question), folded(clause)
    keeps = says(asked, "keeping") and says(clause_words, "giving_up")
    first = _has(clause_words, "firsts") and not _has(asked, "firsts") and _has(asked, "befores")
    # "you have visited before" is a no to "Is this your first visit?"
    if _has(asked, "firsts") and not _has(clause_words, "firsts"):
        first = first or _has(clause_words, "befores")
    outside = (
        _has(asked, "outside") and not _has(clause_words, "outside") and _has(clause_words, "only")
    )
    turned = (keeps != first) != (outside != _has(clause_words, "no_objection"))
    return turned != _are_opposite(asked, clause_words)


def _are_opposite(asked: str, stated: str) -> bool:
    """Whether a question and a clause have opposite words: "damaged" and "in one piece"."""
    return any(
        (_any_in(asked, one) and _any_in(stated, other) and not _any_in(stated, one))
        or (_any_in(asked, other) and _any_in(stated, one) and not _any_in(stated, other))
        for one, other in _words().opposites
    )


def _any_in(words: str, listed: Sequence[str]) -> bool:
    return any(contains(words, folded(word)) for word in listed)


def asks_of_before(question: str) -> bool:
    """Return whether a question is about what was before: "Have you been here before?"."""
    return _has(folded(question), "befores")


def goes_on_if_so(sentence: str) -> bool:
    """Return whether a sentence asks on only after a yes: "If so, which one?"."""
    words = folded(sentence)
    return any(f"{words} ".startswith(f"{folded(phrase)} ") for phrase in _words().if_so)


class StanceWords(BaseModel):
    """The word lists of stances: see the comments of `stances.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    firsts: tuple[str, ...]
    befores: tuple[str, ...]
    outside: tuple[str, ...]
    only: tuple[str, ...]
    no_objection: tuple[str, ...]
    if_so: tuple[str, ...]
    small: frozenset[str]
    of_clauses: frozenset[str]
    for_somebody: frozenset[str]
    of_things: frozenset[str]
    conjunctions: frozenset[str]
    lacking: frozenset[str]
    opposites: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


@lru_cache(maxsize=1)
def _words() -> StanceWords:
    data = bundled_yaml("sparring_plugins.users.agenda.profile", "stances.yaml")
    return StanceWords.model_validate(data)


def _has(text: str, what: str) -> bool:
    phrases: tuple[str, ...] = getattr(_words(), what)
    return any(contains(text, folded(phrase)) for phrase in phrases)


def _shares_only_mark(asked: frozenset[str], question: str, clause: str) -> bool:
    """Whether all that a clause shares with a question is a kind of mark under another word.

    "a ticket for the ferry" says nothing of "Have you a voucher code?", though both may name what
    somebody shows at a door.
    """
    if with_same_root(asked, names_in(clause)) != names_in(_MARK) or asked == names_in(_MARK):
        return False
    marks = set(folded(question).split()) & set(folded(clause).split())
    return not any(names_in(word) == names_in(_MARK) for word in marks)


_MARK = "code"


def _share(asked: frozenset[str], clause: str, *, wished: bool) -> float:
    """How much of a question's subject a clause is about, from 0 to 1."""
    named = names_in(clause)
    common = len(with_same_root(asked, named))
    share = common / len(asked)
    if not common:
        return 0.0
    decides = wished or denies(clause, asked) or says(folded(clause), "wishing")
    decides = decides or says(folded(clause), "needing")
    if common >= _COMMON or (decides and len(named) <= _COMMON):
        # "no reminders by text message" decides a question that says much besides
        return max(share, min(_SAME_SUBJECT, common / len(named)))
    return share


# "We have no lift. Is that all right?" asks its last sentence; "£3.50" ends none.
_SENTENCE_ASKED = re.compile(r"[^.?!]*(?:[.!](?=\d)[^.?!]*)*\?")
_ASIDE = re.compile(r"\s\([^()]{1,200}\)")
_PRICE_ASKED = re.compile(
    r"(?:\b(?:for|at|extra|por|für|pour) )?"
    r"(?:[£$€]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:[£$€]|euros?|pounds|dollars))"
    r"(?:\s(?:a|per|each|pro|por|par) \w+)?",
    re.I,
)
"""What a thing costs is no part of what is asked: "protect it for £2.00 a week?"."""


def own_question(text: str) -> str:
    """Return what is asked, without what it costs and what is said beside it.

    "Would you like a cover for £2.00 a week? It is new." is about a cover.
    """
    text = _ASIDE.sub(" ", text)  # "a text message as a reminder (it's optional!)?"
    asked = " ".join(_SENTENCE_ASKED.findall(text)) or text
    head, colon, tail = asked.rpartition(": ")
    if colon and "?" not in head and starts_with_cue(folded(tail), "polar"):
        asked = tail  # "One thing before I go on: will you bring a dog?"
    return _PRICE_ASKED.sub(" ", asked)


# "allergy" and "allergic" share five letters; "car" and "carpet" share three.
_SHORTEST_ROOT = 5
_SAME_START = 0.7
"""Least share of the shorter of two words that both begin with, if they are of one root."""
_PARTICIPLE = "ge"


@lru_cache(maxsize=4096)
def with_same_root(names: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return those of some names that have a root in common with one of the others."""
    return frozenset(n for n in names if any(have_same_root(n, other) for other in others))


@lru_cache(maxsize=8192)
def have_same_root(concept: str, other: str) -> bool:
    """Return whether two concepts are one: "insure" and "insurance" have one root.

    So have "gespendet" and "spenden", and a compound and its last part: "fernreis" and "reis".
    """
    if concept == other:
        return True
    if "~" in (concept[:1], other[:1]) or "=" in (concept[:1], other[:1]):
        return False
    ways = [(one, two) for one in _without_prefix(concept) for two in _without_prefix(other)]
    return any(_begin_alike(*sorted(pair, key=len)) for pair in ways)


def _without_prefix(word: str) -> tuple[str, ...]:
    """A word, and what is left of it without the prefix of a German participle."""
    bare = word.removeprefix(_PARTICIPLE)
    return (word, bare) if bare != word and len(bare) >= _SHORTEST_ROOT else (word,)


def _begin_alike(short: str, long: str) -> bool:
    if len(short) < _SHORTEST_ROOT:
        return False
    if long.startswith(short) or (long.endswith(short) and len(long) - len(short) > 2):
        return True
    alike = next((at for at, char in enumerate(short) if char != long[at]), len(short))
    return alike >= _SHORTEST_ROOT and alike >= _SAME_START * len(short)


def _relate_having(
    question: str, clause: str, following: Sequence[str], *, truth: bool
) -> bool | None:
    """Return yes or no where one side speaks of needing and the other of having.

    "you bring your own helmet": no helmet is needed; "you have no bike, so you need one": one is;
    "you have no bike" alone does not say whether one is wanted.
    """
    needs, has = _speaks_of(clause, "needing"), _speaks_of(clause, "having")
    if _speaks_of(question, "needing") and has and not needs:
        if truth:
            return False
        goes_on = any(
            _speaks_of(c, "needing") and says(folded(c), "pronouns_for") for c in following
        )
        return not denies(following[0], names_in(following[0])) if goes_on else None
    if _speaks_of(question, "having") and needs and not has:
        return False if truth else None
    return truth


def _speaks_of(text: str, what: str) -> bool:
    return says(folded(text), what)


# "no dog" answers "Do you have a dog?", and not "Do you have a dog bed for the cat?".
_SAME_SUBJECT = 0.5
_COMMON = 2
