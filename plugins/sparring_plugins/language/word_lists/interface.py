"""Lists of words that profiles may draw values from: the entry points `sparring.word_lists`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WordList:
    """Knows words of some kinds, without a language model.

    `about` says in a line of what. `find` is given a description in words, such as ``soda
    drinks``, and an English name of a language, and returns the words that it knows of that, the
    best known first; None where it does not know what is meant: it never guesses.
    """

    about: str
    find: Callable[[str, str], Sequence[str] | None]
