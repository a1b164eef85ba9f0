"""The model on paper obeys what is known of such systems without simulating them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .model import Costs, Load, Site, predict, predict_shards, saturation

COSTS = Costs(task_s=0.003, case_s=0.001)
ANSWER = Load("answer", cpu_s=0.0, wait_s=2.0, log_bytes=1_000)


def test_places_are_used_in_full_while_the_coordinator_is_idle() -> None:
    done = predict(COSTS, ANSWER, Site(workers=4, places=5), 400)
    assert done.cases_per_s == pytest.approx(4 * 5 / 2.0, rel=0.05)  # Little's law
    assert done.log_bytes_per_s == pytest.approx(done.cases_per_s * 1_000)
    assert done.coordinator < 0.1


def test_more_workers_than_the_coordinator_can_serve_change_nothing() -> None:
    most = saturation(COSTS, ANSWER)
    assert most == pytest.approx(250)
    for workers in (60, 90):
        done = predict(COSTS, ANSWER, Site(workers, places=10), 6_000)
        assert done.cases_per_s == pytest.approx(most, rel=0.1)
        assert done.coordinator > 0.9


def test_short_cases_travel_together_and_cost_less() -> None:
    short = Load("short", cpu_s=0.002, wait_s=0.0, log_bytes=1)
    assert (short.together, ANSWER.together) == (25, 1)
    assert saturation(COSTS, short) == pytest.approx(1 / (0.003 / 25 + 0.001))


def test_shards_have_a_coordinator_each() -> None:
    one = predict(COSTS, ANSWER, Site(80, 10), 12_000)
    four = predict_shards(COSTS, ANSWER, Site(80, 10), 4)
    assert one.cases_per_s == pytest.approx(250, rel=0.1)
    assert four.cases_per_s == pytest.approx(80 * 10 / 2, rel=0.1)


def test_an_app_that_serves_few_at_once_is_the_limit() -> None:
    limited = Load("limited", cpu_s=0.0, wait_s=0.5, log_bytes=1, app_limit=3)
    done = predict(COSTS, limited, Site(10, 10), 600)
    assert done.cases_per_s == pytest.approx(3 / 0.5, rel=0.05)


@settings(max_examples=25)
@given(
    workers=st.integers(1, 6),
    places=st.integers(1, 4),
    cores=st.integers(1, 4),
    cpu_ms=st.integers(1, 200),
    wait_ms=st.integers(0, 500),
)
def test_no_prediction_is_above_what_any_part_can_do(
    workers: int, places: int, cores: int, cpu_ms: int, wait_ms: int
) -> None:
    load = Load("any", cpu_ms / 1000, wait_ms / 1000, log_bytes=1)
    done = predict(COSTS, load, Site(workers, places, cores), 400)
    bounds = [
        saturation(COSTS, load),
        min(workers, cores) / load.cpu_s,
        workers * places / (load.cpu_s + load.wait_s),
    ]
    assert 0 < done.cases_per_s <= 1.1 * min(bounds)
    assert 0 <= done.coordinator <= 1.01
    assert 0 <= done.workers <= 1.01
