"""What texts mean, as a language model sees it: `semantic_content` and `tone`."""

from collections.abc import Sequence
from typing import Any

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.explanations import ExplainedByTexts, short
from sparring_plugins.rules.functions.lengths import texts_of
from sparring_plugins.rules.functions.model_questions import (
    Ask,
    about_texts,
    answer,
    clipped,
    one_of,
    reasoned,
)

TONES = ("POSITIVE", "NEGATIVE", "NEUTRAL")

_MOST_SHOWN = 3


@rule_function(model=True)
def semantic_content(ask: Ask, value: Any, description: str) -> ExplainedByTexts:
    """Whether `value` says what `description` says, in whatever words."""
    text = str(value)
    schema = reasoned("semantic_content", conveys=one_of("yes", "no"))
    asked = {"text": clipped(text), "description": clipped(description)}
    given = answer(ask, "semantic_content", schema, **asked)
    return ExplainedByTexts(given["conveys"] == "yes", given["reason"], texts=(text,))


@rule_function(model=True)
def tone(ask: Ask, item: str | Sequence[str]) -> ExplainedByTexts:
    """The tone of a text or of each of several: POSITIVE, NEGATIVE or NEUTRAL.

    All texts are asked about in one question.
    """
    texts = texts_of(item)
    found = about_texts(ask, "tone", reasoned("tone", tone=one_of(*TONES)), texts)
    return toned(texts, [one["tone"] for one in found], [str(one["reason"]) for one in found])


def toned(
    texts: Sequence[str], tones: Sequence[str], reasons: Sequence[str], basis: str = ""
) -> ExplainedByTexts:
    """The value of `tone`; it is shown by the texts that are not neutral, negative ones first."""
    order = sorted(range(len(texts)), key=lambda n: (TONES[::-1].index(tones[n]) != 1, n))
    marked = [n for n in order if tones[n] != "NEUTRAL"]
    shown = [f"{short(texts[n], 60)} is {tones[n]}: {reasons[n]}" for n in marked[:_MOST_SHOWN]]
    shown = shown or ([f"all are NEUTRAL: {reasons[0]}"] if texts else [])
    reason = "; ".join([*([basis] if basis else []), *shown])
    return ExplainedByTexts(list(tones), reason, texts=tuple(texts[n] for n in marked))
