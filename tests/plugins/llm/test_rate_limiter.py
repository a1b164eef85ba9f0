"""Turns are given in order, no more than allowed, and none is ever lost."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.simulated_time import SimulatedLoop, simulate, simulated

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring_plugins.llm.rate_limiter import RateLimiter

pytestmark = pytest.mark.anyio

FOREVER = float("inf")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    """Waiting takes no time, and times are exact."""
    return "asyncio", {"loop_factory": SimulatedLoop}


def clock() -> float:
    return asyncio.get_running_loop().time()


async def ask(pace: RateLimiter, order: int, work: Callable[[], Awaitable[None]]) -> None:
    async with pace.turn(order, FOREVER):
        await work()


async def nothing() -> None:
    await asyncio.sleep(0)


async def fail(pace: RateLimiter, failure: ModelError) -> None:
    async def work() -> None:
        await asyncio.sleep(0)  # meanwhile others ask
        raise failure

    with pytest.raises(type(failure)):
        await ask(pace, 0, work)


async def test_calls_begin_in_the_order_in_which_they_were_asked() -> None:
    pace, begun = RateLimiter(3), list[int]()

    async def work(order: int) -> None:
        begun.append(order)
        await asyncio.sleep(0.001)

    orders = list(range(50))
    async with asyncio.TaskGroup() as group:
        for order in orders:
            group.create_task(ask(pace, order, lambda order=order: work(order)))
    assert begun == orders
    assert pace.under_way == 0


async def test_one_that_asks_again_goes_before_those_who_asked_later() -> None:
    pace, begun = RateLimiter(1), list[int]()
    async with pace.turn(0, FOREVER):

        async def work(order: int) -> None:
            begun.append(order)

        tasks = [
            asyncio.create_task(ask(pace, order, lambda order=order: work(order)))
            for order in (5, 6, 7, 2)
        ]
        await asyncio.sleep(0.01)
    await asyncio.gather(*tasks)
    assert begun == [2, 5, 6, 7]


async def test_no_more_are_under_way_than_the_most() -> None:
    pace, most = RateLimiter(5, start=100), 0

    async def work() -> None:
        nonlocal most
        most = max(most, pace.under_way)
        await asyncio.sleep(0.002)

    await asyncio.gather(*(ask(pace, order, work) for order in range(60)))
    assert most == 5


@simulated
async def test_the_first_calls_begin_one_after_the_other() -> None:
    pace, begun = RateLimiter(8, apart_s=0.005), list[float]()

    async def work() -> None:
        begun.append(clock())
        await asyncio.sleep(0.2)

    await asyncio.gather(*(ask(pace, order, work) for order in range(8)))
    # Two are begun at first, and each other one 5 ms later.
    gaps = [late - early for early, late in pairwise(begun)]
    assert gaps == pytest.approx([0, *[0.005] * 6])


async def test_a_cancelled_waiter_takes_no_turn_with_it() -> None:
    pace = RateLimiter(1)
    async with pace.turn(0, FOREVER):
        waiting = [asyncio.create_task(ask(pace, order, nothing)) for order in range(1, 10)]
        await asyncio.sleep(0)
        for task in waiting[::2]:
            task.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(one, asyncio.CancelledError) for one in done] == [True, False] * 4 + [True]
    assert pace.under_way == 0


async def test_a_turn_given_to_one_who_is_cancelled_goes_to_the_next() -> None:
    pace = RateLimiter(1)
    first = pace.turn(0, FOREVER)
    await first.__aenter__()
    second = asyncio.create_task(ask(pace, 1, nothing))
    third = asyncio.create_task(ask(pace, 2, nothing))
    await asyncio.sleep(0)
    await first.__aexit__(None, None, None)  # the second has its turn, but was not resumed yet
    second.cancel()
    await third
    assert second.cancelled() or second.exception() is not None
    assert pace.under_way == 0


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6))
def test_whatever_becomes_of_calls_every_turn_comes_back(seed: int, most: int) -> None:
    noise = random.Random(seed)

    async def work() -> None:
        await asyncio.sleep(noise.choice([0, 0, 0.0005]))
        failure = noise.choice(
            [None, None, ModelBusy("b"), ModelBusy("b", 0.001), ModelUnavailable("u"),
             ModelUnavailable("u", 0.001), ModelError("e"), ValueError("v")]
        )  # fmt: skip
        if failure:
            raise failure

    async def run() -> None:
        pace = RateLimiter(most, longest_pause_s=0.002)
        tasks = [asyncio.create_task(ask(pace, order, work)) for order in range(40)]
        for task in tasks:
            if noise.random() < 0.3:
                await asyncio.sleep(0)
                task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
        assert pace.under_way == 0
        await asyncio.wait_for(ask(pace, 99, nothing), 5)
        assert 1 <= pace.allowed <= most

    simulate(run())


@simulated
async def test_a_refusal_that_names_a_time_holds_everybody_back_until_then() -> None:
    pace, begun = RateLimiter(4), list[float]()

    async def work() -> None:
        begun.append(clock())

    refusal = asyncio.create_task(fail(pace, ModelBusy("busy", 0.15)))
    await asyncio.sleep(0)
    asked = clock()
    await asyncio.gather(refusal, *(ask(pace, order, work) for order in range(1, 9)))
    assert min(begun[1:]) - asked == pytest.approx(0.15), (
        "one may have begun before the refusal came"
    )
    assert len(begun) == 8


async def test_those_that_cannot_wait_as_long_fail_at_once_and_others_wait() -> None:
    now = clock()

    async def patient(pace: RateLimiter, order: int, until: float) -> None:
        async with pace.turn(order, until):
            pass

    pace = RateLimiter(1, longest_pause_s=3600)
    refusal = asyncio.create_task(fail(pace, ModelBusy("busy", 3600)))
    await asyncio.sleep(0)
    short = asyncio.create_task(patient(pace, 1, now + 60))
    await refusal
    with pytest.raises(ModelError, match=r"wants to be left alone for another 3600 seconds"):
        await short
    with pytest.raises(ModelError, match="wants to be left alone"):
        await patient(pace, 3, now + 60)

    pace = RateLimiter(1)
    refusal = asyncio.create_task(fail(pace, ModelBusy("busy", 0.3)))
    await asyncio.sleep(0)
    began = clock()
    long = asyncio.create_task(patient(pace, 2, began + 60))
    await refusal
    await long
    assert clock() >= began + 0.3


@simulated
async def test_a_pause_is_no_longer_than_the_longest() -> None:
    pace = RateLimiter(1, longest_pause_s=0.05)
    await fail(pace, ModelBusy("come back tomorrow", 86_400))
    began = clock()
    await ask(pace, 1, nothing)
    assert clock() - began <= 0.05


async def test_after_a_pause_calls_begin_one_after_the_other() -> None:
    pace, begun = RateLimiter(16, start=16), list[float]()

    async def work() -> None:
        begun.append(clock())
        await asyncio.sleep(0.1)

    await asyncio.gather(*(ask(pace, order, work) for order in range(40)))
    begun.clear()
    await fail(pace, ModelUnavailable("down", 0.05))
    await asyncio.gather(*(ask(pace, order, work) for order in range(16)))
    assert begun[-1] - begun[0] > 0.03, "spread over the time of an answer"
    assert begun[3] - begun[0] > 0.003


async def test_a_limit_is_remembered() -> None:
    pace, in_hand = RateLimiter(64), 0

    async def work() -> None:
        nonlocal in_hand
        if in_hand >= 4:
            raise ModelBusy("busy")
        in_hand += 1
        await asyncio.sleep(0.005)
        in_hand -= 1

    done = await asyncio.gather(
        *(ask(pace, order, work) for order in range(150)), return_exceptions=True
    )
    assert sum(isinstance(one, ModelBusy) for one in done) <= 15
    assert pace.allowed in (4, 5)
