"""The gate's errors in simulated runs: false alarms keep their promise, and the docs their table."""

from pathlib import Path

import pytest

from sparring.suite.model import Gate, Repeats
from sparring_plugins.gating.gate_result import Rules

from .simulation import exactly, simulate, table

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


@pytest.mark.parametrize(
    ("settings", "min_rate"),
    [
        (Repeats(until=0.05, most=200), 0.9),
        (Repeats(until=0.05, most=200), 0.7),
        (Repeats(until=0.1, most=60), 0.9),
        (Repeats(until=0.2, most=1000), 0.8),
        (Repeats(times=30), 0.9),
    ],
)
def test_false_alarms_keep_the_promise_exactly(settings: Repeats, min_rate: float) -> None:
    gate = Gate(min_rate=min_rate)
    shares = exactly(settings, min_rate, gate)
    assert sum(shares.values()) == pytest.approx(1, abs=1e-9)
    assert shares["fail"] <= 0.05
    passed = exactly(settings, min_rate - 0.001, gate)["pass"]
    # What passes in all of its plays passes, however few they are.
    assert passed <= 0.05 + min_rate ** (30 if settings.until is None else 5)


@pytest.mark.thorough
def test_the_page_has_the_table_of_a_thousand_runs() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")
