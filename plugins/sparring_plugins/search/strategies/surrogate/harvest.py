"""Play what is likely to fail, balanced over failure classes and pairs of values.

A search for root causes looks where nothing is known. Once hardly anything new comes of that, the
rest of the budget is worth more here: on what regressions over values and words predict to fail, in
classes and with pairs of values that failed least often. Taking only what fails most likely would
find one class again and again.
"""

from collections import deque
from collections.abc import Container, Mapping, Sequence
from random import Random

import numpy as np
from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace, TooHard
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.surrogate.acquisition import (
    CaseObjective,
    RankedCandidates,
)
from sparring_plugins.search.strategies.surrogate.memory import (
    FailureClasses,
    FloatArray,
    IndexTable,
    PairNumbers,
)

_CERTAINTY, _RARITY = 2, 3
"""The exponents of the chance to fail, and of the rarity of the predicted failure class."""

_BESIDES = 0.2
"""What a case is worth that shows nothing but what is known, beside one that is all new."""

_COVERAGE = 0.5
"""The most cases of a batch that are played for pairs of values that never failed."""

_PENDING = 0.2
"""How much less a pair is worth when a case with it is about to be played."""

_TARGETED = 60
"""Pairs of values that never failed for which candidates are made, in each batch."""

_RECENT = 60
"""The number of last cases of an objective by which its yield is measured."""

_GOOD, _LEAST = 0.25, 0.25
"""The share of cases with news from which on an objective keeps its whole share of the budget, and
the part of that share which it keeps without any news."""


class PairRecord:
    """In how many cases each pair of values was played, and in how many it failed."""

    def __init__(self, sizes: Indices) -> None:
        self._numbers = PairNumbers(sizes)
        self._tried = np.zeros(self._numbers.total, np.float32)
        self._failed = np.zeros(self._numbers.total, np.float32)

    def add(self, row: Indices, *, failed: bool) -> int:
        """Count a case; return how many of its pairs failed for the first time."""
        numbers = self.numbers([row])[0]
        self._tried[numbers] += 1
        if not failed:
            return 0
        fresh = int((self._failed[numbers] == 0).sum())
        self._failed[numbers] += 1
        return fresh

    def prospects(self) -> FloatArray:
        """Return for each pair how likely it fails for the first time if a case with it fails.

        A pair that was tried often without failing is unlikely to fail now (Laplace's rule).
        """
        never: FloatArray = np.where(self._failed == 0, 2 / (2 + self._tried), 0).astype(np.float32)
        return never

    def neglected(self, number: int, draw: Random) -> list[dict[int, int]]:
        """Return pairs that never failed, drawn at random: those tried least are likeliest."""
        places = np.flatnonzero(self._failed == 0).tolist()
        if not places:
            return []
        weights = (1 / (1 + self._tried[places])).tolist()
        drawn = dict.fromkeys(draw.choices(places, weights, k=number))
        return [self._numbers.values(place) for place in drawn]

    def numbers(self, rows: Sequence[Indices]) -> IndexTable:
        """Return the numbers of the pairs that each case has, a row per case."""
        return self._numbers.of(np.array(rows, np.intp))


class Yields:
    """How often cases of each objective brought news lately, to share the budget by that.

    News are a failure class or a failing pair of values that was never seen, and a root cause. As
    for arms of a bandit, what brought none keeps a part of its share: it may again.
    """

    def __init__(self) -> None:
        self._recent: dict[CaseObjective, deque[bool]] = {}

    def add(self, objective: CaseObjective, *, news: bool) -> None:
        """Count a case that was played for an objective."""
        self._recent.setdefault(objective, deque(maxlen=_RECENT)).append(news)

    def share(self, objective: CaseObjective) -> float:
        """Return which part of its full share of the budget an objective keeps, from 0 to 1."""
        recent = self._recent.get(objective, ())
        rate = (sum(recent) + 2) / (len(recent) + 4)  # half of what is not known yet is news
        return min(1.0, max(_LEAST, rate / _GOOD))

    def state(self) -> dict[str, JsonValue]:
        """Return what `restore` needs."""
        return {
            str(objective): "".join("01"[news] for news in recent)
            for objective, recent in sorted(self._recent.items())
        }

    def restore(self, state: Mapping[str, str]) -> None:
        """Resume; raises ValueError for another state."""
        self._recent = {
            CaseObjective(objective): deque((news == "1" for news in recent), _RECENT)
            for objective, recent in state.items()
        }


def targeted_candidates(
    cases: CaseSpace, record: PairRecord, failures: Sequence[Indices], draw: Random
) -> list[Indices]:
    """Return failures with two values replaced by a pair that never failed.

    Random cases hardly ever have one of the last pairs together with a reason to fail.
    """
    rows: dict[Indices, None] = {}
    for pair in record.neglected(_TARGETED, draw) if failures else ():
        row = list(draw.choice(failures))
        for at, value in pair.items():
            row[at] = value
        try:
            repaired = cases.repaired_indices(tuple(row))
        except TooHard:
            continue
        if all(repaired[at] == value for at, value in pair.items()):
            rows[repaired] = None
    return list(rows)


def harvested(
    number: int,
    ranked: RankedCandidates,
    classes: FailureClasses,
    record: PairRecord,
    excluded: Container[Indices],
    draw: Random,
    besides: Mapping[Indices, float] | None = None,
) -> dict[Indices, CaseObjective]:
    """Return the cases that are worth most, one after the other.

    Each is played for pairs of values that never failed, the likelier the more of these are
    expected to fail, and otherwise for a failure class that was seen seldom. `besides` is what else
    each case may show, from 0 to 1.
    """
    free = np.array([row not in excluded for row in ranked.rows], dtype=bool)
    chosen: dict[Indices, CaseObjective] = {}
    never, pairs = record.prospects(), record.numbers(ranked.rows)
    likely = ranked.failing**_CERTAINTY * ranked.novelty
    if besides:
        likely = likely * (_BESIDES + np.array([besides[row] for row in ranked.rows], np.float32))
    for _ in range(min(number, int(free.sum()))):
        gain = ranked.failing * never[pairs].sum(1) * free
        place, objective = int(np.argmax(gain)), CaseObjective.PAIRS
        if draw.random() >= min(_COVERAGE, float(gain[place])):
            worth = np.where(free, likely * classes.rarity() ** _RARITY, np.float32(-1))
            place, objective = int(np.argmax(worth)), CaseObjective.CLASS
        row = ranked.rows[place]
        free[place] = False
        classes.expect(place)
        never[pairs[place]] *= np.float32(_PENDING)
        chosen[row] = objective
    return chosen


def drawn_share(share: float, number: int, draw: Random) -> int:
    """Return how many of so many cases a share is, rounded up or down by chance."""
    return min(number, int(share * number + draw.random()))
