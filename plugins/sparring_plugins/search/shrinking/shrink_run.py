"""Shrink the failures of a stored run: one per failure class, then those left unexplained."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from sparring.documents.checking import nearest
from sparring.errors import AppUnreachable, ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.gating.statistics import less_often
from sparring_plugins.search.failure_classes import distinctive_parts
from sparring_plugins.search.shrinking.case_runner import (
    CaseRunner,
    Execution,
    OutOfBudget,
    Rewording,
    case_runner,
)
from sparring_plugins.search.shrinking.case_shrinker import Shrinker, has_condition
from sparring_plugins.search.shrinking.causes import (
    FILE,
    RootCause,
    ShrinkResult,
    UnshrunkFailure,
    in_words,
    sentence,
)
from sparring_plugins.search.shrinking.words import user_text

INTERRUPTED = "interrupted: more may be found"
"""The note of a result that the user interrupted."""

_MOST_NAMED = 50

_CHANCE = 0.01
"""The p above which a condition explains no case but its own. Dozens of conditions are tested in a
run, so that 0.05 would let several through."""

Tell = Callable[[RootCause | UnshrunkFailure], None]
"""Called with each root cause as it is found."""


@dataclass(frozen=True, slots=True)
class ShrinkOptions:
    """The limits of shrinking, and the cases to shrink.

    `cases` are ids of failed cases, by default all. `executions` bounds how often a case is played
    in all, `causes` the number of root causes, `probes` the random cases that check a cause, and
    `repeats` is how often a case must fail to be shrunk.
    """

    cases: tuple[str, ...] = ()
    executions: int = 1_000
    causes: int = 50
    probes: int = 10
    repeats: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _PlayedCase:
    """A case of the run in short; one that passed has no `kinds`."""

    case: Case
    said: str
    kinds: tuple[str, ...]
    turns: int

    @property
    def case_id(self) -> str:
        return self.case.id

    @property
    def features(self) -> int:
        """The number of features that are given."""
        return sum(value not in (None, "none") for value in self.case.params.values())


def suite_of(stored: StoredRun, suite: str | None, changes: dict[str, Any]) -> LoadedSuite:
    """Return the suite that a run was made with; raises ConfigurationError, also if it had none."""
    manifest = stored.manifest
    if not manifest.suite or manifest.kind not in ("run", "replay"):
        raise ConfigurationError(f"{stored.folder} was not made by 'sparring run'")
    path = Path(suite) if suite else Path(manifest.suite_path or stored.folder / "suite.yaml")
    return load_suite(path, changes, written=manifest.suite)


def shrink(
    stored: StoredRun, loaded: LoadedSuite, options: ShrinkOptions, tell: Tell
) -> ShrinkResult:
    """Shrink failures of a run and store the result beside it; raises SparringError."""
    played = list(_played(stored))
    failed = [case for case in played if case.kinds]
    chosen = _choose_cases(stored, failed, options.cases)
    result = asyncio.run(_shrink(stored, loaded, options, played, chosen, tell))
    text = Redactor().text(result.model_dump_json(indent=1)) + "\n"
    temporary = stored.folder / f"{FILE}.new"
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(stored.folder / FILE)
    return result


def _played(stored: StoredRun) -> Iterator[_PlayedCase]:
    for judged in stored.judged():
        trace, kinds = judged.trace, distinctive_parts(judged.verdicts)
        yield _PlayedCase(trace.case, user_text(trace), kinds, len(trace.turns))


def _choose_cases(
    stored: StoredRun, failed: Sequence[_PlayedCase], wanted: Sequence[str]
) -> Sequence[_PlayedCase]:
    """Return the failed cases that are requested; raises ConfigurationError for any other id."""
    by_id = {failure.case_id: failure for failure in failed}
    for case_id in wanted:
        if case_id not in by_id:
            reason = "did not fail" if case_id in stored.cases else "is not in the run"
            hint = nearest(case_id, list(by_id)[:_MOST_NAMED])
            raise ConfigurationError(f"the case {case_id!r} {reason}. Failed cases:{hint}")
    return [by_id[case_id] for case_id in wanted] if wanted else failed


async def _shrink(
    stored: StoredRun,
    loaded: LoadedSuite,
    options: ShrinkOptions,
    played: Sequence[_PlayedCase],
    chosen: Sequence[_PlayedCase],
    tell: Tell,
) -> ShrinkResult:
    async with case_runner(loaded, options.executions) as runner:
        return await _RunShrinker(stored, options, played, tell, runner).result(chosen)


@dataclass
class _RunShrinker:
    """Shrinks the failures of one run.

    `explained` are the cases and classes with a root cause, `shared` those with one that explains
    others as well, `tested` the conditions that were compared with other cases.
    """

    stored: StoredRun
    options: ShrinkOptions
    played: Sequence[_PlayedCase]
    tell: Tell
    runner: CaseRunner
    causes: list[RootCause] = field(default_factory=list[RootCause])
    unshrunk: list[UnshrunkFailure] = field(default_factory=list[UnshrunkFailure])
    notes: list[str] = field(default_factory=list[str])
    explained: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    shared: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    tested: set[str] = field(default_factory=set[str])

    async def result(self, chosen: Sequence[_PlayedCase]) -> ShrinkResult:
        """Return the root causes of failures; raises AppUnreachable if it is so from the start."""
        order = _order(chosen)
        options, runner = self.options, self.runner
        shrinker = Shrinker(runner, options.probes, options.repeats, Random(options.seed))
        for failure, failure_class in order:
            if (failure.case_id, failure_class) in self.explained or self._has_enough:
                continue
            if not await self._shrink(shrinker, failure, failure_class):
                break
        self.notes += runner.problems
        left = {name for item, name in order if (item.case_id, name) not in self.explained}
        left -= {failure.kind for failure in self.unshrunk}
        if left and self._has_enough:
            self.notes.append(
                f"not looked for after {options.causes} causes: {len(left)} more kinds"
            )
        ranked = sorted(
            _merge_causes(self.causes), key=lambda item: (-item.cases, item.kind, item.sentence)
        )
        return ShrinkResult(
            run=self.stored.manifest.id,
            seed=options.seed,
            failures=sum(bool(case.kinds) for case in self.played),
            explained=len({case_id for case_id, _ in self.explained}),
            executions=runner.executed,
            budget=options.executions,
            causes=tuple(ranked),
            unshrunk=tuple(self.unshrunk),
            notes=tuple(self.notes),
        )

    @property
    def _has_enough(self) -> bool:
        return len(self.causes) >= self.options.causes

    async def _shrink(self, shrinker: Shrinker, failure: _PlayedCase, failure_class: str) -> bool:
        """Shrink one failure; returns whether to go on. What was found before an end is kept."""
        self.runner.seen.clear()
        try:
            shrunk = await shrinker.cause(self.stored.case(failure.case_id), failure_class)
        except OutOfBudget:
            if self.runner.executed >= self.runner.budget:
                self.notes.append(f"the budget of {self.options.executions:,} executions is spent")
            return False
        except AppUnreachable as err:
            if not (self.causes or self.unshrunk):
                raise
            self.notes.append(f"the app cannot be reached any more: {err}")
            return False
        except asyncio.CancelledError:
            self.notes.append(INTERRUPTED)
            return False
        if isinstance(shrunk, RootCause):
            shrunk = self._count_cases(shrunk)
            self.causes.append(shrunk)
        else:
            self.unshrunk.append(shrunk)
        self.tell(shrunk)
        return True

    def _count_cases(self, cause: RootCause) -> RootCause:
        """Return the root cause with the failed cases of the run that share it, and explain these.

        A condition with which cases fail no more often than without it explains none but the case
        that it is of.
        """
        space = self.runner.spaces[cause.scenario]
        alike, others = list[_PlayedCase](), list[_PlayedCase]()
        for case in self.played:
            if case.case.scenario == cause.scenario:
                has = has_condition(cause, case.case, case.said, space)
                (alike if has else others).append(case)
        ids = [cause.case_id]
        # each condition is tested once: of forty tests of one that is chance, some would pass
        condition = _condition(cause)
        if condition not in self.tested and self._fails_more_often(cause, alike, others):
            ids += [case.case_id for case in alike if cause.kind in case.kinds]
            self.shared |= {(case_id, cause.kind) for case_id in ids}
        self.tested.add(condition)
        ids = list(dict.fromkeys(ids))
        self.explained |= {(case_id, cause.kind) for case_id in ids}
        return cause.model_copy(update={"cases": len(ids), "case_ids": tuple(ids[:_MOST_NAMED])})

    def _fails_more_often(
        self, cause: RootCause, alike: Sequence[_PlayedCase], others: Sequence[_PlayedCase]
    ) -> bool:
        """Whether cases with the condition fail in this way more often than others of the run.

        Fisher's exact test, at `_CHANCE`. Where one case in five fails whatever is asked, two
        probes fail once in three times, ten nearly always: that any failed says nothing. Cases
        that were executed to find the condition do not count beside the probes, for it was chosen
        by their failures; nor do failures that other causes explain, which would make a second
        cause of a frequent kind look like chance.
        """
        if not others:  # it holds for all cases, so there is nothing to compare with
            return cause.hits == cause.probed
        failed, tried = self._fair(cause.kind, alike)
        inside = (cause.hits + failed, cause.probed + tried)
        return less_often(inside, self._fair(cause.kind, others)) <= _CHANCE

    def _fair(self, kind: str, cases: Sequence[_PlayedCase]) -> tuple[int, int]:
        """Return how many cases failed in this way, of how many that may be compared."""
        fair = [
            case
            for case in cases
            if case.case_id not in self.runner.seen and (case.case_id, kind) not in self.shared
        ]
        return sum(kind in case.kinds for case in fair), len(fair)


def _condition(cause: RootCause) -> str:
    features = [
        (feature.name, feature.value, feature.also, feature.said) for feature in cause.features
    ]
    return repr((cause.kind, cause.scenario, features, cause.words, cause.changed, cause.length))


def _merge_causes(causes: Sequence[RootCause]) -> Iterator[RootCause]:
    """Merge root causes of one class and the same values that differ in words alone."""
    groups: dict[str, list[RootCause]] = {}
    for cause in causes:
        values = [(feature.name, feature.value) for feature in cause.features]
        key = repr((cause.kind, cause.scenario, values, bool(in_words(cause))))
        groups.setdefault(key, []).append(cause)
    for group in groups.values():
        first, *others = sorted(group, key=lambda item: (-item.cases, item.sentence))
        ids = dict.fromkeys(case_id for item in group for case_id in item.case_ids)
        words = [in_words(item) for item in others]
        merged = first.model_copy(
            update={
                "variants": tuple(dict.fromkeys(word for word in words if word != in_words(first))),
                "cases": max(len(ids), first.cases),
                "case_ids": tuple(ids)[:_MOST_NAMED],
                "executions": sum(item.executions for item in group),
            }
        )
        yield merged.model_copy(update={"sentence": sentence(merged)})


def _order(chosen: Sequence[_PlayedCase]) -> list[tuple[_PlayedCase, str]]:
    """Return failed cases with their classes: one of each class first, then the others.

    Frequent classes and small cases come first. A small case has few classes at once, few turns,
    few features, and is short.
    """
    frequency = Counter(kind for failure in chosen for kind in failure.kinds)
    pairs = [(failure, kind) for failure in chosen for kind in failure.kinds]
    pairs.sort(key=lambda pair: (-frequency[pair[1]], pair[1], *_size(pair[0])))
    ranks: Counter[str] = Counter()
    ranked: list[tuple[int, int, tuple[_PlayedCase, str]]] = []
    for place, pair in enumerate(pairs):
        ranks[pair[1]] += 1
        ranked.append((ranks[pair[1]], place, pair))
    return [pair for _, _, pair in sorted(ranked, key=lambda item: item[:2])]


def _size(failure: _PlayedCase) -> tuple[int, int, int, int, str]:
    return len(failure.kinds), failure.turns, failure.features, len(failure.said), failure.case_id


@dataclass(frozen=True, slots=True)
class Replayed:
    """A smallest case played again."""

    cause: RootCause
    fails: bool
    execution: Execution


def replay(loaded: LoadedSuite, causes: Sequence[RootCause], repeats: int) -> list[Replayed]:
    """Play the smallest cases of root causes again, word for word; raises SparringError."""
    return asyncio.run(_replay(loaded, causes, repeats))


async def _replay(loaded: LoadedSuite, causes: Sequence[RootCause], repeats: int) -> list[Replayed]:
    replays: list[Replayed] = []
    async with case_runner(loaded, max(1, len(causes) * repeats)) as place:
        for cause in causes:
            said = Rewording(cause.smallest, cause.written or cause.smallest)
            case, rewording = _case(cause), said if cause.single else None
            execution = await place.execute(case, rewording)
            for _ in range(repeats - 1):
                if cause.kind not in execution.kinds:
                    execution = await place.execute(case, rewording)
            replays.append(Replayed(cause, cause.kind in execution.kinds, execution))
    return replays


def _case(cause: RootCause) -> Case:
    case = Case.of(cause.scenario, cause.params, run_seed=0)
    return case.model_copy(update={"seed": cause.seed})


def causes_of(result: ShrinkResult, wanted: Sequence[str]) -> list[RootCause]:
    """Return the root causes of some cases, or by their numbers from 1; raises StoredRunError."""
    if not wanted:
        return list(result.causes)
    chosen: list[RootCause] = []
    for name in wanted:
        number = int(name) if name.isdigit() else 0
        if 1 <= number <= len(result.causes):
            chosen.append(result.causes[number - 1])
            continue
        matching = [
            cause for cause in result.causes if name == cause.case_id or name in cause.case_ids
        ]
        if not matching:
            raise StoredRunError(
                f"no cause is known of the case {name!r}; there are {len(result.causes)} causes"
            )
        chosen += matching
    return [item for at, item in enumerate(chosen) if item not in chosen[:at]]
