"""A coroutine that is run in the caller's task does nothing to that task."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.core.engine import odd_oracles as odd

from sparring import time_limits
from sparring.engine.judge import Driven
from sparring.time_limits import BlockingLimit, Ended

SOON_S = 0.02
LATER_S = 60.0


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "GRACE_S", 0.05)


def drive(
    work: Callable[[], Awaitable[Any]], timeout_s: float = LATER_S, soft_s: float = LATER_S
) -> Ended[Any]:
    """Run it; the task has to be as it was before, and go on."""

    async def main() -> Ended[Any]:
        ended: Ended[Any] = await Driven(work(), "it", timeout_s=timeout_s, soft_limit_s=soft_s)  # type: ignore[arg-type]
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await asyncio.sleep(0)
        return ended

    return asyncio.run(main())


async def _value() -> int:
    await asyncio.sleep(0)
    return 7


async def _immediate() -> int:
    return 7


async def _own_time_out() -> int:
    try:
        async with asyncio.timeout(SOON_S):
            await asyncio.Event().wait()
    except TimeoutError:
        await asyncio.sleep(2 * time_limits.GRACE_S)
        return 7
    return 0


async def _own_group() -> int:
    async def fail() -> None:
        raise KeyError

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            await asyncio.Event().wait()
    except* KeyError:
        pass
    return await _value()


async def _takes_it_back() -> int:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        task.uncancel()
    return await _value()


async def _cancels_itself_in_the_end() -> int:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return 7


@pytest.mark.parametrize(
    "work",
    [_value, _immediate, _own_time_out, _own_group, _takes_it_back, _cancels_itself_in_the_end],
)
def test_the_value_is_returned(work: Callable[[], Awaitable[int]]) -> None:
    assert drive(work) == Ended(value=7)


@pytest.mark.parametrize("act", odd.RAISING.values(), ids=odd.RAISING)
@pytest.mark.parametrize("later", [False, True])
def test_what_is_raised_is_returned(act: Callable[[], Any], later: bool) -> None:
    async def work() -> Any:
        if later:
            await asyncio.sleep(0)
        return act()

    ended = drive(work)
    assert ended.error is not None
    assert not ended.expired


def test_what_cancels_itself_has_an_error() -> None:
    assert isinstance(drive(odd.cancel_itself).error, asyncio.CancelledError)


async def _tidies_up() -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)


async def _returns_all_the_same() -> int:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return 3
    return 0


ENDLESS = [
    odd.wait,
    odd.swallow_cancellation,
    _tidies_up,
    _returns_all_the_same,
]


@pytest.mark.parametrize("work", ENDLESS)
def test_what_never_returns_has_expired(work: Callable[[], Awaitable[Any]]) -> None:
    assert drive(work, timeout_s=SOON_S).expired


@pytest.mark.parametrize("work", ENDLESS)
def test_the_caller_is_cancelled_whatever_the_work_makes_of_it(
    work: Callable[[], Any],
) -> None:
    async def main() -> None:
        driving = Driven(work(), "it", timeout_s=LATER_S, soft_limit_s=LATER_S)

        async def awaiting() -> Any:
            return await driving

        task = asyncio.create_task(awaiting())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


@pytest.mark.parametrize("act", odd.BLOCKING.values(), ids=odd.BLOCKING)
def test_what_blocks_is_ended(act: Callable[[], Any]) -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        act()

    assert isinstance(drive(work, soft_s=SOON_S).error, BlockingLimit)


def test_what_does_not_wait_ends_before_anything_else_goes_on() -> None:
    order: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().call_soon(order.append, "others")
        await Driven(_immediate(), "it", timeout_s=LATER_S, soft_limit_s=LATER_S)
        order.append("it")
        await asyncio.sleep(0)

    asyncio.run(main())
    assert order == ["it", "others"]
