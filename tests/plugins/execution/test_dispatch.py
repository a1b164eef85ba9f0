"""Short cases travel together, long ones alone; nothing is lost whatever a task ends in."""

import asyncio
from collections.abc import Sequence

import pytest

from sparring_plugins.execution.dispatch import Delivered, Dispatcher, Parcel

pytestmark = pytest.mark.anyio


class WorkerDied(Exception):
    pass


class Workers:
    """Plays tasks at once and notes which cases each had; `poison` kills whoever plays it."""

    def __init__(self, seconds: float = 0.001, poison: str = "") -> None:
        self.seconds = seconds
        self.poison = poison
        self.tasks: list[list[str]] = []
        self.held = asyncio.Event()
        self.held.set()
        self.cancelled = 0

    async def send(self, parcels: Sequence[Parcel]) -> Sequence[Delivered]:
        names = [parcel.case_id for parcel in parcels]
        self.tasks.append(names)
        await asyncio.sleep(0)
        try:
            await self.held.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.poison in names:
            raise WorkerDied(self.poison)
        return [Delivered(name.encode(), {}, self.seconds) for name in names]

    def dispatcher(self, slots: int = 2) -> Dispatcher:
        dispatcher = Dispatcher(self.send, (WorkerDied,))
        dispatcher.slots = slots
        return dispatcher


async def play_all(
    dispatcher: Dispatcher, count: int, *, alone: bool = False
) -> list[Delivered | BaseException]:
    parcels = [Parcel(f"case {number}", b"", alone=alone) for number in range(count)]
    return await asyncio.gather(*map(dispatcher.play, parcels), return_exceptions=True)


async def test_short_cases_travel_together_when_it_is_known_that_they_are_short() -> None:
    workers = Workers(seconds=0.005)
    dispatcher = workers.dispatcher()
    assert dispatcher.places == 4
    await play_all(dispatcher, 16)
    assert [len(task) for task in workers.tasks] == [1] * 16
    assert (dispatcher.together, dispatcher.places) == (10, 40)
    done = await play_all(dispatcher, 100)
    assert [each.answer for each in done if isinstance(each, Delivered)] == [
        f"case {number}".encode() for number in range(100)
    ]
    assert max(len(task) for task in workers.tasks) == 10


@pytest.mark.parametrize("seconds", [0.05, 2.0])
async def test_long_cases_travel_alone(seconds: float) -> None:
    workers = Workers(seconds)
    await play_all(workers.dispatcher(), 40)
    assert {len(task) for task in workers.tasks} == {1}


async def test_the_last_cases_are_shared_evenly() -> None:
    workers = Workers()
    dispatcher = workers.dispatcher()
    await play_all(dispatcher, 20)
    workers.tasks.clear()
    await play_all(dispatcher, 8)
    assert [len(task) for task in workers.tasks] == [2, 2, 2, 2]


async def test_cases_that_go_on_from_each_other_travel_alone() -> None:
    workers = Workers()
    dispatcher = workers.dispatcher()
    await play_all(dispatcher, 20)
    workers.tasks.clear()
    await play_all(dispatcher, 10, alone=True)
    assert {len(task) for task in workers.tasks} == {1}


async def test_a_case_that_kills_its_worker_takes_no_other_with_it() -> None:
    workers = Workers(poison="case 7")
    dispatcher = workers.dispatcher(slots=1)
    first = await play_all(dispatcher, 40)
    second = await play_all(dispatcher, 40)
    assert any(len(task) > 1 and "case 7" in task for task in workers.tasks)
    for done in (first, second):
        assert isinstance(done[7], WorkerDied)
        assert all(isinstance(each, Delivered) for each in done[:7] + done[8:])


async def test_an_error_that_is_not_tried_again_reaches_every_case_of_its_task() -> None:
    dispatcher = Dispatcher(Workers(poison="case 3").send, ())
    done = await play_all(dispatcher, 5)
    assert isinstance(done[3], WorkerDied)
    assert len([each for each in done if isinstance(each, Delivered)]) == 4


async def test_a_task_goes_on_while_anybody_waits_for_one_of_its_cases() -> None:
    workers = Workers()
    dispatcher = workers.dispatcher(slots=1)
    await play_all(dispatcher, 20)
    workers.tasks.clear()
    workers.held.clear()
    playing = [asyncio.create_task(dispatcher.play(Parcel(str(n), b""))) for n in range(4)]
    while len(workers.tasks) < 2:
        await asyncio.sleep(0)
    assert workers.tasks == [["0", "1"], ["2", "3"]]
    for task in (playing[0], playing[2], playing[3]):
        task.cancel()
    while not workers.cancelled:
        await asyncio.sleep(0)
    workers.held.set()
    assert (await playing[1]).answer == b"1"
    assert workers.cancelled == 1  # the task of which nobody wants anything


async def test_closing_gives_up_what_is_under_way() -> None:
    workers = Workers()
    workers.held.clear()
    dispatcher = workers.dispatcher()
    playing = asyncio.create_task(dispatcher.play(Parcel("a", b"")))
    while not workers.tasks:
        await asyncio.sleep(0)
    await dispatcher.close()
    assert workers.cancelled == 1
    playing.cancel()
