"""Limits how many calls to a service are under way, as many as it allows, in order."""

import asyncio
import heapq
import math
from dataclasses import dataclass
from itertools import count
from types import TracebackType

from sparring.errors import ModelBusy, ModelError, ModelUnavailable
from sparring.model.chat import Quota

# How many calls at once a service allows, as its answers and refusals show.

_FIRST_PROBE, _RAREST_PROBE = 40, 2_000  # answers between a refusal and one call more
_PAUSES_PER_PROBE = 20  # a refused one may cost a pause: a twentieth of the time at most
_ANSWERS_PER_REFUSAL = 40  # before one more is risked: refusals stay below three in a hundred
_RISK_APART_S = 0.03  # most refusals come back in this time, before one more call is risked
_MANY = 10  # calls let in before a refusal; a limit of fewer is one per second, or shorter
_TRIAL = 100  # answers in which three refusals would be too many
_LESS, _MORE, _SLOWER = 0.7, 1.2, 1.05
_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 30.0  # after refusals in a row that name no time


@dataclass(frozen=True, slots=True)
class Begun:
    """A call as it began: how many were under way with it, after how many refusals."""

    under_way: int
    epoch: int


class LearnedLimit:
    """Learns how many calls at once a service allows, up to `most`.

    What was answered is proven, and up to three times of that may be tried next, so that a service
    without limits is soon used in full. A refusal (HTTP 429) ends this: the calls that were not
    refused are what the service allows. From then on one call more is tried rarely, and ever more
    rarely as long as it is refused; once it is answered, a little more is tried. If a service
    refuses what it has allowed before, it limits the rate, or has become stricter. With a rate,
    calls begin `interval_s` apart: a cycle lasts from the end of one pause to the end of the next,
    and the calls that were let in are spread over it.
    """

    def __init__(self, most: int, *, start: int, apart_s: float) -> None:
        self.number = min(start, most)
        self.epoch = 0
        self._interval_s = 0.0  # between the beginnings of two calls, if the rate is limited
        self._is_faster = False  # than what was learned from refusals
        self._most, self._apart_s = most, apart_s
        self._proven = 0  # the most that were under way with a call that was answered
        self._proven_anew = 0  # the same since the last pause
        self._ceiling: int | None = None  # what was allowed after the last refusal
        self._by_number = True  # whether the last refusal was of a number of calls, not of a rate
        self._in_a_row = 0  # refusals of calls that began after the one before, without an answer
        self._alone_in_a_row = 0  # of these, with no other call under way
        self._row_epoch = 0  # calls begun since then are answered if the service does answer
        self._calm = 0  # answers since the last refusal
        self._answers = self._refusals = 0
        self._probing, self._step = False, 1
        self._probe_after, self._no_probe_before = _FIRST_PROBE, 0.0
        self._latency_s: float | None = None
        self._window_began: float | None = None  # the first answer, or the end of the last pause
        self._let_in = 0  # calls begun since then, without those that were refused
        self._cycle = (0.0, 0)  # the last with answers: when it began, how many were let in

    @property
    def gap_s(self) -> float:
        """How far apart calls are begun that make the number under way larger, in seconds."""
        seen = self._latency_s
        if seen is None:
            return self._apart_s
        if self._in_a_row > 1:  # one call at a time asks whether it may go on
            return min(seen, 1.0)
        risked = min(_RISK_APART_S, seen / 10) if self.number > self._proven else 0.0
        return min(max(seen / self.number, risked), 1.0)

    @property
    def interval_s(self) -> float:
        """How far apart calls are begun, in seconds; the first ones only for want of a refusal."""
        if self._latency_s is None or self._answers >= _TRIAL:
            return self._interval_s
        return max(self._interval_s, min(_RISK_APART_S, self._latency_s / 30))

    def begin(self, under_way: int) -> Begun:
        """Note that a call begins, and how many are under way with it."""
        self._let_in += 1
        return Begun(under_way, self.epoch)

    def answered(self, call: Begun, took_s: float, now: float) -> None:
        """Learn from an answer that took some seconds."""
        seen = self._latency_s
        self._latency_s = took_s if seen is None else seen + (took_s - seen) / 8
        if self._window_began is None:
            self._window_began = now - took_s
        self._answers += 1
        self._calm += 1
        if call.epoch >= self._row_epoch:
            self._in_a_row = self._alone_in_a_row = 0
        proven = min(call.under_way, self.number)
        self._proven, self._proven_anew = max(self._proven, proven), max(self._proven_anew, proven)
        self._try_more(now)

    def refused(
        self, call: Begun, others: int, retry_after_s: float | None, now: float
    ) -> float | None:
        """Learn that the service asks for patience, while `others` are under way.

        Returns for how long no call should begin, in seconds; None for no such time.
        """
        pause_s = retry_after_s
        self._refusals += 1
        self._let_in -= call.epoch >= self._row_epoch
        # What is under way may be refused as well: calls of which none was answered tell no rate.
        if self._window_began is not None and self._let_in > 0 and self._proven_anew:
            self._cycle = (self._window_began, self._let_in)
        if call.epoch < self.epoch:  # one more of those that were refused together
            self._allow(self.number - self._by_number)
        else:
            again, self._in_a_row = self._in_a_row, self._in_a_row + 1
            before = min(others, call.under_way - 1)  # without any it is no matter of number
            self._by_number = not again or retry_after_s is not None
            if pause_s is None:
                pause_s = self._guess_pause(again, before)
            if not before or (retry_after_s is not None and call.under_way <= self._proven):
                self._by_number = False
                self._slow_down(pause_s or 0.0, now)
            else:
                self._allow_fewer(call, others, again, is_named=retry_after_s is not None)
            self._stop_trying()
            if not again:
                self._row_epoch = self.epoch
        if pause_s is not None:
            self._row_epoch = self.epoch
            self._window_began, self._let_in, self._proven_anew = now + pause_s, 0, 0
            rest_s = _PAUSES_PER_PROBE * min(pause_s, _LONGEST_PAUSE_S)
            self._no_probe_before = max(self._no_probe_before, now + rest_s)
        return pause_s

    def _guess_pause(self, again: int, before: int) -> float | None:
        """How long to wait after a refusal that names no time, in seconds; None for no pause."""
        if before:
            return min(_PAUSE_S / 2, self._latency_s or _PAUSE_S) if again else None
        if self._cycle[1]:
            # Few let in a second, or many a minute: 1, 8, 30 seconds find the end of a minute.
            longer = 8 if self._cycle[1] >= _MANY else 2
            pause_s = _PAUSE_S * float(longer ** min(self._alone_in_a_row, 20))
            self._alone_in_a_row += 1
            return min(pause_s, _LONGEST_PAUSE_S)
        if again > 1:  # nothing was ever let in
            return min(_PAUSE_S / 10 * float(2 ** min(again - 1, 20)), _LONGEST_PAUSE_S)
        return None

    def _allow_fewer(self, call: Begun, others: int, again: int, *, is_named: bool) -> None:
        """Learn how many calls at once are allowed, from a refusal with others under way."""
        if is_named:
            number = self._evident(call, others)
            self._allow(number if self._probing else min(number, int(self.number * _LESS)))
        elif not again:
            self._allow(self._evident(call, others))
        else:
            before = min(others, call.under_way - 1)
            many = before * 2 >= self.number
            self._allow(int(self.number * _LESS) if many else max(before, self._proven_anew))

    def overran(self, call: Begun) -> None:
        """Learn that a call took longer than it may: perhaps there are too many."""
        if call.epoch == self.epoch:
            self._allow(int(self.number * _LESS))
            self._stop_trying()

    def _evident(self, call: Begun, others: int) -> int:
        """What the service allows, as a refusal that names no time shows it."""
        if call.under_way > self._proven:
            return max(others, self._proven)
        if call.under_way > self._proven_anew:  # stricter than before, or it takes nothing yet
            return max(others, self._proven_anew) or self.number
        return self.number - 1

    def _slow_down(self, pause_s: float, now: float) -> None:
        """Spread what the service let in over the time until it lets in more."""
        began, let_in = self._cycle
        if let_in:
            interval_s = (now - began + pause_s) / let_in * _SLOWER
            if self._is_faster:  # what was learned before is nearly right
                interval_s = min(interval_s, self._interval_s * _MORE * _SLOWER)
            self._interval_s = max(self._interval_s, interval_s)
        self._is_faster = False

    def _stop_trying(self) -> None:
        self.epoch += 1
        if self._calm or self._probing:
            self._probe_after = min(self._probe_after * 3 // 2, _RAREST_PROBE)
        self._calm, self._probing, self._step = 0, False, 1

    def _allow(self, number: int) -> None:
        self.number = self._ceiling = max(1, min(number, self.number))
        self._proven = min(self._proven, self.number)

    @property
    def _is_earned(self) -> bool:
        return self._answers >= _ANSWERS_PER_REFUSAL * (self._refusals + 1)

    def _try_more(self, now: float) -> None:
        if self._interval_s:
            if self._calm >= self._probe_after and self._is_earned:
                self._interval_s, self._calm = self._interval_s / _MORE, 0
                self._is_faster = True
        elif self._ceiling is None:
            self.number = min(self._most, max(self.number, 3 * self._proven))
        elif self._probing:
            if self._proven >= self.number:
                self._step *= 2
                self.number = min(self._most, self.number + self._step)
            if self._proven > self._ceiling * 1.25:
                self._probe_after = _FIRST_PROBE
        elif self._calm >= self._probe_after and self.number < self._most:
            self._probing = self._is_earned and now >= self._no_probe_before
            self.number += self._probing


class AnnouncedQuota:
    """Begins no more calls than the service has announced that it still takes.

    Answers overtake each other, and the service may have counted a call before or after the one
    that it answers: a call counts as not yet counted unless it was answered before that one began.
    Once the calls are renewed, a single one asks how many there are now: a limit that slides is
    renewed call by call, and a burst into it would be refused.
    """

    def __init__(self) -> None:
        self._left: int | None = None  # unknown: any number
        self._renewed_at = 0.0
        self._counts_answers = False
        self._begun = 0
        self._under_way: set[int] = set()

    @property
    def renewed_at(self) -> float:
        """When more calls are taken if none is left; zero if some are, or nobody knows."""
        is_empty = self._left is not None and self._left <= 0 and self._renewed_at < math.inf
        return self._renewed_at if is_empty else 0.0

    def begins_at(self, now: float) -> float:
        """When the next call may begin; infinite while an answer must tell how many are left."""
        if self._left is None or self._left > 0:
            return now
        if now < self._renewed_at:
            return self._renewed_at
        self._left, self._renewed_at = 1, math.inf
        return now

    def begin(self) -> int:
        """Note that a call begins; returns its number."""
        self._begun += 1
        self._under_way.add(self._begun)
        if self._left is not None:
            self._left -= 1
        return self._begun

    def end(self, turn: "Turn", now: float, *, is_refused: bool) -> None:
        """Note that a call ended, and what its answer announced.

        Most services count when they let a call in. One that refuses a call which asks after the
        renewal counts when it answers.
        """
        self._under_way.discard(turn.number)
        if turn.quota is not None:
            earlier = sum(other < turn.number for other in self._under_way)
            self._left = max(0, turn.quota.calls_left - (self._begun - turn.number) - earlier)
            counted_at = now if self._counts_answers else turn.began_at
            self._renewed_at = counted_at + turn.quota.renewed_in_s
        elif self._left is not None and self._left <= 0 and self._renewed_at == math.inf:
            self._left = None  # the answer that was waited for does not tell
            self._counts_answers = self._counts_answers or is_refused


_LATE_S = 0.02  # of the event loop, made up for by beginning the next call earlier
_CATCH_UP = 3  # calls begun together if the event loop was late


class RateLimiter:
    """Turns for the calls to one service, in the order of whoever asked first.

    `most` is how many are under way at once at most; `start` how many before anything was
    answered, and `apart_s` how far apart these begin. How many the service allows is learned (see
    `LearnedLimit`). When it says how long it wants to be left alone, no call begins until then, nor
    longer than `longest_pause_s`; afterwards those that wait begin one after the other. A quota
    that it announces with its answers is not overdrawn.
    """

    def __init__(
        self,
        most: int,
        *,
        start: int = 16,
        apart_s: float = _RISK_APART_S,
        longest_pause_s: float = 3600.0,
    ) -> None:
        self._allowance = LearnedLimit(most, start=start, apart_s=apart_s)
        self._longest_pause_s = longest_pause_s
        self._quota = AnnouncedQuota()
        self._waiting: list[tuple[int, int, Turn]] = []
        self._arrivals = count()
        self._under_way = 0
        self._limit = 1  # grows one by one up to the allowed number
        self._grow_at = self._paused_until = self._next_at = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def turn(self, order: int, until: float, patience_s: float = math.inf) -> "Turn":
        """A place among the calls, an async context: entering waits for it, leaving tells of it.

        Lower `order` goes first. `until` is when the caller gives up, in the event loop's time:
        entering raises ModelError at once if the service will not be asked before that, or wants to
        be left alone for longer than `patience_s` seconds.
        """
        return Turn(self, order, until, patience_s)

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
                self._leave(turn)
            raise

    def answered(self, turn: "Turn", call: Begun, took_s: float) -> None:
        """Take a turn back after an answer that took some seconds."""
        self._allowance.answered(call, took_s, _now())
        self._leave(turn)

    def refused(self, turn: "Turn", call: Begun, retry_after_s: float | None) -> None:
        """Take a turn back after the service asked for patience."""
        others = self._under_way - 1
        pause_s = self._allowance.refused(call, others, retry_after_s, _now())
        self._limit = min(self._limit, self._allowance.number)
        if pause_s is not None:
            self._pause(pause_s)
        self._leave(turn, is_refused=True)

    def failed(self, turn: "Turn", call: Begun, retry_after_s: float | None) -> None:
        """Take a turn back after a call without an answer; perhaps it took too long."""
        if turn.overran:
            self._allowance.overran(call)
            self._limit = min(self._limit, self._allowance.number)
        if retry_after_s is not None:
            self._pause(retry_after_s)
        self._leave(turn)

    def _pause(self, seconds: float) -> None:
        until = _now() + max(0.0, min(seconds, self._longest_pause_s))
        self._paused_until = max(self._paused_until, until)
        self._grow_at = max(self._grow_at, self._paused_until + self._allowance.gap_s)
        self._limit = 1
        self._refuse_the_hopeless()

    def _refuse_the_hopeless(self) -> None:
        for _, _, turn in self._waiting:
            self._refuse_if_hopeless(turn)

    def _refuse_if_hopeless(self, turn: "Turn") -> None:
        free_at = max(self._paused_until, self._quota.renewed_at)
        left_s = max(0.0, free_at - _now())
        if (turn.until < free_at or turn.patience_s < left_s) and not turn.ready.done():
            shown = f"{left_s:.0f}" if left_s >= 10 else f"{left_s:.1f}"
            message = f"the service wants to be left alone for another {shown} seconds"
            turn.ready.set_exception(ModelError(f"{message}, beyond the deadline"))

    def _leave(self, turn: "Turn", *, is_refused: bool = False) -> None:
        self._under_way -= 1
        self._quota.end(turn, _now(), is_refused=is_refused)
        if turn.quota is not None:
            self._refuse_the_hopeless()
        self._admit()

    def _admit(self) -> None:
        """Give their turns to the first in line, as many as may begin now."""
        while self._waiting:
            turn = self._waiting[0][2]
            if turn.ready.done():  # given up
                heapq.heappop(self._waiting)
            elif (begin_at := self._next_beginning(now := _now())) > now:
                return self._wake(begin_at)
            elif self._under_way >= self._limit:
                if self._limit < self._allowance.number:
                    if self._timer is None:
                        self._grow_at = max(self._grow_at, now)
                    self._wake(self._grow_at)
                return None
            else:
                heapq.heappop(self._waiting)
                self._under_way += 1
                interval_s = min(self._allowance.interval_s, self._longest_pause_s)
                self._next_at = max(self._next_at, now - min(interval_s, _LATE_S)) + interval_s
                turn.begin(self._allowance.begin(self._under_way), self._quota.begin())
        return None

    def _next_beginning(self, now: float) -> float:
        """When the next call may begin, in the event loop's time; infinite after an answer only."""
        return max(self._paused_until, self._next_at, self._quota.begins_at(now))

    def _wake(self, at: float) -> None:
        if at == math.inf:
            return
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
    """One call's place among those to its service; see `RateLimiter.turn`.

    The exception that leaves it tells the limiter what came of the call: ModelBusy is a refusal.
    Set `overran` before if the call took longer than it may, and `quota` if the service announced
    how many calls are left.
    """

    def __init__(
        self, limiter: RateLimiter, order: int, until: float, patience_s: float = math.inf
    ) -> None:
        self.order, self.until, self.patience_s = order, until, patience_s
        self.ready: asyncio.Future[Begun] = asyncio.get_running_loop().create_future()
        self.overran = False
        self.quota: Quota | None = None
        self.number = 0
        self._refusal: tuple[float | None] | None = None
        self._limiter = limiter
        self.began_at = 0.0

    def begin(self, call: Begun, number: int) -> None:
        """Let the caller go; `number` counts the calls to the service."""
        self.number = number
        self.ready.set_result(call)

    def refuse(self, retry_after_s: float | None) -> None:
        """Count the call as refused, whatever its error: the service asks for patience."""
        self._refusal = (retry_after_s,)

    async def __aenter__(self) -> "Turn":
        await self._limiter.enter(self)
        self.began_at = _now()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, _: TracebackType | None
    ) -> None:
        call = self.ready.result()
        if self._refusal is not None:
            self._limiter.refused(self, call, *self._refusal)
        elif err is None:
            self._limiter.answered(self, call, _now() - self.began_at)
        elif isinstance(err, ModelBusy):
            self._limiter.refused(self, call, err.retry_after_s)
        else:
            after_s = err.retry_after_s if isinstance(err, ModelUnavailable) else None
            self._limiter.failed(self, call, after_s)


def _now() -> float:
    return asyncio.get_running_loop().time()
