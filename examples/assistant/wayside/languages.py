"""Which language somebody speaks, by the small words of each."""

import re
from functools import cache
from pathlib import Path

import yaml

_WORD = re.compile(r"[^\W\d_]+")


def language_of(text: str) -> str:
    """The language with the most small words in a text; English where there are none."""
    small = _small_words()
    votes = dict.fromkeys(["en"], 0.0)
    for word in _WORD.findall(text.casefold()):
        known = small.get(word, ())
        for language in known:
            votes[language] = votes.get(language, 0.0) + 1 / len(known)
    return max(votes, key=lambda language: votes[language])


@cache
def _small_words() -> dict[str, list[str]]:
    """The languages of each word."""
    path = Path(__file__).parent / "languages.yaml"
    found: dict[str, list[str]] = {}
    for language, words in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        for word in words:
            found.setdefault(word, []).append(language)
    return found
