"""The first or last of some days and times of day: "as late as possible"."""

from collections.abc import Sequence
from functools import lru_cache

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.formats import days_in
from sparring_plugins.users.agenda.option_words import hours_of, parts_of_day
from sparring_plugins.users.agenda.value_matching import clock_times


def ranked_moment(options: Sequence[str], texts: Sequence[str], language: str) -> int | None:
    """Return the index of the earliest or latest of some moments, as a profile wants it; else None.

    Args:
        options: What the app offers.
        texts: The goals and the context.
        language: The language of the conversation.
    """
    said = " ".join(map(folded, texts))
    wanted = [
        rank for rank in ("earliest", "latest") if any(contains(said, w) for w in _words(rank))
    ]
    moments = [at for at, option in enumerate(options) if find_times(option) or date_spans(option)]
    # "Other times" may stand among them
    if len(wanted) != 1 or len(moments) < 2 or len(moments) < len(options) - 1:
        return None
    choose = min if wanted == ["earliest"] else max
    return choose(moments, key=lambda at: (*_moment(options[at], language), at))


def option_in_part_of_day(options: Sequence[str], texts: Sequence[str]) -> int | None:
    """The first of some times of day that lies in the morning, afternoon or evening wanted.

    "in the afternoon" chooses 15:10 among 08:40, 11:20 and 15:10, and "12-17" among spans.
    """
    said = folded(" ".join(texts))
    named = parts_of_day().items()
    parts = [range(*hours) for words, hours in named if contains(said, words)]
    hours = [hours_of(option) for option in options]
    timed = [span for span in hours if span is not None]
    # "Back" may stand among them
    if len(parts) != 1 or len(timed) < 2 or len(timed) < len(options) - 1:
        return None
    shares = [len(set(span) & set(parts[0])) / len(span) if span else 0.0 for span in hours]
    best = max(shares)
    all_fit = all(share == best for share, span in zip(shares, hours, strict=True) if span)
    return shares.index(best) if best > _HALF and not all_fit else None


_HALF = 0.5
"""Least share of a span of hours that lies in the part of the day that is wanted."""


def _moment(option: str, language: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """The month and day, and the hour and minute of an option, zeros where it says none."""
    days = sorted(days_in(option, language))
    times = sorted(time for span in find_times(option) for time in clock_times(span.text))
    hour, _, minute = times[0].partition(":") if times else ("0", "", "0")
    clock = (int(hour), int(minute)) if hour.isdigit() and minute.isdigit() else (0, 0)
    return (days[0] if days else (0, 0), clock)


@lru_cache(maxsize=4)
def _words(rank: str) -> tuple[str, ...]:
    data = bundled_yaml("sparring_plugins.users.agenda", "ranked_options.yaml")
    return tuple(folded(str(phrase)) for phrase in data[rank])
