"""A cause as a sentence."""

from collections.abc import Sequence

from sparring_plugins.shrinking.result import Cause, Mattering, listed

_MOST_VALUES = 4
_MOST_WORDS = 6


def sentence(cause: Cause) -> str:
    """When it fails, as a sentence without its end: ``fails whenever rating is given``."""
    when = listed([_feature(one) for one in cause.features], "and")
    words = listed([one for one in (in_words(cause), *cause.variants) if one])
    if not when and not words:
        return f"fails {_often(cause, 'whatever is asked')}"
    said = " with ".join(part for part in (when, words) if part) if when else f"{words} is said"
    return f"fails {_often(cause, '')}{said}".strip()


def _often(cause: Cause, otherwise: str) -> str:
    """``whenever``, or how often, by the random cases that were tried."""
    if not cause.probed:
        return otherwise or "when "
    if cause.hits == cause.probed:
        return otherwise or "whenever "
    share = f"in {cause.hits} of {cause.probed} random cases"
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
    if changed:
        return _some([*changed, *(f"“{word}”" for word in cause.words)])
    return _quoted(cause.words) if cause.words else ""


def _quoted(words: Sequence[str]) -> str:
    return _some([f"“{word}”" for word in words])


def _some(words: Sequence[str]) -> str:
    """Words as a sentence lists them; of very many the first ones."""
    if len(words) <= _MOST_WORDS:
        return listed(words, "and")
    return listed([*words[: _MOST_WORDS - 1], f"{len(words) - _MOST_WORDS + 1} other words"], "and")
