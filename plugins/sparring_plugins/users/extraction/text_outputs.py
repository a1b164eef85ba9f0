"""Outputs that are texts: values of the user that the app said back, and statements that fit."""

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import as_texts, contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue, name_concepts, starts_with_cue
from sparring_plugins.users.extraction.exchanges import (
    Exchange,
    expected_kind,
    has_expected_value,
    statements,
)
from sparring_plugins.users.extraction.output_form import OutputForm


def echoed_value(
    output: OutputForm,
    exchanges: Sequence[Exchange],
    inputs: Mapping[str, JsonValue],
    domains: Mapping[str, Sequence[JsonValue]],
) -> tuple[str, Exchange] | None:
    """Return what the app confirmed of the one variable that an output names, with its reply.

    Of all values the variable might have had, those that the app said last count, so that a wrong
    confirmation is found as well. A sentence that lists more values than were chosen is a menu.
    """
    name = _variable(output, inputs)
    if name is None:
        return None
    chosen = as_texts(inputs[name])
    others = [text for value in domains.get(name, ()) for text in as_texts(value)]
    values = list(dict.fromkeys([*chosen, *others]))
    # "Booked: the cabin." counts before the "Cabin or tent?" that was said after it
    done = [exchange for exchange in exchanges if has_cue(folded(exchange.said), "done")]
    for exchange in [*reversed(done), *reversed(exchanges)]:
        echoed = _values_in(exchange.said, values)
        if echoed and len(echoed) <= max(1, len(chosen)):
            return ", ".join(_as_said(value, exchange.said) for value in echoed), exchange
    return None


def _values_in(text: str, values: Sequence[str]) -> list[str]:
    """The values that a text has in it, without those that are a part of others."""
    words = folded(text)
    present = [value for value in values if contains(words, folded(value))]
    return [
        value
        for value in present
        # of "cabin" and "log cabin" the text has the longer one
        if not any(value != other and folded(value) in folded(other) for other in present)
    ]


def chosen_values(output: OutputForm, inputs: Mapping[str, JsonValue]) -> list[str]:
    """Return the user's values of all variables that the output's name or description names."""
    return [
        text
        for name, value in inputs.items()
        if name_concepts(name) & output.wanted
        for text in as_texts(value)
    ]


def _variable(output: OutputForm, inputs: Mapping[str, JsonValue]) -> str | None:
    names = [
        name
        for name in inputs
        if name_concepts(name)
        and name_concepts(name) <= output.wanted
        # a bare "2" may be said of anything and is looked up as a number
        and any(char.isalpha() for text in as_texts(inputs[name]) for char in text)
    ]
    # the output "day" is the variable "day", and its description may mention others
    own = [name for name in names if name_concepts(name) <= name_concepts(output.spec.name)]
    candidates = own or (names if output.confirmed else [])
    return candidates[0] if len(candidates) == 1 else None


def _as_said(value: str, text: str) -> str:
    place = text.lower().find(value.lower())
    return text[place : place + len(value)] if place >= 0 else value


ENOUGH = 0.55
"""Least fit of an answer to a description."""

_LONGEST = 700
_BUTTON = re.compile(r"(?:[-*\u2022]\s?)?(?:available buttons|button text|link)\s?:", re.IGNORECASE)
_DATA = re.compile(r"\s{0,8}(?:json\s{0,8})?[\[{].{0,12000}[\]}]\s{0,8}", re.DOTALL)
_NUMBERED = re.compile(r"\s{0,8}\(?\d{1,2}[.):\]]\s")


def best_statement(
    output: OutputForm, exchanges: Sequence[Exchange], chosen: Sequence[str] = ()
) -> tuple[str, Exchange] | None:
    """Return the statement that fits best, as the app said it, or None if none fits enough.

    `chosen` are values of the user's own that the statement should have in it.
    """
    best: tuple[float, str, Exchange] | None = None
    last = max((sentence.index for sentence in exchanges), default=0)
    for exchange in exchanges:
        sentences = _telling(exchange)
        fits = [_fit(output, exchange, sentence, chosen) for sentence in sentences]
        if not fits or max(fits) < ENOUGH or not _answers(output, exchange, sentences, fits):
            continue
        # of two answers the later one: it may correct the first
        score = max(fits) + 0.2 * exchange.index / max(1, last)
        if best is None or score >= best[0]:
            best = (score, _select_sentences(output, exchange, sentences, fits), exchange)
    return best and (best[1], best[2])


def _answers(
    output: OutputForm, exchange: Exchange, sentences: Sequence[str], fits: Sequence[float]
) -> bool:
    """Whether an answer that fits says anything: not that it cannot, nor of a price without one."""
    # "The price depends on the season." names no price; "It is free." does
    if "~price" in output.wanted and expected_kind(output.spec.description) == "money":
        return any(
            has_expected_value("price", sentence) or has_cue(folded(sentence), "free")
            for sentence in sentences
        )
    refused = any(has_cue(folded(sentence), "refusal") for sentence in sentences)
    # "Dogs cannot come in." refuses and answers the question for pets all the same
    by_question = 1.1 * overlap(output.wanted, exchange.asked_concepts)
    return not refused or max(fits) > by_question


def _fit(output: OutputForm, exchange: Exchange, sentence: str, chosen: Sequence[str]) -> float:
    """How well a sentence, as an answer to what the user said before it, fits a description."""
    words, near = folded(sentence), concepts(sentence)
    about = overlap(output.wanted, exchange.asked_concepts)
    # "opening hours" need hours; "opening" alone is near the opening of an account
    if output.head not in near | exchange.asked_concepts and about < 0.6 and not chosen:
        return 0.0
    fit = 1.1 * about + overlap(output.wanted, near)
    if chosen:
        # "You can have a cabin or a tent." confirms neither of them
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
    for sentence in statements(_without_menu(exchange.said)):
        words = folded(sentence)
        # "Sorry, the sauna is closed until May." is an answer, "Sorry about that!" is none
        filler = len(words.split()) <= 8 and any(
            has_cue(words, cue) for cue in ("farewell", "sorry", "help", "more", "smalltalk")
        )
        filler = filler or starts_with_cue(words, "capability")
        if words and not filler and not has_cue(words, "fallback"):
            kept.append(sentence)
    return kept


def _without_menu(text: str) -> str:
    """A text without buttons, and without the numbered items that the user is to choose from."""
    lines = [line for line in text.split("\n") if not _BUTTON.match(line)]
    words = folded(text)
    # "1. Prices" is an entry only if the reply asks for a number; else it may be an answer
    if has_cue(words, "number_reply") or has_cue(words, "options"):
        lines = [line for line in lines if not _NUMBERED.match(line)]
    return "\n".join(lines)


def _select_sentences(
    output: OutputForm, exchange: Exchange, sentences: Sequence[str], fits: Sequence[float]
) -> str:
    """The sentences to keep of an answer: all of a short one, else those that fit."""
    whole = "\n".join(sentences)
    about = overlap(output.wanted, exchange.asked_concepts)
    if len(whole) <= _LONGEST and (about >= 0.5 or len(sentences) == 1):
        return whole
    # what fits by the question alone is not more to the point than its neighbours
    base = 1.1 * about
    fitting = [sentence for sentence, fit in zip(sentences, fits, strict=True) if fit > base]
    text = "\n".join(fitting or sentences[:3])
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0]
