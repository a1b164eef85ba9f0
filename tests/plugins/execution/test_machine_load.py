"""The load of the machine while an app answered."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from tests.core.engine.conftest import Play

from sparring.model.case import Case
from sparring.model.talk import Ended, Incident, IncidentKind, Observation, Say, Trace, Turn
from sparring.model.verdict import Outcome, Owner
from sparring.store import StoredRun
from sparring_plugins.execution import machine_load
from sparring_plugins.execution.machine_load import (
    LoadSampler,
    is_local,
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


async def sampled(
    monkeypatch: pytest.MonkeyPatch,
    loads: Iterator[float],
    trace: Trace,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> Trace:
    """The trace after as many samples as there are loads, one each half second from 0 on."""
    clock = [0.0]
    monkeypatch.setattr(machine_load, "monotonic", lambda: clock[0])
    sampler = LoadSampler(settings)
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


def late(latency_s: float, kind: IncidentKind = IncidentKind.TIMEOUT) -> Trace:
    """A conversation whose last turn had no answer for so long."""
    trace = played(0.1, latency_s)
    silent = trace.turns[1].model_copy(update={"observation": None})
    incident = Incident(kind=kind, message="nothing came for 10 s", owner=Owner.APP, turn=1)
    return trace.model_copy(
        update={
            "turns": (trace.turns[0], silent),
            "incidents": (incident,),
            "ended": Ended.INCIDENT,
        }
    )


LOCAL = {"url": "http://127.0.0.1:5005/chat"}
REMOTE = {"url": "https://api.example.com/chat"}


def test_an_app_that_is_late_on_an_overloaded_machine_is_not_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = asyncio.run(sampled(monkeypatch, iter([12.0] * 30), late(10.0), LOCAL))
    (incident,) = trace.incidents
    assert (incident.kind, incident.owner) == (IncidentKind.MACHINE_BUSY, Owner.ENVIRONMENT)
    assert incident.turn == 1
    assert "12 tasks shared each processor" in incident.message
    assert "nothing came for 10 s" in incident.message


@pytest.mark.parametrize(
    ("load", "latency_s", "settings", "kind"),
    [
        (1.0, 10.0, LOCAL, IncidentKind.TIMEOUT),
        (2.0, 10.0, LOCAL, IncidentKind.TIMEOUT),
        (12.0, 10.0, REMOTE, IncidentKind.TIMEOUT),
        (12.0, 0.2, LOCAL, IncidentKind.TIMEOUT),
        (12.0, 10.0, LOCAL, IncidentKind.CRASH),
    ],
    ids=["idle", "four browsers", "remote app", "given up at once", "crash"],
)
def test_an_app_is_blamed_for_what_no_load_explains(
    load: float,
    latency_s: float,
    settings: dict[str, Any],
    kind: IncidentKind,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = late(latency_s, kind)
    trace = asyncio.run(sampled(monkeypatch, iter([load] * 30), before, settings))
    assert trace.incidents == before.incidents


@pytest.mark.parametrize(
    ("settings", "here"),
    [
        ({}, True),
        ({"skill": {"folder": "."}}, True),
        (LOCAL, True),
        ({"url": "http://localhost:1"}, True),
        ({"url": "http://app.localhost./"}, True),
        ({"url": "ws://[::1]:80/"}, True),
        ({"url": "http://0.0.0.0:80"}, True),
        (REMOTE, False),
        ({"url": "http://10.0.0.5"}, False),
        ({"servers": [REMOTE, LOCAL]}, True),
    ],
    ids=str,
)
def test_an_app_is_local_by_its_addresses(settings: dict[str, Any], here: bool) -> None:
    assert is_local(settings) is here


def test_a_run_on_an_overloaded_machine_is_inconclusive_about_a_late_app(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import asyncio\nasync def answer(text):\n    await asyncio.sleep(60)\n"
    (tmp_path / "slow_app.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(machine_load, "tasks_per_processor", lambda: 9.0)
    done = play(
        cases=1,
        app={"use": "python", "target": "slow_app:answer", "timeout_s": 0.5},
        oracles=["generic-failures"],
    )
    assert done.folder
    (judged,) = StoredRun(done.folder).judged()
    verdicts = {each.check: each for each in judged.verdicts}
    assert verdicts["timeout"].outcome is Outcome.SKIPPED  # that the machine was busy is told once
    assert verdicts["machine_busy"].outcome is Outcome.INCONCLUSIVE
    assert verdicts["machine_busy"].owner is Owner.ENVIRONMENT
