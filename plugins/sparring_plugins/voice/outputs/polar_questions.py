"""The question for yes or no that an output ends with."""

import re

from sparring_plugins.language.text import plain, sentences
from sparring_plugins.voice.outputs.words import unified, words

_CLAUSE = re.compile(r"[,:;]\s+|\s+-\s+")
_OFFER = "want_to"


def polar_question(output: str) -> str:
    """Return the question for yes or no at the end of an output; empty if there is none.

    "Welcome to the bank, would you like to pay?" asks in its second clause, and "We have saved your
    answers, do you want to submit them?" does, too: its first is in the order of a statement.
    """
    last = next(reversed(sentences(plain(output))), "").strip()
    if not last.rstrip(" \"')").endswith("?"):
        return ""
    starts = [0, *(match.end() for match in _CLAUSE.finditer(last))]
    clauses = [last[at:] for at in starts if _is_polar(last[at:])]
    # "You have a fever?" is a question all the same, since no other clause follows.
    questions = (one for one in clauses if not _is_statement(one) or one == last[starts[-1] :])
    return next(questions, "")


def is_offer(question: str) -> bool:
    """Return whether a question offers something, so that a no declines it.

    "Would you like to make a claim?" is such an offer. After "Do you have a fever?" the next
    question may well be the same for yes and no.
    """
    return _OFFER in unified(question)[:3]


def _is_statement(clause: str) -> bool:
    return unified(clause)[0] in words().subjects


def _is_polar(clause: str) -> bool:
    parts = unified(clause)
    begins = any(part in words().polar for part in parts[:2])
    # "Could you repeat that?" is a request.
    requests = parts[:1] in (("can",), ("could",)) and parts[1:2] == ("you",)
    open_question = words().question_words & set(parts[:3]) or " or " in clause
    return begins and not requests and not open_question
