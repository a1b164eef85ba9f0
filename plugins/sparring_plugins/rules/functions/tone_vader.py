"""The tone of English texts by the lexicon VADER (Hutto and Gilbert 2014): no model judges."""

# vaderSentiment is optional and has no types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportMissingImports=false, reportMissingTypeStubs=false

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import Field

from sparring.errors import MissingExtra
from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.explanations import CannotSay, ExplainedByTexts, short
from sparring_plugins.rules.functions.language_lingua import need_lingua, reading_cost, shares_of
from sparring_plugins.rules.functions.lengths import texts_of
from sparring_plugins.rules.functions.meaning import toned

Threshold = Annotated[float, Field(ge=0, le=1)]
"""How far the compound score must be from 0 for a text not to be neutral."""

USUAL = 0.05
"""The threshold that VADER's authors give."""

ENGLISH = 0.05
"""A text to which lingua gives less than this share of English is not judged."""

_READ = 1_000


def need_vader() -> None:
    """Raise MissingExtra where a library is not installed."""
    need_lingua()
    if find_spec("vaderSentiment") is None:
        raise MissingExtra(
            "the tone of texts without a model needs vaderSentiment: pip install 'sparring[text]'"
        )


def _cost(item: Any, **_: object) -> int:
    texts = [text[:_READ] for text in texts_of(item)]
    symbols = (sum(not one.isascii() for one in text) for text in texts)
    return reading_cost(texts) + sum(number * number // 3 for number in symbols)


@rule_function(cost=_cost, prepare=need_vader)
def tone(item: str | Sequence[str], *, threshold: Threshold = USUAL) -> ExplainedByTexts:
    """The tone of an English text or of each of several: POSITIVE, NEGATIVE or NEUTRAL.

    Raises CannotSay where a text is hardly English, as far as lingua can tell.
    """
    texts = texts_of(item)
    for text in texts:
        if shares_of(text).get("en", 1.0) < ENGLISH:
            raise CannotSay(
                f"VADER judges English alone, and {short(text, 60)} is none as far as lingua can "
                f"tell (no model judged)"
            )
    scores = [compound(text) for text in texts]
    tones = [_tone(score, threshold) for score in scores]
    basis = f"no model judged: VADER's score is positive from {threshold:g} and negative from "
    reasons = [f"score {score:+.2f}" for score in scores]
    return toned(texts, tones, reasons, f"{basis}-{threshold:g} on")


@lru_cache(maxsize=4096)
def compound(text: str) -> float:
    """VADER's compound score of the beginning of a text, from -1 to 1."""
    return float(_analyzer().polarity_scores(text[:_READ])["compound"])


@cache
def _analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def _tone(score: float, threshold: float) -> str:
    if score >= threshold and score > 0:
        return "POSITIVE"
    return "NEGATIVE" if score <= -threshold and score < 0 else "NEUTRAL"
