"""Ranges of numbers, as the paper describes them and as SENSEI computes them."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.users.profiles.number_ranges import (
    float_range,
    int_range,
    sensei_float_range,
    sensei_int_range,
)

ints = st.integers(-1000, 1000)
steps = st.integers(1, 50)
floats = st.integers(-500, 500).map(lambda n: n / 100)


@pytest.mark.parametrize(
    ("given_range", "ours", "senseis"),
    [
        ({"min": 1, "max": 4}, [1, 2, 3, 4], [1, 2, 3]),
        ({"min": 1, "max": 3, "step": 1}, [1, 2, 3], [1, 2, 3]),
        ({"min": 1, "max": 6, "step": 2}, [1, 3, 5], [1, 3, 5, 6]),
        ({"min": 2, "max": 6, "step": 2}, [2, 4, 6], [2, 4, 6]),
        ({"min": -3, "max": 0, "step": 5}, [-3], [-3, 0]),
        ({"min": 5, "max": 5}, [5], []),
        ({"min": 5, "max": 5, "step": 1}, [5], [5]),
    ],
)
def test_ranges_of_whole_numbers(
    given_range: dict[str, int], ours: list[int], senseis: list[int]
) -> None:
    assert int_range(given_range) == ours
    assert sensei_int_range(given_range) == senseis


@pytest.mark.parametrize(
    ("given_range", "ours", "senseis"),
    [
        ({"min": 0, "max": 1, "step": 0.25}, [0, 0.25, 0.5, 0.75, 1], [0, 0.25, 0.5, 0.75, 1]),
        ({"min": 1, "max": 1.5, "step": 0.2}, [1, 1.2, 1.4], [1.0, 1.2, 1.4, 1.5]),
        (
            {"min": 2.25, "max": 2.75, "step": 0.1},
            [2.25, 2.35, 2.45, 2.55, 2.65, 2.75],
            [2.25, 2.35, 2.45, 2.5500000000000003, 2.6500000000000004, 2.75],
        ),
        ({"min": 1, "max": 2, "linspace": 3}, [1, 1.5, 2], [1, 1.5, 2]),
        ({"min": 1, "max": 6, "linspace": 1}, [1], [1]),
        ({"min": 0, "max": 1, "linspace": 4}, [0, 1 / 3, 2 / 3, 1], [0, 1 / 3, 2 / 3, 1]),
        ({"min": 1, "max": 6, "step": 2}, [1, 3, 5], [1, 3, 5, 6]),
    ],
)
def test_ranges_of_floats(
    given_range: dict[str, float], ours: list[float], senseis: list[float]
) -> None:
    assert float_range(given_range) == ours
    assert sensei_float_range(given_range) == senseis


def test_a_range_of_floats_holds_floats() -> None:
    assert all(isinstance(value, float) for value in float_range({"min": 1, "max": 3, "step": 1}))


@given(ints, ints, steps)
def test_a_range_includes_its_ends_once_where_the_step_meets_them(
    first: int, second: int, step: int
) -> None:
    low, high = sorted((first, second))
    values = int_range({"min": low, "max": high, "step": step})
    assert values[0] == low
    assert (values[-1] == high) == ((high - low) % step == 0)
    assert high - step < values[-1] <= high
    assert {b - a for a, b in pairwise(values)} <= {step}


@given(floats, floats, st.integers(1, 200).map(lambda n: n / 100))
def test_steps_of_decimals_are_exact(first: float, second: float, step: float) -> None:
    low, high = sorted((first, second))
    for index, value in enumerate(float_range({"min": low, "max": high, "step": step})):
        assert value == round(low + index * step, 6)


@given(floats, floats, st.integers(2, 60))
def test_evenly_spaced_values_start_and_end_where_they_should(
    first: float, second: float, count: int
) -> None:
    low, high = sorted((first, second))
    values = float_range({"min": low, "max": high, "linspace": count})
    assert (len(values), values[0], values[-1]) == (count, low, high)
    assert values == sorted(values)


def test_evenly_spaced_whole_numbers_are_whole_and_different() -> None:
    assert int_range({"min": 1, "max": 10, "linspace": 4}) == [1, 4, 7, 10]
    assert int_range({"min": 1, "max": 3, "count": 9}) == [1, 2, 3]


@pytest.mark.parametrize(
    ("given_range", "message"),
    [
        ({"min": 1}, "expected whole numbers for min, max and step"),
        ({"min": 1, "max": 5, "step": 0}, "expected whole numbers for min, max and step"),
        ({"min": 1, "max": True}, "expected whole numbers for min, max and step"),
        ({"min": 1, "max": 10**9}, "gives 1,000,000,001 values; at most 100,000 are allowed"),
    ],
)
def test_senseis_ranges_are_bounded_too(given_range: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sensei_int_range(given_range)


@pytest.mark.parametrize(
    ("given_range", "message"),
    [
        ({"min": 0, "max": 1}, "needs a step, or linspace"),
        ({"min": "a", "max": 1, "step": 1}, "expected a number for min, found 'a'"),
        ({"min": 0, "max": float("inf"), "step": 1}, "expected a number for max, found inf"),
        ({"min": 0, "max": 1, "step": 0}, "the step must not be 0"),
        ({"min": 0, "max": 1, "step": 1e-9}, "at most 100,000 are allowed"),
        ({"min": 0, "max": 1, "linspace": 2.5}, "at least 1 for linspace, found 2.5"),
    ],
)
def test_senseis_float_ranges_are_bounded_too(given_range: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sensei_float_range(given_range)
