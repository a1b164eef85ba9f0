"""Awaits somebody's coroutine in the task of the caller, and contains all that it does to that.

`sparring.event_loop.guarded` uses a task of its own, so that others come first even if the
coroutine never waits. Most oracles never do. Run in the caller's task, a run of one case at a time
knows a case's verdicts before it begins the next, and stops after the failure that was one too
many.
"""

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any, Generic, TypeVar

from sparring import event_loop
from sparring.engine.blocking import BlockingLimit, limited
from sparring.event_loop import Ended

T = TypeVar("T")


_refused: list[object] = []
"""Coroutines that could not be closed."""


class Driven(Generic[T]):
    """Awaited, it makes the steps of a coroutine and returns how that ended (`Ended`).

    No step between two awaits may block longer than `soft_limit_s` seconds (BlockingLimit), and
    after `timeout_s` seconds it is cancelled. If it goes on although it was cancelled, it is
    closed when the grace is over. Nothing that it raises passes, also not ``SystemExit`` or a
    ``CancelledError`` that it brought upon itself; only the cancellation of the caller does.
    """

    def __init__(
        self, work: Coroutine[Any, Any, T], what: str, *, timeout_s: float, soft_limit_s: float
    ) -> None:
        self._work = work
        self._what = what
        self._timeout_s = timeout_s
        self._soft_limit_s = soft_limit_s
        self._before = 0
        self._own_cancels = 0
        self._expired = False
        self._forced = False
        self._limit: asyncio.TimerHandle | None = None
        self._grace: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Ended[T]]:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("it needs a task to run in")
        self._before = task.cancelling()
        try:
            ended = yield from self._steps(task)
            if self._is_cancelled(task):
                raise asyncio.CancelledError  # the caller's, whatever the work made of it
            return ended
        finally:
            for timer in (self._limit, self._grace):
                if timer is not None:
                    timer.cancel()
            for _ in range(self._own_cancels):
                task.uncancel()

    def _is_cancelled(self, task: asyncio.Task[Any]) -> bool:
        """Whether somebody else asked for the task's cancellation (a time limit inside, too)."""
        return task.cancelling() > self._before + self._own_cancels

    def _steps(self, task: asyncio.Task[Any]) -> Generator[Any, Any, Ended[T]]:
        make_step: Any = self._work.send
        value: Any = None
        while True:
            cancels = task.cancelling()
            ended, awaited = self._step(make_step, value)
            if (more := task.cancelling() - cancels) > 0:  # by the work itself
                self._own_cancels += more
                if ended is not None:
                    yield from _absorbed()
            if ended is not None:
                return ended
            self._set_timers(task)
            try:
                value = yield awaited
                make_step = self._work.send
            except GeneratorExit:
                self._close()
                raise
            except BaseException as err:  # noqa: BLE001 - the coroutine's to handle
                value, make_step = err, self._work.throw
                if self._forced:
                    self._close()
                    return Ended(error=err, expired=self._expired)

    def _set_timers(self, task: asyncio.Task[Any]) -> None:
        """Set the time limit at the first await, and the grace if the work was cancelled."""
        loop = asyncio.get_running_loop()
        if self._limit is None:
            self._limit = loop.call_later(self._timeout_s, self._expire, task)
        if self._grace is None and (self._expired or self._is_cancelled(task)):
            self._grace = loop.call_later(event_loop.GRACE_S, self._force, task)

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._expired = True
        self._own_cancels += 1
        task.cancel()

    def _force(self, task: asyncio.Task[Any]) -> None:
        self._grace = None
        if self._expired or self._is_cancelled(task):  # and not a time limit inside that is over
            self._forced = True
            self._own_cancels += 1
            task.cancel()

    def _step(self, make_step: Any, value: Any) -> tuple[Ended[T] | None, Any]:
        """Make one step: how the coroutine ended, if it did, and what it awaits."""
        try:
            with limited(self._soft_limit_s, self._what):
                return None, make_step(value)
        except StopIteration as end:
            return Ended(value=end.value, expired=self._expired), None
        except BlockingLimit as err:
            self._close()
            return Ended(error=err, expired=self._expired), None
        except BaseException as err:  # noqa: BLE001 - see the class
            return Ended(error=err, expired=self._expired), None

    def _close(self) -> None:
        """End the coroutine where it waits; it may refuse that, too."""
        try:
            with limited(self._soft_limit_s, self._what):
                self._work.close()
        except BaseException:  # noqa: BLE001 - it is not asked for anything any more
            # Python closes it again when nobody refers to it, and without an event loop a coroutine
            # like ``while True: try: await ... except BaseException: pass`` would never wait.
            _refused.append(self._work)
            event_loop.left_behind.append(self._what)


def _absorbed() -> Generator[Any, Any, None]:
    """Take the cancellation that a task has asked of itself and would meet at its next await."""
    try:
        yield
    except asyncio.CancelledError:
        return
