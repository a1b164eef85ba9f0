"""A whole run from a suite to its reports, and the judging of stored conversations."""

import asyncio
import signal
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from platform import python_version
from typing import Any

import sparring
from sparring.discovery import hooks
from sparring.engine.budget import Spending
from sparring.engine.bus import EventBus, now
from sparring.engine.judge import conclude, concludes, judge_trace
from sparring.engine.loop import Limits, Loop
from sparring.engine.metering import MeteredBackend
from sparring.engine.resume import require_same, take_up
from sparring.engine.tally import NOTHING, Tally
from sparring.errors import Problem, StoredRunError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.model.case import Case
from sparring.model.events import CaseJudged, RunConcluded, RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary, Usage
from sparring.model.space import Space
from sparring.model.talk import Trace
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, SuiteContext, build, build_judges
from sparring.suite.model import Budget, OracleUse
from sparring.suite.reading import LoadedSuite


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line adds to a suite.

    `select` are patterns of scenario names; `outputs` reporters besides the suite's; `resume`
    a stored run to go on with.
    """

    resume: StoredRun | None = None
    select: tuple[str, ...] = ()
    outputs: tuple[Use, ...] = ()
    strict: bool = False
    disabled: tuple[str, ...] = ()
    runs: Path | None = None


@dataclass(slots=True)
class Conducted:
    """How a run went: its sums, its folder (None if nothing was run), the files written."""

    summary: Summary
    folder: Path | None = None
    written: list[Path] = field(default_factory=list[Path])
    problems: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])


def conduct(loaded: LoadedSuite, options: RunOptions) -> Conducted:
    """Run a suite to its end; raises SparringError where nothing could be run."""
    return asyncio.run(_conduct(loaded, options))


async def _conduct(loaded: LoadedSuite, options: RunOptions) -> Conducted:
    suite = loaded.suite
    late = _Late()
    run_id, folder = _place(loaded, options)
    spending = Spending(suite.budget)
    context = SuiteContext(
        loaded.base_dir,
        seed=suite.seed,
        run_dir=folder,
        llm=suite.llm,
        wrap=lambda backend, asker: _metered(backend, asker, late, spending),
    )
    try:
        parts = build(suite, context)
        outputs = [(use.use, context.part(Reporter[Any], use)) for use in options.outputs]
        space = _selected(parts.player.space(), options.select)
        parts.strategy.start(space, suite.seed)
        expected = parts.strategy.expected()
        if not space.scenarios or expected == 0:
            return Conducted(_nothing(), warnings=context.warnings)
        run = _manifest(run_id, loaded, context)
        log = _open_log(folder, run, options.resume)
        named = [
            (use.use, made) for use, made in zip(suite.reporters, parts.reporters, strict=True)
        ]
        bus = late.bus = _bus(log, options.disabled or suite.hooks.disable, named + outputs)
        tally = Tally()
        kept = None
        if options.resume is not None:
            kept = take_up(StoredRun(folder), parts.strategy, tally, spending)
        session = options.resume.sessions + 1 if options.resume else 1
        bus.emit(
            RunStarted(at=now(), run=run, session=session, expected=expected, folder=str(folder))
        )
        limits = Limits(suite.concurrency, suite.case_timeout, suite.judge_timeout)
        loop = Loop(parts, bus, spending, tally, limits, kept)
        try:
            with _interruptible(loop):
                await loop.run()
            if loop.stopped is not Stop.INTERRUPTED:
                await _conclude(parts.judges, folder, bus, tally, limits.judge_timeout_s)
        except OSError as err:
            raise StoredRunError(f"the run's log in {folder} cannot be written: {err}") from err
        finally:
            problems = await context.close()
        for problem in problems:
            bus.note("close", problem)
        summary = tally.summary(
            loop.stopped, spending.usage(), reason=loop.reason, strict=options.strict
        )
        bus.emit(RunFinished(at=now(), summary=summary))
        log.close()
        reporters = [reporter for _, reporter in named + outputs]
        return Conducted(summary, folder, _written(reporters), bus.problems, context.warnings)
    finally:
        await context.close()


class _Late:
    """The bus, once there is one: language models are built before it."""

    bus: EventBus | None = None


def _metered(
    backend: LLMBackend[Any], asker: str, late: _Late, spending: Spending
) -> LLMBackend[Any]:
    return MeteredBackend(backend, asker, lambda: late.bus, spending)


def _place(loaded: LoadedSuite, options: RunOptions) -> tuple[str, Path]:
    """The id and the folder of the run, which is made later."""
    if options.resume is not None:
        return options.resume.manifest.id, options.resume.folder
    runs = options.runs or loaded.base_dir / loaded.suite.runs
    return new_place(runs, loaded.suite.name)


def new_place(runs: Path, name: str) -> tuple[str, Path]:
    """A new run's id and folder: the name and the time, told apart by a number if need be."""
    slug = Case.of(name, {}, run_seed=0).id.rsplit("-", 1)[0]
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    base = run_id = f"{slug}-{stamp}"
    count = 1
    while (runs / run_id).exists():
        count += 1
        run_id = f"{base}-{count}"
    return run_id, runs / run_id


