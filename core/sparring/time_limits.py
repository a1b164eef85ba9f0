"""Time limits of parts: for what they await, and for what blocks the event loop.

`guarded` awaits something of a part's for a while. While one part computes, though, no other case
goes on and no time-out of asyncio fires: a loop without end, a sleep, a slow regular expression.
Code inside of ``with limited(seconds, what)`` is interrupted by an exception that is raised in the
middle of it, and again and again until it gives up. On the main thread a timer signal does this,
which also interrupts ``time.sleep`` and the matching of `re`; on other threads, and on systems
without such signals, a thread does, which only reaches Python code. Code in C that never looks for
signals (``sum(range(10**12))``) is out of reach of both: only ending its process helps.

A time-out or a latency that was measured while the machine gave no processor time says nothing of
the app. `LagMeter` measures it. On Linux the kernel says for each thread how long it was ready to
run and had to wait (the second number of ``/proc/self/task/TID/schedstat``, in nanoseconds). On
other systems, or if the kernel does not count it, a heartbeat on the event loop measures by how
much it came too late although the process used no processor time. A part that blocks the event
loop keeps Sparring from hearing other apps in the same way.
"""

import asyncio
import ctypes
import os
import signal
import sys
from _thread import interrupt_main
from collections.abc import Awaitable, Coroutine, Generator
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Thread, get_ident, get_native_id, main_thread
from time import monotonic, process_time
from types import CodeType, FrameType, TracebackType
from typing import Any, Generic, NoReturn, TypeVar

from sparring.errors import AppTimeout, MachineBusy

T = TypeVar("T")

GRACE_S = 5.0
"""Seconds that a part has for ending after it was cancelled, before it is left behind."""

left_behind: list[str] = []
"""What did not end although it was cancelled, by name: the process must not wait for it."""


@dataclass(frozen=True, slots=True)
class Ended(Generic[T]):
    """How a coroutine of somebody's part ended: with a value, an error, or not in time.

    `error` is any exception, also `SystemExit`, or ``None``. `expired` says that the time was over.
    """

    value: T | None = None
    error: BaseException | None = None
    expired: bool = False


async def guarded(work: Awaitable[T], timeout_s: float | None, name: str) -> Ended[T]:
    """Await something of somebody's part in a task of its own, and return how it ended.

    Nothing that the part raises passes, also not ``SystemExit`` or a ``CancelledError`` that nobody
    asked for. If `timeout_s` seconds are over, the task is cancelled; if it does not end within
    `GRACE_S` seconds after that (because it catches ``CancelledError``, say), it is left behind.
    Only the cancellation of the caller passes, after the task was cancelled in the same way.
    """
    task = asyncio.create_task(_caught(work))
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
    except asyncio.CancelledError:
        await _cancel(task, name)
        raise
    if done:
        return task.result()
    await _cancel(task, name)
    ended: Ended[T] = task.result() if task.done() and not task.cancelled() else Ended()
    return Ended(error=ended.error, expired=True)


async def _caught(work: Awaitable[T]) -> Ended[T]:
    try:
        return Ended(value=await work)
    except BaseException as err:  # noqa: BLE001 - a SystemExit in a task would end the event loop
        return Ended(error=err)


async def _cancel(task: asyncio.Task[Any], name: str) -> None:
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=GRACE_S)
    if not done:
        left_behind.append(name)


_AGAIN_S = 0.1
"""Seconds between two interruptions, in which code can release what it holds."""

_PATIENCE = 2
"""Interruptions that code may catch before it gets no more time at all.

``while True: try: time.sleep(9) except BaseException: pass`` catches each of them.
"""

_LOSING = frozenset({"__del__", "_remove"})
"""Functions out of which no exception comes: Python prints it and goes on.

``_remove`` is what `weakref` and `abc` call when an object is no more.
"""

_SPARED_S = 1.0
"""Seconds for which such a function is left alone; one that blocks itself is interrupted."""

_LONG_S = 0.1
"""Seconds from which a call counts as blocking everything else (`blocked_s`)."""

FOREVER_S = 1e8
"""Seconds of a limit that only keeps the timer's handler installed: inner limits cost less then."""

_blocked_s = 0.0

_SIGNALS = hasattr(signal, "setitimer")


class Blocked(BaseException):
    """Raised in the middle of code that blocks; no `Exception`, so that few handlers catch it."""


class BlockingLimit(Exception):
    """Something blocked for longer than it may; its traceback ends where it was interrupted.

    `what` is what blocked, and `seconds` the limit.
    """

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"did not return within {seconds:g} seconds, while everything else waited")
        self.what = what
        self.seconds = seconds


def blocked_s() -> float:
    """Return for how many seconds limited code has blocked everything else; it only grows."""
    return _blocked_s


