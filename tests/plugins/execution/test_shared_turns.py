"""Workers are slowed down together by an app that refuses requests, on a clock that jumps."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.plugins.llm.simulated_services import (
    LIMITS,
    QUESTION,
    Limit,
    SimulatedService,
)
from tests.simulated_time import simulate

from sparring.errors import ModelBusy, ModelError
from sparring.model.chat import Quota
from sparring_plugins.execution.shared_turns import (
    LINE,
    AppTurns,
    AskTurn,
    EndTurn,
    Line,
    WorkerPacing,
)
from sparring_plugins.llm.rate_limiter import RateLimiter

APP = "app.test:80"


class Run:
    """A run with workers, whose messages to each other take a hundredth of a second."""

    def __init__(self, workers: int) -> None:
        self.turns = AppTurns(self._announce, self._answer)
        self.lines = [self._line(f"worker {number}") for number in range(workers)]
        self.asked = 0
        self.gone: set[str] = set()
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def _line(self, name: str) -> Line:
        async def ask(question: AskTurn) -> str:
            self.asked += 1
            future = self._waiting[question.call] = asyncio.get_running_loop().create_future()
            self._later(question)
            return await future

        return Line(ask, self._later, name)

    def _later(self, message: AskTurn | EndTurn) -> None:
        async def deliver() -> None:
            await asyncio.sleep(0.01)
            if isinstance(message, AskTurn):
                await self.turns.ask(message)
            else:
                await self.turns.end(message)

        task = asyncio.get_running_loop().create_task(deliver())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _announce(self, app: str) -> None:
        await asyncio.sleep(0.01)
        for line in self.lines:
            line.refusing.add(app)

    async def _answer(self, question: AskTurn, problem: str) -> bool:
        await asyncio.sleep(0.01)
        future = self._waiting.get(question.call)
        if future is None or future.done() or question.worker in self.gone:
            return False
        future.set_result(problem)
        return True


def ask_with_workers(
    limit: Limit, *, named: bool, workers: int = 4, calls: int = 300
) -> tuple[SimulatedService, float]:
    """The app after `calls` requests by 16 cases of each worker, and the simulated seconds."""
    service = SimulatedService(limit, retry_after=named)
    left: Iterator[int] = iter(range(calls))

    async def work(line: Line, pacing: WorkerPacing) -> None:
        LINE.set(line)
        for order in left:
            answered = False
            while not answered:
                with suppress(ModelBusy):
                    async with pacing.turn(order, 1e9, 1e9) as turn:
                        try:
                            await service.complete(QUESTION)
                        except ModelBusy as err:
                            turn.refuse(err.retry_after_s)
                            raise
                    answered = True

    async def ask_all() -> None:
        run = Run(workers)
        paces = [WorkerPacing(APP, RateLimiter(1_000)) for _ in run.lines]
        cases = [work(line, pace) for line, pace in zip(run.lines, paces, strict=True)] * 1
        cases += [
            work(line, pace) for line, pace in zip(run.lines, paces, strict=True) for _ in range(15)
        ]
        await asyncio.gather(*cases)

    _, seconds = simulate(ask_all())
    return service, seconds


@pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
@pytest.mark.parametrize("kind", LIMITS)
def test_four_workers_are_refused_hardly_more_often_than_one(kind: str, named: bool) -> None:
    one, one_s = ask_with_workers(LIMITS[kind](30), named=named, workers=1)
    four, four_s = ask_with_workers(LIMITS[kind](30), named=named)
    assert one.answered == four.answered == 300
    # before anybody knows of a refusal, each of the workers may meet one of its own
    assert four.refused <= one.refused + 16
    assert four_s <= 1.25 * one_s


def test_an_app_that_refuses_nothing_is_asked_without_the_run() -> None:
    async def scene() -> None:
        run = Run(2)
        LINE.set(run.lines[0])
        pacing = WorkerPacing(APP, RateLimiter(10))
        for order in range(20):
            async with pacing.turn(order, 1e9, 1e9):
                await asyncio.sleep(0.01)
        assert run.asked == 0

    simulate(scene())


def test_where_no_worker_plays_an_app_has_its_own_pace() -> None:
    async def scene() -> None:
        own = RateLimiter(10)
        assert isinstance(WorkerPacing(APP, own).turn(0, 1e9, 1e9), type(own.turn(0, 1e9)))

    simulate(scene())


async def _refuse_once(run: Run, pacing: WorkerPacing, seconds: float) -> None:
    with suppress(ModelBusy):
        async with pacing.turn(0, 1e9, 1e9) as turn:
            turn.refuse(seconds)
            raise ModelBusy("429", seconds)
    while not all(APP in line.refusing for line in run.lines):
        await asyncio.sleep(0.01)


def test_a_pause_holds_for_every_worker_and_is_bounded_by_their_patience() -> None:
    async def scene() -> None:
        run = Run(2)
        loop = asyncio.get_running_loop()
        LINE.set(run.lines[0])
        began = loop.time()
        await _refuse_once(run, WorkerPacing(APP, RateLimiter(10)), 60.0)
        LINE.set(run.lines[1])
        other = WorkerPacing(APP, RateLimiter(10))
        with pytest.raises(ModelError, match="left alone"):
            async with other.turn(0, 1e9, 5.0):
                raise AssertionError("the app is asked too early")
        async with other.turn(1, 1e9, 100.0) as turn:
            assert loop.time() >= began + 60
            turn.quota = Quota(calls_left=3, renewed_in_s=10)

    simulate(scene())


def test_turns_of_a_worker_that_is_gone_are_given_to_others() -> None:
    async def scene() -> None:
        run = Run(2)
        LINE.set(run.lines[0])
        pacing = WorkerPacing(APP, RateLimiter(10))
        await _refuse_once(run, pacing, 1.0)
        lost = pacing.turn(1, 1e9, 1e9)
        await lost.__aenter__()  # its worker dies now, and never gives the turn back
        LINE.set(run.lines[1])
        waiting = asyncio.create_task(_take_turn(pacing))
        await asyncio.sleep(30)
        assert not waiting.done()
        await run.turns.forget_workers(["worker 1"])
        await waiting

    simulate(scene())


async def _take_turn(pacing: WorkerPacing) -> None:
    async with pacing.turn(2, 1e9, 1e9):
        pass


def test_a_turn_that_nobody_waits_for_any_more_is_given_to_others() -> None:
    async def scene() -> None:
        run = Run(2)
        LINE.set(run.lines[0])
        pacing = WorkerPacing(APP, RateLimiter(10))
        await _refuse_once(run, pacing, 1.0)
        waiting = asyncio.create_task(_take_turn(pacing))
        while run.asked < 1:
            await asyncio.sleep(0.001)
        waiting.cancel()
        await _take_turn(pacing)
        assert waiting.cancelled()

    simulate(scene())
