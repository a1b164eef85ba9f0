"""Intervals, comparisons and bands say what the literature says of them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring_plugins.study.statistics import (
    adjusted,
    band,
    compared,
    difference_interval,
    effect_of,
    mean_interval,
    positions,
    ratio_interval,
)

_VALUES = st.lists(st.integers(0, 50), min_size=1, max_size=8)


@settings(max_examples=20, deadline=None)
@given(_VALUES, _VALUES)
def test_a12_is_the_share_of_pairs_in_which_the_first_is_larger(
    one: list[int], other: list[int]
) -> None:
    found = compared(one, other)
    pairs = [(a > b) + (a == b) / 2 for a in one for b in other]
    assert found.a12 == pytest.approx(sum(pairs) / len(pairs))
    assert compared(other, one).a12 == pytest.approx(1 - found.a12)
    assert 0 <= found.p <= 1


def test_six_runs_that_are_all_better_are_significant_and_exact() -> None:
    found = compared([10, 11, 12, 13, 14, 15], [1, 2, 3, 4, 5, 6])
    assert found.p == pytest.approx(2 / math.comb(12, 6))
    assert (found.a12, found.effect) == (1.0, "large")
    assert compared([3, 3], [3, 3]).p == 1.0


@pytest.mark.parametrize(
    ("a12", "word"),
    [(0.5, "negligible"), (0.56, "small"), (0.36, "medium"), (0.71, "large"), (0.0, "large")],
)
def test_effects_have_words(a12: float, word: str) -> None:
    assert effect_of(a12) == word


def test_a_bootstrap_is_repeated_by_its_seed_and_holds_the_mean() -> None:
    values = [3.0, 5.0, 4.0, 8.0, 6.0, 5.0]
    found = mean_interval(values, seed=3)
    assert found == mean_interval(values, seed=3)
    assert found is not None
    assert 5.166 in found
    assert min(values) < found.low < found.high < max(values)
    assert mean_interval([4.0]) is None
    constant = mean_interval([4.0, 4.0])
    assert constant is not None
    assert (constant.low, constant.high) == (4.0, 4.0)
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, math.nan])


def test_pairs_tell_a_small_difference_that_two_sets_do_not() -> None:
    before = [10.0, 20.0, 30.0, 40.0, 50.0]
    after = [11.0, 21.5, 31.0, 41.5, 51.0]
    paired = difference_interval(after, before, paired=True)
    apart = difference_interval(after, before)
    assert paired is not None
    assert apart is not None
    assert paired.low > 0
    assert apart.low < 0
    with pytest.raises(ValueError, match="2 and 1 values are no pairs"):
        difference_interval([1.0, 2.0], [1.0], paired=True)


def test_a_ratio_needs_a_positive_base() -> None:
    found = ratio_interval([8.0, 9.0, 10.0], [2.0, 2.5, 3.0])
    assert found is not None
    assert found.low > 2
    assert ratio_interval([8.0, 9.0], [0.0, 1.0]) is None


def test_several_p_values_grow_with_their_number() -> None:
    assert adjusted([0.01, 0.04, 0.5]) == pytest.approx([0.03, 0.06, 0.5])
    assert adjusted([]) == []


def test_a_band_goes_over_all_runs_and_a_short_one_keeps_its_last_value() -> None:
    points = band([[1, 2, 3, 4], [0, 0, 1], []])
    assert [point.x for point in points] == [1, 2, 3, 4]
    assert points[-1].mean == 2.5
    assert all(point.low <= point.mean <= point.high for point in points)
    assert positions(1000)[-1] == 1000
    assert len(positions(1000)) == 50