def _manifest(run_id: str, loaded: LoadedSuite, context: SuiteContext) -> Run:
    return Run(
        id=run_id,
        name=loaded.suite.name,
        created=now(),
        seed=loaded.suite.seed,
        suite_path=str(loaded.path.resolve()),
        suite=loaded.written,
        inputs=dict(sorted(context.inputs.items())),
        versions={"sparring": sparring.__version__, "python": python_version()},
    )


def _open_log(folder: Path, run: Run, resume: StoredRun | None) -> RunLog:
    if resume is None:
        return RunLog.create(folder, run)
    require_same(resume.manifest, run)
    return RunLog.reopen(folder)


def _bus(
    log: RunLog, disabled: Sequence[str], reporters: Sequence[tuple[str, Reporter[Any]]]
) -> EventBus:
    bus = EventBus(hooks.load(frozenset(disabled)), log=log)
    for index, (name, reporter) in enumerate(reporters):
        bus.add_reporter(f"{name}-{index}", reporter)
    return bus


def _selected(space: Space, patterns: Sequence[str]) -> Space:
    if not patterns:
        return space
    return Space(
        scenarios=tuple(
            scenario
            for scenario in space.scenarios
            if any(
                fnmatch(scenario.name, pattern) or pattern in scenario.name for pattern in patterns
            )
        )
    )


async def _conclude(
    judges: Sequence[Judge], folder: Path, bus: EventBus, tally: Tally, timeout_s: float
) -> None:
    if not any(concludes(judge.oracle) for judge in judges):
        return
    verdicts = await conclude(judges, StoredRun(folder).traces(), timeout_s)
    tally.add(verdicts)
    bus.emit(RunConcluded(at=now(), verdicts=tuple(verdicts)))
    await bus.sync()


def _nothing() -> Summary:
    return Summary(
        stopped=Stop.COMPLETE, exit_code=NOTHING, reason="nothing was selected", usage=Usage()
    )


def _written(reporters: Iterable[Reporter[Any]]) -> list[Path]:
    return [path for reporter in reporters for path in reporter.written()]


