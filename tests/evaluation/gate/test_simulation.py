"""The gate's errors in simulated runs: false alarms keep their promise, and the docs their table."""

from pathlib import Path

import pytest

from sparring.suite.model import Repeats
from sparring_plugins.gating.gate_result import Rules

from .simulation import simulate, table

PAGE = Path(__file__).parents[3] / "docs/how-to/gate-a-run.md"


@pytest.mark.parametrize(
    ("settings", "rate", "wrong", "most"),
    [
        (Repeats(times=10), 0.9, "fail", 0.05),
        (Repeats(times=10), 0.5, "pass", 0.02),
        (Repeats(until=0.1, most=60), 0.9, "fail", 0.08),
        (Repeats(until=0.1, most=60), 0.6, "pass", 0.01),
    ],
)
def test_the_gate_is_wrong_as_rarely_as_it_says(
    settings: Repeats, rate: float, wrong: str, most: float
) -> None:
    passes, _, fails, _ = simulate(settings, rate, 150, Rules())
    assert {"pass": passes, "fail": fails}[wrong] <= most


@pytest.mark.thorough
def test_the_page_has_the_table_of_a_thousand_runs() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")