class limited:
    """A context manager that interrupts code that takes longer than `seconds` of real time.

    Raises BlockingLimit if it had to interrupt, also if the code caught that and returned: what it
    returns then is not to be relied on. Of nested ones the earliest end counts. Not for coroutines
    (see `limited_steps`).
    """

    __slots__ = ("_deadline", "_limits", "_owner", "_place", "interruptions", "seconds", "what")

    def __init__(self, seconds: float, what: str) -> None:
        self.seconds = seconds
        self.what = what
        self.interruptions = 0
        self._deadline = 0.0
        self._limits: _BySignal | _ByThread | None = None
        self._place: TracebackType | None = None
        self._owner: FrameType | None = None

    def __enter__(self) -> "limited":
        self._deadline = monotonic() + self.seconds
        self._limits = _limits_here()
        self._owner = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        self._limits.push(self)
        return self

    def __exit__(self, *_: object) -> None:
        global _blocked_s
        took = monotonic() - self._deadline + self.seconds
        if took > _LONG_S and self.seconds < FOREVER_S:
            _blocked_s += took
        if self._limits is not None:
            self._limits.pop(self)
        self._owner = None
        if self.interruptions:
            place, self._place = self._place, None
            raise BlockingLimit(self.what, self.seconds).with_traceback(place) from None

    @property
    def deadline(self) -> float:
        """When the time is over, on the monotonic clock."""
        return self._deadline

    def note(self, frame: FrameType) -> None:
        """Count an interruption, and keep the place of the first."""
        self.interruptions += 1
        if self._place is None:
            self._place = TracebackType(None, frame, frame.f_lasti, max(frame.f_lineno or 1, 1))

    def is_left(self, innermost: FrameType) -> bool:
        """Return whether the block was left without `__exit__`, judging by a thread's frames."""
        frame: FrameType | None = innermost
        while frame is not None:
            if frame is self._owner:
                return False
            frame = frame.f_back
        return True


def _find_expired_limit(stack: "list[limited]", now: float) -> limited | None:
    """The outermost limit that is over: what is inside of it ends with it."""
    return next((limit for limit in stack if limit.deadline <= now), None)


class _BySignal:
    """The limits of the main thread, held by SIGALRM; another timer that runs keeps its time.

    A limit inside of another costs no system call as a rule: the timer stays set for an earlier
    end of a limit that is left already, and is set anew when it has come for nothing.
    """

    def __init__(self) -> None:
        self._stack: list[limited] = []
        self._set_for = 0.0
        self._previous: Any = None
        self._other_due: float | None = None
        self._other_interval = 0.0
        self._losing = (0, 0.0)

    @property
    def holds_any(self) -> bool:
        """Whether a limit is held at the moment."""
        return bool(self._stack)

    def push(self, limit: limited) -> None:
        """Begin to hold a limit."""
        if not self._stack:
            self._install(limit)
        elif limit.deadline < self._set_for:
            self._set_timer(limit.deadline)
        else:
            self._end_what_goes_on()
        self._stack.append(limit)

    def pop(self, limit: limited) -> None:
        """Hold a limit no more, nor any inside of it."""
        if limit not in self._stack:
            return
        del self._stack[self._stack.index(limit) :]
        if self._stack:
            self._end_what_goes_on()
        else:
            self._restore()

    def _set_timer(self, deadline: float) -> None:
        self._set_for = deadline
        signal.setitimer(signal.ITIMER_REAL, max(deadline - monotonic(), 1e-6), _AGAIN_S)

    def _install(self, limit: limited) -> None:
        self._previous = signal.signal(signal.SIGALRM, self._interrupt)
        left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
        self._other_due = None
        if left > 0:
            self._other_due, self._other_interval = monotonic() + left, interval
        self._set_timer(min(limit.deadline, self._other_due or limit.deadline))

    def _restore(self) -> None:
        left = 0.0 if self._other_due is None else max(self._other_due - monotonic(), 1e-6)
        signal.setitimer(signal.ITIMER_REAL, 0)
        # It calls the handler for a signal that came just before, while that is still ours.
        signal.signal(signal.SIGALRM, self._previous)
        if left:
            signal.setitimer(signal.ITIMER_REAL, left, self._other_interval)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        now = monotonic()
        self._set_for = now + _AGAIN_S
        if self._other_due is not None and now >= self._other_due and callable(self._previous):
            repeats = self._other_interval > 0
            self._other_due = now + self._other_interval if repeats else None
            self._previous(number, frame)
        if not self._stack or frame is None or _is_own(frame.f_code):
            return  # comes again
        limit = _find_expired_limit(self._stack, now)
        if limit is None:
            first = min([limit.deadline for limit in self._stack])
            self._set_timer(min(first, self._other_due or first))
            return
        if frame.f_code.co_name in _LOSING:
            # However late it begins, as the collector calls `__del__` at any time.
            since = self._losing[1] if self._losing[0] == id(frame) else now
            self._losing = (id(frame), since)
            if now < since + _SPARED_S:
                return
        self._losing = (0, 0.0)
        limit.note(frame)
        if limit.interruptions > _PATIENCE:
            _raise_and_call_again(number)
        raise Blocked

    def _end_what_goes_on(self) -> None:
        """Raise if an outer limit is over and what is inside of it catches its interruptions."""
        # At every call of a part: the usual answer, that nothing was interrupted so often, first.
        if max([limit.interruptions for limit in self._stack], default=0) <= _PATIENCE:
            return
        outer = _find_expired_limit(self._stack, monotonic())
        if outer is not None and outer.interruptions > _PATIENCE:
            _raise_and_call_again(signal.SIGALRM)


