"""Code that blocks is ended, whatever it catches; nothing else notices."""

import asyncio
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.core.engine import odd_oracles as odd

from sparring import time_limits
from sparring.time_limits import BlockingLimit, LagMeter, limited, limited_steps

SOON_S = 0.02
LATER_S = 60.0


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    """Handler and timer are afterwards what they were before."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _limit_inside() -> None:
    """Catches also what a limit of its own raises."""
    while True:
        try:
            with limited(SOON_S / 4, "inside"):
                odd.spin()
        except BaseException:  # noqa: BLE001
            pass


def _catches_while_it_cleans_up() -> None:
    while True:
        try:
            try:
                odd.sleep()
            finally:
                odd.swallow()
        except BaseException as err:  # noqa: BLE001
            str(err)


def _raises_another() -> None:
    try:
        odd.spin()
    except BaseException:  # noqa: BLE001
        raise KeyError("another") from None


BLOCKING: dict[str, Callable[[], Any]] = {
    **odd.BLOCKING,
    "limit_inside": _limit_inside,
    "cleans_up": _catches_while_it_cleans_up,
    "raises_another": _raises_another,
}


@pytest.mark.parametrize("block", BLOCKING.values(), ids=BLOCKING)
def test_what_blocks_is_ended_at_the_place_where_it_was(block: Callable[[], Any]) -> None:
    with pytest.raises(BlockingLimit, match=r"within 0.02 seconds") as caught, limited(SOON_S, "x"):
        block()
    assert caught.value.what == "x"
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename.endswith(("odd_oracles.py", "test_blocking.py", "re/__init__.py"))


@pytest.mark.parametrize("block", BLOCKING.values(), ids=BLOCKING)
def test_a_step_of_a_coroutine_is_ended(block: Callable[[], Any]) -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        block()

    with pytest.raises(BlockingLimit):
        asyncio.run(_awaited(work()))


async def _awaited(work: Any) -> Any:
    return await limited_steps(work, SOON_S, "x")


def test_the_outer_limit_counts_if_it_is_over_first() -> None:
    with pytest.raises(BlockingLimit) as caught, limited(SOON_S, "outer"), limited(LATER_S, "in"):
        odd.sleep()
    assert caught.value.what == "outer"


def test_the_inner_limit_counts_if_it_is_over_first() -> None:
    with limited(LATER_S, "outer"):
        with pytest.raises(BlockingLimit) as caught, limited(SOON_S, "in"):
            odd.sleep()
        with pytest.raises(BlockingLimit), limited(SOON_S, "again"):
            odd.sleep()
    assert caught.value.what == "in"


def test_a_limit_is_over_also_after_one_inside_was_left() -> None:
    def several() -> None:
        for _ in range(100):
            with limited(LATER_S, "in"):
                pass
        odd.sleep()

    with pytest.raises(BlockingLimit) as caught, limited(SOON_S, "outer"):
        several()
    assert caught.value.what == "outer"


def test_a_destructor_is_left_alone_for_a_while() -> None:
    """Python would print the interruption and go on."""

    class Slow:
        ended = False

        def __del__(self) -> None:
            until = time.monotonic() + 4 * SOON_S
            while time.monotonic() < until:
                pass
            Slow.ended = True

    def act() -> None:
        Slow()
        odd.spin()

    with pytest.raises(BlockingLimit), limited(SOON_S, "x"):
        act()
    assert Slow.ended


def test_a_destructor_that_begins_late_is_left_alone_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The garbage collector calls it whenever it likes, also in code that ignores its limit."""
    monkeypatch.setattr(time_limits, "_PATIENCE", 100)

    class Slow:
        ended = False

        def __del__(self) -> None:
            until = time.monotonic() + 0.35  # three interruptions
            while time.monotonic() < until:
                pass
            Slow.ended = True

    def act() -> None:
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            with suppress(BaseException):
                odd.spin()
        Slow()
        odd.spin()

    with pytest.raises(BlockingLimit), limited(SOON_S, "x"):
        act()
    assert Slow.ended


