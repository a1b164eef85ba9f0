"""What runs and checks share: folder, manifest, bus, concluding, result and reports."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from platform import python_version
from typing import Any, Literal

from pydantic import JsonValue

import sparring
from sparring.discovery import hooks
from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
from sparring.engine.exit_codes import INTERNAL, NOT_STORED, PASSED
from sparring.engine.judge import conclude, concludes
from sparring.errors import BudgetSpent, PartError
from sparring.interfaces.reporter import Reporter
from sparring.model.case import Case
from sparring.model.events import RunConcluded
from sparring.model.run import Run, Summary
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, SuiteContext
from sparring.suite.containment import Limit
from sparring.suite.environment import Redactor
from sparring.time_limits import LagMeter

Named = Sequence[tuple[str, Reporter[Any]]]
"""Reporters with the names they were built by."""


@dataclass(slots=True)
class RunResult:
    """How a run went: its sums, its folder (None if nothing was run), the files written."""

    summary: Summary
    folder: Path | None = None
    written: list[Path] = field(default_factory=list[Path])
    problems: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    broken_reporters: list[str] = field(default_factory=list[str])
    #: Whether reports are missing because the disk could not be written.
    disk_failed: bool = False

    @property
    def exit_code(self) -> int:
        """The exit code of the process: a run that passed is not green if a report is missing."""
        code = self.summary.exit_code
        if code != PASSED or not self.broken_reporters:
            return code
        return NOT_STORED if self.disk_failed else INTERNAL


def new_place(runs: Path, name: str) -> tuple[str, Path]:
    """Claim a new run's id and folder: the name and the time, told apart by a number if need be."""
    slug = Case.of(name, {}, run_seed=0).id.rsplit("-", 1)[0]
    base, count = f"{slug}-{datetime.now(UTC):%Y%m%d-%H%M%S}", 0
    while True:  # two runs that begin in one second ask for the same folder: one of them makes it
        count += 1
        run_id = base if count == 1 else f"{base}-{count}"
        try:
            (runs / run_id).mkdir(parents=True)
        except OSError as err:  # whatever else is wrong, the log says when it is opened
            if isinstance(err, FileExistsError) and runs.is_dir():
                continue
        return run_id, runs / run_id


def release_place(folder: Path) -> None:
    """Remove a claimed folder in which nothing was stored, and the folder of runs if it is new."""
    with suppress(OSError):  # something is in it
        folder.rmdir()
        folder.parent.rmdir()


def manifest(
    run_id: str,
    name: str,
    context: SuiteContext,
    *,
    suite: Mapping[str, JsonValue],
    overrides: Mapping[str, JsonValue] | None = None,
    suite_path: Path | None = None,
    kind: Literal["run", "check", "replay", "calibration"] = "run",
    learns: bool = False,
) -> Run:
    """The manifest of a run whose parts are built; a suite that spells secrets out loses them."""
    return Run(
        kind=kind,
        id=run_id,
        name=name,
        created=now(),
        seed=context.seed,
        suite_path=str(suite_path.resolve()) if suite_path else None,
        suite=Redactor().suite(suite),
        overrides=Redactor().suite(overrides or {}),
        inputs=dict(sorted(context.inputs.items())),
        names=tuple(sorted(context.names)),
        judges=context.measured,
        learns=learns,
        versions={"sparring": sparring.__version__, "python": python_version()},
    )


def open_bus(
    log: RunLog, disabled: Sequence[str], reporters: Named, limit: Limit | None = None
) -> EventBus:
    """A bus into the log, with the installed listeners and these reporters.

    `limit` is entered around each call of a listener or reporter.
    """
    listeners = hooks.load(frozenset(disabled))
    listeners.limit = limit
    bus = EventBus(listeners, log=log)
    bus.problems += [log.unlocked] * bool(log.unlocked)
    for index, (name, reporter) in enumerate(reporters):
        bus.add_reporter(f"{name}-{index}", reporter)
    return bus


async def conclude_all(
    judges: Sequence[Judge],
    folder: Path,
    bus: EventBus,
    tally: Tally,
    timeout_s: float,
    spending: Spending,
    lag: LagMeter | None = None,
) -> None:
    """Judge the conditions over several or all conversations, if there are any.

    Raises BudgetSpent, without a verdict, if the budget refused a model's answer.
    """
    if any(concludes(judge.oracle) for judge in judges):
        traces = StoredRun(folder).traces(bus.for_judges)
        verdicts = await conclude(judges, traces, timeout_s, lag=lag)
        if None in spending.refused:
            raise BudgetSpent(spending.spent() or "the budget is spent")
        tally.add(verdicts)
        bus.emit(RunConcluded(at=now(), verdicts=tuple(verdicts)))
        await bus.sync()


def reported(
    summary: Summary, folder: Path, bus: EventBus, reporters: Named, warnings: Sequence[str]
) -> RunResult:
    """The result of a run or check whose reporters have handled the last event."""
    written: list[Path] = []
    broken = bus.broken_reporters
    for name, reporter in reporters:
        try:
            written += reporter.written()
        except PartError as err:
            bus.problems.append(str(err))
            broken.append(name)
    full = bus.disk_failed
    return RunResult(summary, folder, written, bus.problems, list(warnings), broken, full)