class _ByThread:
    """The limits of one thread, held by a thread for all of them."""

    def __init__(self, ident: int) -> None:
        self._ident = ident
        self._stack: list[limited] = []
        self._next = 0.0

    def push(self, limit: limited) -> None:
        """Begin to hold a limit."""
        _watchdog.add(self, limit)

    def pop(self, limit: limited) -> None:
        """Hold a limit no more, nor any inside of it."""
        with _watchdog.changed:
            if limit in self._stack:
                del self._stack[self._stack.index(limit) :]
            if limit.interruptions:
                _raise_in(self._ident, None)  # one that is not yet raised

    def append(self, limit: limited) -> None:
        """Add a limit; the watchdog calls this."""
        self._stack.append(limit)

    def due(self) -> float | None:
        """When to look at it next; `None` if no limit is held."""
        if not self._stack:
            return None
        return max(self._next, min(limit.deadline for limit in self._stack))

    def interrupt(self, now: float) -> None:
        """Interrupt the thread if a limit is over and its code is still running."""
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]
        innermost = frames.get(self._ident)
        limit = _find_expired_limit(self._stack, now)
        if limit is None or now < self._next:
            return
        if innermost is None or limit.is_left(innermost):
            del self._stack[self._stack.index(limit) :]
            return
        frame: FrameType | None = innermost
        while frame is not None and not _is_own(frame.f_code):
            frame = frame.f_back
        self._next = now + (_AGAIN_S if limit.interruptions < _PATIENCE else _AGAIN_S / 100)
        if frame is None:
            limit.note(innermost)
            _raise_in(self._ident, Blocked)


class _Watchdog:
    """Looks after the limits of all threads but the main one; its thread starts with the first."""

    def __init__(self) -> None:
        self.changed = Condition()
        self._threads: dict[int, _ByThread] = {}
        self._running: Thread | None = None

    def of(self, ident: int) -> _ByThread:
        """The limits of a thread."""
        limits = self._threads.get(ident)
        if limits is None:
            with self.changed:
                limits = self._threads[ident] = _ByThread(ident)
        return limits

    def add(self, limits: _ByThread, limit: limited) -> None:
        """Begin to look after a limit."""
        with self.changed:
            self._threads[get_ident()] = limits
            limits.append(limit)
            if self._running is None or not self._running.is_alive():  # a fork ends threads
                self._running = Thread(target=self._watch, name="blocking limits", daemon=True)
                self._running.start()
            self.changed.notify()

    def _watch(self) -> None:
        with self.changed:
            while True:
                now = monotonic()
                for ident, limits in list(self._threads.items()):
                    limits.interrupt(now)
                    if limits.due() is None:
                        del self._threads[ident]
                due = [at for limits in self._threads.values() if (at := limits.due()) is not None]
                self.changed.wait(max(min(due) - monotonic(), 1e-3) if due else None)


_watchdog = _Watchdog()
_of_main = _BySignal()


def _limits_here() -> _BySignal | _ByThread:
    """What holds the limits of the current thread."""
    ident = get_ident()
    if not _SIGNALS or ident != main_thread().ident:
        return _watchdog.of(ident)
    # A handler that was installed by a library in C cannot be put back: `getsignal` is None then.
    if not _of_main.holds_any and signal.getsignal(signal.SIGALRM) is None:
        return _watchdog.of(ident)
    return _of_main


def _raise_and_call_again(number: int) -> NoReturn:
    """Raise an error, with the signal pending at the moment when its handling begins.

    Python looks for signals at every call and every jump back, so that the code that catches the
    error comes no further than to the next of these. That needs one call in C, which marks the
    signal and then fails because of the second number: Python code would consume the mark.
    """
    numbers: list[Any] = [number, -1]
    list(map(interrupt_main, numbers))
    raise Blocked


def _raise_in(ident: int, kind: type[BaseException] | None) -> None:
    """Raise an exception in another thread at its next step in Python; `None` takes it back."""
    error = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), error)


