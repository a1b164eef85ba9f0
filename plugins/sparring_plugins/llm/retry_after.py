"""How long a service wants to be left alone, as its answer's headers say it."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST_S = 86_400.0


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait before the next call, at most a day; None where the headers do not say.

    Reads ``retry-after-ms`` (OpenAI, Azure) and ``Retry-After`` of RFC 9110, section 10.2.3: a
    number of seconds, or a date, which counts from the answer's own ``Date``. Names are looked up
    in any case.
    """
    said = {name.lower(): value.strip() for name, value in headers.items()}
    milliseconds = _number(said.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    value = said.get("retry-after", "")
    seconds = _number(value)
    if seconds is None:
        until = _date(value)
        seconds = None if until is None else (until - _now(said)).total_seconds()
    return None if seconds is None else _bounded(seconds)


def _now(said: Mapping[str, str]) -> datetime:
    """The service's clock, which need not agree with ours."""
    return _date(said.get("date", "")) or datetime.now(UTC)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_S)
