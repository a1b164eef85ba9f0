"""Conducts a whole run, from a suite to its reports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal, Protocol

from sparring import event_loop
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.documents.checking import located, nearest
from sparring.engine.batches import Batching, MakesBatching
from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
from sparring.engine.exit_codes import NOTHING
from sparring.engine.loop import Loop, LoopLimits
from sparring.engine.metering import Meter
from sparring.engine.play import RunWork
from sparring.engine.resume import require_same, resume_run, to_retry
from sparring.engine.session import (
    Named,
    RunResult,
    conclude_all,
    manifest,
    new_place,
    open_bus,
    release_place,
    reported,
)
from sparring.errors import BudgetSpent, ConfigurationError, PartError, SparringError
from sparring.event_loop import interruptible
from sparring.interfaces.abilities import expected_cases, is_open_ended, learning
from sparring.interfaces.executor import Executor
from sparring.interfaces.plugin import Use
from sparring.interfaces.reporter import Reporter
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.events import RunFinished, RunStarted
from sparring.model.run import Run, Stop, Summary
from sparring.model.space import Scenario, Space
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Parts, SuiteContext, build, oracle_errors
from sparring.suite.containment import part_error, part_limits, part_name
from sparring.suite.model import Duplicates, Repeats
from sparring.suite.reading import LoadedSuite
from sparring.time_limits import FOREVER_S, LagMeter, guarded, left_behind, limited


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line adds to a suite.

    `select` are patterns of names and tags, `scenarios` whole names; `outputs` reporters besides
    the suite's; `resume` a stored run to continue, `retry_errors` whether cases that the
    environment broke are played again then; `runs` another folder for runs than the suite's;
    `kind` what the stored run is called: a run, or the replay of one. `shard` is the part of the
    cases that is played, as in ``3/16``; what concerns several conversations is left to a merge.
    `cases` are the ids, without repeats, of those that are played; the manifest has `selection`.
    """

    resume: StoredRun | None = None
    select: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    outputs: tuple[Use, ...] = ()
    strict: bool = False
    disabled: tuple[str, ...] = ()
    runs: Path | None = None
    kind: Literal["run", "replay"] = "run"
    retry_errors: bool = False
    shard: str = ""
    cases: frozenset[str] = frozenset()
    selection: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


class Confirming(Protocol):
    """The suite key ``confirm``: plays the failures of a run again at its end."""

    async def __call__(
        self, loaded: LoadedSuite, parts: Parts, folder: Path, bus: EventBus, meter: Meter
    ) -> bool:
        """Return whether it came to its end; `False` if it was interrupted."""
        ...


class Repeating(Protocol):
    """The suite key ``repeats``: plays each case of a strategy several times."""

    #: The strategy as the loop is to see it: it is told every play, and its state has all of them.
    strategy: SearchStrategy[Any]
    #: The suite's strategy, which knows nothing of repeats.
    repeated: SearchStrategy[Any]

    def batches(self, batching: Batching) -> Batching:
        """Return what plays each case of a batch several times."""
        ...


Decides = Callable[[StoredRun, Summary], Summary]
"""What the service ``gate`` makes of a suite with repeats or a baseline: decides the exit code."""


def conduct(loaded: LoadedSuite, options: RunOptions) -> RunResult:
    """Run a suite to its end; raises SparringError if nothing could be run."""
    with limited(FOREVER_S, "the run"):
        run = _Run(loaded, options)
        return event_loop.run(run.conduct(), run.context.note)


