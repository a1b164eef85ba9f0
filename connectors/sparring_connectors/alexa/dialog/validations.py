"""Slot validations of the interaction model."""

import re
from datetime import date, datetime, timedelta

from sparring_connectors.alexa.interaction.model import Slot, Validation
from sparring_connectors.alexa.slots.resolution import is_resolved
from sparring_connectors.alexa.slots.values import SlotReader, matching_entities
from sparring_connectors.alexa.slots.words import words_of

_SPAN = re.compile(
    r"([+-]?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$"
)


def is_valid(check: Validation, value: str, slot: Slot, reader: SlotReader) -> bool:
    """Whether a value passes; one that cannot be compared passes, as does an unknown kind."""
    match check.kind:
        case "hasEntityResolutionMatch":
            return is_resolved(value, slot.type, reader)
        case "isInSet":
            return _in_set(check, value, slot, reader)
        case "isNotInSet":
            return not _in_set(check, value, slot, reader)
        case "isGreaterThan":
            return _compared(value, check.value, reader.now) in (None, 1)
        case "isGreaterThanOrEqualTo":
            return _compared(value, check.value, reader.now) in (None, 0, 1)
        case "isLessThan":
            return _compared(value, check.value, reader.now) in (None, -1)
        case "isLessThanOrEqualTo":
            return _compared(value, check.value, reader.now) in (None, -1, 0)
        case "isInDuration":
            return _in_duration(check, value, reader.now) is not False
        case "isNotInDuration":
            return _in_duration(check, value, reader.now) is not True
        case _:
            return True


def _in_set(check: Validation, value: str, slot: Slot, reader: SlotReader) -> bool:
    """By the words of the value, or the names and ids that it resolves to."""
    entities = matching_entities(value, reader.entities(slot.type))
    mine = {tuple(words_of(text)) for text in (value, *(item.name for item in entities))}
    allowed = {tuple(words_of(text)) for text in check.values}
    return bool(mine & allowed) or any(item.id in check.values for item in entities)


def _compared(value: str, limit: str, now: datetime) -> int | None:
    """-1, 0 or 1 as the value is below, at or above the limit; None if that cannot be said."""
    try:
        mine, other = float(value), float(limit)
    except ValueError:
        first, second = _moment(value, now), _moment(limit, now)
        if first is None or second is None:
            return None
        return (first > second) - (first < second)
    return (mine > other) - (mine < other)


def _in_duration(check: Validation, value: str, now: datetime) -> bool | None:
    found = _moment(value, now)
    start, end = _moment(check.start or "P0D", now), _moment(check.end, now)
    if found is None or start is None:
        return None
    return start <= found and (end is None or found <= end)


def _moment(value: str, now: datetime) -> datetime | None:
    """A date, a time of today, or a span seen from now, as a moment."""
    if value == "PRESENT_REF":
        return now
    if match := _SPAN.match(value):
        sign = -1 if match[1] == "-" else 1
        years, months, weeks, days, hours, minutes, seconds = (
            int(part or 0) for part in match.groups()[1:]
        )
        whole = years * 365 + months * 30 + weeks * 7 + days
        start = now if hours or minutes or seconds else datetime.combine(now.date(), now.min.time())
        try:
            return start + sign * timedelta(
                days=whole, hours=hours, minutes=minutes, seconds=seconds
            )
        except OverflowError:
            return None
    try:
        if len(value) == 5 and value[2] == ":":
            return datetime.combine(now.date(), datetime.strptime(value, "%H:%M").time())  # noqa: DTZ007 - a time of day
        return datetime.combine(date.fromisoformat(value), now.min.time())
    except ValueError:
        return None
