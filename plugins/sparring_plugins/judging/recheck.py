"""Judging stored conversations again, without the app; and their reports."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring import event_loop
from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
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
from sparring.errors import ExecutorLost, Problem
from sparring.interfaces.reporter import Reporter
from sparring.llm.ledger import CASE
from sparring.model.events import CaseJudged, RunFinished, RunStarted
from sparring.model.run import Stop, Summary
from sparring.model.talk import Trace
from sparring.model.verdict import Verdict
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, SuiteContext, build_judges
from sparring.suite.containment import part_limits
from sparring.suite.model import Budget
from sparring_plugins.execution.options import is_in_process
from sparring_plugins.judging.check_options import CheckOptions

if TYPE_CHECKING:
    from sparring_plugins.llm.replay import Recording


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
            async with AsyncExitStack() as stack:
                judging = await _judging(options, context, judges, stack)
                summary = await _judge_all(source, judging, bus, meter.spending, folder, options)
            bus.emit(RunFinished(at=now(), summary=summary))
        return reported(summary, folder, bus, reporters, [*context.warnings, *meter.notes])
    finally:
        await context.close()
        meter.close()
        release_place(folder)


@dataclass(slots=True)
class _Judging:
    """The oracles of a check, how they judge one conversation, and how many side by side."""

    judges: Sequence[Judge]
    judge: Callable[[Trace], Coroutine[Any, Any, tuple[Trace, list[Verdict]]]]
    side_by_side: Callable[[], int]


async def _judging(
    options: CheckOptions, context: SuiteContext, judges: Sequence[Judge], stack: AsyncExitStack
) -> _Judging:
    """Return how conversations are judged: on workers, open until `stack` ends, or here."""

    async def judge_here(trace: Trace) -> tuple[Trace, list[Verdict]]:
        CASE.set(trace.case.id)
        return trace, await judge_trace(judges, trace, options.judge_timeout_s)

    count = options.concurrency if options.llm else 1
    here = _Judging(judges, judge_here, lambda: count)
    if options.execution is None or is_in_process(options.execution):
        return here
    from sparring_plugins.execution.remote_work import open_workers
    from sparring_plugins.judging.remote_check import judge_on, plan_check

    opening = open_workers(
        context, options.execution, options.concurrency, lambda: plan_check(options, context)
    )
    workers = await stack.enter_async_context(opening)
    if workers is None:
        return here
    return _Judging(
        judges,
        lambda trace: judge_on(workers, judges, trace),
        lambda: max(options.concurrency, workers.side_by_side),
    )


def _recording(options: CheckOptions) -> "Recording | None":
    if options.recorded is None or options.llm is None:
        return None
    from sparring_plugins.llm.replay import Recording

    return Recording.of(options.recorded)


async def _judge_all(
    source: Iterable[Trace | Problem],
    how: _Judging,
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

    stopped, lost = Stop.COMPLETE, ""
    try:
        for item in source:
            if isinstance(item, Problem):
                unread += 1
                bus.problems.append(str(item))
                bus.note("conversations", str(item))
                continue
            judging.append(asyncio.create_task(how.judge(bus.for_judges(item))))
            if len(judging) >= how.side_by_side():
                await commit()  # in the order of the source, whichever is ready first
        while judging:
            await commit()
    except ExecutorLost as err:
        stopped, lost = Stop.LOST, str(err)
    finally:
        for task in judging:
            task.cancel()
    if not lost:
        await conclude_all(how.judges, folder, bus, tally, options.judge_timeout_s, spending)
    summary = tally.summary(
        stopped, spending.usage(), reason=lost, inconclusive=options.inconclusive
    )
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
