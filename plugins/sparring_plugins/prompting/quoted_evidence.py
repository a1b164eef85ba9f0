"""The words that a model quotes for its judgement, and whether they were said.

A judge's answer counts only with evidence: models give reasons for turns that there never were. So
each judging role quotes what shows its answer, and a checker looks for the words in what the model
was shown. An answer without them is sent back, and then there is none.
"""

import json
import re
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring_plugins.language.quoted_words import find_words
from sparring_plugins.language.text import plain
from sparring_plugins.prompting.data_blocks import clipped

_ELLIPSIS = re.compile(r"\s*(?:\[?\s?(?:\.{3}|…)\s?\]?)\s*")
_OMISSION = re.compile(r"\[\.\.\. [\d,]+ characters left out \.\.\.\]")
_LONGEST = 200
"""Characters of a quotation that stand in an objection."""

_MOST_SHOWN = 60_000
"""Characters of a text that are looked through: no prompt shows more of it."""

MOST = 3
"""How many objections an answer is sent back with."""


class Quotation(BaseModel):
    """Words that a model quotes from what it was shown."""

    model_config = ConfigDict(extra="forbid")

    turn: int | None = Field(
        description="the number of the turn that the words stand in; null if there are no turns"
    )
    words: str = Field(
        description="the words, letter for letter; empty if the turn has no answer at all"
    )


def object_to_quotations(
    quotations: Sequence[Quotation], messages: Sequence[Mapping[str, JsonValue]]
) -> str | None:
    """Return why quotations do not show anything of a conversation; None if all were said.

    Args:
        quotations: What the model quotes.
        messages: The conversation as the model was shown it (`data_blocks.conversation`).
    """
    if not quotations:
        return "no words are quoted: quote the words of the conversation that show your answer"
    numbers = {str(message["turn"]) for message in messages}
    reasons: list[str] = []
    for quotation in quotations:
        if str(quotation.turn) not in numbers:
            reasons.append(f"there is no turn {quotation.turn}: the turns are 1 to {len(numbers)}")
        elif not _is_said(quotation, messages):
            reasons.append(
                f"nobody says {quotation.words[:_LONGEST]!r} in turn {quotation.turn}: quote the "
                "words letter for letter, with the number of their turn"
            )
    return "; ".join(reasons[:MOST]) or None


def object_to_words(quotations: Sequence[str], material: JsonValue) -> str | None:
    """Return why quotations show nothing of a text or of data; None if all stand there.

    Args:
        quotations: The words that the model quotes.
        material: The text or data that it was shown. Without a word in it nothing can be quoted.
    """
    leaves = _leaves(material)
    if not any(char.isalnum() for text in leaves for char in text):
        return None
    texts = [*leaves, json.dumps(material, ensure_ascii=False)]
    if not quotations:
        return "no words are quoted: quote the words that show your answer"
    missing = [text for text in quotations if not any(_stands_in(text, other) for other in texts)]
    reasons = [f"{text[:_LONGEST]!r} does not stand there letter for letter" for text in missing]
    return "; ".join(reasons[:MOST]) or None


def _is_said(quotation: Quotation, messages: Sequence[Mapping[str, JsonValue]]) -> bool:
    own = [message for message in messages if message["turn"] == quotation.turn]
    if not quotation.words.strip():
        # What shows that a bot was silent is the turn: there are no words to quote.
        return any(not _has_words(message) for message in own)
    return any(_stands_in(quotation.words, text) for message in own for text in _texts(message))


def _texts(message: Mapping[str, JsonValue]) -> list[str]:
    choices = message.get("choices")
    labels = [str(label) for label in choices] if isinstance(choices, list) else []
    return [str(message["text"] or ""), *labels]


def _has_words(message: Mapping[str, JsonValue]) -> bool:
    return any(char.isalnum() for text in _texts(message) for char in text)


def _stands_in(words: str, text: str) -> bool:
    """Whether words stand in a text, as it is or without its markup."""
    text = clipped(text, _MOST_SHOWN)
    if _OMISSION.search(words):
        # A long text is shown with a note in its middle, which may cut a word in two.
        return all(part.strip() in text for part in _OMISSION.split(words))
    if words.strip() in text and not _is_part_of_word(words.strip(), text):
        return bool(words.strip())  # such as an emoji or markup, of which nothing plain is left
    return _stands_in_order(words, text) or _stands_in_order(words, plain(text))


def _stands_in_order(words: str, text: str) -> bool:
    """Whether the parts of words, between which "..." leaves some out, follow each other."""
    start = 0
    parts = [part for part in _ELLIPSIS.split(words) if any(char.isalnum() for char in part)]
    for part in parts:
        span = find_words(part, text[start:])
        if span is None:
            return False
        start += span[1]
    return bool(parts)


def _is_part_of_word(words: str, text: str) -> bool:
    """Whether words are cut out of a longer word or number: no "2.50" stands in "12.50"."""
    start = text.find(words)
    around = text[max(start - 1, 0) : start], text[start + len(words) :][:1]
    edges = zip(around, (words[:1], words[-1:]), strict=True)
    return any(outer.isalnum() and inner.isalnum() for outer, inner in edges)


def _leaves(value: JsonValue) -> list[str]:
    """The texts, numbers and names of a value, each as a person reads it."""
    if isinstance(value, list):
        return [text for item in value for text in _leaves(item)]
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in _leaves(item))]
    if value is None:
        return []
    return [value if isinstance(value, str) else json.dumps(value)]
