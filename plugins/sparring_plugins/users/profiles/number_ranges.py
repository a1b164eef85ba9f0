"""Values from a range of numbers: ``{min, max, step}`` and ``{min, max, linspace}``."""

import math
from fractions import Fraction
from typing import Any

from sparring.documents.checking import nearest, shown

Number = int | float

MOST_VALUES = 100_000
"""The longest list of values that one variable may have."""

KEYS = ("min", "max", "step", "linspace", "count")


def int_range(data: dict[Any, Any]) -> list[int]:
    """From min to max, both included if the step meets them; the step is 1 if none is given.

    Raises ValueError with a message.
    """
    for key in ("min", "max", "step"):
        if key in data and not _is_int(data[key]):
            raise ValueError(f"expected whole numbers, found {key}: {shown(data[key])}")
    first, last, step, count = _parts(data, step=1)
    if count is not None:
        return list(dict.fromkeys(round(value) for value in _space_numbers(first, last, count)))
    return [int(value) for value in _step_numbers(first, last, step)]


def float_range(data: dict[Any, Any]) -> list[Number]:
    """From min to max, both included if the step meets them. Raises ValueError.

    Steps are decimal: from 1 to 2 by 0.1 gives 1.1, 1.2, 1.3 and never 1.3000000000000003.
    """
    first, last, step, count = _parts(data, step=None)
    if count is not None:
        return [float(value) for value in _space_numbers(first, last, count)]
    return [float(value) for value in _step_numbers(first, last, step)]


def _parts(
    data: dict[Any, Any], *, step: int | None
) -> tuple[Fraction, Fraction, Fraction, int | None]:
    """First, last, step and count, checked; `step` is the default, without which one is needed."""
    given = _checked_keys(data)
    first, last = _fraction(data, "min"), _fraction(data, "max")
    if first > last:
        raise ValueError(f"min {data['min']} is greater than max {data['max']}")
    if "linspace" in data or "count" in data:
        return first, last, Fraction(1), _count(data[given[0]], given[0])
    if "step" not in data and step is None:
        raise ValueError("the range needs a step, or linspace with the number of values")
    by = _fraction(data, "step") if "step" in data else Fraction(step or 1)
    if by <= 0:
        raise ValueError(f"the step must be greater than 0, found {data['step']}")
    _guard((last - first) / by + 1)
    return first, last, by, None


def _checked_keys(data: dict[Any, Any]) -> list[str]:
    """Which of step, linspace and count is given, at most one; raises ValueError."""
    for key in data:
        if key not in KEYS:
            raise ValueError(f"unknown key {shown(key)} in the range.{nearest(str(key), KEYS)}")
    for key in ("min", "max"):
        if key not in data:
            raise ValueError(f"the range has no {key}")
    given = [key for key in ("step", "linspace", "count") if key in data]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} exclude each other")
    return given


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _fraction(data: dict[Any, Any], key: str) -> Fraction:
    value = data[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"expected a number for {key}, found {shown(value)}")
    return Fraction(str(value))


def _count(value: Any, key: str) -> int:
    if not _is_int(value) or value < 1:
        raise ValueError(f"expected a whole number of at least 1 for {key}, found {shown(value)}")
    _guard(value)
    return int(value)


def _guard(count: Fraction | int) -> None:
    if count > MOST_VALUES:
        raise ValueError(f"gives {math.floor(count):,} values; at most {MOST_VALUES:,} are allowed")


def _step_numbers(first: Fraction, last: Fraction, step: Fraction) -> list[Fraction]:
    return [first + index * step for index in range(math.floor((last - first) / step) + 1)]


def _space_numbers(first: Fraction, last: Fraction, count: int) -> list[Fraction]:
    if count == 1:
        return [first]
    return [first + (last - first) * index / (count - 1) for index in range(count)]


def sensei_int_range(data: dict[Any, Any]) -> list[int]:
    """SENSEI's numbers: with a step, max is appended; without one, it is left out.

    Raises ValueError.
    """
    numbers: list[Any] = [data.get("min"), data.get("max"), data.get("step", 1)]
    if not all(_is_int(value) for value in numbers) or numbers[2] == 0:
        raise ValueError(f"expected whole numbers for min, max and step, found {shown(data)}")
    first, last, step = (int(value) for value in numbers)
    _guard(abs(last - first) // abs(step) + 2)
    values = list(range(first, last, step))
    return [*values, last] if "step" in data else values


def sensei_float_range(data: dict[Any, Any]) -> list[Number]:
    """SENSEI's numbers, which are numpy's: arange with max appended, or linspace.

    Raises ValueError.
    """
    for key in ("min", "max"):
        _fraction({key: data.get(key)}, key)
    first, last = data["min"], data["max"]
    if "step" in data:
        _fraction(data, "step")
        return _arange(first, last, data["step"])
    if "linspace" not in data:
        raise ValueError("the range needs a step, or linspace with the number of values")
    count = _count(data["linspace"], "linspace")
    if count == 1:
        return [float(first)]
    gap = (last - first) / (count - 1)
    return [*(index * gap + float(first) for index in range(count - 1)), float(last)]


def _arange(first: Number, last: Number, step: Number) -> list[Number]:
    if step == 0:
        raise ValueError("the step must not be 0")
    length = max(0, math.ceil((last - first) / step))
    _guard(length)
    if all(isinstance(value, int) for value in (first, last, step)):
        return [*(first + index * step for index in range(length)), last]
    delta = (first + step) - first  # numpy fills from its first two values
    return [*(float(first + index * delta) for index in range(length)), last]
