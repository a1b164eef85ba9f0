"""How many calls a service allows is learned from what it answers and refuses."""

import heapq
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.llm.rate_limiter import Begun, LearnedLimit

LATENCY_S, REFUSAL_S = 0.05, 0.002


@dataclass
class Played:
    """What came of many calls, in a time that is only counted."""

    allowance: LearnedLimit
    took_s: float = 0.0
    refused: int = 0
    answered: int = 0
    most: int = 0
    numbers: list[int] = field(default_factory=list)


Allows = Callable[[int, int, float], bool]
"""Whether a service takes one more call: those in hand, those answered so far, the time."""


def played(
    calls: int,
    allows: Allows,
    *,
    most: int = 64,
    retry_after_s: float | None = None,
    seed: int = 0,
) -> Played:
    """All calls wait from the start; those that are refused go to the end of the queue."""
    noise = random.Random(seed)
    out = Played(LearnedLimit(most, start=16, apart_s=0.03))
    allowance, numbers = out.allowance, itertools.count()
    events: list[tuple[float, int, Begun, float | None]] = []
    now, waiting, under_way, in_hand, limit, grow_at, paused = 0.0, calls, 0, 0, 1, 0.0, 0.0
    next_at = 0.0
    while waiting or events:
        limit = min(limit, allowance.number)
        if waiting and now >= max(paused, grow_at) and limit <= under_way < allowance.number:
            limit, grow_at = limit + 1, now + allowance.gap_s
        if waiting and now >= max(paused, next_at) and under_way < limit:
            waiting, under_way = waiting - 1, under_way + 1
            next_at = now + allowance.interval_s
            call = allowance.begin(under_way)
            taken = allows(in_hand, out.answered, now)
            in_hand += taken
            out.most = max(out.most, in_hand)
            delay = LATENCY_S * noise.uniform(0.8, 1.2) if taken else REFUSAL_S
            heapq.heappush(events, (now + delay, next(numbers), call, now if taken else None))
            continue
        times = [events[0][0]] if events else []
        if waiting and limit <= under_way < allowance.number:
            times.append(max(grow_at, paused))
        if waiting and under_way < limit and now < max(paused, next_at):
            times.append(max(paused, next_at))
        now = max(now, min(times)) + 1e-9
        while events and events[0][0] <= now:
            _, _, call, began = heapq.heappop(events)
            under_way -= 1
            if began is not None:
                in_hand -= 1
                out.answered += 1
                allowance.answered(call, now - began, now)
            else:
                out.refused += 1
                waiting += 1
                pause_s = allowance.refused(call, under_way, retry_after_s, now)
                if pause_s is not None:
                    paused, limit = max(paused, now + pause_s), 1
                    grow_at = paused + allowance.gap_s
            out.numbers.append(allowance.number)
    out.took_s = now
    return out


def at_once(number: int) -> Allows:
    return lambda in_hand, _answered, _now: in_hand < number


def test_a_service_without_limits_is_soon_used_in_full() -> None:
    done = played(1000, at_once(10**9))
    assert done.most == 64
    assert done.took_s < 1000 / 64 * LATENCY_S * 1.4


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("number", [1, 2, 3, 5, 8, 13, 20, 33, 40, 60])
def test_a_number_at_once_is_found_out_with_few_refusals(number: int, seed: int) -> None:
    done = played(1000, at_once(number), seed=seed)
    assert done.answered == 1000
    assert done.refused <= 20
    assert done.took_s < 1000 / number * LATENCY_S * (1.75 if number > 40 else 1.2)
    assert (0.7 if number > 40 else 0.95) * number <= done.allowance.number <= number + 1


@pytest.mark.parametrize("calls", [100, 300, 1000])
@pytest.mark.parametrize("number", [1, 2, 4, 8, 16, 32])
def test_at_most_three_in_a_hundred_calls_are_refused_at_any_size(number: int, calls: int) -> None:
    done = played(calls, at_once(number))
    assert done.refused <= 0.03 * (done.answered + done.refused)


@pytest.mark.parametrize("number", [1, 8, 40])
def test_a_service_that_also_names_a_time_is_tried_even_more_rarely(number: int) -> None:
    done = played(1000, at_once(number), retry_after_s=1.0)
    assert done.refused <= 10
    assert done.took_s < 1000 / number * LATENCY_S * 1.3 + 2


