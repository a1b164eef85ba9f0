"""The gate's tests and intervals, against values of the literature, SciPy and brute force."""

from itertools import pairwise, product
from math import comb, sqrt
from statistics import NormalDist, fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.gating.gate_result import Rules, decide, pass_at
from sparring_plugins.gating.records import CheckCounts
from sparring_plugins.gating.statistics import (
    RunningMean,
    at_least,
    at_most,
    holm,
    less_often,
    mcnemar,
    mean_interval,
    spent_by,
)


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.01, 0.99))
def test_tails_of_the_binomial_are_sums_of_its_terms(k: int, n: int, p: float) -> None:
    terms = [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    assert at_most(k, n, p) == pytest.approx(sum(terms[: k + 1]), abs=1e-9)
    assert at_least(k, n, p) == pytest.approx(sum(terms[k:]), abs=1e-9)


def test_tails_of_large_numbers_neither_overflow_nor_vanish() -> None:
    assert at_most(10_000, 20_000, 0.5) == pytest.approx(0.5028, abs=1e-3)
    assert at_most(0, 20_000, 0.5) == 0.0


def test_mcnemar_is_the_exact_binomial_test() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for worse, better in [(0, 0), (1, 0), (5, 1), (10, 3), (30, 12)]:
        number = worse + better
        expected = scipy_stats.binomtest(worse, number).pvalue if number else 1.0
        assert mcnemar(worse, better) == pytest.approx(expected)


def test_fishers_test_is_that_of_scipy() -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    for a, n, b, m in product((0, 3, 10), (10,), (0, 2, 7), (8, 7)):
        table = [[a, n - a], [b, m - b]]
        expected = scipy_stats.fisher_exact(table, alternative="greater").pvalue
        assert less_often((a, n), (b, m)) == pytest.approx(expected)


def test_holm_multiplies_the_smallest_most_and_keeps_the_order() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "b": 0.06, "c": 0.06}
    )
    assert holm({}) == {}
    # Three tests with one p are the same as one p that three tests have.
    each = holm({"a": 0.01, "b": 0.02, "c": 0.02, "d": 0.02, "e": 0.5})
    together = holm({"a": 0.01, "b": 0.02, "e": 0.5}, {"a": 1, "b": 3, "e": 1})
    assert together == {key: each[key] for key in together}
    assert each["b"] == each["c"] == each["d"]


def test_the_bootstrap_of_a_mean_is_near_the_normal_interval() -> None:
    values = [float(value % 7) for value in range(2_000)]
    drawn = mean_interval(values)
    normal = mean_interval(values * 3)
    assert drawn is not None
    assert normal is not None
    assert drawn == pytest.approx((2.91, 3.09), abs=0.02)
    assert normal[1] - normal[0] == pytest.approx((drawn[1] - drawn[0]) / 3**0.5, rel=0.1)
    assert mean_interval([1.0]) is None
    running = RunningMean()
    for value in values * 300:
        running.add(value)
    assert running.mean == pytest.approx(fmean(values))
    reach = NormalDist().inv_cdf(0.975) * stdev(values * 300) / sqrt(running.count)
    assert running.interval() == pytest.approx((running.mean - reach, running.mean + reach))


def test_what_looks_spend_adds_up_to_the_whole_error() -> None:
    shares = [0, 0.1, 0.3, 0.7, 1]
    spent = [spent_by(b, 0.05) - spent_by(a, 0.05) for a, b in pairwise(shares)]
    assert all(part > 0 for part in spent)
    assert sum(spent) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("passed", "failed", "undecided", "decision"),
    [
        (3, 0, 0, "pass"),
        (0, 1, 0, "fail"),
        (0, 5, 0, "fail"),
        (9, 1, 0, "flaky"),
        (2, 1, 0, "flaky"),
        (6, 4, 0, "fail"),
        (99, 1, 0, "pass"),
        (9, 0, 1, "undecided"),
        (9, 1, 1, "undecided"),
        (0, 2, 1, "fail"),
        (0, 0, 0, "skipped"),
    ],
)
def test_a_gate_decides_by_the_exact_test(
    passed: int, failed: int, undecided: int, decision: str
) -> None:
    assert decide(CheckCounts(passed, failed, undecided), Rules()) == decision


def test_pass_at_k_counts_draws_without_putting_back() -> None:
    found = pass_at([(3, 5), (0, 5)], 2)
    assert found.any == pytest.approx((1 - 1 / 10 + 0) / 2)
    assert found.all == pytest.approx((3 / 10 + 0) / 2)
    one = pass_at([(3, 5)], 1)
    assert one.any == one.all == pytest.approx(0.6)
