"""Measures how long the machine kept Sparring from running.

A time-out or a latency that was measured while the machine gave no processor time says nothing of
the app. On Linux the kernel says for each thread how long it was ready to run and had to wait
(the second number of ``/proc/self/task/TID/schedstat``, in nanoseconds). On other systems, or
if the kernel does not count it, a heartbeat on the event loop measures by how much it came too
late although the process used no processor time. A part that blocks the event loop (see
`sparring.engine.blocking`) keeps Sparring from hearing other apps in the same way.
"""

import asyncio
import os
from contextlib import suppress
from threading import get_native_id
from time import monotonic, process_time

from sparring.engine.blocking import blocked_s
from sparring.errors import AppTimeout, MachineBusy

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
