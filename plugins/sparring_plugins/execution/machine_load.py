"""How many tasks shared each processor of this machine while an app answered.

Sparring itself waits for answers and gets a processor at once if one comes, so that its own waiting
(`Turn.starved_s`) says little of an app on the same machine that has to compute. A chatbot that
needs 0.1 s of processor time took 0.85 to 1.1 s beside 24 busy processes on two processors, and the
kernel kept Sparring waiting for 0.02 to 0.1 s of that.
"""

import asyncio
import os
from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

from sparring.model.talk import Trace

_META = "machine_load"
_SAMPLED_S = 0.25
_KEPT = 4_000
"""Samples that are kept: those of the last quarter of an hour."""

_LEAST_LATENCY_S = 0.2
"""Faster answers get no load: rules on response times allow more than that."""

_LEAST_LOAD = 1.25
"""One process more than there are processors, for a while, is an ordinary machine."""


class LoadSampler:
    """Samples the load while conversations are played on an event loop."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._loads: list[float] = []
        self._playing = 0
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def sampled(self) -> AsyncGenerator[float]:
        """Sample for as long as a conversation is played; gives the monotonic time it begins."""
        self._playing += 1
        if self._task is None:
            self._task = asyncio.create_task(self._sample())
        try:
            yield monotonic()
        finally:
            self._playing -= 1
            if not self._playing:
                self._task.cancel()
                self._task = None

    async def _sample(self) -> None:
        while True:
            self._take()
            await asyncio.sleep(_SAMPLED_S)

    def _take(self) -> None:
        self._times.append(monotonic())
        self._loads.append(tasks_per_processor())
        if len(self._times) > _KEPT:
            del self._times[: _KEPT // 2], self._loads[: _KEPT // 2]

    def annotate(self, trace: Trace, began: float) -> Trace:
        """Return the trace with the load of its slow turns, if the machine was busy meanwhile."""
        loads: dict[str, float] = {}
        for index, turn in enumerate(trace.turns):
            if turn.latency_s >= _LEAST_LATENCY_S:
                start = began + turn.started_s
                load = self._mean(start, start + turn.latency_s)
                if load >= _LEAST_LOAD:
                    loads[str(index)] = round(load, 1)
        return trace.model_copy(update={"meta": {**trace.meta, _META: loads}}) if loads else trace

    def _mean(self, start: float, end: float) -> float:
        """The mean of the samples in between, and of the one before."""
        first = max(0, bisect_left(self._times, start) - 1)
        loads = self._loads[first : bisect_right(self._times, end)]
        return sum(loads) / len(loads) if loads else 1.0


def machine_loads(trace: Trace) -> Mapping[int, float]:
    """Return the load during the turns in which the machine was busy, by the turns' indices."""
    stored = trace.meta.get(_META)
    if not isinstance(stored, dict):
        return {}
    return {
        int(index): float(load)
        for index, load in stored.items()
        if index.isdecimal() and isinstance(load, int | float) and load > 1
    }


def tasks_per_processor() -> float:
    """Return how many tasks run or wait for each processor now; 1.0 if the system does not say."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    processors = processors or os.cpu_count() or 1
    try:
        # 46/1621: runnable of all tasks, with the one that reads this.
        runnable = Path("/proc/loadavg").read_text(encoding="ascii").split()[3]
        return max(1.0, (int(runnable.partition("/")[0]) - 1) / processors)
    except (OSError, ValueError, IndexError):
        # On other systems, the mean of the last minute.
        return max(1.0, os.getloadavg()[0] / processors) if hasattr(os, "getloadavg") else 1.0
