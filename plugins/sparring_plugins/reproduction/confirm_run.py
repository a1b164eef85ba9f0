"""Plays the faults of a stored run again, at its end or later by ``sparring confirm``."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring import event_loop
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.engine.metering import Meter
from sparring.engine.session import open_bus
from sparring.event_loop import interruptible
from sparring.interfaces.agent import Player
from sparring.model.confirmation import Confirmation
from sparring.model.events import FaultConfirmed
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, Parts, SuiteContext, build
from sparring.suite.containment import part_limits
from sparring.suite.model import Confirm
from sparring.suite.reading import LoadedSuite
from sparring_plugins.execution.status import find_playing
from sparring_plugins.reproduction.confirmation import Confirmer, Suspect, find_suspects

if TYPE_CHECKING:
    from sparring_plugins.execution.workers import Workers


async def confirm_run(
    loaded: LoadedSuite,
    parts: Parts,
    folder: Path,
    bus: EventBus,
    meter: Meter,
    settings: Confirm | None = None,
    workers: "Workers | None" = None,
) -> bool:
    """Play again what of a run in `folder` is not confirmed yet; False if it was interrupted.

    `workers` do it; without any, those that play the suite now, or else this process.

    What became of each fault goes over the bus, into the log, as soon as it is known.
    """
    suite = loaded.suite
    apart = _apart(loaded, meter)
    limits = settings or suite.confirming or Confirm()
    workers = workers or find_playing(loaded)
    elsewhere = None
    if workers is not None:
        from sparring_plugins.reproduction.remote_confirmation import play_on

        elsewhere = play_on(workers, limits)
    confirmer = Confirmer(
        parts.connector,
        apart,
        limits,
        suite.case_timeout,
        suite.judge_timeout,
        lambda: apart.part(Player[Any], suite.agent, role="player"),
        elsewhere,
    )
    concurrency = max(suite.concurrency, workers.side_by_side if workers else 0)
    try:
        open_suspects = find_open_suspects(StoredRun(folder), parts.judges)
        task = asyncio.create_task(_each(confirmer, open_suspects, concurrency, bus))
        with interruptible(lambda: _cancel(task)):
            await asyncio.wait([task])
        if task.cancelled():
            return False
        task.result()
        return True
    finally:
        for problem in await apart.close():
            bus.note("close", problem)


async def _each(
    confirmer: Confirmer, open_suspects: Sequence[Suspect], concurrency: int, bus: EventBus
) -> None:
    async for confirmation in confirmer.confirm(open_suspects, concurrency):
        bus.emit(FaultConfirmed(at=now(), confirmation=confirmation))
        await bus.sync()


def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()


def _apart(loaded: LoadedSuite, meter: Meter) -> SuiteContext:
    """A context for parts that keep nothing in the run's folder."""
    suite = loaded.suite
    return SuiteContext(
        loaded.base_dir,
        seed=suite.seed,
        llm=suite.llm,
        wrap=meter.wrap,
        limits=part_limits(suite.part_timeout),
    )


def find_open_suspects(stored: StoredRun, judges: Sequence[Judge]) -> list[Suspect]:
    """The faults of a run that were not played again yet."""
    played_again = [
        confirmation
        for confirmation in stored.confirmations()
        if confirmation.outcome != "not played"
    ]
    return [
        suspect
        for suspect in find_suspects(stored.judged(), judges)
        if not any(
            suspect.is_shown_by(confirmation.fault, confirmation.app)
            for confirmation in played_again
        )
    ]


@dataclass(slots=True)
class ConfirmedRun:
    """What `confirm` did: what became of the faults, and what went wrong in parts meanwhile."""

    confirmations: list[Confirmation] = field(default_factory=list[Confirmation])
    complete: bool = True
    warnings: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])


def confirm(
    loaded: LoadedSuite, stored: StoredRun, settings: Confirm, disabled: Sequence[str] = ()
) -> ConfirmedRun:
    """Play the faults of a stored run again, and add what became of them to its log.

    `stored` is the run, `loaded` its suite; raises SparringError if it cannot be done.
    """
    return event_loop.run(_confirm(loaded, stored, settings, disabled))


async def _confirm(
    loaded: LoadedSuite, stored: StoredRun, settings: Confirm, disabled: Sequence[str]
) -> ConfirmedRun:
    from sparring_plugins.execution.cluster_executor import SessionPlan
    from sparring_plugins.execution.remote_work import open_workers

    meter = Meter(Spending(loaded.suite.budget))
    context = _apart(loaded, meter)
    result = ConfirmedRun()

    def plan() -> SessionPlan:
        of_suite = SessionPlan.of_suite(loaded, context.inputs)
        names = frozenset(stored.manifest.names)
        return replace(of_suite, written=dict(loaded.written), names=names)

    try:
        parts = build(loaded.suite, context, loaded.document)
        with RunLog.reopen(stored.folder) as log:
            bus = open_bus(log, disabled, [])
            meter.open(bus)
            async with open_workers(
                context, loaded.suite.execution, loaded.suite.concurrency, plan
            ) as workers:
                result.complete = await confirm_run(
                    loaded, parts, stored.folder, bus, meter, settings, workers
                )
        result.confirmations = StoredRun(stored.folder).confirmations()
        result.warnings, result.problems = [*context.warnings, *meter.notes], bus.problems
        return result
    finally:
        await context.close()
        meter.close()
