"""Rates that are corrected for a judge's errors hold the true rate as often as they promise."""

from pathlib import Path

import pytest

from .simulation import JUDGES, items, simulate, table

PAGE = Path(__file__).parents[3] / "docs/how-to/can-i-trust-this-judge.md"


def test_the_judges_err_on_the_labelled_answers() -> None:
    assert len(items()) == 200
    for judge in JUDGES.values():
        assert sum(judge(item) == item.wrong for item in items()) < 200


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("method", ["rogan-gladen", "ppi"])
def test_intervals_hold_the_true_rate_in_most_draws(judge: str, method: str) -> None:
    result = simulate(judge, method)
    assert result.held >= 0.93
    if judge == "words":
        assert result.draws == 1_000
        assert result.corrected_error < result.raw_error


def test_the_page_has_the_table() -> None:
    assert table() in PAGE.read_text("utf-8")
