"""Values for ``any(...)`` from the installed word lists, without a model."""

from collections.abc import Iterator

from sparring.discovery import catalog, drivers
from sparring.discovery.groups import WORD_LISTS
from sparring.errors import PluginError
from sparring_plugins.language.word_lists.interface import WordList
from sparring_plugins.users.profiles.profile_source import Wish
from sparring_plugins.users.profiles.requested_values import wanted

UNSAID = 5
"""How many values are taken where no number is said."""


def listed_words(wish: Wish) -> tuple[str, ...] | None:
    """The first words that a list knows of what is wished for, in its order.

    None where no list knows it. Raises LookupError where one knows fewer than are asked for, or
    where a list is broken.
    """
    what, count = wanted(wish.text)
    known = {word.casefold() for word in wish.known}
    most: list[str] = []
    for name, words in _lists():
        try:
            found = words.find(what, wish.language)
        except Exception as err:
            raise LookupError(f"the word list {name!r} failed: {type(err).__name__}") from err
        fresh = [word for word in dict.fromkeys(found or ()) if word.casefold() not in known]
        if len(fresh) >= (count or 1):
            return tuple(fresh[: count or UNSAID])
        most = max(most, fresh, key=len)
    if most:
        raise LookupError(f"the word lists know {len(most)} of it besides those that are listed")
    return None


def _lists() -> Iterator[tuple[str, WordList]]:
    for name in catalog.names(WORD_LISTS):
        try:
            yield name, drivers.load_value(WORD_LISTS, name, WordList)
        except PluginError as err:
            raise LookupError(str(err)) from err
