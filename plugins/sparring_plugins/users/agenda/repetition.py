"""Whether the user would go in circles or say the same again."""

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.phrase_book import LANGUAGES, phrases

MOST_ALIKE = 2
"""How often the user may say the same to different replies, or press the same in one menu."""


def goes_in_circles(label: str, memory: Memory) -> bool:
    """Whether the user chose the same from the same menu again and again."""
    last = memory.last
    if last is None or not last.menu:
        return False
    for question in last.questions:
        if label in question.marks:
            label = question.options[question.marks.index(label)]
    turns = zip(memory.replies, memory.acts[1:], strict=False)
    same = sum(act == folded(label) and reply.menu == last.menu for reply, act in turns)
    return same > MOST_ALIKE


def said_too_often(text: str, memory: Memory, language: str) -> bool:
    """Whether the user would repeat itself: twice in a row, or again and again.

    What the app asks in the same words again may be answered in the same words again. That this
    was all is not said again in another language.
    """
    acts, words = memory.acts, folded(text)
    if _says_nothing(text, language) and acts[-1:] == [words]:
        return True
    if acts[-2:].count(words) > 1 or _said_in_other_language(text, memory, language):
        return True
    different_replies = {reply.words for reply in memory.replies}
    return acts.count(words) > 1 and len(different_replies) > MOST_ALIKE


def _says_nothing(text: str, language: str) -> bool:
    """Whether a text says only that there is nothing to say."""
    book = phrases(language)
    return text in (*book.thats_all, *book.indifferent, *book.unknown)


def _said_in_other_language(text: str, memory: Memory, language: str) -> bool:
    """Whether the last act already said, in another language, that this is all."""
    if not memory.acts or text not in phrases(language).thats_all:
        return False
    others = [phrases(other) for other in LANGUAGES if other != language]
    return any(memory.acts[-1] in map(folded, book.thats_all) for book in others)
