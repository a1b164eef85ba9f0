"""A mutation run: the original first, then every mutant, some side by side."""

import asyncio
import shutil
import signal
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sparring.model.run import Stop
from sparring.model.verdict import Outcome, Verdict
from sparring.store import StoredRun
from sparring.suite.model import ExecutionUse
from sparring_plugins.mutation import results
from sparring_plugins.mutation.derived_mutants import Deriver
from sparring_plugins.mutation.model import (
    Fate,
    Killer,
    Mutant,
    MutantResult,
    MutationRun,
    OriginalResult,
    Vacuous,
)
from sparring_plugins.mutation.mutants import Made
from sparring_plugins.mutation.trials import AppNeverUp, SuiteFailed, TooLate, Trials

# What a suite's run says of a mutant, measured by its run on the original.

# A mutant that breaks the app's greeting is killed by every case; twenty show that.
_MOST_CASES = 20
# A reason may quote a whole page of the app, and each mutant keeps one.
_LONGEST = 300

Key = tuple[str, str]
"""A check: the label of its oracle, and its name."""


def named(key: Key) -> str:
    """A check as people write it: ``rules/price_is_right``."""
    return "/".join(key)


def verdicts(run: StoredRun) -> Iterator[Verdict]:
    """The verdicts of a run: those over all conversations only if all were played."""
    for judged in run.judged():
        yield from judged.verdicts
    # "No two orders have one number" says nothing of a run that was stopped after one order.
    if unfinished(run) is None:
        yield from run.concluded


def failed_cases(run: StoredRun) -> int:
    """How many cases of a run have a gating check that fails."""
    return sum(bool(gating(judged.verdicts, Outcome.FAIL)) for judged in run.judged())


def unfinished(run: StoredRun) -> str | None:
    """Why a run says nothing of an app: it was not played to its end. None if it does."""
    summary = run.summary
    if summary is None:
        return "the suite's run did not come to its end"
    if summary.stopped is not Stop.COMPLETE:
        return f"the suite's run stopped before its end: {summary.reason}"
    return None if run.cases else "the suite played no case"


def gating(
    verdicts: Iterable[Verdict], outcome: Outcome, ignored: Collection[str] = ()
) -> dict[Key, Killer]:
    """The gating checks that have an outcome somewhere, each with how often and where."""
    checks: dict[Key, Killer] = {}
    for verdict in verdicts:
        if not verdict.gating or verdict.outcome is not outcome:
            continue
        key = (verdict.oracle, verdict.check)
        if is_known(key, ignored):
            continue
        killer = checks.get(key) or Killer(
            oracle=verdict.oracle, check=verdict.check, count=0, reason=verdict.reason[:_LONGEST]
        )
        cases = tuple(dict.fromkeys((*killer.case_ids, *verdict.case_ids)))[:_MOST_CASES]
        checks[key] = killer.model_copy(
            update={"count": killer.count + verdict.count, "case_ids": cases}
        )
    return checks


def all_checks(run: StoredRun) -> list[str]:
    """The gating checks of a run that said anything of the app, sorted."""
    return sorted(
        {named((verdict.oracle, verdict.check)) for verdict in verdicts(run) if verdict.gating}
    )


def is_known(key: Key, known: Iterable[str]) -> bool:
    """Whether a check is among known ones, named with or without its oracle."""
    return bool({named(key), key[1]} & set(known))


def find_killers(
    run: StoredRun,
    original: Mapping[Key, Killer],
    ignored: Collection[str] = (),
    outcome: Outcome = Outcome.FAIL,
) -> list[Killer]:
    """The checks that fail on a mutant (or have another outcome), and not on the original."""
    failing = gating(verdicts(run), outcome, ignored)
    return [killer for key, killer in sorted(failing.items()) if key not in original]


def vacuous(verdicts: Iterable[Verdict]) -> list[Vacuous]:
    """The passing checks that their oracle marked as proving little (`details.vacuous`)."""
    by_check: dict[tuple[str, str], Vacuous] = {}
    for verdict in verdicts:
        why = verdict.details.get("vacuous")
        if not why or verdict.outcome is not Outcome.PASS:
            continue
        key = (named((verdict.oracle, verdict.check)), str(why))
        before = by_check[key].case_ids if key in by_check else ()
        cases = tuple(dict.fromkeys((*before, *verdict.case_ids)))[:_MOST_CASES]
        by_check[key] = Vacuous(check=key[0], case_ids=cases, why=key[1])
    return list(by_check.values())


def errors(
    run: StoredRun, original: Mapping[Key, Killer], ignored: Collection[str] = ()
) -> list[Killer]:
    """The checks that could not be made on a mutant, and could on the original."""
    broken = gating(verdicts(run), Outcome.ERROR, ignored)
    return [killer for key, killer in sorted(broken.items()) if key not in original]


LEAST_S = 60.0
"""Seconds that a mutant may take at least, if the plan says nothing."""

# A mutant that hangs is stopped; one that only makes the app slower has time to be judged.
TIMES_ORIGINAL = 5.0
# Without `timeout` nothing else ends an original that hangs; the mutants get a multiple of its
# time.
_ORIGINAL_S = 3600.0
# The end of a traceback fits; a log of the app does not.
_REASON = 600

