"""A cause as a sentence."""

from collections.abc import Sequence

from sparring_plugins.search.shrinking.result import Cause, Mattering, listed
from sparring_plugins.search.shrinking.words import bare

_MOST_VALUES = 4
_MOST_WORDS = 6


def sentence(cause: Cause) -> str:
    """When it fails, as a sentence without its end: ``fails whenever rating is given``."""
    long = [f"the request has {cause.length} words or more"] if cause.length else []
    when = listed([*(_feature(one) for one in cause.features), *long], "and")
    words = listed([one for one in (in_words(cause), *cause.variants) if one])
    if not when and not words:
        return f"fails {_often(cause, 'whatever is asked')}"
    said = (
        " with ".join(part for part in (when, words) if part)
        if when
        else f"{words} {_are(cause)} said"
    )
    return f"fails {_often(cause, '')}{said}".strip()


def _are(cause: Cause) -> str:
    several = len(_phrases(cause)) + len(cause.changed) + len(cause.missing) > 1
    return "are" if several and not cause.variants else "is"


def _often(cause: Cause, otherwise: str) -> str:
    """``whenever``, or how often, by the random cases that were tried."""
    if not cause.probed:
        return otherwise or "when "
    if cause.hits == cause.probed:
        return otherwise or "whenever "
    share = f"in {cause.hits} of {cause.probed} random cases"
    if not cause.hits:
        share = f"here, but in none of {cause.probed} random cases"
    return f"{share}, {otherwise}" if otherwise else f"{share} when "


def _feature(one: Mattering) -> str:
    told = f"{one.name} is given" if one.given else _valued(one)
    return f"{told} (said as “{one.said}”)" if one.said else told


def _valued(one: Mattering) -> str:
    values = [one.label, *one.also]
    if len(values) > _MOST_VALUES:
        values = [*values[:_MOST_VALUES], f"{len(values) - _MOST_VALUES} other values"]
    return f"{one.name} is {listed(values)}"


def in_words(cause: Cause) -> str:
    """The words that matter, quoted."""
    changed = [f"“{new}” for “{old}”" if old else f"“{new}”" for old, new in cause.changed]
    changed = list(dict.fromkeys(changed))
    left_out = [f"“{word}” left out" for word in cause.missing]
    return _some([*changed, *left_out, *(f"“{phrase}”" for phrase in _phrases(cause))])


def _phrases(cause: Cause) -> list[str]:
    """The words that matter, those that stand together in the smallest request as one phrase."""
    left = [word.casefold() for word in cause.words]
    found: list[list[str]] = []
    together = False
    for word in cause.smallest.split():
        plain = bare(word)
        matters = plain.casefold() in left
        if matters and together:
            found[-1].append(plain)
        elif matters:
            found.append([plain])
        together = matters and not word.endswith((".", "!", "?"))
    return list(dict.fromkeys(" ".join(one) for one in found))


def _some(words: Sequence[str]) -> str:
    """Words as a sentence lists them; of very many the first ones."""
    if len(words) <= _MOST_WORDS:
        return listed(words, "and")
    return listed([*words[: _MOST_WORDS - 1], f"{len(words) - _MOST_WORDS + 1} other words"], "and")
