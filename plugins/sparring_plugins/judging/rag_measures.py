"""Measures of answers from retrieved texts by content words, numbers and names, without a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.language.text import sentences
from sparring_plugins.language.vocabulary import concepts, languages_of

# A word with a capital is a name unless it begins a sentence: "The tower" is none, "Mount Ida" is.
# After a colon a sentence may begin, too.
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÄÖÜ][\w'’-]+")
# "Dogs are allowed" and "Dogs are not allowed" share all content words, and contradict each other.
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|nothing|without|cannot|nobody|neither|nor)\b|n['’]t\b", re.IGNORECASE
)
_LEADING = re.compile(r"([A-ZÄÖÜ][\w'’-]+) ([A-ZÄÖÜ][\w'’-]+)")
_TOKEN = re.compile(r"[\w'’-]+")
# "12.50", "9:30" and "1,200" are one number each.
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
_BULLET = re.compile(r"^\s*\d+[.)]\s")
"""What counts the lines of a list, and is no number of a statement."""
# "640 km" is another fact than "640 metres": a number counts with the word behind it.
_MEASURED = re.compile(r"(\d+(?:[.,]\d+)*)\s*([^\W\d_]+)")
# Written with a capital at the beginning of a quotation or of a list, and yet no names: "You may
# pay".
_FIRST = frozenset({"i", "we", "you", "yes", "no", "the", "a", "an", "our", "your"})


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a statement is in some texts: `True`, `False`, or `None` if that is not clear.

    `reason` says what is missing.
    """

    supported: bool | None
    share: float
    reason: str = ""


def statements(text: str) -> list[str]:
    """Return the sentences of a text that state something."""
    return [sentence for sentence in sentences(text) if concepts(sentence)]


def support(statement: str, contexts: Sequence[str], enough: float = 1.0) -> Support:
    """Return whether one statement is in the contexts.

    The sentence of a context that shares most content words with it decides. A statement that has
    all of them, numbers with their units and negation included, is supported. One that differs from
    it in nothing but a number or a name that no context has, or in that one of them is negated, is
    contradicted. All else is not clear: contexts may say it in other words, or imply it.
    """
    if not contexts:
        return Support(None, 0.0, "there is no context")
    statement = _BULLET.sub("", statement)
    known = " \n".join(contexts)
    odd = sorted(_figures(statement) - _figures(known)) + sorted(_unknown_names(statement, known))
    own = concepts(statement)
    rest = own - concepts(" ".join(odd)) if odd else own
    share, nearest = _nearest(rest, contexts)
    if odd:
        is_other = bool(rest) and share >= enough
        return Support(False if is_other else None, 0.0, f"no context has {', '.join(odd)}")
    if share < enough:
        return Support(None, share, f"no sentence of a context has {1 - share:.0%} of its words")
    # "640 km" is not in "12 km long and climbs 640 metres", though all of its words are
    if missing := sorted(_measured(statement) - _measured(nearest)):
        return Support(None, share, f"the nearest sentence has not {', '.join(missing)}")
    if bool(_NEGATED.search(statement)) != bool(_NEGATED.search(nearest)):
        return Support(False, share, f"it is negated, unlike “{nearest.strip()}”, or the reverse")
    return Support(True, share)


def _nearest(own: frozenset[str], contexts: Sequence[str]) -> tuple[float, str]:
    """Return the sentence of the contexts that has most of some content words, and their share."""
    best, nearest = 0.0, ""
    for sentence in (piece for context in contexts for piece in sentences(context) or (context,)):
        share = len(own & concepts(sentence)) / len(own) if own else 0.0
        if share > best:
            best, nearest = share, sentence
    return best, nearest


def relevance(question: str, answer: str) -> float:
    """Return the share of the question's content words that the answer takes up."""
    asked = concepts(question)
    return len(asked & concepts(answer)) / len(asked) if asked else 1.0


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Return how far up the relevant ones of ranked contexts are; None if there are none.

    The mean, over the relevant ones, of the share of relevant ones up to each.
    """
    hits, total = 0, 0.0
    for place, is_relevant in enumerate(relevant, 1):
        hits += is_relevant
        total += hits / place if is_relevant else 0.0
    return total / hits if hits else None


def _figures(text: str) -> set[str]:
    """Return the numbers in figures."""
    return set(_FIGURE.findall(text))


def _measured(text: str) -> set[str]:
    """Return the numbers in figures with the word after each."""
    return {f"{number} {unit.casefold()}" for number, unit in _MEASURED.findall(text)}


def _unknown_names(text: str, known: str) -> set[str]:
    """Return the names of a text that are not in another one; none in German.

    There, every noun is written like a name, and another noun may say the same.
    """
    if "German" in languages_of(f"{text} {known}"):
        return set()
    words = {word.casefold() for word in _TOKEN.findall(known)}
    unknown = {name for name in _NAME.findall(text) if name.casefold() not in words | _FIRST}
    # of "Otto Brand founded it" the first word is part of the name
    first = _LEADING.match(text)
    if first and first[2] in unknown and first[1].casefold() not in words | _FIRST:
        unknown.add(first[1])
    return unknown
