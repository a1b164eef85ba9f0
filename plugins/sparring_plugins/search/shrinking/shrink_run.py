"""Shrinking the failures of a stored run: one of each kind first, then what they do not explain."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from sparring.documents.checking import nearest
from sparring.errors import AppUnreachable, ConfigurationError, StoredRunError
from sparring.model.case import Case
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.reading import LoadedSuite, load_suite
from sparring_plugins.search.failure_classes import targets_of
from sparring_plugins.search.shrinking.bench import Bench, Execution, OutOfBudget, Words, bench
from sparring_plugins.search.shrinking.case_shrinker import Shrinker, shares
from sparring_plugins.search.shrinking.cause_sentences import in_words, sentence
from sparring_plugins.search.shrinking.result import FILE, Cause, Shrunk, Unshrunk

INTERRUPTED = "interrupted: more may be found"
"""The note of a result that was cut short by its user."""

_MOST_NAMED = 50

Tell = Callable[[Cause | Unshrunk], None]
"""Hears of each cause as it is found."""


@dataclass(frozen=True, slots=True)
class ShrinkOptions:
    """What shrinking may take, and what it looks at.

    `cases` are ids of failed cases, all where there are none. `executions` bounds how often a case
    is played in all, `causes` how many causes are looked for, `probes` how many random cases
    check a cause, and `repeats` says how often a case must fail to be taken up.
    """

    cases: tuple[str, ...] = ()
    executions: int = 1_000
    causes: int = 50
    probes: int = 10
    repeats: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _Failed:
    """A failed case in short."""

    case_id: str
    kinds: tuple[str, ...]
    turns: int
    features: int
    length: int


def suite_of(stored: StoredRun, suite: str | None, changes: dict[str, Any]) -> LoadedSuite:
    """The suite that a run was made with; raises ConfigurationError, also where it had none."""
    manifest = stored.manifest
    if not manifest.suite or manifest.kind not in ("run", "replay"):
        raise ConfigurationError(f"{stored.folder} was not made by 'sparring run'")
    path = Path(suite) if suite else Path(manifest.suite_path or stored.folder / "suite.yaml")
    return load_suite(path, changes, written=manifest.suite)


def shrink(stored: StoredRun, loaded: LoadedSuite, options: ShrinkOptions, tell: Tell) -> Shrunk:
    """Shrink failures of a run and store the result beside it; raises SparringError."""
    failed = list(_failed(stored))
    chosen = _chosen(stored, failed, options.cases)
    found = asyncio.run(_shrink(stored, loaded, options, failed, chosen, tell))
    text = Redactor().text(found.model_dump_json(indent=1)) + "\n"
    temporary = stored.folder / f"{FILE}.new"
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(stored.folder / FILE)
    return found


def _failed(stored: StoredRun) -> Iterator[_Failed]:
    for judged in stored.judged():
        kinds = targets_of(judged.verdicts)
        if kinds:
            trace = judged.trace
            said = trace.meta.get("utterance")
            length = len(said) if isinstance(said, str) else 0
            given = sum(value not in (None, "none") for value in trace.case.params.values())
            yield _Failed(trace.case.id, kinds, len(trace.turns), given, length)


def _chosen(
    stored: StoredRun, failed: Sequence[_Failed], wanted: Sequence[str]
) -> Sequence[_Failed]:
    """The failed cases that are asked for; raises ConfigurationError for an id of no failure."""
    known = {one.case_id: one for one in failed}
    for case_id in wanted:
        if case_id not in known:
            what = "did not fail" if case_id in stored.case_ids else "is not in the run"
            hint = nearest(case_id, list(known)[:_MOST_NAMED])
            raise ConfigurationError(f"the case {case_id!r} {what}. Failed cases:{hint}")
    return [known[case_id] for case_id in wanted] if wanted else failed


async def _shrink(
    stored: StoredRun,
    loaded: LoadedSuite,
    options: ShrinkOptions,
    failed: Sequence[_Failed],
    chosen: Sequence[_Failed],
    tell: Tell,
) -> Shrunk:
    causes: list[Cause] = []
    unshrunk: list[Unshrunk] = []
    notes: list[str] = []
    explained: set[tuple[str, str]] = set()
    async with bench(loaded, options.executions) as place:
        worker = Shrinker(place, options.probes, options.repeats, Random(options.seed))
        for one, kind in _order(chosen):
            if (one.case_id, kind) in explained or len(causes) >= options.causes:
                continue
            try:
                found = await worker.cause(stored.case(one.case_id), kind)
            except OutOfBudget:
                if place.executed >= place.budget:
                    notes.append(f"the budget of {options.executions:,} executions is spent")
                break
            except AppUnreachable as err:
                if not (causes or unshrunk):
                    raise
                notes.append(f"the app cannot be reached any more: {err}")
                break
            except asyncio.CancelledError:  # what was found until now is kept
                notes.append(INTERRUPTED)
                break
            if isinstance(found, Cause):
                found = _counted(found, stored, place, failed, explained)
                causes.append(found)
            else:
                unshrunk.append(found)
            tell(found)
        notes += place.problems
        left = {kind for one, kind in _order(chosen) if (one.case_id, kind) not in explained}
        left -= {one.kind for one in unshrunk}
        if left and len(causes) >= options.causes:
            notes.append(f"not looked for after {options.causes} causes: {len(left)} more kinds")
        return Shrunk(
            run=stored.manifest.id,
            seed=options.seed,
            failures=len(failed),
            explained=len({case_id for case_id, _ in explained}),
            executions=place.executed,
            budget=options.executions,
            causes=tuple(
                sorted(_merged(causes), key=lambda one: (-one.cases, one.kind, one.sentence))
            ),
            unshrunk=tuple(unshrunk),
            notes=tuple(notes),
        )


def _merged(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Causes of one kind and the same values, that differ in words alone, as one cause each."""
    groups: dict[str, list[Cause]] = {}
    for one in causes:
        values = [(feature.name, feature.value) for feature in one.features]
        key = repr((one.kind, one.scenario, values, bool(in_words(one))))
        groups.setdefault(key, []).append(one)
    for group in groups.values():
        first, *others = sorted(group, key=lambda one: (-one.cases, one.sentence))
        ids = dict.fromkeys(case_id for one in group for case_id in one.case_ids)
        words = [in_words(one) for one in others]
        found = first.model_copy(
            update={
                "variants": tuple(dict.fromkeys(one for one in words if one != in_words(first))),
                "cases": max(len(ids), first.cases),
                "case_ids": tuple(ids)[:_MOST_NAMED],
                "executions": sum(one.executions for one in group),
            }
        )
        yield found.model_copy(update={"sentence": sentence(found)})


