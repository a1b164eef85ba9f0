"""AMAZON.TIME and AMAZON.DURATION."""

from collections.abc import Sequence
from datetime import time

from sparring_connectors.alexa.slots.numbers import number_of

_PARTS = {
    "morning": "MO", "afternoon": "AF", "evening": "EV", "night": "NI", "tonight": "NI",
}  # fmt: skip
_FIXED = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_UNITS = {
    "year": ("Y", False), "month": ("M", False), "week": ("W", False), "day": ("D", False),
    "hour": ("H", True), "minute": ("M", True), "second": ("S", True),
}  # fmt: skip


def spoken_time(words: Sequence[str], now: time) -> str | None:
    """The value of AMAZON.TIME: ``14:00``, or MO, AF, EV, NI; None where it is no time."""
    rest = [word for word in words if word not in ("at", "the", "in", "this", "around")]
    if rest == ["now"]:
        return f"{now.hour:02d}:{now.minute:02d}"
    if len(rest) == 1 and rest[0] in _PARTS | _FIXED:
        return _PARTS.get(rest[0]) or _FIXED[rest[0]]
    half, rest = _half_of_day(rest)
    found = _hours_minutes(rest)
    if found is None:
        return None
    hour, minute = found
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    return f"{hour:02d}:{minute:02d}" if hour < 24 and minute < 60 else None


def _half_of_day(words: list[str]) -> tuple[str, list[str]]:
    if words[-2:] in (["p", "m"], ["a", "m"]):
        return words[-2] + "m", words[:-2]
    if words and words[-1] in ("pm", "am"):
        return words[-1], words[:-1]
    if len(words) > 1 and words[-1] in _PARTS:
        return "am" if words[-1] == "morning" else "pm", words[:-1]
    if words and words[-1][:-2].isdigit() and words[-1][-2:] in ("am", "pm"):
        return words[-1][-2:], [*words[:-1], words[-1][:-2]]
    return "", words


def _hours_minutes(words: list[str]) -> tuple[int, int] | None:
    if not words:
        return None
    plain = [word for word in words if word not in ("o'clock", "oclock", "hours")]
    if len(plain) == 1 and ":" in plain[0]:
        hour, _, minute = plain[0].partition(":")
        return (int(hour), int(minute)) if hour.isdigit() and minute.isdigit() else None
    for mark, sign in (("past", 1), ("after", 1), ("to", -1), ("till", -1)):
        if mark in plain[1:-1]:
            return _around(plain, plain.index(mark), sign)
    shortest = len(plain) if len(plain) < len(words) else 1  # "o'clock" has no minutes
    for cut in range(len(plain), shortest - 1, -1):
        hours = number_of(plain[:cut])
        minutes = (
            0 if cut == len(plain) else number_of([part for part in plain[cut:] if part != "oh"])
        )
        if isinstance(hours, int) and isinstance(minutes, int) and hours < 24 and minutes < 60:
            return hours, minutes
    return None


def _around(words: list[str], middle: int, sign: int) -> tuple[int, int] | None:
    said = words[:middle]
    quarter = {"quarter": 15, "half": 30}.get(said[-1])
    minute = quarter if quarter is not None else number_of([w for w in said if w != "minutes"])
    hour = number_of(words[middle + 1 :])
    if not isinstance(minute, int) or not isinstance(hour, int) or not 0 <= minute < 60:
        return None
    total = (hour * 60 + sign * minute) % (24 * 60)
    return total // 60, total % 60


def spoken_duration(words: Sequence[str]) -> str | None:
    """The value of AMAZON.DURATION in ISO 8601, such as ``PT5M``; None where it is none."""
    parts: dict[str, float] = {}
    pending: list[str] = []
    unit = ""
    for word in (word for word in words if word not in ("for", "the")):
        name = word.rstrip("s")
        if name in _UNITS and pending:
            many = _amount(pending)
            if many is None:
                return None
            unit = name
            parts[unit] = parts.get(unit, 0) + many
            pending = []
        else:
            pending.append(word)
    if unit and pending in (["and", "a", "half"], ["and", "half"]):
        parts[unit] += 0.5
        pending = []
    return _iso(parts) if parts and not pending else None


def _amount(words: list[str]) -> float | None:
    plain = words[1:] if words[0] == "and" and len(words) > 1 else words
    if plain in (["a"], ["an"]):
        return 1
    if plain in (["half", "a"], ["half", "an"], ["half"]):
        return 0.5
    half = 0.0
    for ending in (["and", "a", "half"],):
        if plain[-3:] == ending:
            plain, half = plain[:-3], 0.5
    found = number_of(plain)
    return None if found is None or not 0 <= found < 10**9 else found + half


def _iso(parts: dict[str, float]) -> str:
    """Units in order, half hours and half minutes as the next smaller unit."""
    for larger, smaller in (("hour", "minute"), ("minute", "second")):
        rest = parts.get(larger, 0) % 1
        if rest:
            parts[larger] -= rest
            parts[smaller] = parts.get(smaller, 0) + round(rest * 60)
    days = "".join(_written(parts, name) for name, (_, is_time) in _UNITS.items() if not is_time)
    times = "".join(_written(parts, name) for name, (_, is_time) in _UNITS.items() if is_time)
    return f"P{days}" + (f"T{times}" if times else "") if days or times else "PT0S"


def _written(parts: dict[str, float], name: str) -> str:
    many = parts.get(name, 0)
    return f"{many:g}{_UNITS[name][0]}" if many else ""
