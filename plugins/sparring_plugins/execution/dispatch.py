"""Which cases travel to a worker together: short ones in one task, long ones each alone.

A task costs the scheduler, the client and the worker about 3 ms of processor time, whatever it
does. An echo case takes less than one, a page or a language model takes seconds: what is
sent together is therefore found out from how long the last cases took.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

TASK_S = 0.05
"""How long a task of short cases may take: 3 ms of 50 is little, and an interruption waits no
longer than a person notices."""

CASES_AT_MOST = 32
"""Cases of one task at most: if its worker dies, all of them are played again."""

_KNOWN = 16
"""Cases that must be over before any are sent together; the first ones also import modules."""


@dataclass(eq=False, slots=True)
class Parcel:
    """A case on its way to a worker, with what it needs there, and what came back.

    `files` belong into the run's folder, for players whose cases go on from each other. Such a
    case travels `alone`: the next one needs the files that it leaves.
    """

    case_id: str
    case: bytes
    wording: dict[str, object] | None = None
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    alone: bool = False
    done: "asyncio.Future[Delivered]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a worker made of a case: its answer, packed, the files that are new, and the seconds."""

    answer: bytes
    files: dict[str, bytes]
    seconds: float


SendsTask = Callable[[Sequence[Parcel]], Awaitable[Sequence[Delivered]]]
"""Has a worker play cases one after the other; raises if it could not play all of them."""


class Dispatcher:
    """Gathers cases into tasks and keeps two tasks for each that the workers play at once.

    `send_task` may raise one of `retried`: then each
    case of the task is sent again alone, so that one that kills workers takes no other with it.
    """

    def __init__(self, send_task: SendsTask, retried: tuple[type[Exception], ...]) -> None:
        self.slots = 1
        """How many tasks the workers play at once."""
        self._send_task = send_task
        self._retried = retried
        self._waiting: deque[Parcel] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._seconds: deque[float] = deque(maxlen=64)
        self._is_called = False

    @property
    def together(self) -> int:
        """How many cases the next task may have, going by how long the last ones took."""
        if len(self._seconds) < _KNOWN:
            return 1
        seconds = max(sum(self._seconds) / len(self._seconds), 1e-6)
        return min(CASES_AT_MOST, max(1, int(TASK_S / seconds)))

    @property
    def places(self) -> int:
        """How many cases may be under way, so that every task can be full."""
        return self._most_tasks * self.together

    @property
    def _most_tasks(self) -> int:
        return 2 * self.slots

    def count_waiting(self) -> int:
        """Return how many cases wait until a worker can take them."""
        return sum(not parcel.done.done() for parcel in self._waiting)

    async def play(self, parcel: Parcel) -> Delivered:
        """Have a case played, with others or alone; raises what `send_task` raises for it."""
        self._waiting.append(parcel)
        self._call_soon()
        return await parcel.done

    def _call_soon(self) -> None:
        """Look at what waits when everything that is ready now has come to wait."""
        if not self._is_called:
            self._is_called = True
            asyncio.get_running_loop().call_soon(self._send_waiting)

    def _send_waiting(self) -> None:
        self._is_called = False
        while self._waiting and len(self._tasks) < self._most_tasks:
            if parcels := self._take():
                task = asyncio.create_task(self._carry(parcels))
                self._tasks.add(task)
                task.add_done_callback(self._over)

    def _take(self) -> list[Parcel]:
        """The cases of the next task; near the end of a run the rest is shared evenly."""
        free = self._most_tasks - len(self._tasks)
        most = min(self.together, ceil(len(self._waiting) / free))
        parcels: list[Parcel] = []
        while self._waiting and len(parcels) < most:
            if self._waiting[0].alone and parcels:
                break
            parcel = self._waiting.popleft()
            if not parcel.done.done():  # else its run was interrupted
                parcels.append(parcel)
            if parcel.alone:
                break
        return parcels

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._call_soon()

    async def _carry(self, parcels: Sequence[Parcel]) -> None:
        sending = asyncio.ensure_future(self._send_task(parcels))

        def drop_if_unwanted(_: object) -> None:
            if all(parcel.done.done() for parcel in parcels):
                sending.cancel()  # nothing happens if they are done because it is

        for parcel in parcels:
            parcel.done.add_done_callback(drop_if_unwanted)
        try:
            await asyncio.wait({sending})
        finally:
            sending.cancel()
        await self._hand_over(parcels, sending)

    async def _hand_over(
        self, parcels: Sequence[Parcel], sending: "asyncio.Future[Sequence[Delivered]]"
    ) -> None:
        """Give every case what came back, or its error; an error of several is tried again."""
        try:
            delivered = sending.result()
        except asyncio.CancelledError:
            for parcel in parcels:
                parcel.done.cancel()
        except self._retried as err:
            if len(parcels) == 1:
                _fail(parcels[0], err)
                return
            for parcel in parcels:
                if not parcel.done.done():
                    await self._carry((parcel,))
        except Exception as err:  # noqa: BLE001 - each case raises it where it is waited for
            for parcel in parcels:
                _fail(parcel, err)
        else:
            for parcel, each in zip(parcels, delivered, strict=True):
                self._seconds.append(each.seconds)
                if not parcel.done.done():
                    parcel.done.set_result(each)

    async def close(self) -> None:
        """Give up what is under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _fail(parcel: Parcel, err: Exception) -> None:
    if not parcel.done.done():
        parcel.done.set_exception(err)
