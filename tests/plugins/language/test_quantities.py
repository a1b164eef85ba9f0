"""Durations, counts and money as people read them."""

import pytest

from sparring.model.verdict import Outcome
from sparring_plugins.language.quantities import duration, money, outcomes, plural


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (-1.0, "0 ms"),
        (0.000001, "<0.1 ms"),
        (0.0001, "0.1 ms"),
        (0.00096, "1 ms"),
        (0.35, "350 ms"),
        (0.9996, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (125.0, "2 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7320.0, "2 h 02 min"),
        (360000.0, "100 h 00 min"),
    ],
)
def test_durations_have_the_precision_that_matters(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("cost", "text"), [(None, "price unknown"), (0.0, "$0.0000"), (0.0312, "$0.0312"), (2, "$2.00")]
)
def test_unknown_prices_are_never_shown_as_nothing(cost: float | None, text: str) -> None:
    assert money(cost) == text


def test_counts_are_grouped_and_zeros_left_out() -> None:
    assert plural(1, "turn") == "1 turn"
    assert plural(1200, "turn") == "1,200 turns"
    assert plural(0, "turn") == "0 turns"
    assert outcomes({Outcome.FAIL: 1, Outcome.PASS: 1500, Outcome.ERROR: 0}) == "1,500 pass, 1 fail"
    assert outcomes({}) == "none"
