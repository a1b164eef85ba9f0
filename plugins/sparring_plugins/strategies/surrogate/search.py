"""The search of the strategy `surrogate` over one scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from pydantic import JsonValue

from sparring.space import CaseSpace
from sparring.space.encoding import Indices
from sparring_plugins.strategies.searching.packing import packed_rows, unpacked_rows
from sparring_plugins.strategies.searching.scenario_search import ScenarioSearch, Told
from sparring_plugins.strategies.surrogate.candidates import candidates
from sparring_plugins.strategies.surrogate.memory import Memory
from sparring_plugins.strategies.surrogate.prediction import Features, Logistic
from sparring_plugins.strategies.surrogate.wording import Numbers, bag, words

_POOL = 1_500
"""Candidates whose words are known and that are kept for later batches."""

_COMPARED = 3_000
"""Texts that were said last and that candidates are compared with."""

_FAR, _TOO_NEAR = 0.6, 0.95
"""Likeness of words up to which a text is new, and from which on it is old."""


@dataclass(frozen=True)
class Manner:
    """How the search goes about it; see the strategy's settings."""

    batch: int
    first: int
    candidates: int
    read: int
    explore: float
    rarity: float
    kin: float = 0.3
    penalty: float = 0.3
    steps: int = 40
    power: float = 2.0


class SurrogateSearch(ScenarioSearch):
    """Predicts from the cases that were played which others fail, and in what way.

    Candidates are ranked by their values first. The words of the best of them are read, where the
    player can say them, and rank them again together with those read before (`pool`).
    """

    def __init__(self, cases: CaseSpace, seed: int, manner: Manner) -> None:
        super().__init__(cases, seed)
        self.manner = manner
        self.memory = Memory(cases.sizes)
        self.pool: list[Indices] = []
        self._texts: dict[Indices, str] = {}
        self._features = Features(cases.sizes)
        self._parts: list[str] = []
        self._models: dict[str, Logistic] = {}
        self._drafted = -1

    @property
    def batch(self) -> int:
        return self.manner.batch if self.learnt else self.manner.first

    @property
    def learnt(self) -> bool:
        """Whether there are failures to learn from."""
        return bool(self.memory.counts) and len(self.memory.played) >= self.manner.first

    # proposing

    def drafts(self) -> list[Indices]:
        """Candidates whose words are to be read before the next proposal: once for each batch."""
        if not self.learnt or not self.manner.read or self._drafted == len(self.memory.played):
            return []
        self._drafted = len(self.memory.played)
        known = {*self.pool}
        ranked = [row for row in self._ranked_by_values() if row not in known]
        self.pool = [row for row in self.pool if row not in self.seen][:_POOL]
        self.pool += ranked[: self.manner.read]
        self._texts = {row: self._texts[row] for row in self.pool if row in self._texts}
        return [row for row in self.pool if row not in self._texts]

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        if not self.learnt:
            return ()
        ranked = iter(self.promising())
        rows: list[Indices] = []
        for _ in range(number):
            explore = draw.random() < self.manner.explore
            row = None if explore else next(ranked, None)
            if row is None:
                row = self.fresh.draw(self.seen, rows) if explore else None
            if row is not None:
                rows.append(row)
        return rows

    def promising(self) -> list[Indices]:
        """New candidates, the most promising first."""
        return self._ranked_by_words() or self._ranked_by_values()

    def _ranked_by_values(self) -> list[Indices]:
        """New candidates, the most promising by their values first."""
        made = candidates(
            self.cases,
            self.memory.failing(),
            self.seen,
            self.manner.candidates,
            self.manner.kin,
            Random(f"{self.seed}/{self.round}/{len(self.seen)}"),
        )
        return self._ranked(made, self._features.of(made), self._model("values")) if made else []

    def _ranked_by_words(self) -> list[Indices]:
        """The pool, the most promising by values and words first; none where words are unknown."""
        known = [row for row in self.pool if row in self._texts and row not in self.seen]
        model = self._model("words")
        if not known or model is None:
            return []
        ranked = self._ranked(
            known, self._with_words(known, self._texts), model, [self._texts[row] for row in known]
        )
        self.pool = ranked[:_POOL]
        return ranked

    def _ranked(
        self,
        rows: list[Indices],
        inputs: Numbers,
        model: Logistic | None,
        texts: Sequence[str] = (),
    ) -> list[Indices]:
        if model is None:
            return rows
        chances = model.predicted(inputs)
        value = chances[:, 0] ** self.manner.power
        if texts:
            value *= self._novelty(texts)
        if self.manner.rarity and self._parts:
            likely = (chances[:, 1:] > 0.5).tolist()
            kinds = [
                tuple(part for part, has in zip(self._parts, line, strict=True) if has)
                for line in likely
            ]
            value *= 1 + self.manner.rarity * self.memory.rarity(kinds, self._parts)
        order = np.argsort(-value, kind="stable")
        return [rows[at] for at in order.tolist()]

    def _novelty(self, texts: Sequence[str]) -> Numbers:
        """How little each text is like one that was said: those too like one are refused anyway."""
        if not self.memory.said:
            return np.ones(len(texts), np.float32)
        said = np.array([bag(text) for text in list(self.memory.said.values())[-_COMPARED:]])
        near = (np.array([bag(text) for text in texts]) @ said.T).max(1)
        found: Numbers = np.clip((_TOO_NEAR - near) / (_TOO_NEAR - _FAR), 0.02, 1)
        return found

    # learning

    def learn(self, told: Sequence[Told]) -> None:
        self.memory.learn(told)
        self._models.clear()

    def read(self, row: Indices, text: str) -> None:
        """Hear what a candidate would say, or a case that was proposed."""
        if row in self.seen:
            self.memory.read(row, text)
        else:
            self._texts[row] = text

    def _model(self, by: str) -> Logistic | None:
        """The regression by values or by words, fitted when it is first needed after learning."""
        if by not in self._models:
            self._parts = self.memory.parts()
            rows, labels = self.memory.lesson(self._parts)
            if by == "words":
                has = [row in self.memory.said for row in rows]
                rows = [row for row, one in zip(rows, has, strict=True) if one]
                labels = labels[np.array(has, dtype=bool)]
                if len(rows) < self.manner.first or not labels[:, 0].any():
                    return None
            inputs = (
                self._with_words(rows, self.memory.said)
                if by == "words"
                else self._features.of(rows)
            )
            self._models[by] = Logistic(inputs, labels, self.manner.penalty, self.manner.steps)
        return self._models[by]

    def _with_words(self, rows: Sequence[Indices], texts: Mapping[Indices, str]) -> Numbers:
        said = np.array([words(texts[row]) for row in rows])
        return np.hstack([said, self._features.of(rows)])

    # saving

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            **self.memory.state(),
            "pool": packed_rows(self.pool, self.cases.sizes),
            "drafted": self._drafted,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.memory.restore(state)
        self.pool = unpacked_rows(state["pool"], self.cases.sizes)
        self._drafted = int(state["drafted"])
        self._models.clear()
