"""Shrink one failed case to its root cause, and find out how far the cause reaches.

The reach is measured with other values of its features, and with random cases that share it.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from sparring.errors import ModelError, SparringError
from sparring.model.case import Case
from sparring.model.events import CaseJudged
from sparring_plugins.search.shrinking.case_runner import CaseRunner, Execution, OutOfBudget
from sparring_plugins.search.shrinking.causes import (
    CauseFeature,
    RootCause,
    UnshrunkFailure,
    sentence,
)
from sparring_plugins.search.shrinking.vectors import Attempt, Wordings, label
from sparring_plugins.search.shrinking.words import Change, contains_all, user_text
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices

_VALUES = 8
"""The number of other values of a feature that are tried, at most."""

_DRAWN = 40
"""Random cases that are put into words to find one with the words that matter."""

_ASKED = 3
"""The same if a model puts them into words."""


@dataclass(frozen=True)
class Reach:
    """The values with which each relevant feature fails, and how often random cases do.

    `resting` are features whose simplest value matters: with some other value the case passes.
    """

    failing: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    passing: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    probed: int = 0
    hits: int = 0
    complete: bool = True
    resting: tuple[int, ...] = ()


async def reach(attempt: Attempt, words: Sequence[str], probes: int, draw: Random) -> Reach:
    """Try other values of the relevant features, then random cases that share them.

    The random cases also have the words that matter.
    """
    failing = {number: {attempt.row[number]} for number in attempt.active}
    passing: dict[int, set[int]] = {number: {attempt.simplest[number]} for number in attempt.active}
    probed = hits = 0
    complete, resting = True, tuple[int, ...]()
    try:
        for number, value in _other_values(attempt):
            row = (*attempt.row[:number], value, *attempt.row[number + 1 :])
            execution = await attempt.shows(row, attempt.edited(row))
            (failing if execution is not None else passing)[number].add(value)
        rows = await _random_rows(attempt, words, probes, draw)
        results = await _fail_each(attempt, rows)
        probed, hits = len(results), sum(results)
        complete = probed == len(rows)
        if not attempt.active and not words and hits < probed:
            resting = await _resting(attempt, failing, passing)
    except OutOfBudget:
        complete = False
    return Reach(
        {number: frozenset(values) for number, values in failing.items()},
        {number: frozenset(values) for number, values in passing.items()},
        probed,
        hits,
        complete,
        resting,
    )


async def _resting(
    attempt: Attempt, failing: dict[int, set[int]], passing: dict[int, set[int]]
) -> tuple[int, ...]:
    """Return the features of which another value alone makes the case pass."""
    for number, size in enumerate(attempt.cases.sizes):
        others = [value for value in range(size) if value != attempt.row[number]]
        for value in others[:_VALUES]:
            row = (*attempt.row[:number], value, *attempt.row[number + 1 :])
            if _holds(attempt, row):
                execution = await attempt.shows(row, attempt.edited(row))
                (passing if execution is None else failing).setdefault(number, set()).add(value)
    return tuple(sorted(passing))


def _other_values(attempt: Attempt) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for number in attempt.active:
        others = [
            value
            for value in range(attempt.cases.sizes[number])
            if value not in (attempt.row[number], attempt.simplest[number])
            and _holds(attempt, (*attempt.row[:number], value, *attempt.row[number + 1 :]))
        ]
        pairs += [(number, value) for value in others[:_VALUES]]
    return pairs


def _holds(attempt: Attempt, row: Indices) -> bool:
    return attempt.cases.holds(attempt.cases.params(row))


async def _random_rows(
    attempt: Attempt, words: Sequence[str], number: int, draw: Random
) -> list[Indices]:
    """Return different random valid rows with the relevant values and words."""
    cases, pinned = attempt.cases, {at: attempt.row[at] for at in attempt.active}
    rows: dict[Indices, None] = {}
    asked = 0
    for _ in range(_DRAWN * number):
        drawn = tuple(pinned.get(at, draw.randrange(size)) for at, size in enumerate(cases.sizes))
        try:
            row = cases.repaired_indices(drawn)
        except SparringError:
            continue
        if row == attempt.row or row in rows or any(row[at] != pinned[at] for at in pinned):
            continue
        if not (words or attempt.length) or await _says_words(attempt, row, words):
            rows[row] = None
        asked += 1
        if len(rows) >= number or (attempt.runner.asks and asked >= _ASKED * number):
            break
    return list(rows)


async def _says_words(attempt: Attempt, row: Indices, words: Sequence[str]) -> bool:
    try:
        said = await attempt.runner.preview(attempt.case(row))
    except ModelError:
        return False
    long = said is not None and len(said.split()) >= attempt.length
    return said is not None and long and contains_all(said, words)


async def _fail_each(attempt: Attempt, rows: Sequence[Indices]) -> list[bool]:
    """Return whether each row fails in this way; some run concurrently, as the suite allows."""
    room = max(0, attempt.runner.budget - attempt.runner.executed)
    places = asyncio.Semaphore(attempt.runner.loaded.suite.concurrency)

    async def fails(row: Indices) -> bool:
        async with places:
            return await attempt.shows(row) is not None

    return list(await asyncio.gather(*(fails(row) for row in rows[:room])))


def relevant_features(attempt: Attempt, reached: Reach) -> tuple[CauseFeature, ...]:
    """Return the relevant features, for people."""
    features: list[CauseFeature] = []
    for number in attempt.active or reached.resting:
        variable = attempt.cases.scenario.variables[number]
        value = attempt.row[number]
        others = sorted(reached.failing.get(number, frozenset()) - {value})
        passing = sorted(reached.passing.get(number, frozenset()))
        features.append(
            CauseFeature(
                name=variable.name,
                value=variable.domain[value],
                label=label(variable, value),
                also=tuple(label(variable, at) for at in others),
                without=tuple(label(variable, at) for at in passing),
                given=bool(others) and set(passing) <= {attempt.simplest[number]},
                said=attempt.phrases.get(variable.name, ""),
            )
        )
    return tuple(features)


_ANSWER = 600
_NO_WORDS = "a conversation: its variables are reduced, its words are not"


@dataclass
class Shrinker:
    """Finds root causes of failed cases. `draw` is the only source of randomness."""

    runner: CaseRunner
    probes: int
    repeats: int
    draw: Random

    async def cause(self, judged: CaseJudged, kind: str) -> RootCause | UnshrunkFailure:
        """Return the root cause of one failure class of one case.

        Raises OutOfBudget before the failure was reproduced. A budget that ends later ends the
        work, and what was reached is kept.
        """
        case = judged.trace.case
        space = self.runner.spaces.get(case.scenario)
        if space is None:
            return UnshrunkFailure(
                case_id=case.id, kind=kind, why="its scenario is not in the suite"
            )
        try:
            row = space.indices(case.params)
        except ValueError as err:
            return UnshrunkFailure(case_id=case.id, kind=kind, why=f"it is not of its space: {err}")
        before = self.runner.executed
        self.runner.recall(judged.trace)
        first = await self._again(case, kind)
        if isinstance(first, str):
            return UnshrunkFailure(case_id=case.id, kind=kind, why=first)
        wordings = Wordings.of(self.runner.parts.player, space.scenario)
        attempt = Attempt(
            runner=self.runner,
            cases=space,
            simplest=wordings.simplest(),
            wordings=wordings,
            kind=kind,
            seed=case.seed,
            row=row,
            last=first,
            said=wordings.said(first.trace),
        )
        return await self._reduce(judged, attempt, before)

    async def _again(self, case: Case, kind: str) -> Execution | str:
        """Repeat the case; returns why it is not usable if it does not fail again."""
        execution: Execution | None = None
        for time in range(1, self.repeats + 1):
            execution = await self.runner.execute(case)
            if kind not in execution.kinds:
                others = ", ".join(sorted(execution.kinds))
                outcome = f"it failed with {others}" if others else "it passed"
                return f"it does not fail in this way again: the {_nth(time)} time {outcome}"
        assert execution is not None
        return execution

    async def _reduce(self, judged: CaseJudged, attempt: Attempt, before: int) -> RootCause:
        complete = True
        reached, worded = Reach(), ""
        try:
            await attempt.reduce()
            words = [*_free(attempt), *(change.word for change in _list_changes(attempt))]
            words += [phrase for phrase in attempt.phrases.values() if phrase]
            reached = await reach(attempt, words, self.probes, self.draw)
            worded = await attempt.worded_anew()
            complete = reached.complete
        except OutOfBudget:
            complete = False
        cause = _root_cause(judged, attempt, reached).model_copy(
            update={
                "worded": "" if worded == user_text(judged.trace) else worded,
                "executions": self.runner.executed - before,
                "complete": complete,
            }
        )
        return cause.model_copy(update={"sentence": sentence(cause)})


def _root_cause(judged: CaseJudged, attempt: Attempt, reached: Reach) -> RootCause:
    last = attempt.last
    verdict = last.verdict_of(attempt.kind)
    answers = [turn.observation.text for turn in last.trace.turns if turn.observation]
    notes = () if attempt.said is not None else (_NO_WORDS,)
    return RootCause(
        kind=attempt.kind,
        oracle=verdict.oracle if verdict else "",
        check=verdict.check if verdict else "",
        reason=verdict.reason[:_ANSWER] if verdict else "",
        case_id=judged.trace.case.id,
        scenario=judged.trace.case.scenario,
        params=attempt.cases.params(attempt.row),
        seed=attempt.seed,
        features=relevant_features(attempt, reached),
        original=user_text(judged.trace),
        smallest=attempt.said.text if attempt.said is not None else user_text(last.trace),
        written=attempt.said.written() if attempt.said is not None else "",
        answer=answers[-1][:_ANSWER] if answers else "",
        words=tuple(_free(attempt)),
        length=attempt.length,
        changed=tuple((change.was, change.word) for change in _list_changes(attempt)),
        missing=tuple(attempt.said.left_out(_perturbing(attempt))) if attempt.said else (),
        single=attempt.said is not None,
        turns=(len(judged.trace.turns), len(last.trace.turns)),
        probed=reached.probed,
        hits=reached.hits,
        case_ids=(judged.trace.case.id,),
        notes=notes,
    )


def _list_changes(attempt: Attempt) -> list[Change]:
    """Return the changes of relevant perturbations that are still in the text."""
    if attempt.said is None:
        return []
    names = _perturbing(attempt)
    return [change for change in attempt.said.present() if change.feature in names]


def _perturbing(attempt: Attempt) -> set[str]:
    return {attempt.cases.names[number] for number in attempt.active}


def _free(attempt: Attempt) -> list[str]:
    """Return the words that matter and express no feature, without perturbed ones."""
    if attempt.said is None or attempt.length:
        return []
    changed = {word.casefold() for change in _list_changes(attempt) for word in change.word.split()}
    words = (word for word in attempt.said.free_words() if word.casefold() not in changed)
    return list(dict.fromkeys(words))


def has_condition(cause: RootCause, case: Case, utterance: str, space: CaseSpace) -> bool:
    """Whether a case, failed or not, has the values and words of a root cause."""
    if case.scenario != cause.scenario:
        return False
    words = [*cause.words, *(new for _, new in cause.changed)]
    words += [feature.said for feature in cause.features if feature.said and not feature.also]
    if cause.single and not (
        contains_all(utterance, words) and len(utterance.split()) >= cause.length
    ):
        return False
    labels = {variable.name: variable for variable in space.scenario.variables}
    return all(
        case.params.get(feature.name) == feature.value
        or _label_of(
            labels[feature.name].domain, labels[feature.name].labels, case.params.get(feature.name)
        )
        in feature.also
        for feature in cause.features
    )


def _label_of(domain: Sequence[object], labels: Sequence[str], value: object) -> str:
    for number, candidate in enumerate(domain):
        if candidate == value and type(candidate) is type(value):
            return labels[number] if number < len(labels) and labels[number] else str(value)
    return ""


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
