"""Whether a text has a value in it, and which option comes nearest to it."""

from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.dates import find_times
from sparring_plugins.language.stems import concepts, stem
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import number_names

_AT = ("at", "by", "around", "las", "la", "from", "until")

SAME = 0.85
"""Least likeness of an option that is taken for a value."""


@lru_cache(maxsize=2048)
def mentions(text: str, value: str) -> bool:
    """Whether a folded text has a value in it: as written, in the plural, as a word or digit."""
    wanted = folded(value)
    if not wanted:
        return False
    if contains(text, wanted) or contains(text, f"{wanted}s") or contains(text, f"{wanted}es"):
        return True
    if wanted.isdigit():
        return any(
            number == int(wanted) and contains(text, word)
            for word, number in number_names(text).items()
            if len(wanted) <= 4
        )
    if find_times(value):
        return bool(_clock(value) & _clocks(text))
    stems = [stem(word) for word in wanted.split()]
    return len(wanted) > 3 and contains(
        " ".join(stem(word) for word in text.split()), " ".join(stems)
    )


def likeness(option: str, value: str) -> float:
    """How much an option's label says a value, from 0 to 1."""
    from rapidfuzz import fuzz

    label, wanted = folded(option), folded(value)
    if not label or not wanted:
        return 0.0
    if label == wanted:
        return 1.0
    if mentions(label, value):
        return 0.95
    meant = concepts(option)
    if meant and meant == concepts(value):
        return 0.93
    if concepts(value) and concepts(value) <= meant:
        return 0.9
    if contains(wanted, label) and len(label) > 2:
        return 0.88
    return fuzz.ratio(label, wanted) / 100 if min(len(label), len(wanted)) >= 4 else 0.0


def best_option(options: Sequence[str], value: str) -> int | None:
    """The index of the option that says a value best; None where none is like it."""
    scored = [(likeness(option, value), -index) for index, option in enumerate(options)]
    score, index = max(scored, default=(0.0, 0))
    return -index if score >= SAME else None


@lru_cache(maxsize=1024)
def _clocks(text: str) -> frozenset[str]:
    """The times of day in a folded text (whose colons are blanks)."""
    parts = text.split()
    found: set[str] = set()
    for index, part in enumerate(parts):
        follows = parts[index + 1] if index + 1 < len(parts) else ""
        after = parts[index + 2] if index + 2 < len(parts) else ""
        if part.isdigit() and int(part[:4]) < 24 and len(part) <= 2:
            minute = follows if len(follows) == 2 and follows.isdigit() else ""
            if not minute and parts[max(0, index - 1)] not in _AT and follows not in ("am", "pm"):
                continue
            minute = minute or "00"
            half = follows if follows in ("am", "pm") else after if after in ("am", "pm") else ""
            found |= _clock(f"{part}:{minute}{half}")
        elif part[-2:] in ("am", "pm") and part[:-2].isdigit() and len(part) <= 4:
            found |= _clock(part)
    return frozenset(found)


@lru_cache(maxsize=1024)
def _clock(written: str) -> frozenset[str]:
    """A time of day as ``13:30``; both halves of the day where it does not say which."""
    low = written.lower().replace(".", ":").replace(" ", "")
    digits = low.rstrip("apmh:oclk'\u2019")
    hour, _, rest = digits.partition(":")
    if not hour.isdigit() or len(hour) > 2 or int(hour) > 23:
        return frozenset()
    minute = rest[:2] if rest[:2].isdigit() else "00"
    value = int(hour)
    if "pm" in low or "p:m" in low:
        return frozenset({f"{value % 12 + 12}:{minute}"})
    if "am" in low or "a:m" in low:
        return frozenset({f"{value % 12}:{minute}"})
    return frozenset({f"{value}:{minute}"})