Tell = Callable[[MutantResult, int, int], None]
"""Hears of each mutant that is through: its result, how many are through, and of how many."""


class OriginalFails(Exception):
    """The original does not pass, so no score can be given.

    `broken` says that it could not even be played; else checks fail on it that are not known.
    """

    def __init__(self, why: str, *, broken: bool) -> None:
        super().__init__(why)
        self.broken = broken


class Interrupted(Exception):
    """The run was stopped before its end; what is finished is stored."""


@dataclass(slots=True)
class MutationSession:
    """One session of a mutation run; goes on where an earlier one stopped.

    `execution` says which workers play the mutants, if any; `suite_dir` is the suite's folder.
    """

    trials: Trials
    made: tuple[Made, ...]
    run: MutationRun
    jobs: int
    tell: Tell
    keep: bool = False
    deriver: Deriver | None = None
    execution: ExecutionUse | None = None
    suite_dir: Path = Path()
    _failing: Mapping[Key, Killer] = field(default_factory=dict[Key, Killer])
    _done: int = 0

    def conduct(self, *, only_original: bool = False) -> MutationRun:
        """Run what is left; raises OriginalFails or Interrupted."""
        try:
            asyncio.run(self._conduct(only_original=only_original))
        except (KeyboardInterrupt, asyncio.CancelledError) as err:
            raise Interrupted from err
        return results.read(self.trials.folder)

    async def _conduct(self, *, only_original: bool) -> None:
        task = asyncio.current_task()
        if task is not None:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        if self.run.original is None:
            await self._original()
        if only_original:
            return
        original = self.run.original or OriginalResult()
        self._failing = {(killer.oracle, killer.check): killer for killer in original.failing}
        within = self.trials.plan.timeout or max(LEAST_S, TIMES_ORIGINAL * original.seconds)
        through = {result.id for result in self.run.results}
        self._done = len(through)
        async with self._workers():
            await self._all_mutants(through, within)

    @asynccontextmanager
    async def _workers(self) -> AsyncGenerator[None]:
        """Have workers play the mutants, if there are any."""
        if self.execution is None:
            yield
            return
        from sparring_plugins.mutation.remote_trials import trials_on_workers

        here = self.trials
        opening = trials_on_workers(here, self.execution, self.original_run(), self.suite_dir)
        async with opening as (self.trials, slots):
            self.jobs = slots or self.jobs
            try:
                yield
            finally:
                self.trials = here

    async def _all_mutants(self, through: Collection[str], within: float) -> None:
        free = asyncio.Semaphore(self.jobs)
        async with asyncio.TaskGroup() as group:
            for draft in self.made:
                if draft.mutant.id not in through:
                    group.create_task(self._through(draft, within, free))

    async def _original(self) -> None:
        """Play the original; its failing checks must all be known."""
        begun = time.monotonic()
        try:
            stored = await self.trials.play(
                results.ORIGINAL, self.trials.plan.timeout or _ORIGINAL_S
            )
        except (AppNeverUp, SuiteFailed, TooLate) as err:
            raise OriginalFails(str(err), broken=True) from err
        seconds = time.monotonic() - begun
        why = unfinished(stored)
        if why is not None:
            raise OriginalFails(why, broken=True)
        judged = list(verdicts(stored))
        known_keys, ignored = self.trials.plan.known, self.trials.plan.ignore
        failing = gating(judged, Outcome.FAIL, ignored)
        wrong = {**failing, **gating(judged, Outcome.ERROR, ignored)}
        if self.deriver is not None:
            # Of a running app a check that turns inconclusive counts as having noticed the fault,
            # so on the original it has to be decided.
            wrong |= gating(judged, Outcome.INCONCLUSIVE, ignored)
        new = [killer for key, killer in sorted(wrong.items()) if not is_known(key, known_keys)]
        if new:
            raise OriginalFails(_unknown(new), broken=False)
        self.run = self.run.model_copy(
            update={
                "original": OriginalResult(
                    failing=tuple(wrong.values()),
                    cases=len(stored.cases),
                    failed_cases=failed_cases(stored),
                    seconds=seconds,
                    vacuous=tuple(vacuous(judged)),
                ),
                "checks": tuple(all_checks(stored)),
                "warnings": (*self.run.warnings, *_passing(wrong, known_keys)),
            }
        )
        self._derive(stored)
        bare = self.run.model_copy(update={"results": ()})
        text = bare.model_dump_json(indent=1) + "\n"
        results.write_whole(self.trials.folder / results.MANIFEST, text)

    def _derive(self, stored: StoredRun) -> None:
        """Find the mutants of a running app, now that the suite was played."""
        if self.deriver is None:
            return
        derived = self.deriver.derive(stored)
        self.made = derived.made
        self.run = self.run.model_copy(
            update={
                "mutants": tuple(draft.mutant for draft in derived.made),
                "found": derived.found,
                "warnings": (*self.run.warnings, *derived.warnings),
            }
        )

    async def _through(self, draft: Made, within: float, free: asyncio.Semaphore) -> None:
        async with free:
            begun = time.monotonic()
            result = await self._judge_mutant(draft, within)
            seconds = round(time.monotonic() - begun, 3)
        result = result.model_copy(update={"seconds": seconds})
        results.append(self.trials.folder, result)
        if result.fate is Fate.KILLED and not self.keep:
            shutil.rmtree(self.trials.runs_of(draft.mutant.id), ignore_errors=True)
        self._done += 1
        self.tell(result, self._done, len(self.made))

    async def _play_suite(self, draft: Made, within: float) -> StoredRun:
        """The suite against a mutant: up to its first kill if that will do, else whole."""
        play = partial(
            self.trials.play, draft.mutant.id, within,
            changed=draft.changed, settings=draft.mutant.settings,
        )  # fmt: skip
        if self.trials.plan.first_kill and self.run.original is not None:
            # As many cases as fail on the original may fail for what is known; one more is a kill,
            # if a check fails that did not.
            failures = self.run.original.failed_cases + 1
            stored = await play(failures=failures)
            whole = unfinished(stored) is None
            # Stopped by failures that are all known, such as a weak check in one more case: it says
            # nothing yet.
            if whole or find_killers(stored, self._failing, self.trials.plan.ignore):
                return stored
        return await play()

    async def _judge_mutant(self, draft: Made, within: float) -> MutantResult:
        """What becomes of one mutant."""
        name = draft.mutant.id
        try:
            stored = await self._play_suite(draft, within)
        except AppNeverUp as err:
            fate = Fate.TIMEOUT if err.late else Fate.INVALID
            return MutantResult(id=name, fate=fate, reason=str(err)[:_REASON])
        except TooLate as err:
            return MutantResult(id=name, fate=Fate.TIMEOUT, reason=f"the suite {err}")
        except SuiteFailed as err:
            return MutantResult(id=name, fate=Fate.ERROR, reason=str(err)[:_REASON])
        killers = tuple(find_killers(stored, self._failing, self.trials.plan.ignore))
        if self.deriver is not None:
            return self._of_running(draft.mutant, stored, killers)
        if killers:
            return MutantResult(id=name, fate=Fate.KILLED, killers=killers)
        return self._unkilled(draft.mutant, stored)

    def _of_running(
        self, mutant: Mutant, stored: StoredRun, killers: tuple[Killer, ...]
    ) -> MutantResult:
        """What becomes of a fault in a running app: it counts only if it took effect."""
        assert self.deriver is not None
        original = self.original_run()
        shown = self.deriver.effect(mutant, original, stored)
        if shown is None and unfinished(stored) is None:
            by = f"; failing all the same: {_join_killers(list(killers))}" if killers else ""
            reason = f"the fault never took effect while the suite was played{by}"
            return MutantResult(id=mutant.id, fate=Fate.INVALID, reason=reason[:_REASON])
        pictures = results.pictures(self.trials.folder, mutant.id, original, stored, shown)
        noticed = tuple(
            find_killers(stored, self._failing, self.trials.plan.ignore, Outcome.INCONCLUSIVE)
        )
        if killers:
            result = MutantResult(id=mutant.id, fate=Fate.KILLED, killers=killers)
        else:
            result = self._unkilled(mutant, stored)
            if noticed and result.fate in (Fate.LIVE, Fate.EQUIVALENT):
                result = MutantResult(
                    id=mutant.id, fate=Fate.NOTICED, reason=_join_killers(list(noticed))
                )
        if result.fate is Fate.LIVE:
            survival = self.deriver.survival(mutant, original, stored)
            result = result.model_copy(update={"survival": survival})
        return result.model_copy(update={"noticed": noticed, **pictures})

    def original_run(self) -> StoredRun:
        """The suite's run against the original."""
        (folder,) = self.trials.runs_of(results.ORIGINAL).iterdir()
        return StoredRun(folder)

    def _unkilled(self, mutant: Mutant, stored: StoredRun) -> MutantResult:
        name, ignored = mutant.id, self.trials.plan.ignore
        why = unfinished(stored)
        broken = errors(stored, self._failing, ignored)
        if why is not None or broken:
            return MutantResult(
                id=name, fate=Fate.ERROR, reason=(why or _join_killers(broken))[:_REASON]
            )
        if mutant.marked is not None:
            return MutantResult(id=name, fate=Fate.EQUIVALENT, reason=mutant.marked)
        return MutantResult(id=name, fate=Fate.LIVE)


def _passing(wrong: Mapping[Key, Killer], known: tuple[str, ...]) -> list[str]:
    """Warnings of checks that are known to fail, and do not."""
    return [
        f"'known' names {name!r}, which does not fail on the original"
        for name in known
        if not any(is_known(key, [name]) for key in wrong)
    ]


def _unknown(killers: list[Killer]) -> str:
    return (
        "the original does not pass, so no score can be given. Repair it, or list these under "
        f"'known' if they are weak spots to live with: {_join_killers(killers)}"
    )


def _join_killers(killers: list[Killer]) -> str:
    return "; ".join(
        f"{named((killer.oracle, killer.check))} ({killer.count}x: {killer.reason})"
        for killer in killers
    )