@contextmanager
def _interruptible(loop: Loop) -> Generator[None]:
    """Ctrl-C and SIGTERM stop the loop and keep what is finished; a second one is final."""
    running = asyncio.get_running_loop()

    def stop(number: int, _frame: object) -> None:
        signal.signal(number, signal.default_int_handler)
        running.call_soon_threadsafe(loop.interrupt)

    before: list[tuple[signal.Signals, Any]] = []
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before.append((number, signal.signal(number, stop)))
    except ValueError:  # not in the main thread: whoever called us handles signals
        pass
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What to judge stored conversations by, and where to put the result."""

    oracles: tuple[OracleUse, ...]
    base_dir: Path
    runs: Path
    name: str = "check"
    outputs: tuple[Use, ...] = ()
    llm: Use | None = None
    seed: int = 0
    judge_timeout_s: float = 600.0
    strict: bool = False
    suite: dict[str, Any] = field(default_factory=dict[str, Any])
    disabled: tuple[str, ...] = ()


def check(source: Iterable[Trace | Problem], options: CheckOptions) -> Conducted:
    """Judge conversations without the app; the result is a stored run of its own.

    `source` may be a stored run's traces or another tool's conversations; a problem in it is
    noted and passed over. Raises SparringError where nothing could be judged.
    """
    return asyncio.run(_check(source, options))


async def _check(source: Iterable[Trace | Problem], options: CheckOptions) -> Conducted:
    late = _Late()
    spending = Spending(Budget())
    run_id, folder = new_place(options.runs, options.name)
    context = SuiteContext(
        options.base_dir,
        seed=options.seed,
        run_dir=folder,
        llm=options.llm,
        wrap=lambda backend, asker: _metered(backend, asker, late, spending),
    )
    try:
        judges = build_judges(options.oracles, context)
        named = [(use.use, context.part(Reporter[Any], use)) for use in options.outputs]
        run = Run(
            id=run_id,
            name=options.name,
            created=now(),
            seed=options.seed,
            suite=options.suite,
            inputs=dict(sorted(context.inputs.items())),
            versions={"sparring": sparring.__version__, "python": python_version()},
        )
        log = RunLog.create(folder, run)
        bus = late.bus = _bus(log, options.disabled, named)
        bus.emit(RunStarted(at=now(), run=run, folder=str(folder)))
        tally = Tally()
        try:
            unread = await _judge_all(source, judges, bus, tally, spending, options)
            await _conclude(judges, folder, bus, tally, options.judge_timeout_s)
        except OSError as err:
            raise StoredRunError(f"the run's log in {folder} cannot be written: {err}") from err
        summary = tally.summary(Stop.COMPLETE, spending.usage(), strict=options.strict)
        summary = _with_unread(summary, unread)
        bus.emit(RunFinished(at=now(), summary=summary))
        log.close()
        reporters = [reporter for _, reporter in named]
        return Conducted(summary, folder, _written(reporters), bus.problems, context.warnings)
    finally:
        await context.close()


async def _judge_all(
    source: Iterable[Trace | Problem],
    judges: Sequence[Judge],
    bus: EventBus,
    tally: Tally,
    spending: Spending,
    options: CheckOptions,
) -> int:
    """Judge every trace; the number of conversations that could not be read."""
    unread = 0
    for item in source:
        if isinstance(item, Problem):
            unread += 1
            bus.problems.append(str(item))
            bus.note("conversations", str(item))
            continue
        verdicts = await judge_trace(judges, item, options.judge_timeout_s)
        bus.emit(CaseJudged(at=now(), trace=item, verdicts=tuple(verdicts)))
        tally.add_case(verdicts)
        spending.cases += 1
        spending.turns += len(item.turns)
    await bus.sync()
    return unread


def _with_unread(summary: Summary, unread: int) -> Summary:
    if not summary.usage.cases:
        reason = f"{unread} files could not be read" if unread else "no conversations were found"
        return summary.model_copy(update={"exit_code": 3 if unread else NOTHING, "reason": reason})
    if unread and summary.exit_code == 0:
        reason = f"{unread} conversations could not be read"
        return summary.model_copy(update={"exit_code": 3, "reason": reason})
    return summary


def report(stored: StoredRun, reporters: Sequence[Reporter[Any]]) -> list[Path]:
    """Make reports of a stored run; raises StoredRunError where it never finished a session."""
    summary = stored.summary
    if summary is None:
        tally = Tally()
        for judged in stored.judged():
            tally.add_case(judged.verdicts)
        usage = Usage(cases=len(stored.case_ids))
        summary = tally.summary(Stop.INTERRUPTED, usage, reason="the run was not finished")
    for reporter in reporters:
        reporter.handle(
            RunStarted(
                at=stored.manifest.created,
                run=stored.manifest,
                session=max(1, stored.sessions),
                folder=str(stored.folder),
            )
        )
        reporter.handle(RunFinished(at=now(), summary=summary))
    return _written(reporters)
