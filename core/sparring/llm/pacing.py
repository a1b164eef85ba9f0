"""Whose turn it is to call a service: in order, no more at once than it allows."""

import asyncio
import heapq
from itertools import count
from types import TracebackType

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.llm.allowance import Allowance, Begun

_CATCH_UP = 3  # calls begun together where the event loop was late


class Pace:
    """Turns for the calls to one service, in the order of whoever asked first.

    `most` is how many are under way at once at most; `start` how many before anything was
    answered, and `apart_s` how far apart these begin. How many the service allows is learned (see
    `Allowance`). When it says how long it wants to be left alone, no call begins until then, nor
    longer than `longest_pause_s`; afterwards those that wait begin one after the other.
    """

    def __init__(
        self,
        most: int,
        *,
        start: int = 16,
        apart_s: float = 0.001,
        longest_pause_s: float = 3600.0,
    ) -> None:
        self._allowance = Allowance(most, start=start, apart_s=apart_s)
        self._longest_pause_s = longest_pause_s
        self._waiting: list[tuple[int, int, Turn]] = []
        self._arrivals = count()
        self._under_way = 0
        self._limit = 1  # grows one by one up to the allowed number
        self._grow_at = self._paused_until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def turn(self, order: int, until: float) -> "Turn":
        """A place among the calls, an async context: entering waits for it, leaving tells of it.

        Lower `order` goes first. `until` is when the caller gives up, in the event loop's time:
        entering raises ModelError at once where the service will not be asked before that.
        """
        return Turn(self, order, until)

    @property
    def allowed(self) -> int:
        """How many calls at once the service allows, as far as is known."""
        return self._allowance.number

    @property
    def under_way(self) -> int:
        """How many calls have their turn now."""
        return self._under_way

    async def enter(self, turn: "Turn") -> None:
        """Wait for a turn."""
        self._refuse_if_hopeless(turn)
        heapq.heappush(self._waiting, (turn.order, next(self._arrivals), turn))
        self._admit()
        try:
            await turn.ready
        except asyncio.CancelledError:
            if not turn.ready.cancelled() and turn.ready.exception() is None:
                self._leave()
            raise

    def answered(self, call: Begun, took_s: float) -> None:
        """Take a turn back after an answer that took some seconds."""
        self._allowance.answered(call, took_s, _now())
        self._leave()

    def refused(self, call: Begun, retry_after_s: float | None) -> None:
        """Take a turn back after the service asked for patience."""
        others = self._under_way - 1
        pause_s = self._allowance.refused(call, others, retry_after_s, _now())
        self._limit = min(self._limit, self._allowance.number)
        if pause_s is not None:
            self._pause(pause_s)
        self._leave()

    def failed(self, call: Begun, retry_after_s: float | None, *, overran: bool) -> None:
        """Take a turn back after a call without an answer; `overran` if it took too long."""
        if overran:
            self._allowance.overran(call)
            self._limit = min(self._limit, self._allowance.number)
        if retry_after_s is not None:
            self._pause(retry_after_s)
        self._leave()

    def _pause(self, seconds: float) -> None:
        until = _now() + max(0.0, min(seconds, self._longest_pause_s))
        self._paused_until = max(self._paused_until, until)
        self._grow_at = max(self._grow_at, self._paused_until + self._allowance.gap_s)
        self._limit = 1
        for _, _, turn in self._waiting:
            self._refuse_if_hopeless(turn)

    def _refuse_if_hopeless(self, turn: "Turn") -> None:
        if turn.until < self._paused_until and not turn.ready.done():
            left_s = max(0.0, self._paused_until - _now())
            shown = f"{left_s:.0f}" if left_s >= 10 else f"{left_s:.1f}"
            message = f"the service wants to be left alone for another {shown} seconds"
            turn.ready.set_exception(ModelError(f"{message}, beyond the deadline"))

    def _leave(self) -> None:
        self._under_way -= 1
        self._admit()

    def _admit(self) -> None:
        """Give their turns to the first in line, as many as may begin now."""
        while self._waiting:
            turn = self._waiting[0][2]
            if turn.ready.done():  # given up
                heapq.heappop(self._waiting)
            elif (now := _now()) < self._paused_until:
                return self._wake(self._paused_until)
            elif self._under_way >= self._limit:
                if self._limit < self._allowance.number:
                    if self._timer is None:
                        self._grow_at = max(self._grow_at, now)
                    self._wake(self._grow_at)
                return None
            else:
                heapq.heappop(self._waiting)
                self._under_way += 1
                turn.begin(Begun(self._under_way, self._allowance.epoch))
        return None

    def _wake(self, at: float) -> None:
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at, self._woken)

    def _woken(self) -> None:
        """Let one more be under way; a few if the event loop was late, but never all at once."""
        self._timer = None
        now, gap_s = _now(), self._allowance.gap_s
        if now >= self._paused_until:
            self._grow_at = max(self._grow_at, now - _CATCH_UP * gap_s)
            while self._grow_at <= now and self._limit < self._allowance.number:
                self._limit += 1
                self._grow_at += gap_s
        self._admit()


class Turn:
    """One call's place among those to its service; see `Pace.turn`.

    The exception that leaves it tells the pace what came of the call: ModelBusy is a refusal. Set
    `overran` before where the call took longer than it may.
    """

    def __init__(self, pace: Pace, order: int, until: float) -> None:
        self.order, self.until = order, until
        self.ready: asyncio.Future[Begun] = asyncio.get_running_loop().create_future()
        self.overran = False
        self._pace = pace
        self._began_at = 0.0

    def begin(self, call: Begun) -> None:
        """Let the caller go."""
        self.ready.set_result(call)

    async def __aenter__(self) -> "Turn":
        await self._pace.enter(self)
        self._began_at = _now()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, _: TracebackType | None
    ) -> None:
        call = self.ready.result()
        if err is None:
            self._pace.answered(call, _now() - self._began_at)
        elif isinstance(err, ModelBusy):
            self._pace.refused(call, err.retry_after_s)
        else:
            after_s = err.retry_after_s if isinstance(err, ModelUnavailable) else None
            self._pace.failed(call, after_s, overran=self.overran)


def _now() -> float:
    return asyncio.get_running_loop().time()
