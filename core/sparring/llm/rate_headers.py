"""What the headers of an answer say about a service's rate limit.

Services agree on little: the names and units read here are those of RFC 9110 (``Retry-After``),
of OpenAI and its imitators, Anthropic, GitHub, and of the drafts for ``RateLimit`` fields. Limits
of tokens are not read: they do not say how many calls are left.
"""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sparring.model.chat import Quota

_LONGEST_S = 86_400.0

# x-ratelimit-remaining-requests, anthropic-ratelimit-requests-remaining, x-rate-limit-remaining
_REMAINING = re.compile(
    r"(?:[a-z]+-)*rate-?limit-(?:requests-)?remaining(?:-requests|-req(?:uests)?-minute)?"
)
# RateLimit: "default";r=50;t=30   and the older   limit=100, remaining=50, reset=5
_FIELD = re.compile(r"\b(r|t|remaining|reset)\s?=\s?(\d{1,12})")
# 6m0s, 1h2m, 8.64s, 20ms
_DURATION = re.compile(r"(?=\d)(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?")
_MOMENT, _MOMENT_MS = 1e9, 1e12  # larger numbers are moments since 1970, in seconds or milliseconds


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait before the next call, at most a day; `None` if the headers do not say.

    Reads ``retry-after-ms`` (OpenAI, Azure) and ``Retry-After`` of RFC 9110, section 10.2.3: a
    number of seconds, or a date, which counts from the answer's own ``Date``. Without both, the
    time at which a service renews its calls counts if it says that none is left. Names are looked
    up in any case.
    """
    by_name = _by_name(headers)
    milliseconds = _number(by_name.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _clamp(milliseconds / 1000)
    value = by_name.get("retry-after", "")
    seconds = _number(value)
    if seconds is None:
        until = _date(value)
        seconds = None if until is None else (until - _clock(by_name)).total_seconds()
    if seconds is not None:
        return _clamp(seconds)
    announced = read_quota(headers)
    return announced.renewed_in_s if announced and not announced.calls_left else None


def read_quota(headers: Mapping[str, str]) -> Quota | None:
    """How many calls are left and when they are renewed; `None` if the headers lack either."""
    by_name = _by_name(headers)
    for name, value in by_name.items():
        if _REMAINING.fullmatch(name):
            left, renewed_in_s = value, by_name.get(name.replace("remaining", "reset"), "")
        elif name == "ratelimit":
            fields = dict(_FIELD.findall(value))
            left = fields.get("r") or fields.get("remaining", "")
            renewed_in_s = fields.get("t") or fields.get("reset", "")
        else:
            continue
        number, seconds = _number(left), _seconds_until(renewed_in_s, by_name)
        if number is not None and number >= 0 and seconds is not None:
            return Quota(calls_left=int(min(number, 1e9)), renewed_in_s=_clamp(seconds))
    return None


def _seconds_until(value: str, headers: Mapping[str, str]) -> float | None:
    """The seconds to a moment: itself, a duration or a number of seconds from now."""
    number = _number(value)
    if number is not None:
        if number < _MOMENT:
            return number
        return number / (1000 if number >= _MOMENT_MS else 1) - _clock(headers).timestamp()
    duration = _DURATION.fullmatch(value)
    if duration:
        hours, minutes, seconds, milliseconds = (float(part or 0) for part in duration.groups())
        return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    until = _date(value)
    return None if until is None else (until - _clock(headers)).total_seconds()


def _by_name(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value.strip()[:200] for name, value in headers.items()}


def _clock(headers: Mapping[str, str]) -> datetime:
    """The service's clock, which need not agree with ours."""
    return _date(headers.get("date", "")) or datetime.now(UTC)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _date(text: str) -> datetime | None:
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
        except (ValueError, OverflowError):  # no date, or one that no calendar has
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _clamp(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST_S)
