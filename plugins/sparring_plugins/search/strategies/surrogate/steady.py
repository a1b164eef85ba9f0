"""The search of the strategy `surrogate` where each case is told as it ends."""

from collections.abc import Sequence
from random import Random
from typing import Any

from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.evaluation import loaded, stored
from sparring_plugins.search.strategies.searching.packed_rows import packed_rows, unpacked_rows
from sparring_plugins.search.strategies.searching.scenario_search import Told
from sparring_plugins.search.strategies.surrogate.objectives import Aim
from sparring_plugins.search.strategies.surrogate.search import Manner, SurrogateSearch

_AIMED = 3
"""Batches that are put in order by what they are for, since some cases are refused."""


class SteadySurrogateSearch(SurrogateSearch):
    """Predicts anew whenever as many cases as a batch has have ended.

    Reading several hundred drafts and fitting two regressions after each case would cost as many
    times as much as the batch is large. In between, the candidates that were ranked last are gone
    through (`ranking`).
    """

    def __init__(self, cases: CaseSpace, seed: int, manner: Manner) -> None:
        super().__init__(cases, seed, manner)
        self.ranking: list[Indices] = []
        self._lots: list[Aim] = []
        self._ended: list[Told] = []

    def learn(self, told: Sequence[Told]) -> None:
        self._ended += told
        if len(self._ended) >= self.batch:
            super().learn(self._ended)
            self._ended, self.ranking, self._lots = [], [], []

    def drafts(self) -> list[Indices]:
        if not self._left():
            self._drafted = -1  # they have all been asked, or refused: others are wanted
        return super().drafts()

    def promising(self, aims: Sequence[Aim]) -> list[tuple[Indices, Aim]]:
        if not self._left():
            draw = Random(f"{self.seed}/{self.round}/lots")
            lots = [self.lot(draw) for _ in range(_AIMED * self.batch)]
            ranked = super().promising([aim for aim in lots if aim is not Aim.CHANCE])
            self.ranking = [row for row, _ in ranked]
            self._lots = [aim for _, aim in ranked]
        return self._by_aims(aims)

    def _by_aims(self, aims: Sequence[Aim]) -> list[tuple[Indices, Aim]]:
        """For each aim the first that is left and was ranked as it wants, or else the first."""
        left = self._left()
        found: list[tuple[Indices, Aim]] = []
        for aim in aims[: len(left)]:
            own = (row for row in left if left[row].wanted is aim)
            row = next(own, None) or next(iter(left))
            found.append((row, left.pop(row)))
        return found

    def _left(self) -> dict[Indices, Aim]:
        """The ranked candidates that were not proposed yet, and what each is for."""
        ranked = zip(self.ranking, self._lots, strict=True)
        return {row: aim for row, aim in ranked if row not in self.seen}

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "ranking": packed_rows(self.ranking, self.cases.sizes),
            "lots": "".join(self._lots),
            "ended": [[list(row), stored(one)] for row, one in self._ended],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.ranking = unpacked_rows(state["ranking"], self.cases.sizes)
        self._lots = [Aim(one) for one in state["lots"]]
        if len(self._lots) != len(self.ranking):
            raise ValueError("it ranks other cases")
        self._ended = [(tuple(map(int, row)), loaded(one)) for row, one in state["ended"]]
