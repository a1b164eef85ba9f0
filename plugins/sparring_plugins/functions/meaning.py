"""What texts mean, as a language model sees it: `semantic_content` and `tone`."""

from collections.abc import Sequence
from typing import Any

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.functions.asking import Ask, clipped, question, unclear, words, yes_or_no
from sparring_plugins.functions.lengths import texts_of

TONES = ("POSITIVE", "NEGATIVE", "NEUTRAL")


@rule_function(model=True)
def semantic_content(ask: Ask, value: Any, description: str) -> bool:
    """Whether `value` says what `description` says, in whatever words."""
    data = {"text": clipped(str(value)), "description": clipped(description)}
    return yes_or_no(ask(question("semantic_content", data)))


@rule_function(model=True)
def tone(ask: Ask, item: str | Sequence[str]) -> list[str]:
    """The tone of a text or of each of several: POSITIVE, NEGATIVE or NEUTRAL."""
    return [_tone(ask, text) for text in texts_of(item)]


def _tone(ask: Ask, text: str) -> str:
    reply = ask(question("tone", {"text": clipped(text)}))
    found = {word.upper() for word in words(reply)} & set(TONES)
    if len(found) != 1:
        raise unclear(reply, "POSITIVE, NEGATIVE or NEUTRAL")
    return found.pop()
