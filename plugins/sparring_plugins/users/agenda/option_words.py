"""Words of options: their roots, their letters, and the times of day that they are."""

import re
from functools import lru_cache

from pydantic import TypeAdapter

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.stances import have_same_root


def shared_roots(names: frozenset[str], others: frozenset[str]) -> int:
    """How many names are among others, or begin as one of them does."""
    return sum(
        any(_is_kin(name, other) or have_same_root(name, other) for other in others)
        for name in names
    )


def _is_kin(name: str, other: str) -> bool:
    """Whether two stems are of one word: "gast" and "gastar" are, "something" and "some" not."""
    short, long = sorted((name, other), key=len)
    return name == other or (
        len(short) >= _ROOT and long.startswith(short) and len(long) - len(short) < _ROOT
    )


_ROOT = 4


def by_letter(words: str) -> bool:
    """Return whether a folded reply wants an option's letter: "Reply with the letter"."""
    return _LETTER.search(words) is not None


_LETTER = re.compile(
    r"\b(?:letter|letters|buchstaben?|letra|lettre|lettera)\b|\breply a b\b|\b[a-c] b c\b"
)


@lru_cache(maxsize=1)
def parts_of_day() -> dict[str, tuple[int, int]]:
    """The first hour of each part of the day, and the hour after its last."""
    path = "parts_of_day.yaml"
    return _HOURS.validate_python(bundled_yaml("sparring_plugins.users.agenda", path))


_HOURS = TypeAdapter(dict[str, tuple[int, int]])


_CLOCK = r"(\d{1,2})(?:[:.h]\d\d)?\s?([ap])?\.?m?\.?(?: Uhr|h\b)?"
_WINDOW = re.compile(
    rf"(?<![\d:.])(?:between |from |von |zwischen |de |entre )?{_CLOCK}"
    rf"\s?(?:-|\u2013|to|and|bis|und|a|à|y|et)\s?{_CLOCK}(?![\d:-])",
    re.IGNORECASE,
)
"""A span of hours: "12-17", "9:00 to 12:00", "between 12 and 5 pm"."""
_BESIDE = re.compile(r"\s?\([^()]*\)$")


def hours_of(option: str) -> range | None:
    """Return the hours of an option that is a time of day or a span of hours; None for others.

    What it costs besides does not count: "17-21 (+ £2.50)".
    """
    hour = hour_of(option)
    if hour is not None:
        return range(hour, hour + 1)
    window = _WINDOW.fullmatch(_BESIDE.sub("", option.strip()))
    return _hours_between(window) if window is not None else None


def spans_of_hours(text: str) -> list[range]:
    """Return the spans of hours that a text names: 12 to 17 of "Wed 3 Mar 12-17"."""
    spans = (_hours_between(window) for window in _WINDOW.finditer(text))
    return [span for span in spans if span is not None]


def _hours_between(window: re.Match[str]) -> range | None:
    first, last = int(window[1]), int(window[3])
    if (window[4] or "").lower() == "p" and last < _NOON:
        last += _NOON
        first += _NOON if (window[2] or "").lower() == "p" and first < _NOON else 0
    return range(first, last) if first < last <= _MIDNIGHT else None


_NOON = 12
_MIDNIGHT = 24


def hour_of(option: str) -> int | None:
    """The hour of an option that is a time of day, else None."""
    match = re.fullmatch(r"(\d{1,2})[:.]\d\d(?: ?([ap])\.?m\.?)?", option.strip(), re.IGNORECASE)
    if match is None:
        return None
    hour = int(match[1])
    return hour % 12 + 12 * (match[2].lower() == "p") if match[2] else hour
