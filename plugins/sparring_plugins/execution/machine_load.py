"""How many tasks shared each processor of this machine while an app answered.

Sparring itself waits for answers and gets a processor at once if one comes, so that its own waiting
(`Turn.starved_s`) says little of an app on the same machine that has to compute. A chatbot that
needs 0.1 s of processor time took 0.85 to 1.1 s beside 24 busy processes on two processors, and the
kernel kept Sparring waiting for 0.02 to 0.1 s of that. An app that is late on so busy a machine is
not blamed: it may have been in time alone.
"""

import asyncio
import os
from bisect import bisect_left, bisect_right
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname
from time import monotonic
from typing import Any

from sparring.model.talk import Incident, IncidentKind, Trace
from sparring.model.verdict import Owner
from sparring_plugins.execution.cases import hosts_in

_META = "machine_load"
_SAMPLED_S = 0.25
_KEPT = 4_000
"""Samples that are kept: those of the last quarter of an hour."""

_LEAST_LATENCY_S = 0.2
"""Faster answers get no load: rules on response times allow more than that."""

_LEAST_LOAD = 1.25
"""One process more than there are processors, for a while, is an ordinary machine."""

_OVERLOAD = 3.0
"""Tasks per processor from which a time-out may be the machine's.

Four browsers side by side on two cores, which Sparring itself starts, make about 2: there an app
that hangs is still found.
"""

_LEAST_LOST_S = 0.2
"""An app that is given up after a moment did not wait for the machine."""


def is_local(settings: Mapping[str, Any]) -> bool:
    """Return whether an app runs on this machine, by the addresses in its settings.

    An app without an address is code or a program that the connector starts here.
    """
    hosts = hosts_in(settings)
    return not hosts or any(_is_here(host) for host in hosts)


def _is_here(host: str) -> bool:
    if host.removesuffix(".").endswith("localhost") or host == gethostname():
        return True
    with suppress(ValueError):
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    return False


class LoadSampler:
    """Samples the load while conversations are played on an event loop.

    `settings` are those of the app, which say whether it runs here.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._is_local = is_local(settings)
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
        """Return the trace with the load of its slow turns, if the machine was busy meanwhile.

        Time-outs of an app on this machine are then the environment's.
        """
        loads: dict[str, float] = {}
        for index, turn in enumerate(trace.turns):
            if turn.latency_s >= _LEAST_LATENCY_S:
                start = began + turn.started_s
                load = self._mean(start, start + turn.latency_s)
                if load >= _LEAST_LOAD:
                    loads[str(index)] = round(load, 1)
        if not loads:
            return trace
        update: dict[str, Any] = {"meta": {**trace.meta, _META: loads}}
        if self._is_local:
            update["incidents"] = tuple(
                _with_owner(incident, trace, loads) for incident in trace.incidents
            )
        return trace.model_copy(update=update)

    def _mean(self, start: float, end: float) -> float:
        """The mean of the samples in between, and of the one before."""
        first = max(0, bisect_left(self._times, start) - 1)
        loads = self._loads[first : bisect_right(self._times, end)]
        return sum(loads) / len(loads) if loads else 1.0


def _with_owner(incident: Incident, trace: Trace, loads: Mapping[str, float]) -> Incident:
    """A time-out of the app, or the machine's if the app had too little of a processor."""
    load = loads.get(str(incident.turn), 1.0)
    if incident.kind is not IncidentKind.TIMEOUT or load < _OVERLOAD or incident.turn is None:
        return incident
    if trace.turns[incident.turn].latency_s * (1 - 1 / load) < _LEAST_LOST_S:
        return incident
    message = (
        f"no answer in time ({incident.message}), but {load:.3g} tasks shared each processor of "
        "this machine, on which the app runs, too: run it again with less beside it"
    )
    return Incident(
        kind=IncidentKind.MACHINE_BUSY,
        message=message,
        owner=Owner.ENVIRONMENT,
        turn=incident.turn,
    )


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