def _is_own(code: CodeType) -> bool:
    """Return whether code keeps the account of limits: it must not be interrupted."""
    return code.co_filename == _OWN_FILE and code not in _STEPS


_OWN_FILE = _limits_here.__code__.co_filename


class _Steps(Generic[T]):
    """An awaitable that makes each step of a coroutine under a limit of its own."""

    def __init__(self, work: Coroutine[Any, Any, T], seconds: float, what: str) -> None:
        self._work = work
        self._seconds = seconds
        self._what = what

    def __await__(self) -> Generator[Any, Any, T]:
        make_step: Any = self._work.send
        value: Any = None
        while True:
            try:
                with limited(self._seconds, self._what):
                    try:
                        awaited = make_step(value)
                    except StopIteration as end:
                        result: T = end.value
                        return result
            except BlockingLimit:
                self._close()
                raise
            try:
                value = yield awaited
                make_step = self._work.send
            except BaseException as err:  # noqa: BLE001 - the coroutine's to handle
                value, make_step = err, self._work.throw

    def _close(self) -> None:
        """End the coroutine, which may have caught its interruption and wait for something else."""
        try:
            with limited(self._seconds, self._what):
                self._work.close()
        except BaseException:  # noqa: BLE001 - it is not asked for anything any more
            return


def limited_steps(work: Coroutine[Any, Any, T], seconds: float, what: str) -> _Steps[T]:
    """Await a coroutine, of which no step between two awaits may block longer than `seconds`.

    The time in which it waits (for a model's answer, say) does not count. Raises BlockingLimit.
    """
    return _Steps(work, seconds, what)


_STEPS = frozenset(vars(_Steps)[name].__code__ for name in ("__await__", "_close"))
"""Code that runs in this file but inside of a limit."""


SHARE = 0.25
"""Share of a wait without processor time from which a time-out is the machine's.

A time-out of 10 s during which the loop waited 2.5 s for a processor: the app, which often runs on
the same machine, had no fair chance to answer.
"""

_LEAST_S = 0.2
"""Seconds without processor time that may explain a time-out at all."""

_BEAT_S = 0.05


class LagMeter:
    """Measures for one thread how long it waited for a processor.

    `starved_s` only ever grows; subtract two readings. Start it on the thread of the event loop.
    """

    def __init__(self) -> None:
        self._file = _schedstat(get_native_id())
        self._late_s = 0.0
        self._beat: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the heartbeat, if the kernel does not count; needs a running event loop."""
        if self._file is None and self._beat is None:
            self._beat = asyncio.create_task(self._heartbeat())

    def close(self) -> None:
        """Stop measuring; readings stay what they are."""
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None
        if self._file is not None:
            self._late_s = self.starved_s() - blocked_s()
            os.close(self._file)
            self._file = None

    def starved_s(self) -> float:
        """Return for how many seconds the thread has not been able to attend to the app so far.

        That is what it waited for a processor, and what calls of parts blocked it.
        """
        if self._file is None:
            return self._late_s + blocked_s()
        return int(os.pread(self._file, 100, 0).split()[1]) / 1e9 + blocked_s()

    async def _heartbeat(self) -> None:
        while True:
            began, used = monotonic(), process_time()
            await asyncio.sleep(_BEAT_S)
            late = monotonic() - began - _BEAT_S
            # A loop that is late because Sparring itself computes was not kept from running.
            self._late_s += max(0.0, late - (process_time() - used))


def explains(starved_s: float, elapsed_s: float) -> bool:
    """Return whether so little processor time explains that something took so long.

    `starved_s` is for how many of the `elapsed_s` seconds there was none. A connector that gives
    up after a millisecond did not wait for the machine, so that a least number of seconds counts.
    """
    return starved_s >= max(SHARE * elapsed_s, _LEAST_S)


def timed_out(err: AppTimeout, elapsed_s: float, starved_s: float) -> AppTimeout | MachineBusy:
    """Return the time-out, or `MachineBusy` if the machine had too large a share in it.

    `elapsed_s` is how long Sparring waited for the app, in seconds, and `starved_s` for how much
    of that the machine gave it no processor time.
    """
    if not explains(starved_s, elapsed_s):
        return err
    return MachineBusy(
        f"no answer in time ({err}), but for {starved_s:.1f} of {elapsed_s:.1f} seconds Sparring "
        "had no processor time, or a part blocked it: run it again with less beside it"
    )


def _schedstat(thread: int) -> int | None:
    """Open the kernel's account of a thread; `None` if there is none or it does not count."""
    with suppress(OSError, ValueError, IndexError):
        file = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            # Kernels without CONFIG_SCHED_INFO say "0 0 0"; a running thread has had time slices.
            if int(os.pread(file, 100, 0).split()[2]) > 0:
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)
    return None
