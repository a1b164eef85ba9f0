"""Whether the profile says yes or no to what an app asks."""

import re
from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.facts import clauses_of, names_in
from sparring_plugins.users.agenda.knowledge import knowledge, says

_TOO_MUCH = re.compile(
    r"\btoo \w+ to\b|\bzu \w+,? um\b|\btrop \w+ pour\b|\bdemasiado \w+ para\b", re.I
)


@lru_cache(maxsize=1024)
def denies(clause: str, about: frozenset[str]) -> bool:
    """Whether a clause says no to what the concepts are about: "you do not need a car".

    "without" and "no" deny only what follows them: "from Monday, without a bath".
    """
    words = re.findall(r"[\w'\u2019-]+", clause.lower())
    denials = knowledge().denials
    places = [index for index, word in enumerate(words) if word in denials or word.endswith("n't")]
    if not places and (beyond := _TOO_MUCH.search(clause)):  # "it is too far to walk"
        places = [len(re.findall(r"[\w'\u2019-]+", clause[: beyond.start()].lower()))]
    if not places:
        return False
    first = places[0]
    before = names_in(" ".join(words[:first]))
    after = names_in(" ".join(words[first:]))
    # "two tickets for adults and no children's tickets" denies those that it says more of
    return len(after & about) > len(before & about) or not before & about


def stance(question: str, texts: Sequence[str], *, wished: bool = False) -> bool | None:
    """Yes or no to a question, as the clauses of some texts say; None if they say nothing of it.

    The question's own subject decides: what "Do you need a courtesy car?" is about stands in "you
    do not need a courtesy car". Texts that are `wished` are what the user came for.
    """
    asked = names_in(own_question(question))
    if not asked:
        return None
    clauses = clauses_of(texts)
    scores = ((_share(asked, clause, wished=wished), -at) for at, clause in enumerate(clauses))
    best = max(scores, default=None)
    if best is None or best[0] < _SAME_SUBJECT:
        return None
    index = -best[1]
    truth = not denies(clauses[index], asked)
    if says(folded(question), "keeping") and says(folded(clauses[index]), "giving_up"):
        truth = not truth  # "end the contract" is a no to "Would you like to keep the contract?"
    return _relate_having(question, clauses[index], clauses[index + 1 :][:1], truth=truth)


def _share(asked: frozenset[str], clause: str, *, wished: bool) -> float:
    """How much of a question's subject a clause is about, from 0 to 1."""
    named = names_in(clause)
    common = sum(any(have_same_root(name, other) for other in named) for name in asked)
    share = common / len(asked)
    if not common:
        return 0.0
    decides = wished or denies(clause, asked) or says(folded(clause), "wishing")
    if common >= _COMMON or (decides and len(named) <= _COMMON):
        # "no reminders by text message" decides a question that says much besides
        return max(share, min(_SAME_SUBJECT, common / len(named)))
    return share


_SENTENCE_ASKED = re.compile(r"[^.?!]*(?:[.!](?=\d)[^.?!]*)*\?")
_ASIDE = re.compile(r"\s\([^()]{1,200}\)")
_PRICE_ASKED = re.compile(
    r"(?:\b(?:for|at|extra|por|für|pour) )?"
    r"(?:[£$€]\s?\d[\d.,]*|\b\d[\d.,]*\s?(?:[£$€]|euros?|pounds|dollars))"
    r"(?:\s(?:a|per|each|pro|por|par) \w+)?",
    re.I,
)


def own_question(text: str) -> str:
    """Return what is asked, without what it costs and what is said beside it.

    "Would you like a cover for £2.00 a week? It is new." is about a cover.
    """
    text = _ASIDE.sub(" ", text)  # "a text message as a reminder (it's optional!)?"
    asked = " ".join(_SENTENCE_ASKED.findall(text)) or text
    return _PRICE_ASKED.sub(" ", asked)


_SHORTEST_ROOT = 5


def have_same_root(concept: str, other: str) -> bool:
    """Return whether two concepts are one: "insure" and "insurance" have one root."""
    if concept == other:
        return True
    short, long = sorted((concept, other), key=len)
    return len(short) >= _SHORTEST_ROOT and short[0] != "~" and long.startswith(short)


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


_SAME_SUBJECT = 0.5
_COMMON = 2