class _Run:
    """One session of a run; the steps of `conduct`, and what they share."""

    def __init__(self, loaded: LoadedSuite, options: RunOptions) -> None:
        self.loaded = loaded
        self.suite = loaded.suite
        self.options = options
        self.run_id, self.folder = self._place()
        self.spending = Spending(self.suite.budget)
        self.meter = Meter(self.spending)
        self.tally = Tally()
        self.lag = LagMeter()
        self.decide: Decides | None = None
        self.repeating: Repeating | None = None
        self.limits = part_limits(self.suite.part_timeout)
        self.left_behind = len(left_behind)
        self.executor: Executor[Any]
        self.context = SuiteContext(
            loaded.base_dir,
            seed=self.suite.seed,
            run_dir=self.folder,
            llm=self.suite.llm,
            wrap=self.meter.wrap,
            limits=self.limits,
        )

    def _place(self) -> tuple[str, Path]:
        resume = self.options.resume
        if resume is not None:
            return resume.manifest.id, resume.folder
        runs = self.options.runs or self.loaded.base_dir / self.suite.runs
        return new_place(runs, self.suite.name)

    async def conduct(self) -> RunResult:
        """Build, play, judge, report, close."""
        try:
            parts = build(self.suite, self.context, self.loaded.document)
            parts = self._set_gate(parts)
            reporters = self._reporters(parts)
            with located(self.loaded.document, ("execution",)):
                self.executor = self.context.part(Executor[Any], self.suite.execution)
            with located(self.loaded.document, ("agent",)):
                whole = parts.space()
            if self.options.kind == "run":  # a replay judges what was once played
                problems = oracle_errors(parts.judges, whole, self.loaded.document)
                if problems:
                    raise ConfigurationError(*problems)
            self.context.names = whole.names()
            space = _select_cases(whole, self.options)
            self.spending.expect(space)
            parts.strategy.start(space, self.suite.seed)
            if not space.scenarios or expected_cases(parts.strategy) == 0:
                return RunResult(
                    _nothing(whole, self.options.select), warnings=self.context.warnings
                )
            return await self._run_logged(parts, reporters)
        finally:
            self.lag.close()
            await self.context.close()
            self.meter.close()
            release_place(self.folder)

    def _set_gate(self, parts: Parts) -> Parts:
        """Read the baseline before anything is played, and have cases repeated."""
        suite = self.suite
        if suite.repeats == Repeats() and suite.gate.baseline is None:
            return parts
        with located(self.loaded.document, ("gate", "baseline")):
            self.decide = drivers.load_value(SERVICES, "gate")(self.loaded)
        if suite.repeats == Repeats() or self.options.kind == "replay":
            return parts
        repeating: Repeating = drivers.load_value(SERVICES, "repeats")(parts.strategy, suite)
        self.repeating = repeating
        return replace(parts, strategy=repeating.strategy)

    def _reporters(self, parts: Parts) -> Named:
        uses = (*self.suite.reporters, *self.options.outputs)
        extra = [self.context.part(Reporter[Any], use) for use in self.options.outputs]
        return list(zip((use.use for use in uses), (*parts.reporters, *extra), strict=True))

    async def _run_logged(self, parts: Parts, reporters: Named) -> RunResult:
        run = manifest(
            self.run_id,
            self.suite.name,
            self.context,
            suite=self.loaded.written,
            overrides=self.loaded.overrides,
            suite_path=self.loaded.path,
            kind=self.options.kind,
            learns=learning(parts.strategy) != "never",
        ).model_copy(update={k: getattr(self.options, k) for k in ("shard", "selection")})
        work = RunWork(self.loaded, parts, self.context, self.spending, self.lag)
        await self.executor.start(work)  # a run that nobody can play is not stored
        with self._open_log(run) as log:
            disabled = (*self.suite.hooks.disable, *self.options.disabled)
            bus = work.bus = open_bus(log, disabled, reporters, self.limits.call)
            self.context.tell = bus.note
            summary = await self._session(parts, run, bus)
        own = (*self.loaded.warnings, *self.context.warnings)
        warnings = [*own, *self.meter.notes, *self._unasked()]
        return reported(summary, self.folder, bus, reporters, warnings)

    def _unasked(self) -> list[str]:
        """Models that the suite gives to roles in which nobody asks: most likely misspelt."""
        roles = self.suite.llm.roles if self.suite.llm else {}
        askers = sorted(self.context.askers)
        return [
            f"llm.roles.{role}: nobody asks in this role.{nearest(role, askers)}"
            for role in roles
            if role not in self.context.askers
        ]

    def _open_log(self, run: Run) -> RunLog:
        resume = self.options.resume
        if resume is None:
            return RunLog.create(self.folder, run)
        require_same(resume.manifest, run)
        return RunLog.reopen(self.folder)

    def _estimate_cases(self, strategy: SearchStrategy[Any]) -> int | None:
        """How many cases there will be: no more than the budget if that is how it ends."""
        most = self.suite.budget.cases
        expected = None if self.options.cases else expected_cases(strategy)
        if expected is None or most is None or not is_open_ended(strategy):
            return expected
        return min(expected, most)

    async def _session(self, parts: Parts, run: Run, bus: EventBus) -> Summary:
        resume, kept, session, again = self.options.resume, None, 1, tuple[str, ...]()
        await self._prepare(parts)
        batching = self._batching(parts)
        expected = self._estimate_cases(parts.strategy)
        if resume is not None:
            stored = StoredRun(self.folder)  # read again: a torn last line is cut off by now
            again = to_retry(stored, parts.strategy) if self.options.retry_errors else ()
            kept = resume_run(stored, parts.strategy, self.tally, self.spending, again, batching)
            session = stored.sessions + 1
            self.meter.resume(stored)
        bus.emit(
            RunStarted(
                at=now(),
                run=run,
                session=session,
                expected=expected,
                folder=str(self.folder),
                again=again,
            )
        )
        self.meter.open(bus)
        suite = self.suite
        self.lag.start()
        limits = LoopLimits(suite.concurrency, suite.execution.deterministic)
        loop = Loop(parts, self.executor, bus, self.spending, self.tally, limits, batching, kept)
        with interruptible(loop.interrupt):
            await loop.run()
        stopped, reason = loop.stopped, loop.reason
        for each in loop.broken:
            bus.note("run", each)
            bus.problems.append(each)
        if stopped is not Stop.INTERRUPTED and not self.options.shard:
            shared = self.tally, suite.judge_timeout, self.spending, self.lag
            try:
                await conclude_all(parts.judges, self.folder, bus, *shared)
            except BudgetSpent as err:  # judged again when the run is resumed
                stopped, reason = Stop.BUDGET, str(err)
        if stopped is not Stop.INTERRUPTED and self.suite.confirming is not None:
            confirm: Confirming = drivers.load_value(SERVICES, "confirm")
            try:
                if not await confirm(self.loaded, parts, self.folder, bus, self.meter):
                    stopped, reason = Stop.INTERRUPTED, "interrupted"
            except PartError as err:
                stopped, reason = Stop.BROKEN, f"while failures were confirmed: {err}"
        summary = self.tally.summary(
            stopped,
            batching.counted(self.spending.usage()),
            reason=reason,
            inconclusive="fail" if self.options.strict else self.suite.gate.inconclusive,
        )
        if self.decide is not None:
            summary = self.decide(StoredRun(self.folder), summary)
        bus.emit(RunFinished(at=now(), summary=summary))
        for problem in await self.context.close():  # reporters have heard the last event by now
            bus.note("close", problem)
            bus.problems.append(problem)
        left = left_behind[self.left_behind :]
        bus.problems += [f"{name}: does not end, and was left behind" for name in left]
        return summary

    async def _prepare(self, parts: Parts) -> None:
        """Let the player find out what its space depends on, and plan again if that changed."""
        before = parts.space()
        preparing = await guarded(
            parts.player.prepare(), self.suite.part_timeout, "the player's preparation"
        )
        if preparing.expired:
            late = f"not done after {self.suite.part_timeout:g} seconds (part_timeout)"
            raise PartError(*part_name(parts.player), "prepare", late)
        if isinstance(preparing.error, SparringError):
            raise preparing.error
        if preparing.error is not None:
            raise part_error(parts.player, "prepare", preparing.error) from preparing.error
        after = parts.space()
        if after != before:
            parts.strategy.start(_select_cases(after, self.options), self.suite.seed)

    def _batching(self, parts: Parts) -> Batching:
        """What refuses duplicates; a replay repeats what was played, whatever it was."""
        with located(self.loaded.document, ("strategy", "duplicates")):
            duplicates = self.suite.strategy.duplicates
            if self.options.kind == "replay":
                duplicates = Duplicates(against="none")
            make: MakesBatching = drivers.load_value(SERVICES, "duplicates")
            strategy = self.repeating.repeated if self.repeating else parts.strategy
            batching = make(
                parts.player, strategy, duplicates, self.context, self.suite.concurrency
            )
        if self.options.shard:
            part: Callable[..., Batching] = drivers.load_value(SERVICES, "shards")
            batching = part(batching, parts.strategy, self.options.shard)
        if self.options.cases:
            chosen: Callable[..., Batching] = drivers.load_value(SERVICES, "chosen-cases")
            batching = chosen(batching, strategy, self.options.cases)
        return self.repeating.batches(batching) if self.repeating else batching


def _select_cases(space: Space, options: RunOptions) -> Space:
    if not (options.select or options.scenarios):
        return space
    is_named, patterns = options.scenarios.__contains__, options.select
    chosen = (each for each in space.scenarios if is_named(each.name) or _matches(each, patterns))
    return Space(scenarios=tuple(chosen))


def _matches(scenario: Scenario, patterns: Sequence[str]) -> bool:
    names = (scenario.name, *scenario.tags, Path(scenario.source or "").name)
    return any(fnmatch(name, pattern) or pattern in name for pattern in patterns for name in names)


def _nothing(space: Space, patterns: Sequence[str]) -> Summary:
    by = f" by -k {', '.join(map(repr, patterns))}" if patterns else ""
    names = ", ".join(repr(scenario.name) for scenario in space.scenarios[:20]) or "none"
    return Summary(exit_code=NOTHING, reason=f"nothing was selected{by}; scenarios: {names}")
