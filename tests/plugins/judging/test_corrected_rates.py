"""Rates corrected for a judge's errors: by hand, and over a thousand simulated runs."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.gating.statistics import wilson
from sparring_plugins.judging.corrected_rates import (
    JudgeErrors,
    prediction_powered,
    rogan_gladen,
)

DRAWS = 1_000


def said(draw: Random, true: bool, sensitivity: float, specificity: float) -> bool:
    return draw.random() < (sensitivity if true else 1 - specificity)


@pytest.mark.parametrize(
    ("rate", "sensitivity", "specificity"), [(0.1, 0.9, 0.9), (0.3, 0.8, 0.95), (0.6, 0.95, 0.75)]
)
def test_intervals_hold_the_true_rate_as_often_as_they_say(
    rate: float, sensitivity: float, specificity: float
) -> None:
    draw = Random(f"{rate}/{sensitivity}")
    held = powered = raw = 0
    for _ in range(DRAWS):
        labels = [draw.random() < 0.5 for _ in range(100)]
        answers = [said(draw, true, sensitivity, specificity) for true in labels]
        errors = JudgeErrors(
            caught=sum(t and a for t, a in zip(labels, answers, strict=True)),
            missed=sum(t and not a for t, a in zip(labels, answers, strict=True)),
            cleared=sum(not t and not a for t, a in zip(labels, answers, strict=True)),
            blamed=sum(not t and a for t, a in zip(labels, answers, strict=True)),
        )
        judged = [said(draw, draw.random() < rate, sensitivity, specificity) for _ in range(200)]
        corrected = rogan_gladen(sum(judged), len(judged), errors)
        assert corrected is not None
        held += corrected.low <= rate <= corrected.high
        plain = wilson(sum(judged), len(judged))
        assert plain is not None
        raw += plain[0] <= rate <= plain[1]
        own = [draw.random() < rate for _ in range(100)]  # labelled cases of the run itself
        pairs = [(said(draw, true, sensitivity, specificity), true) for true in own]
        mended = prediction_powered(judged, pairs)
        assert mended is not None
        powered += mended.low <= rate <= mended.high
    assert held >= 0.93 * DRAWS
    assert powered >= 0.92 * DRAWS
    assert raw < held


def test_a_judge_that_never_errs_corrects_nothing() -> None:
    corrected = rogan_gladen(20, 100, JudgeErrors(500, 0, 500, 0))
    assert corrected is not None
    assert corrected.value == pytest.approx(0.2)
    assert corrected.low < 0.2 < corrected.high


@pytest.mark.parametrize(
    ("failed", "judged", "errors"),
    [
        pytest.param(0, 0, JudgeErrors(9, 1, 9, 1), id="nothing was judged"),
        pytest.param(5, 9, JudgeErrors(0, 0, 9, 1), id="no failure was labelled"),
        pytest.param(5, 9, JudgeErrors(9, 1, 0, 0), id="nothing but failures was labelled"),
        pytest.param(5, 9, JudgeErrors(1, 9, 1, 9), id="worse than chance"),
    ],
)
def test_no_rate_is_made_up(failed: int, judged: int, errors: JudgeErrors) -> None:
    assert rogan_gladen(failed, judged, errors) is None


def test_errors_are_counted_by_what_fails() -> None:
    table = {"yes": {"yes": 8, "no": 2}, "no": {"no": 5}, "partly": {"no": 1, "yes": 3}}
    assert JudgeErrors.of(table, {"no", "partly"}) == JudgeErrors(6, 3, 8, 2)


@given(st.integers(0, 60), st.integers(1, 60), st.tuples(*[st.integers(0, 40)] * 4))
def test_rates_are_shares(failed: int, more: int, counts: tuple[int, int, int, int]) -> None:
    rate = rogan_gladen(failed, failed + more, JudgeErrors(*counts))
    if rate is not None:
        assert 0 <= rate.low <= rate.value <= rate.high <= 1
