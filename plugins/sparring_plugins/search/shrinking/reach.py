"""How far a cause reaches: other values of its features, and random cases that share it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from sparring.errors import ModelError, SparringError
from sparring_plugins.search.shrinking.bench import OutOfBudget
from sparring_plugins.search.shrinking.result import Mattering
from sparring_plugins.search.shrinking.simplest import label
from sparring_plugins.search.shrinking.vectors import Attempt
from sparring_plugins.search.shrinking.words import holds
from sparring_plugins.search.space.encoding import Indices

_VALUES = 8
"""Other values of a feature that are tried, at most."""

_DRAWN = 40
"""Random cases that are put into words for one that has the words that matter."""

_ASKED = 3
"""The same where a model puts them into words."""


@dataclass(frozen=True)
class Reach:
    """The values with which each mattering feature fails, and how often random cases do.

    `resting` are features of which the simplest value matters: with some other it passes.
    """

    failing: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    passing: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    probed: int = 0
    hits: int = 0
    complete: bool = True
    resting: tuple[int, ...] = ()


async def reach(attempt: Attempt, words: Sequence[str], probes: int, draw: Random) -> Reach:
    """Try other values of the features that matter, then random cases that share them.

    The random cases also have the words that matter.
    """
    failing = {number: {attempt.row[number]} for number in attempt.active}
    passing: dict[int, set[int]] = {number: {attempt.simplest[number]} for number in attempt.active}
    probed = hits = 0
    complete, resting = True, tuple[int, ...]()
    try:
        for number, at in _other_values(attempt):
            row = (*attempt.row[:number], at, *attempt.row[number + 1 :])
            found = await attempt.shows(row, attempt.edited(row))
            (failing if found is not None else passing)[number].add(at)
        rows = await _random_rows(attempt, words, probes, draw)
        known = await _all(attempt, rows)
        probed, hits = len(known), sum(known)
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
    """The features with another value of which alone it passes."""
    for number, size in enumerate(attempt.cases.sizes):
        others = [at for at in range(size) if at != attempt.row[number]]
        for at in others[:_VALUES]:
            row = (*attempt.row[:number], at, *attempt.row[number + 1 :])
            if _holds(attempt, row):
                found = await attempt.shows(row, attempt.edited(row))
                (passing if found is None else failing).setdefault(number, set()).add(at)
    return tuple(sorted(passing))


def _other_values(attempt: Attempt) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for number in attempt.active:
        others = [
            at
            for at in range(attempt.cases.sizes[number])
            if at not in (attempt.row[number], attempt.simplest[number])
            and _holds(attempt, (*attempt.row[:number], at, *attempt.row[number + 1 :]))
        ]
        found += [(number, at) for at in others[:_VALUES]]
    return found


def _holds(attempt: Attempt, row: Indices) -> bool:
    return attempt.cases.holds(attempt.cases.params(row))


async def _random_rows(
    attempt: Attempt, words: Sequence[str], number: int, draw: Random
) -> list[Indices]:
    """Different random valid rows with the values, and in the words, that matter."""
    cases, pins = attempt.cases, {n: attempt.row[n] for n in attempt.active}
    found: dict[Indices, None] = {}
    asked = 0
    for _ in range(_DRAWN * number):
        drawn = tuple(pins.get(n, draw.randrange(size)) for n, size in enumerate(cases.sizes))
        try:
            row = cases.repaired_indices(drawn)
        except SparringError:
            continue
        if row == attempt.row or row in found or any(row[n] != pins[n] for n in pins):
            continue
        if not (words or attempt.length) or await _says(attempt, row, words):
            found[row] = None
        asked += 1
        if len(found) >= number or (attempt.bench.asks and asked >= _ASKED * number):
            break
    return list(found)


async def _says(attempt: Attempt, row: Indices, words: Sequence[str]) -> bool:
    try:
        said = await attempt.bench.preview(attempt.case(row))
    except ModelError:
        return False
    long = said is not None and len(said.split()) >= attempt.length
    return said is not None and long and holds(said, words)


async def _all(attempt: Attempt, rows: Sequence[Indices]) -> list[bool]:
    """Whether each row fails in this way; some side by side, as the suite allows."""
    room = max(0, attempt.bench.budget - attempt.bench.executed)
    places = asyncio.Semaphore(attempt.bench.loaded.suite.concurrency)

    async def one(row: Indices) -> bool:
        async with places:
            return await attempt.shows(row) is not None

    return list(await asyncio.gather(*(one(row) for row in rows[:room])))


def mattering(attempt: Attempt, reached: Reach) -> tuple[Mattering, ...]:
    """The features that matter, for people."""
    found: list[Mattering] = []
    for number in attempt.active or reached.resting:
        variable = attempt.cases.scenario.variables[number]
        here = attempt.row[number]
        others = sorted(reached.failing.get(number, frozenset()) - {here})
        passing = sorted(reached.passing.get(number, frozenset()))
        found.append(
            Mattering(
                name=variable.name,
                value=variable.domain[here],
                label=label(variable, here),
                also=tuple(label(variable, at) for at in others),
                without=tuple(label(variable, at) for at in passing),
                given=bool(others) and set(passing) <= {attempt.simplest[number]},
                said=attempt.phrases.get(variable.name, ""),
            )
        )
    return tuple(found)