def _order(chosen: Sequence[_Failed]) -> list[tuple[_Failed, str]]:
    """Failed cases with their kinds: one of each kind first, frequent kinds and small cases first.

    A small case has few kinds at once, few turns, few features, and is short.
    """
    often = Counter(kind for one in chosen for kind in one.kinds)
    pairs = [(one, kind) for one in chosen for kind in one.kinds]
    pairs.sort(key=lambda pair: (-often[pair[1]], pair[1], *_size(pair[0])))
    ranks: Counter[str] = Counter()
    ranked: list[tuple[int, int, tuple[_Failed, str]]] = []
    for place, pair in enumerate(pairs):
        ranks[pair[1]] += 1
        ranked.append((ranks[pair[1]], place, pair))
    return [pair for _, _, pair in sorted(ranked, key=lambda item: item[:2])]


def _size(one: _Failed) -> tuple[int, int, int, int, str]:
    return len(one.kinds), one.turns, one.features, one.length, one.case_id


def _counted(
    cause: Cause,
    stored: StoredRun,
    place: Bench,
    failed: Sequence[_Failed],
    explained: set[tuple[str, str]],
) -> Cause:
    """The cause with the failed cases of the run that share it, which then are explained.

    Values alone that bring no failure to a random case explain none but the case they are of.
    """
    space = place.spaces[cause.scenario]
    ids = [cause.case_id]
    tells = cause.hits or not cause.probed or in_words(cause)
    for one in failed if tells else ():
        if one.case_id == cause.case_id or cause.kind not in one.kinds:
            continue
        if shares(cause, stored.case(one.case_id), space):
            ids.append(one.case_id)
    explained |= {(case_id, cause.kind) for case_id in ids}
    return cause.model_copy(update={"cases": len(ids), "case_ids": tuple(ids[:_MOST_NAMED])})


@dataclass(frozen=True, slots=True)
class Replayed:
    """A smallest case played again."""

    cause: Cause
    fails: bool
    execution: Execution


def replay(loaded: LoadedSuite, causes: Sequence[Cause], repeats: int) -> list[Replayed]:
    """Play the smallest cases of causes again, word for word; raises SparringError."""
    return asyncio.run(_replay(loaded, causes, repeats))


async def _replay(loaded: LoadedSuite, causes: Sequence[Cause], repeats: int) -> list[Replayed]:
    found: list[Replayed] = []
    async with bench(loaded, max(1, len(causes) * repeats)) as place:
        for cause in causes:
            case, said = _case(cause), _words(cause)
            done = await place.execute(case, said)
            for _ in range(repeats - 1):
                if cause.kind not in done.kinds:
                    done = await place.execute(case, said)
            found.append(Replayed(cause, cause.kind in done.kinds, done))
    return found


def _words(cause: Cause) -> Words | None:
    return Words(cause.smallest, cause.written or cause.smallest) if cause.single else None


def _case(cause: Cause) -> Case:
    made = Case.of(cause.scenario, cause.params, run_seed=0)
    return made.model_copy(update={"seed": cause.seed})


def causes_of(found: Shrunk, wanted: Sequence[str]) -> list[Cause]:
    """The causes of some cases, or by their numbers from 1; raises StoredRunError."""
    if not wanted:
        return list(found.causes)
    chosen: list[Cause] = []
    for name in wanted:
        number = int(name) if name.isdigit() else 0
        if 1 <= number <= len(found.causes):
            chosen.append(found.causes[number - 1])
            continue
        named = [one for one in found.causes if name == one.case_id or name in one.case_ids]
        if not named:
            raise StoredRunError(
                f"no cause is known of the case {name!r}; there are {len(found.causes)} causes"
            )
        chosen += named
    return [one for at, one in enumerate(chosen) if one not in chosen[:at]]
