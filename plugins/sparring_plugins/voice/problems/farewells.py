"""Whether an app takes leave at the end of what it says."""

import re

from sparring_plugins.voice.problems.session_view import plain_words
from sparring_plugins.voice.problems.words import words

_SENTENCE = re.compile(r"[.!?…]+[\s\"')\]]*|\n+")


def takes_leave(output: str) -> bool:
    """Whether the last sentence or the one before it is a farewell, and no greeting."""
    sentences = [one for one in (plain_words(part) for part in _SENTENCE.split(output)) if one]
    return any(_leave(one) for one in sentences[-2:])


def acknowledges(output: str) -> bool:
    """Whether an app says no more than that it stops, such as "Okay, stopping"."""
    said = plain_words(output)
    return len(said.split()) <= 6 and said.startswith(words().parting)


def _leave(sentence: str) -> bool:
    if sentence.startswith(words().greetings):
        return False
    padded = f" {sentence} "
    return any(f" {one} " in padded for one in words().farewells)
