"""Phrases of the user's own that are recognised again."""

from functools import lru_cache

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.knowledge import knowledge, says
from sparring_plugins.users.agenda.phrase_book import LANGUAGES, phrases

_IDLE_PHRASES = ("indifferent", "unknown", "why", "why_service", "no", "yes")


def is_goodbye(act: str) -> bool:
    """Whether a folded act is the user's goodbye."""
    return act in _goodbyes()


def is_leaving(act: str) -> bool:
    """Whether a folded act says that the user wants nothing more: "No, that's all, thank you"."""
    if act in _last_words() or act in map(folded, knowledge().closing) or says(act, "ending"):
        return True
    return act != "no" and is_word_to_stop(act)


def is_word_to_stop(act: str) -> bool:
    """Whether a folded act leaves a form: "Cancel", "Main menu"."""
    return act in _words_to_stop()


@lru_cache(maxsize=1)
def _words_to_stop() -> frozenset[str]:
    books, lists = [phrases(language) for language in LANGUAGES], knowledge()
    words = [word for book in books for word in book.stop_it]
    words += [word for word in (*lists.dropping, *lists.main_menu) if word != "no"]
    return frozenset(map(folded, words))


@lru_cache(maxsize=1)
def _last_words() -> frozenset[str]:
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(folded(words) for book in books for words in (*book.thats_all, *book.no))


@lru_cache(maxsize=1)
def _goodbyes() -> frozenset[str]:
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(folded(words) for book in books for words in book.goodbye)


@lru_cache(maxsize=1)
def idle_words() -> frozenset[str]:
    """What the user says that does not know or does not mind, and bare yes and no, folded."""
    books = [phrases(language) for language in LANGUAGES]
    return frozenset(
        folded(words) for book in books for what in _IDLE_PHRASES for words in getattr(book, what)
    )
