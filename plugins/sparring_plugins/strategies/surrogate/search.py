"""The search of the strategy `surrogate` over one scenario."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import Any

import numpy as np
from pydantic import JsonValue

from sparring.space import CaseSpace
from sparring.space.encoding import Indices
from sparring_plugins.strategies.searching.packing import packed_rows, unpacked_rows
from sparring_plugins.strategies.searching.scenario_search import ScenarioSearch, Told
from sparring_plugins.strategies.surrogate.aims import Aim, Aims, Ranked, mixed
from sparring_plugins.strategies.surrogate.candidates import candidates
from sparring_plugins.strategies.surrogate.kinds import Kinds
from sparring_plugins.strategies.surrogate.memory import Memory
from sparring_plugins.strategies.surrogate.prediction import Features, Logistic
from sparring_plugins.strategies.surrogate.wording import Numbers, bag, words

_POOL = 1_500
"""Candidates whose words are known and that are kept for later batches."""

_PLENTY = 6
"""New kinds among the last hundred cases from which on none has to be looked for."""

_PATIENCE = 300.0
"""Cases without a new kind after which a third as much is given to looking for one."""

_LEAST = 0.1
"""What is given to it at least."""

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
    spread: float
    kinds: float
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
        self._aims: dict[Indices, Aim] = {}
        self._owed: list[Aim] = []

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
        self.pool = [row for row in self.pool if row not in self.seen][:_POOL]
        self.pool += self._mixed(self._by_values(known), self.manner.read)
        self._texts = {row: self._texts[row] for row in self.pool if row in self._texts}
        return [row for row in self.pool if row not in self._texts]

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        if not self.learnt:
            return ()
        aims = [self._owed.pop(0) if self._owed else self.lot(draw) for _ in range(number)]
        ranked = iter(self.promising([aim for aim in aims if aim is not Aim.CHANCE]))
        rows: list[Indices] = []
        for aim in aims:
            by_chance = aim is Aim.CHANCE
            row = self.fresh.draw(self.seen, rows) if by_chance else next(ranked, None)
            if row is not None:
                rows.append(row)
                self._aims[row] = aim
        return rows

    def lot(self, draw: Random) -> Aim:
        """What the next case is for, by the shares."""
        lot, manner = draw.random(), self.manner
        shares = {
            Aim.CHANCE: manner.explore,
            Aim.KIND: manner.kinds * self._need(),
            Aim.CELL: manner.spread,
        }
        for aim, share in shares.items():
            if lot < share:
                return aim
            lot -= share
        return Aim.MOST

    def refused(self, row: Indices) -> None:
        """Owe a case of the same aim: what is likeliest to fail is refused most often."""
        aim = self._aims.pop(row, None)
        if aim is not None:
            self._owed.append(aim)

    def promising(self, aims: Sequence[Aim]) -> list[Indices]:
        """New candidates, in the order in which they are to be played: first one for each aim."""
        ranked = self._by_words() or self._by_values(())
        kinds = Kinds(ranked.parts, self.memory.shown(self._parts))
        draw = Random(f"{self.seed}/{self.round}/aims")
        found = Aims(ranked, kinds, self.memory, self.cases.sizes, draw)
        return found.ordered(aims)

    def _need(self) -> float:
        """How much of their share is given to cases that look for new kinds.

        Less, the more kinds come by themselves, and the longer none came.
        """
        late, gap = self.memory.news(self.manner.first)
        return max(_LEAST, (1 - late / _PLENTY) * exp(-gap / _PATIENCE))

    def _mixed(self, ranked: Ranked, number: int) -> list[Indices]:
        draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}/mixed")
        return mixed(ranked, number, self.cases.sizes, draw)

    def _by_values(self, known: Container[Indices]) -> Ranked:
        """New candidates but those known, the most promising by their values first."""
        made = candidates(
            self.cases,
            self.memory.failing(),
            self.seen,
            self.manner.candidates,
            self.manner.kin,
            Random(f"{self.seed}/{self.round}/{len(self.seen)}"),
        )
        rows = [row for row in made if row not in known]
        return self._ranked(rows, self._features.of(rows) if rows else None, self._model("values"))

    def _by_words(self) -> Ranked | None:
        """The pool, the most promising by values and words first; None where words are unknown."""
        known = [row for row in self.pool if row in self._texts and row not in self.seen]
        model = self._model("words")
        if not known or model is None:
            return None
        ranked = self._ranked(
            known, self._with_words(known, self._texts), model, [self._texts[row] for row in known]
        )
        self.pool = self._mixed(ranked, _POOL)
        return ranked

    def _ranked(
        self,
        rows: list[Indices],
        inputs: Numbers | None,
        model: Logistic | None,
        texts: Sequence[str] = (),
    ) -> Ranked:
        if model is None or inputs is None:
            same = np.ones(len(rows), np.float32)
            return Ranked(
                rows, same, np.zeros((len(rows), len(self._parts)), np.float32), same, same
            )
        chances = model.predicted(inputs)
        novelty = self._novelty(texts) if texts else np.ones(len(rows), np.float32)
        bad = 1 + len(self._parts)
        parts = chances[:, 1:bad]
        value = chances[:, 0] ** self.manner.power * novelty
        if self.manner.rarity:
            kinds = Kinds(parts, self.memory.shown(self._parts))
            value = value * (1 + self.manner.rarity * kinds.rarity())
        order = np.argsort(-value, kind="stable")
        return Ranked(
            [rows[at] for at in order.tolist()],
            chances[order, 0],
            parts[order],
            chances[order, bad:].max(1),
            novelty[order],
        )

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
        for row, _ in told:
            self._aims.pop(row, None)
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
            rows, labels, told = self.memory.lesson(self._parts)
            if by == "words":
                has = [row in self.memory.said for row in rows]
                rows = [row for row, one in zip(rows, has, strict=True) if one]
                labels, told = labels[np.array(has, dtype=bool)], told[np.array(has, dtype=bool)]
                if len(rows) < self.manner.first or not labels[:, 0].any():
                    return None
            inputs = (
                self._with_words(rows, self.memory.said)
                if by == "words"
                else self._features.of(rows)
            )
            manner = self.manner
            self._models[by] = Logistic(inputs, labels, told, manner.penalty, manner.steps)
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
            "owed": "".join(self._owed),
            "aims": [[list(row), str(aim)] for row, aim in self._aims.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.memory.restore(state)
        self.pool = unpacked_rows(state["pool"], self.cases.sizes)
        self._drafted = int(state["drafted"])
        self._owed = [Aim(one) for one in state["owed"]]
        self._aims = {tuple(map(int, row)): Aim(one) for row, one in state["aims"]}
        self._models.clear()
