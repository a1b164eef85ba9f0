"""Judging stored conversations again, without the app; and their reports."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring import event_loop
from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
from sparring.engine.conduct import Decides
from sparring.engine.exit_codes import ERRORS, NOTHING, PASSED
from sparring.engine.judge import judge_trace
from sparring.engine.metering import Meter
from sparring.engine.session import (
    RunResult,
    conclude_all,
    manifest,
    new_place,
    open_bus,
    release_place,
    reported,
)
from sparring.errors import Problem
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.llm.ledger import CASE
from sparring.model.events import CaseJudged, RunFinished, RunStarted
from sparring.model.run import Inconclusive, Stop, Summary
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, SuiteContext, build_judges
from sparring.suite.containment import part_limits
from sparring.suite.model import Budget, LLMUse, OracleUse

if TYPE_CHECKING:
    from sparring_plugins.llm.replay import Recording


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to judge stored conversations by, and where to put the result.

    `recorded` is a run whose recorded answers of models are taken if the question is the same;
    up to `concurrency` conversations are judged side by side if there is a model to wait for.
    `decide` sets the exit code by a suite's repeats or baseline.
    """

    oracles: tuple[OracleUse, ...]
    base_dir: Path
    runs: Path
    name: str = "check"
    outputs: tuple[Use, ...] = ()
    llm: LLMUse | None = None
    seed: int = 0
    judge_timeout_s: float = 600.0
    part_timeout_s: float = 600.0
    inconclusive: Inconclusive = "error"
    suite: dict[str, Any] = field(default_factory=dict[str, Any])
    suite_path: Path | None = None
    disabled: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    recorded: StoredRun | None = None
    concurrency: int = 10
    decide: Decides | None = None


def check(source: Iterable[Trace | Problem], options: CheckOptions) -> RunResult:
    """Judge conversations without the app; the result is a stored run of its own.

    `source` may be a stored run's traces or another tool's conversations; a problem in it is
    noted and passed over. Raises SparringError if nothing could be judged.
    """
    return event_loop.run(_check(source, options))


async def _check(source: Iterable[Trace | Problem], options: CheckOptions) -> RunResult:
    recording = _recording(options)
    meter = Meter(Spending(Budget()), recording=recording)
    run_id, folder = new_place(options.runs, options.name)
    limits = part_limits(options.part_timeout_s)
    context = SuiteContext(
        options.base_dir,
        seed=options.seed,
        run_dir=folder,
        llm=options.llm,
        wrap=meter.wrap,
        recorded=recording is not None,
        limits=limits,
    )
    context.names = frozenset(options.names)
    try:
        judges = build_judges(options.oracles, context)
        reporters = [(use.use, context.part(Reporter[Any], use)) for use in options.outputs]
        run = manifest(
            run_id,
            options.name,
            context,
            suite=options.suite,
            suite_path=options.suite_path,
            kind="check",
        )
        with RunLog.create(folder, run) as log:
            bus = meter.bus = open_bus(log, options.disabled, reporters, limits.call)
            bus.emit(RunStarted(at=now(), run=run, folder=str(folder)))
            summary = await _judge_all(source, judges, bus, meter.spending, folder, options)
            bus.emit(RunFinished(at=now(), summary=summary))
        return reported(summary, folder, bus, reporters, [*context.warnings, *meter.notes])
    finally:
        await context.close()
        meter.close()
        release_place(folder)


async def _judge_again(
    judges: Sequence[Judge], trace: Trace, timeout_s: float
) -> tuple[Trace, list[Verdict]]:
    CASE.set(trace.case.id)
    return trace, await judge_trace(judges, trace, timeout_s)


def _recording(options: CheckOptions) -> "Recording | None":
    if options.recorded is None or options.llm is None:
        return None
    from sparring_plugins.llm.replay import Recording

    return Recording.of(options.recorded)


async def _judge_all(
    source: Iterable[Trace | Problem],
    judges: Sequence[Judge],
    bus: EventBus,
    spending: Spending,
    folder: Path,
    options: CheckOptions,
) -> Summary:
    tally = Tally()
    unread = 0
    judging: deque[asyncio.Task[tuple[Trace, list[Verdict]]]] = deque()

    async def commit() -> None:
        trace, verdicts = await judging.popleft()
        spent = spending.case_over(trace.case.id)
        bus.emit(CaseJudged(at=now(), trace=trace, verdicts=tuple(verdicts), spent=spent))
        tally.add_case(verdicts)
        spending.cases += 1
        spending.turns += len(trace.turns)

    side_by_side = options.concurrency if options.llm else 1
    try:
        for item in source:
            if isinstance(item, Problem):
                unread += 1
                bus.problems.append(str(item))
                bus.note("conversations", str(item))
                continue
            judged = _judge_again(judges, bus.for_judges(item), options.judge_timeout_s)
            judging.append(asyncio.create_task(judged))
            if len(judging) >= side_by_side:
                await commit()  # in the order of the source, whichever is ready first
        while judging:
            await commit()
    finally:
        for task in judging:
            task.cancel()
    await conclude_all(judges, folder, bus, tally, options.judge_timeout_s, spending)
    summary = tally.summary(Stop.COMPLETE, spending.usage(), inconclusive=options.inconclusive)
    if options.decide is not None:
        summary = options.decide(StoredRun(folder), summary)
    return _with_unread(summary, unread)


def _with_unread(summary: Summary, unread: int) -> Summary:
    """A check that could not read everything never looks like one that passed."""
    if not summary.usage.cases:
        reason = f"{unread} files could not be read" if unread else "no conversations were found"
        code = ERRORS if unread else NOTHING
        return summary.model_copy(update={"exit_code": code, "reason": reason})
    if unread and summary.exit_code == PASSED:
        reason = f"{unread} conversations could not be read"
        gate = {key: value for key, value in summary.gate.items() if key != "meaning"}
        changes = {"exit_code": ERRORS, "reason": reason, "gate": gate}
        return summary.model_copy(update=changes)
    return summary
