"""A mutation run: the original first, then every mutant, some side by side."""

import asyncio
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring_plugins.mutation import comparison as comparing
from sparring_plugins.mutation import results
from sparring_plugins.mutation.derived_mutants import Deriver
from sparring_plugins.mutation.model import (
    Fate,
    Killer,
    Mutant,
    MutantResult,
    MutationRun,
    OriginalResult,
)
from sparring_plugins.mutation.mutants import Made
from sparring_plugins.mutation.processes import TooLate
from sparring_plugins.mutation.trials import AppNeverUp, SuiteFailed, Trials

LEAST_S = 60.0
"""Seconds that a mutant may take at least, where the plan says nothing."""

TIMES_ORIGINAL = 5.0
_ORIGINAL_S = 3600.0
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
    """One session of a mutation run; goes on where an earlier one stopped."""

    trials: Trials
    made: tuple[Made, ...]
    run: MutationRun
    jobs: int
    tell: Tell
    keep: bool = False
    deriver: Deriver | None = None
    _failing: Mapping[comparing.Key, Killer] = field(default_factory=dict[comparing.Key, Killer])
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
        self._failing = {(one.oracle, one.check): one for one in original.failing}
        within = self.trials.plan.timeout or max(LEAST_S, TIMES_ORIGINAL * original.seconds)
        through = {one.id for one in self.run.results}
        self._done = len(through)
        free = asyncio.Semaphore(self.jobs)
        async with asyncio.TaskGroup() as group:
            for made in self.made:
                if made.mutant.id not in through:
                    group.create_task(self._through(made, within, free))

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
        why = comparing.unfinished(stored)
        if why is not None:
            raise OriginalFails(why, broken=True)
        found = list(comparing.verdicts(stored))
        known, ignored = self.trials.plan.known, self.trials.plan.ignore
        failing = comparing.gating(found, Outcome.FAIL, ignored)
        wrong = {**failing, **comparing.gating(found, Outcome.ERROR, ignored)}
        if self.deriver is not None:
            wrong |= comparing.gating(found, Outcome.INCONCLUSIVE, ignored)
        new = [one for key, one in sorted(wrong.items()) if not comparing.is_known(key, known)]
        if new:
            raise OriginalFails(_unknown(new), broken=False)
        self.run = self.run.model_copy(
            update={
                "original": OriginalResult(
                    failing=tuple(wrong.values()),
                    cases=len(stored.case_ids),
                    failed_cases=comparing.failed_cases(stored),
                    seconds=seconds,
                    vacuous=tuple(comparing.vacuous(found)),
                ),
                "checks": tuple(comparing.all_checks(stored)),
                "warnings": (*self.run.warnings, *_passing(wrong, known)),
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
                "mutants": tuple(one.mutant for one in derived.made),
                "found": derived.found,
                "warnings": (*self.run.warnings, *derived.warnings),
            }
        )

    async def _through(self, made: Made, within: float, free: asyncio.Semaphore) -> None:
        async with free:
            begun = time.monotonic()
            result = await self._judged(made, within)
            seconds = round(time.monotonic() - begun, 3)
        result = result.model_copy(update={"seconds": seconds})
        results.append(self.trials.folder, result)
        if result.fate is Fate.KILLED and not self.keep:
            shutil.rmtree(self.trials.runs_of(made.mutant.id), ignore_errors=True)
        self._done += 1
        self.tell(result, self._done, len(self.made))

    async def _played(self, made: Made, within: float) -> StoredRun:
        """The suite against a mutant: up to its first kill where that will do, else whole."""
        play = partial(
            self.trials.play, made.mutant.id, within,
            changed=made.changed, settings=made.mutant.settings,
        )  # fmt: skip
        if self.trials.plan.first_kill and self.run.original is not None:
            failures = self.run.original.failed_cases + 1
            stored = await play(failures=failures)
            whole = comparing.unfinished(stored) is None
            if whole or comparing.killers(stored, self._failing, self.trials.plan.ignore):
                return stored
        return await play()

    async def _judged(self, made: Made, within: float) -> MutantResult:
        """What becomes of one mutant."""
        name = made.mutant.id
        try:
            stored = await self._played(made, within)
        except AppNeverUp as err:
            fate = Fate.TIMEOUT if err.late else Fate.INVALID
            return MutantResult(id=name, fate=fate, reason=str(err)[:_REASON])
        except TooLate as err:
            return MutantResult(id=name, fate=Fate.TIMEOUT, reason=f"the suite {err}")
        except SuiteFailed as err:
            return MutantResult(id=name, fate=Fate.ERROR, reason=str(err)[:_REASON])
        killers = tuple(comparing.killers(stored, self._failing, self.trials.plan.ignore))
        if self.deriver is not None:
            return self._of_running(made.mutant, stored, killers)
        if killers:
            return MutantResult(id=name, fate=Fate.KILLED, killers=killers)
        return self._unkilled(made.mutant, stored)

    def _of_running(
        self, mutant: Mutant, stored: StoredRun, killers: tuple[Killer, ...]
    ) -> MutantResult:
        """What becomes of a fault in a running app: it counts only where it took effect."""
        assert self.deriver is not None
        original = self.original_run()
        shown = self.deriver.effect(mutant, original, stored)
        if shown is None and comparing.unfinished(stored) is None:
            by = f"; failing all the same: {_listed(list(killers))}" if killers else ""
            reason = f"the fault never took effect while the suite was played{by}"
            return MutantResult(id=mutant.id, fate=Fate.INVALID, reason=reason[:_REASON])
        pictures = results.pictures(self.trials.folder, mutant.id, original, stored, shown)
        noticed = tuple(
            comparing.killers(stored, self._failing, self.trials.plan.ignore, Outcome.INCONCLUSIVE)
        )
        if killers:
            one = MutantResult(id=mutant.id, fate=Fate.KILLED, killers=killers)
        else:
            one = self._unkilled(mutant, stored)
            if noticed and one.fate in (Fate.LIVE, Fate.EQUIVALENT):
                one = MutantResult(id=mutant.id, fate=Fate.NOTICED, reason=_listed(list(noticed)))
        return one.model_copy(update={"noticed": noticed, **pictures})

    def original_run(self) -> StoredRun:
        """The suite's run against the original."""
        (folder,) = self.trials.runs_of(results.ORIGINAL).iterdir()
        return StoredRun(folder)

    def _unkilled(self, mutant: Mutant, stored: StoredRun) -> MutantResult:
        name, ignored = mutant.id, self.trials.plan.ignore
        why = comparing.unfinished(stored)
        broken = comparing.errors(stored, self._failing, ignored)
        if why is not None or broken:
            return MutantResult(id=name, fate=Fate.ERROR, reason=(why or _listed(broken))[:_REASON])
        if mutant.marked is not None:
            return MutantResult(id=name, fate=Fate.EQUIVALENT, reason=mutant.marked)
        return MutantResult(id=name, fate=Fate.LIVE)


def _passing(wrong: Mapping[comparing.Key, Killer], known: tuple[str, ...]) -> list[str]:
    """Warnings of checks that are known to fail, and do not."""
    return [
        f"'known' names {name!r}, which does not fail on the original"
        for name in known
        if not any(comparing.is_known(key, [name]) for key in wrong)
    ]


def _unknown(found: list[Killer]) -> str:
    return (
        "the original does not pass, so no score can be given. Repair it, or list these under "
        f"'known' if they are weak spots to live with: {_listed(found)}"
    )


def _listed(found: list[Killer]) -> str:
    return "; ".join(
        f"{comparing.named((one.oracle, one.check))} ({one.count}x: {one.reason})" for one in found
    )
