"""The app's time runs only while a request is on the wire, and the event loop is not the app."""

import asyncio
import selectors
import socket
import time
from collections.abc import Awaitable, Coroutine
from typing import Any

import pytest

from sparring.errors import AppTimeout, AppUnreachable
from sparring.model.case import Case
from sparring.model.talk import Say
from sparring_connectors.described.app_clock import AppClock


class StandingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time passes only while it waits, and as tests say."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Waiting(self))

    def time(self) -> float:
        return self.now


class _Waiting(selectors.SelectSelector):
    def __init__(self, loop: StandingLoop) -> None:
        super().__init__()
        self._of = loop

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "nothing would ever happen"
        self._of.now += timeout
        return []


def run(steps: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=StandingLoop) as runner:
        runner.run(steps)


async def within(clock: AppClock, body: Awaitable[None]) -> None:
    async with clock:
        clock.start()
        await body


def now() -> StandingLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StandingLoop)
    return loop


def test_only_what_runs_counts() -> None:
    async def steps() -> None:
        async with AppClock(10) as clock:
            await asyncio.sleep(100)  # no request is on the wire yet
            clock.start()
            await asyncio.sleep(3)
            clock.stop()
            await asyncio.sleep(100)
            clock.start()
            clock.start()
            await asyncio.sleep(2)
            clock.mark()
            await asyncio.sleep(1)
            assert clock.elapsed_s == pytest.approx(6)
        assert clock.latency_s == pytest.approx(5)
        assert not clock.expired

    run(steps())


def test_the_app_has_its_time_and_no_more() -> None:
    async def steps() -> None:
        clock = AppClock(10)

        async def turn() -> None:
            await asyncio.sleep(4)
            clock.stop()
            await asyncio.sleep(50)
            clock.start()
            await asyncio.sleep(50)

        with pytest.raises(TimeoutError):
            await within(clock, turn())
        assert clock.expired
        assert clock.latency_s == pytest.approx(10)
        assert now().now == pytest.approx(60)
        clock.start()  # such as for a connection that is made anew later
        await asyncio.sleep(20)
        assert clock.elapsed_s == pytest.approx(10)

    run(steps())


def test_a_busy_loop_at_the_limit_gives_the_app_more_time() -> None:
    async def steps() -> None:
        loop = now()

        def work() -> None:  # a rule computes, and the answer comes meanwhile
            loop.now += 5
            loop.call_later(0.01, answer.set_result, None)

        answer: asyncio.Future[None] = loop.create_future()
        async with AppClock(10) as clock:
            clock.start()
            loop.call_later(8, work)
            await answer
        assert not clock.expired

        clock = AppClock(10)
        answer = loop.create_future()
        loop.call_later(8, work)
        with pytest.raises(TimeoutError):
            await within(clock, loop.create_future())
        assert clock.expired

    run(steps())


def test_a_loop_that_is_always_late_does_not_wait_for_ever() -> None:
    async def steps() -> None:
        loop = now()

        def busy() -> None:
            loop.now += 1
            loop.call_soon(busy)

        loop.call_soon(busy)
        with pytest.raises(TimeoutError):
            await within(AppClock(10), loop.create_future())
        assert loop.now < 50

    run(steps())


@pytest.mark.anyio
async def test_waiting_before_another_attempt_is_not_the_apps_time(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    statuses = iter([503, 200])
    server = serve(lambda request: answer(b'{"text": "x"}', status=next(statuses)))
    connector = rest(url=server.url, retry={"on": [503], "wait_s": 0.5}, timeout={"turn_s": 0.4})
    async with connector.open(case) as session:
        began = time.monotonic()
        said = await session.send(Say(text="hello"))
        took_s = time.monotonic() - began
    assert said.text == "x"
    assert took_s - session.latency_s >= 0.5


@pytest.mark.anyio
async def test_an_app_that_is_not_there_is_unreachable_however_long_we_try(
    rest: Any, case: Case
) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    connector = rest(
        url=f"http://127.0.0.1:{port}", retry={"wait_s": 0.1}, timeout={"turn_s": 0.05}
    )
    async with connector.open(case) as session:
        with pytest.raises(AppUnreachable, match="refused"):
            await session.send(Say(text="hello"))
    assert session.latency_s == 0


@pytest.mark.anyio
async def test_looking_up_the_host_is_not_the_apps_time(
    rest: Any, serve: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = socket.getaddrinfo

    def slow(host: Any, *arguments: Any, **options: Any) -> Any:
        if host in ("bot.test", b"bot.test"):
            time.sleep(0.3)
            host = "127.0.0.1"
        return resolve(host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    server = serve(lambda request: {"text": "x"})
    connector = rest(url=f"http://bot.test:{server.port}", timeout={"turn_s": 0.25})
    async with connector.open(case) as session:
        began = time.monotonic()
        await session.send(Say(text="hello"))
        took_s = time.monotonic() - began
    assert took_s - session.latency_s >= 0.3


@pytest.mark.anyio
async def test_an_app_that_is_too_slow_by_itself_is_still_late(
    rest: Any, serve: Any, case: Case, answer: Any
) -> None:
    server = serve(lambda request: answer(hang=True))
    async with rest(url=server.url, timeout={"turn_s": 0.1}).open(case) as session:
        with pytest.raises(AppTimeout, match=r"no complete answer within 0\.1 s"):
            await session.send(Say(text="hello"))
    assert session.latency_s >= 0.1
