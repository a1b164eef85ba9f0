"""Joins the shards of a run into one run with one report."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from shutil import copyfile
from typing import Any

from sparring.engine.budget import Spending, Tally
from sparring.engine.bus import EventBus, now
from sparring.engine.metering import Meter
from sparring.engine.resume import require_same
from sparring.engine.session import (
    RunResult,
    conclude_all,
    manifest,
    new_place,
    open_bus,
    release_place,
    reported,
)
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Player
from sparring.interfaces.plugin import Use, UseOf
from sparring.interfaces.reporter import Reporter
from sparring.model.case import Case
from sparring.model.events import (
    CaseJudged,
    CasesAsked,
    CaseStarted,
    FaultConfirmed,
    ModelCalled,
    ProblemNoted,
    RunFinished,
    RunStarted,
    TurnTaken,
)
from sparring.model.run import Stop, Summary
from sparring.store import RunLog, StoredRun
from sparring.suite.building import Judge, SuiteContext, build_judges, default_oracles
from sparring.suite.containment import part_limits
from sparring.suite.model import Suite
from sparring.suite.reading import LoadedSuite, load_part
from sparring_plugins.execution.shards import Shard

_MANY = 1_000
"""Cases of one line of the log."""

_COPIED = (CaseStarted, TurnTaken, ModelCalled, CaseJudged, ProblemNoted, FaultConfirmed)

# Of shards that ended differently, the merged run ended as the worst of these did.
_WORST = (Stop.INTERRUPTED, Stop.BROKEN, Stop.LOST, Stop.BUDGET)


def in_order(shards: Sequence[StoredRun]) -> list[StoredRun]:
    """Return the shards by their numbers.

    Raises ConfigurationError if they are no shards of one run, one is missing, or one is there
    twice.
    """
    first = shards[0]
    by_number: dict[int, StoredRun] = {}
    counts: dict[int, StoredRun] = {}
    for run in shards:
        if not run.manifest.shard:
            raise ConfigurationError(f"{run.folder} is a whole run, not a shard (run --shard K/N)")
        shard = Shard.of(run.manifest.shard)
        counts[shard.count] = run
        if shard.number in by_number:
            other = by_number[shard.number].folder
            raise ConfigurationError(f"{run.folder} and {other} are both the shard {shard}")
        by_number[shard.number] = run
        # Each shard has a number and an id of its own; everything else must be the same.
        whole = {"shard": "", "id": first.manifest.id}
        try:
            require_same(
                first.manifest.model_copy(update=whole), run.manifest.model_copy(update=whole)
            )
        except ConfigurationError as err:
            what = str(err).partition(" changed since")[0]
            raise ConfigurationError(
                f"{run.folder} is no shard of the same run as {first.folder}: {what} differs"
            ) from None
    if len(counts) > 1:
        listed = " and ".join(f"{run.folder} of {count}" for count, run in sorted(counts.items()))
        raise ConfigurationError(f"the runs are shards of different numbers of parts: {listed}")
    (count,) = counts
    missing = [number for number in range(1, count + 1) if number not in by_number]
    if missing:
        listed = ", ".join(f"{number}/{count}" for number in missing[:10])
        raise ConfigurationError(f"these shards are missing: {listed}; name their runs, too")
    return [by_number[number] for number in range(1, count + 1)]


class Merge:
    """Puts the shards of a run together; `outputs` are reporters besides the suite's."""

    def __init__(
        self, shards: Sequence[StoredRun], loaded: LoadedSuite, outputs: Sequence[Use], runs: Path
    ) -> None:
        self._shards = shards
        self._loaded = loaded
        self._outputs = outputs
        self._runs = runs
        self._spending = Spending(loaded.suite.budget.model_copy(update={"cases": None}))
        self._meter = Meter(self._spending)
        self._tally = Tally()

    async def run(self, disabled: Sequence[str], inconclusive: Any) -> RunResult:
        """Write the merged run, judge what concerns several conversations, and report."""
        suite = self._loaded.suite
        run_id, folder = new_place(self._runs, suite.name)
        limits = part_limits(suite.part_timeout)
        context = SuiteContext(
            self._loaded.base_dir,
            seed=suite.seed,
            run_dir=folder,
            llm=suite.llm,
            wrap=self._meter.wrap,
            limits=limits,
        )
        first = self._shards[0].manifest
        context.names = frozenset(first.names)
        try:
            judges = self._judges(suite, context)
            uses = (*suite.reporters, *self._outputs)
            reporters = [(use.use, context.part(Reporter[Any], use)) for use in uses]
            run = manifest(
                run_id,
                suite.name,
                context,
                suite=first.suite,
                overrides=first.overrides,
                suite_path=self._loaded.path,
                learns=first.learns,
            ).model_copy(update={"inputs": first.inputs, "versions": first.versions})
            with RunLog.create(folder, run) as log:
                bus = self._meter.bus = open_bus(log, disabled, reporters, limits.call)
                expected = sum(len(shard.case_ids) + shard.unjudged for shard in self._shards)
                bus.emit(RunStarted(at=now(), run=run, expected=expected, folder=str(folder)))
                self._copy(folder, bus)
                timeout = suite.judge_timeout
                await conclude_all(judges, folder, bus, self._tally, timeout, self._spending)
                summary = self._summary(inconclusive)
                bus.emit(RunFinished(at=now(), summary=summary))
            return reported(summary, folder, bus, reporters, context.warnings)
        finally:
            await context.close()
            self._meter.close()
            release_place(folder)

    def _judges(self, suite: Suite, context: SuiteContext) -> tuple[Judge, ...]:
        player: Any = load_part(UseOf("sparring.agents", role="player"), suite.agent.use)
        player_type: type[Player[Any]] = player
        judges = build_judges(suite.oracles, context, self._loaded.document)
        return judges + build_judges(default_oracles(suite.oracles, player_type), context)

    def _copy(self, folder: Path, bus: EventBus) -> None:
        proposals = _interleaved(self._shards)
        while cases := tuple(islice(proposals, _MANY)):
            bus.emit(CasesAsked(at=now(), cases=cases))
        for shard in self._shards:
            _copy_files(shard.folder, folder)
            for event in shard.events():
                if not isinstance(event, _COPIED):
                    continue
                bus.emit(event)
                if isinstance(event, CaseJudged):
                    self._tally.add_case(event.verdicts)
                    self._spending.cases += 1
                    self._spending.count_fallbacks(event.trace)
                elif isinstance(event, TurnTaken):
                    self._spending.turns += 1
                elif isinstance(event, ModelCalled):
                    self._spending.model_called(event)

    def _summary(self, inconclusive: Any) -> Summary:
        """The sums of all shards, stopped as the one that stopped for the worst reason."""
        stopped, reason = _why_stopped(self._shards)
        seconds = [shard.summary.usage.seconds for shard in self._shards if shard.summary]
        usage = self._spending.usage()
        usage = usage.model_copy(update={"seconds": max(seconds, default=0.0)})
        return self._tally.summary(stopped, usage, reason=reason, inconclusive=inconclusive)


def _why_stopped(shards: Sequence[StoredRun]) -> tuple[Stop, str]:
    """The worst of how the shards stopped, and why; one without an end was interrupted."""
    unfinished = [str(shard.folder) for shard in shards if shard.summary is None]
    if unfinished:
        return Stop.INTERRUPTED, f"{', '.join(unfinished)} did not come to an end"
    sums = [shard.summary for shard in shards if shard.summary is not None]
    stops = {summary.stopped for summary in sums}
    stopped = next((stop for stop in _WORST if stop in stops), Stop.COMPLETE)
    reasons = [summary.reason for summary in sums if summary.stopped is stopped and summary.reason]
    return stopped, next(iter(reasons), "")


def _interleaved(shards: Sequence[StoredRun]) -> Iterator[Case]:
    """All cases in the order in which one run would have asked them."""
    own = [(case for asked, _ in shard.asked_batches() for case in asked.cases) for shard in shards]
    for row in zip_longest(*own):
        yield from (case for case in row if case is not None)


def _copy_files(source: Path, target: Path) -> None:
    """Copy the files of a run's folder that cases left, such as pictures."""
    for path in sorted((source / "artifacts").rglob("*")):
        if path.is_file() and not path.is_symlink():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copyfile(path, copy)
