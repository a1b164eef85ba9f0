"""Times of day in texts: `minutes_of`."""

import re

from sparring.interfaces.rule_function import rule_function
from sparring_plugins.rules.functions.numbers import reading_cost

_NAMED = {"noon": 720, "midday": 720, "midnight": 0, "mediodía": 720, "medianoche": 0}
_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>2[0-4]|[01]?\d)(?!\d)"
    r"(?:\s?[:.h]\s?(?P<minute>[0-5]\d)(?!\d)|\s?h(?:rs?|ours?)?\b)?"
    r"(?:\s?(?P<half>[ap])\.?\s?m\b\.?)?",
    re.IGNORECASE,
)


@rule_function(cost=reading_cost)
def minutes_of(text: str) -> int | None:
    """The first time of day in a text, in minutes after midnight; None where there is none.

    ``"13:00"`` is 780, as are ``"1 pm"`` and ``"13h"``; a number alone is an hour. Raises
    TypeError for what is not text.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"minutes_of() needs a text, not {type(text).__name__!r}")
    named = [(at, value) for name, value in _NAMED.items() if (at := text.lower().find(name)) >= 0]
    match = _TIME.search(text)
    if named and (match is None or min(named)[0] < match.start()):
        return min(named)[1]
    if match is None:
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return (hour % 24) * 60 + minute
