"""The load of the machine while an app answered."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.model.case import Case
from sparring.model.talk import Ended, Observation, Say, Trace, Turn
from sparring_plugins.execution import machine_load
from sparring_plugins.execution.machine_load import (
    LoadSampler,
    machine_loads,
    tasks_per_processor,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def played(*latencies: float) -> Trace:
    turns = [
        Turn(
            act=Say(text="hi"),
            observation=Observation(text="hello"),
            started_s=float(number),
            latency_s=latency,
        )
        for number, latency in enumerate(latencies)
    ]
    case = Case(id="x", scenario="talk")
    return Trace(case=case, turns=tuple(turns), started=NOW, ended=Ended.USER_LEFT)


async def sampled(monkeypatch: pytest.MonkeyPatch, loads: Iterator[float], trace: Trace) -> Trace:
    """The trace after as many samples as there are loads, one each half second from 0 on."""
    clock = [0.0]
    monkeypatch.setattr(machine_load, "monotonic", lambda: clock[0])
    sampler = LoadSampler()
    for number, load in enumerate(loads):
        clock[0] = number / 2
        monkeypatch.setattr(machine_load, "tasks_per_processor", lambda load=load: load)
        async with sampler.sampled():
            await asyncio.sleep(0)  # the sampler takes one as it starts
            await asyncio.sleep(0)
    return sampler.annotate(trace, 0.0)


def test_slow_turns_on_a_busy_machine_get_its_load(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = iter([12.0, 10.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    trace = asyncio.run(sampled(monkeypatch, loads, played(0.9, 0.1, 0.9)))
    assert machine_loads(trace) == {0: 11.0}


def test_nothing_is_noted_on_a_quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = asyncio.run(sampled(monkeypatch, iter([1.0] * 4), played(0.9)))
    assert trace.meta == {}


def test_a_hostile_meta_is_ignored() -> None:
    trace = played(1.0)
    for stored in ("12", [3], {"x": 3}, {"0": "3"}, {"0": -1}, {"0": None}):
        assert machine_loads(trace.model_copy(update={"meta": {"machine_load": stored}})) == {}


def test_the_load_is_never_below_one_and_known_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tasks_per_processor() >= 1.0
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "no numbers")
    assert tasks_per_processor() >= 1.0
