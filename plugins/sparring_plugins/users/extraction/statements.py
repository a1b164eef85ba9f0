"""The sentences of an app that tell what an output's description names."""

import re
from collections.abc import Sequence

from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import has_cue, starts_with_cue
from sparring_plugins.users.extraction.exchanges import Exchange, statements
from sparring_plugins.users.extraction.expected_answers import answers, expected
from sparring_plugins.users.extraction.output_form import Sought

ENOUGH = 0.55
"""Least fit of an answer to a description."""

_LONGEST = 700
_BUTTON = re.compile(r"(?:[-*\u2022]\s?)?(?:available buttons|button text|link)\s?:", re.IGNORECASE)
_DATA = re.compile(r"\s{0,8}(?:json\s{0,8})?[\[{].{0,12000}[\]}]\s{0,8}", re.DOTALL)
_NUMBERED = re.compile(r"\s{0,8}\(?\d{1,2}[.):\]]\s")


def best_statement(
    sought: Sought, exchanges: Sequence[Exchange], chosen: Sequence[str] = ()
) -> tuple[str, Exchange] | None:
    """The statement that fits best, as the app said it; None where none fits enough.

    `chosen` are values of the user's own that the statement should have in it.
    """
    best: tuple[float, str, Exchange] | None = None
    last = max((one.index for one in exchanges), default=0)
    for exchange in exchanges:
        told = _telling(exchange)
        fits = [_fit(sought, exchange, one, chosen) for one in told]
        if not fits or max(fits) < ENOUGH or not _answers(sought, exchange, told, fits):
            continue
        score = max(fits) + 0.2 * exchange.index / max(1, last)
        if best is None or score >= best[0]:
            best = (score, _selected(sought, exchange, told, fits), exchange)
    return best and (best[1], best[2])


def _answers(
    sought: Sought, exchange: Exchange, told: Sequence[str], fits: Sequence[float]
) -> bool:
    """Whether an answer that fits says anything: not that it cannot, nor of a price without one."""
    if "~price" in sought.wanted and expected(sought.spec.description) == "money":
        return any(answers("price", one) or has_cue(folded(one), "free") for one in told)
    refused = any(has_cue(folded(one), "refusal") for one in told)
    by_question = 1.1 * overlap(sought.wanted, exchange.asked_concepts)
    return not refused or max(fits) > by_question


def _fit(sought: Sought, exchange: Exchange, sentence: str, chosen: Sequence[str]) -> float:
    """How well a sentence, as an answer to what the user said before it, fits a description."""
    words, near = folded(sentence), concepts(sentence)
    about = overlap(sought.wanted, exchange.asked_concepts)
    if sought.head not in near | exchange.asked_concepts and about < 0.6 and not chosen:
        return 0.0
    fit = 1.1 * about + overlap(sought.wanted, near)
    if chosen:
        if has_cue(words, "options") or not any(contains(words, folded(v)) for v in chosen):
            return 0.0
        fit += sum(contains(words, folded(value)) for value in chosen) / len(chosen)
        fit += 0.3 if has_cue(words, "done") else 0.0
    return fit - (0.8 if has_cue(words, "refusal") else 0.0)


def _telling(exchange: Exchange) -> list[str]:
    """The sentences that may be an answer: no questions, greetings, farewells, excuses."""
    kept: list[str] = []
    if _DATA.fullmatch(exchange.said):
        return kept
    for one in statements(_without_menu(exchange.said)):
        words = folded(one)
        filler = len(words.split()) <= 8 and any(
            has_cue(words, cue) for cue in ("farewell", "sorry", "help", "more", "smalltalk")
        )
        filler = filler or starts_with_cue(words, "capability")
        if words and not filler and not has_cue(words, "fallback"):
            kept.append(one)
    return kept


def _without_menu(text: str) -> str:
    """A text without buttons, and without the numbered items that the user is to choose from."""
    lines = [line for line in text.split("\n") if not _BUTTON.match(line)]
    words = folded(text)
    if has_cue(words, "number_reply") or has_cue(words, "options"):
        lines = [line for line in lines if not _NUMBERED.match(line)]
    return "\n".join(lines)


def _selected(
    sought: Sought, exchange: Exchange, told: Sequence[str], fits: Sequence[float]
) -> str:
    """The sentences to keep of an answer: all of a short one, else those that fit."""
    whole = "\n".join(told)
    about = overlap(sought.wanted, exchange.asked_concepts)
    if len(whole) <= _LONGEST and (about >= 0.5 or len(told) == 1):
        return whole
    base = 1.1 * about
    fitting = [one for one, fit in zip(told, fits, strict=True) if fit > base]
    text = "\n".join(fitting or told[:3])
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0]
