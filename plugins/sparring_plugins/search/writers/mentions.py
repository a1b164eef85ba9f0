"""Whether and where a text says a value."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sparring_plugins.search.roles.writing import Feature


@lru_cache(maxsize=2_048)
def _pattern(mention: str) -> re.Pattern[str]:
    """The mention as words of its own, perhaps in the plural; 4 is not said by 4.5 or 14."""
    words = r"\s+".join(re.escape(word) for word in mention.split())
    before = r"(?<![\w])(?<!\d[.,])"
    after = r"(?!\w)(?![.,]\d)" if mention[-1:].isdigit() else r"(?:e?s)?(?!\w)"
    return re.compile(before + words + after, re.IGNORECASE)


def said(text: str, mentions: Iterable[str]) -> list[str]:
    """The words of a text that say a value, as they stand in it; the longest mention first."""
    known = [one for one in mentions if one.strip()]
    for mention in sorted(known, key=lambda one: (-len(one), one)):
        found = [match[0] for match in _pattern(mention).finditer(text)]
        if found:
            return list(dict.fromkeys(found))
    return []


def spoken(text: str, features: Sequence[Feature]) -> dict[str, tuple[str, ...]]:
    """For each content feature that a text says, the words that say it."""
    found = {
        one.name: tuple(said(text, (*one.mentions, *one.words, *one.hints)))
        for one in features
        if one.group == "content" and not one.none
    }
    return {name: words for name, words in found.items() if words}
