"""The search of the strategy `surrogate` where each case is told as it ends."""

from collections.abc import Sequence
from typing import Any

from pydantic import JsonValue

from sparring.space import CaseSpace
from sparring.space.encoding import Indices
from sparring_plugins.strategies.searching.evaluation import loaded, stored
from sparring_plugins.strategies.searching.packing import packed_rows, unpacked_rows
from sparring_plugins.strategies.searching.scenario_search import Told
from sparring_plugins.strategies.surrogate.search import Manner, SurrogateSearch


class SteadySurrogateSearch(SurrogateSearch):
    """Predicts anew whenever as many cases as a batch has have ended.

    Reading several hundred drafts and fitting two regressions after each case would cost as many
    times as much as the batch is large. In between, the candidates that were ranked last are gone
    through (`ranking`).
    """

    def __init__(self, cases: CaseSpace, seed: int, manner: Manner) -> None:
        super().__init__(cases, seed, manner)
        self.ranking: list[Indices] = []
        self._ended: list[Told] = []

    def learn(self, told: Sequence[Told]) -> None:
        self._ended += told
        if len(self._ended) >= self.batch:
            super().learn(self._ended)
            self._ended, self.ranking = [], []

    def drafts(self) -> list[Indices]:
        if not self._left():
            self._drafted = -1  # they have all been asked, or refused: others are wanted
        return super().drafts()

    def promising(self) -> list[Indices]:
        left = self._left()
        if not left:
            left = self.ranking = super().promising()
        return left

    def _left(self) -> list[Indices]:
        return [row for row in self.ranking if row not in self.seen]

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "ranking": packed_rows(self.ranking, self.cases.sizes),
            "ended": [[list(row), stored(one)] for row, one in self._ended],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.ranking = unpacked_rows(state["ranking"], self.cases.sizes)
        self._ended = [(tuple(map(int, row)), loaded(one)) for row, one in state["ended"]]
