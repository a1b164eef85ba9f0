"""Few calls are refused by a service that limits its rate, on a clock that jumps."""

import random

import pytest

from .simulated_services import LIMITS, SimulatedService, outcome


def refused_share(
    kind: str, per_minute: int, *, calls: int, at_once: int, named: bool, quota: bool = False
) -> float:
    random.seed(1)
    service = SimulatedService(LIMITS[kind](per_minute), retry_after=named, quota=quota)
    done = outcome(service, calls, concurrency=at_once, attempts=8)
    assert done.failed == 0
    return done.refused / (done.refused + calls)


@pytest.mark.parametrize("at_once", [4, 64])
@pytest.mark.parametrize("kind", LIMITS)
def test_at_most_three_in_a_hundred_calls_are_refused_if_a_time_is_named(
    kind: str, at_once: int
) -> None:
    assert refused_share(kind, 30, calls=100, at_once=at_once, named=True) <= 0.03


@pytest.mark.parametrize("kind", LIMITS)
def test_without_a_time_a_limit_is_learned_from_a_dozen_refusals(kind: str) -> None:
    assert refused_share(kind, 30, calls=100, at_once=64, named=False) <= 0.11
    assert refused_share(kind, 30, calls=300, at_once=64, named=False) <= 0.03


@pytest.mark.parametrize("calls", [10, 30, 100, 300])
@pytest.mark.parametrize("at_once", [4, 64])
@pytest.mark.parametrize("kind", LIMITS)
def test_hardly_any_call_is_refused_of_however_few_if_the_service_announces_its_quota(
    kind: str, at_once: int, calls: int
) -> None:
    share = refused_share(kind, 30, calls=calls, at_once=at_once, named=False, quota=True)
    # which limit a service has is not known before its first answer: a limit of one call in two
    # seconds refuses the two that are begun while that is waited for
    assert share <= (2 / (calls + 2) if kind == "seconds" else 0)


@pytest.mark.parametrize("kind", LIMITS)
def test_a_heeded_quota_wastes_no_time(kind: str) -> None:
    done = outcome(
        SimulatedService(LIMITS[kind](30), retry_after=False, quota=True), 300, concurrency=64
    )
    assert done.failed == 0
    assert done.seconds <= 1.12 * 540  # 30 at once, and 270 at 30 a minute


@pytest.mark.thorough
@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
@pytest.mark.parametrize("at_once", [4, 16, 64])
@pytest.mark.parametrize("per_minute", [30, 60, 300, 1000])
@pytest.mark.parametrize("kind", LIMITS)
def test_at_most_three_in_a_hundred_of_many_calls_are_refused(
    kind: str, per_minute: int, at_once: int, named: bool
) -> None:
    # a bucket of 300 calls is emptied in four seconds by 64 at once, before anything is learned
    most = 0.04 if (kind, per_minute, at_once) == ("bucket", 300, 64) else 0.03
    assert refused_share(kind, per_minute, calls=1000, at_once=at_once, named=named) <= most
