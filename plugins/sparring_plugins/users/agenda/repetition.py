"""Noticing that one would say or choose the same again and again."""

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.dialogue_state import Reply
from sparring_plugins.users.agenda.frames import LANGUAGES, frames
from sparring_plugins.users.agenda.memory import Memory

MOST_ALIKE = 2
"""Different answers of an app that may get the same words from the user three times."""


def goes_in_circles(reply: Reply, memory: Memory) -> bool:
    """Whether the user chose the same from the same menu again and again."""
    last = memory.last
    if last is None or not last.menu:
        return False
    label = reply.press.label if reply.press is not None else reply.text
    for question in last.questions:
        if label in question.marks:
            label = question.options[question.marks.index(label)]
    seen = zip(memory.readings, memory.acts[1:], strict=False)
    return sum(act == folded(label) and one.menu == last.menu for one, act in seen) > MOST_ALIKE


def said_too_often(text: str, memory: Memory, language: str) -> bool:
    """Whether the user would repeat itself: twice in a row, or again and again.

    What the app asks in the same words again may be answered in the same words again. That this
    was all is not said again in another language.
    """
    acts, said = memory.acts, folded(text)
    if _courtesy(text, language) and acts[-1:] == [said]:
        return True
    if acts[-2:].count(said) > 1 or _said_abroad(text, memory, language):
        return True
    questions = {reading.words for reading in memory.readings}
    return acts.count(said) > 1 and len(questions) > MOST_ALIKE


def _courtesy(text: str, language: str) -> bool:
    """Whether a text says only that there is nothing to say."""
    known = frames(language)
    return text in (*known.thats_all, *known.indifferent, *known.unknown)


def _said_abroad(text: str, memory: Memory, language: str) -> bool:
    """Whether the last act already said, in another language, that this is all."""
    if not memory.acts or text not in frames(language).thats_all:
        return False
    others = [frames(one) for one in LANGUAGES if one != language]
    return any(memory.acts[-1] in map(folded, one.thats_all) for one in others)