def test_what_ends_in_time_is_left_alone() -> None:
    with limited(LATER_S, "x"):
        value = sum(range(1000))
    assert value == 499_500
    with pytest.raises(KeyError), limited(LATER_S, "x"):
        raise KeyError


def test_the_timer_of_somebody_else_goes_on() -> None:
    calls: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: calls.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, SOON_S)
        with limited(LATER_S, "x"):
            while not calls:
                pass
        signal.setitimer(signal.ITIMER_REAL, LATER_S)
        with limited(LATER_S, "x"):
            pass
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= LATER_S
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert calls == [signal.SIGALRM]


@pytest.mark.parametrize("block", [odd.spin, odd.swallow_and_return], ids=["spins", "returns"])
def test_another_thread_is_interrupted_too(block: Callable[[], Any]) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with limited(LATER_S, "outer"), limited(SOON_S, "thread"):
                block()
        except BlockingLimit as err:
            errors.append(err)

    for _ in range(3):
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(LATER_S)
    assert [str(err)[:10] for err in errors] == ["did not re"] * 3


def test_threads_that_end_in_time_are_left_alone() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        for _ in range(200):
            with limited(LATER_S, "thread"):
                pass
        done.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(8))


class TestSteps:
    def test_waiting_does_not_count(self) -> None:
        async def work() -> str:
            event = asyncio.Event()
            asyncio.get_running_loop().call_later(3 * SOON_S, event.set)
            await event.wait()
            return "done"

        assert asyncio.run(_awaited(work())) == "done"

    def test_a_cancellation_gets_through(self) -> None:
        async def work() -> str:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return "tidy"
            return ""

        async def main() -> str:
            task = asyncio.create_task(_awaited(work()))
            await asyncio.sleep(0)
            task.cancel()
            return await task

        assert asyncio.run(main()) == "tidy"

    def test_an_error_gets_through(self) -> None:
        async def work() -> None:
            await asyncio.sleep(0)
            raise SystemError("mine")

        with pytest.raises(SystemError, match="mine"):
            asyncio.run(_awaited(work()))

    def test_a_time_out_inside_works(self) -> None:
        async def work() -> None:
            async with asyncio.timeout(SOON_S):
                await asyncio.Event().wait()

        with pytest.raises(TimeoutError):
            asyncio.run(_awaited(work()))

    def test_what_caught_its_interruption_and_waits_is_closed(self) -> None:
        closed: list[str] = []

        async def work() -> None:
            try:
                try:
                    odd.spin()
                except BaseException:  # noqa: BLE001
                    await asyncio.Event().wait()
            finally:
                closed.append("closed")

        with pytest.raises(BlockingLimit):
            asyncio.run(_awaited(work()))
        assert closed == ["closed"]

    def test_others_go_on_between_steps(self) -> None:
        order: list[str] = []

        async def work(name: str) -> None:
            for _ in range(3):
                order.append(name)
                await asyncio.sleep(0)

        async def main() -> None:
            await asyncio.gather(_awaited(work("a")), _awaited(work("b")))

        asyncio.run(main())
        assert order == ["a", "b"] * 3


@pytest.mark.anyio
@pytest.mark.usefixtures("counted_processors")
async def test_the_kernels_account_of_lost_time_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = tmp_path / "schedstat"
    account.write_text("900 1500000000 7")
    monkeypatch.setattr(time_limits, "_schedstat", lambda _: os.open(account, os.O_RDONLY))
    meter = LagMeter()
    meter.start()
    before_s = meter.starved_s()
    account.write_text("950 4000000000 9")
    assert meter.starved_s() - before_s == pytest.approx(2.5)
    meter.close()
    assert meter.starved_s() - before_s == pytest.approx(2.5)


@pytest.mark.anyio
@pytest.mark.usefixtures("counted_processors")
async def test_without_an_account_of_the_kernel_a_late_heartbeat_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time_limits, "_schedstat", lambda _: None)
    meter = LagMeter()
    meter.start()
    before_s = meter.starved_s()
    await asyncio.sleep(0)
    time.sleep(0.3)  # stands for a machine that runs something else
    await asyncio.sleep(0.1)
    assert meter.starved_s() - before_s >= 0.2
    meter.close()
