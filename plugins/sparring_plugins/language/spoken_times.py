"""Times of day as they are said, written in digits: "half past six in the evening" is 18:30."""

import re
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.loose_values import LOOSE_WORDS
from sparring_plugins.language.yaml_files import bundled_yaml


class SpokenWords(BaseModel):
    """The word lists of spoken times: see the comments of `spoken_times.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: dict[int, tuple[str, ...]]
    behind: dict[int, tuple[str, ...]]
    morning: tuple[str, ...]
    afternoon: tuple[str, ...]
    clock: tuple[str, ...]
    joints: tuple[str, ...]
    hours: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def _words() -> SpokenWords:
    data = bundled_yaml("sparring_plugins.language", "spoken_times.yaml")
    return SpokenWords.model_validate(data)


@lru_cache(maxsize=1024)
def with_clock_times(text: str) -> str:
    """Return a text in which times of day that are said in words stand in digits.

    "from 2 to 5 in the afternoon" is "from 14:00 to 17:00". Without a word for the half of the day
    the hour stays as it is: "half past six" is "6:30". A bare hour is no time.
    """
    text = _compile_span().sub(_write_span, text)
    return _compile_time().sub(_write_time, text)


@lru_cache(maxsize=1)
def _compile_time() -> re.Pattern[str]:
    words = _words()
    before = _any_of([way for ways in words.before.values() for way in ways])
    behind = _any_of([way for ways in words.behind.values() for way in ways])
    return re.compile(
        rf"\b(?:(?P<before>{before})\s)?(?P<hour>{_hour()})(?:\s?{_any_of(words.clock)})?"
        rf"(?:\s(?P<behind>{behind}))?(?:\s(?P<half>{_half()}))?\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _compile_span() -> re.Pattern[str]:
    joints = _any_of(_words().joints)
    return re.compile(
        rf"\b(?P<first>{_hour()})(?P<joint>\s?{joints}\s?)(?P<last>{_hour()})\s(?P<half>{_half()})\b",
        re.IGNORECASE,
    )


def _any_of(ways: list[str] | tuple[str, ...]) -> str:
    return f"(?:{'|'.join(sorted(ways, key=len, reverse=True))})"


def _hours() -> tuple[tuple[str, ...], ...]:
    """The words for the hours from one to twelve, by language."""
    return (*LOOSE_WORDS.hours.values(), *_words().hours.values())


def _hour() -> str:
    return rf"(?:{_any_of([way for hours in _hours() for way in hours])}|1[0-2]|[1-9])(?![:.]?\d)"


def _half() -> str:
    return _any_of([*_words().morning, *_words().afternoon])


def _write_span(match: re.Match[str]) -> str:
    first, last = _hour_of(match["first"]), _hour_of(match["last"])
    if first >= last:  # "from 11 to 2 in the afternoon" begins before noon
        return f"{first}:00{match['joint']}{match['last']} {match['half']}"
    ends = (_clock(hour, 0, match["half"]) for hour in (first, last))
    return match["joint"].join(ends)


def _write_time(match: re.Match[str]) -> str:
    if not (match["before"] or match["behind"] or match["half"]):
        return match[0]
    words = _words()
    minutes = _minutes(match["before"], words.before) + _minutes(match["behind"], words.behind)
    return _clock(_hour_of(match["hour"]), minutes, match["half"])


def _minutes(said: str | None, table: dict[int, tuple[str, ...]]) -> int:
    if not said:
        return 0
    ways = ((minutes, way) for minutes, all_ways in table.items() for way in all_ways)
    return next(minutes for minutes, way in ways if re.fullmatch(way, said, re.IGNORECASE))


def _hour_of(said: str) -> int:
    if said.isdigit():
        return int(said)
    for hours in _hours():
        for hour, way in enumerate(hours, 1):
            if re.fullmatch(way, said, re.IGNORECASE):
                return hour
    raise AssertionError(said)  # the pattern is made of these words


def _clock(hour: int, minutes: int, half: str | None) -> str:
    late = half and re.fullmatch(_any_of(_words().afternoon), half, re.IGNORECASE)
    total = (hour % 12 + 12 if late else hour) * 60 + minutes
    return f"{total // 60 % 24}:{total % 60:02}"