@pytest.mark.parametrize("number", [4, 20])
def test_probes_are_rarer_the_longer_they_fail(number: int) -> None:
    first = played(1000, at_once(number)).refused
    later = played(10_000, at_once(number)).refused - first
    assert later <= 8


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("before", "after"), [(20, 8), (40, 3), (8, 20), (8, 64), (1, 10), (64, 1)]
)
def test_a_service_that_changes_its_mind_is_followed(before: int, after: int, seed: int) -> None:
    def allows(in_hand: int, answered: int, _now: float) -> bool:
        return in_hand < (before if answered < 500 else after)

    done = played(1000, allows, seed=seed)
    ideal = (500 / min(before, 64) + 500 / min(after, 64)) * LATENCY_S
    assert done.refused <= 30
    assert done.took_s < ideal * 1.4 + 0.5


class Windows:
    """A limit of so many calls in each second."""

    def __init__(self, rate: int) -> None:
        self.rate, self.window, self.count = rate, 0, 0

    def __call__(self, _in_hand: int, _answered: int, now: float) -> bool:
        if int(now) != self.window:
            self.window, self.count = int(now), 0
        self.count += 1
        return self.count <= self.rate


class Bucket:
    """A bucket of tokens that fills up steadily."""

    def __init__(self, rate: float) -> None:
        self.rate, self.tokens, self.seen = rate, rate, 0.0

    def __call__(self, _in_hand: int, _answered: int, now: float) -> bool:
        self.tokens = min(self.rate, self.tokens + (now - self.seen) * self.rate)
        self.seen = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("limit", [Windows, Bucket])
@pytest.mark.parametrize("rate", [50, 100, 250, 400])
def test_a_limit_on_the_rate_that_names_a_time_costs_few_refusals(
    limit: type[Windows] | type[Bucket], rate: int, seed: int
) -> None:
    done = played(10 * rate, limit(rate), retry_after_s=1.0, seed=seed)
    assert done.refused <= 0.02 * 10 * rate
    assert done.took_s < 10 * (1.1 if limit is Bucket else 1.65)


@pytest.mark.parametrize("limit", [Windows, Bucket])
def test_a_limit_on_the_rate_that_names_no_time_starts_no_storm(
    limit: type[Windows] | type[Bucket],
) -> None:
    done = played(1000, limit(100))
    assert done.refused <= 60
    assert done.took_s < 10 * 2


def test_refusals_without_an_answer_between_them_lead_to_ever_longer_pauses() -> None:
    allowance = LearnedLimit(64, start=16, apart_s=0.001)
    pauses = [allowance.refused(Begun(1, allowance.epoch), 0, None, 0.0) for _ in range(20)]
    assert pauses[:2] == [None, None]
    known = [pause for pause in pauses if pause is not None]
    assert known == sorted(known)
    assert known[0] < 1
    assert known[-1] == 30


def test_a_call_that_took_too_long_means_fewer_at_once_but_once_only() -> None:
    allowance = LearnedLimit(10, start=10, apart_s=0.001)
    begun = [Begun(number, allowance.epoch) for number in range(1, 11)]
    for call in begun:
        allowance.overran(call)
    assert allowance.number == 7


steps = st.lists(
    st.tuples(
        st.sampled_from(["answered", "refused", "overran"]),
        st.integers(1, 100),
        st.integers(0, 5),
        st.none() | st.floats(0, 1e6),
        st.floats(0, 100),
    ),
    max_size=60,
)


@given(st.integers(1, 1000), st.integers(1, 100), steps)
def test_the_number_stays_between_one_and_the_most_whatever_happens(
    most: int, start: int, told: list[tuple[str, int, int, float | None, float]]
) -> None:
    allowance = LearnedLimit(most, start=start, apart_s=0.001)
    now = 0.0
    for what, under_way, age, number, took in told:
        now += took
        call = Begun(under_way, max(0, allowance.epoch - age))
        if what == "answered":
            allowance.answered(call, took, now)
        elif what == "refused":
            before = allowance.number
            pause_s = allowance.refused(call, under_way - 1, number, now)
            assert allowance.number <= before
            assert pause_s is None or pause_s >= 0
        else:
            allowance.overran(call)
        assert 1 <= allowance.number <= most
        assert 0 <= allowance.gap_s <= 1
