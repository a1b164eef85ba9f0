"""The search of the strategy `surrogate` over one scenario."""

from collections import deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp
from random import Random
from typing import Any

import numpy as np
from pydantic import JsonValue

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.searching.packed_rows import packed_rows, unpacked_rows
from sparring_plugins.search.strategies.searching.scenario_search import ScenarioSearch, Told
from sparring_plugins.search.strategies.surrogate.candidates import candidates
from sparring_plugins.search.strategies.surrogate.failure_classes import Kinds
from sparring_plugins.search.strategies.surrogate.memory import Memory
from sparring_plugins.search.strategies.surrogate.objectives import Aim, Aims, Ranked, mixed
from sparring_plugins.search.strategies.surrogate.prediction import Features, Logistic
from sparring_plugins.search.strategies.surrogate.trees import PooledPrediction
from sparring_plugins.search.strategies.surrogate.word_features import WIDTH, Numbers, bag, words

_POOL = 1_500
"""Candidates whose words are known and that are kept for later batches."""

_PLENTY = 6
"""New kinds among the last hundred cases from which on none has to be looked for."""

_PATIENCE = 25.0
"""Cases for an aim that fail in known ways, one after the other, until a third as many are played.

One that passes says less about whether there are other ways: it counts as `_LITTLE` of one."""

_LITTLE = 0.15

_LEAST = 0.1
"""How much is given to new kinds at least, and how often one is looked for where all is in vain."""

_ENOUGH = 4
"""Failures among half of the first cases that are enough to learn from."""

_RECENT = 60
"""The last cases that were likeliest to fail, by which it is judged how good predictions are."""

_PARENTS, _CHILDREN = 100, 0.25
"""How many of the candidates have children that are candidates too, and the share of these."""

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
    power: float = 4.0


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
        self._in_vain = {Aim.KIND: 0.0, Aim.PAIRS: 0.0}
        self._hits: deque[bool] = deque(maxlen=_RECENT)

    @property
    def batch(self) -> int:
        return self.manner.batch if self.learnt else self._half

    @property
    def learnt(self) -> bool:
        """Whether there are failures to learn from."""
        failed, played = self.memory.counts.total(), len(self.memory.played)
        wanted = self._half if failed >= _ENOUGH else self.manner.first
        return failed > 0 and played >= wanted

    @property
    def _half(self) -> int:
        return (self.manner.first + 1) // 2

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
        found: dict[Indices, Aim] = {}
        for aim in aims:
            if aim is not Aim.CHANCE:
                found.update(islice(ranked, 1))
            elif (row := self.fresh.draw(self.seen, list(found))) is not None:
                found[row] = aim
        self._aims.update(found)
        return list(found)

    def lot(self, draw: Random) -> Aim:
        """What the next case is for, by the shares.

        Less is for new kinds, the more of them come by themselves, and less for chance, the more of
        what is likeliest to fail does so.
        """
        lot, manner = draw.random(), self.manner
        late = self.memory.news(self.manner.first)
        shares = {
            Aim.CHANCE: manner.explore * self._missed(),
            Aim.KIND: manner.kinds * max(_LEAST, 1 - late / _PLENTY),
            Aim.CELL: manner.spread,
        }
        for aim, share in shares.items():
            if lot < share:
                return aim
            lot -= share
        return Aim.MOST

    def _missed(self) -> float:
        """How badly failures are predicted: 1 where at most half of the likeliest came lately."""
        missed = self._hits.count(False)
        return min(1.0, 2 * (missed + 2) / (len(self._hits) + 4))

    def refused(self, row: Indices) -> None:
        """Owe a case of the same aim: what is likeliest to fail is refused most often."""
        aim = self._aims.pop(row, None)
        if aim is not None:
            self._owed.append(aim.owed)

    def promising(self, aims: Sequence[Aim]) -> list[tuple[Indices, Aim]]:
        """New candidates, as they are to be played, and what for: first one for each aim."""
        ranked = self._by_words() or self._by_values(())
        kinds = Kinds(ranked.parts, self.memory.shown(self._parts))
        draw = Random(f"{self.seed}/{self.round}/aims")
        patience = {
            aim: max(_LEAST, exp(-((cases / _PATIENCE) ** 2)))
            for aim, cases in self._in_vain.items()
        }
        found = Aims(ranked, kinds, self.memory, self.cases.sizes, draw, patience)
        return found.ordered(aims)

    def _mixed(self, ranked: Ranked, number: int) -> list[Indices]:
        draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}/mixed")
        return mixed(ranked, number, self.cases.sizes, draw)

    def _by_values(self, known: Container[Indices]) -> Ranked:
        """New candidates but those known, the most promising by their values first.

        The best have children, which are candidates too: in a large space with few failures chance
        and the kin of these seldom come near what is likeliest to fail.
        """
        draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}")
        manner, model = self.manner, self._model("values")
        children = int(_CHILDREN * manner.candidates) if model else 0
        number = manner.candidates - children
        failing = self.memory.failing()
        made = candidates(self.cases, failing, self.seen, number, manner.kin, draw)
        rows = [row for row in made if row not in known]
        ranked = self._ranked_by_values(rows, model)
        if not children:
            return ranked
        best = ranked.rows[:_PARENTS]
        made = candidates(self.cases, (best, [1.0] * len(best)), self.seen, children, 1.0, draw)
        rows = list(dict.fromkeys([*rows, *(row for row in made if row not in known)]))
        return self._ranked_by_values(rows, model)

    def _ranked_by_values(self, rows: list[Indices], model: Logistic | None) -> Ranked:
        return self._ranked(rows, self._features.of(rows) if rows else None, model)

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
        for row, evaluation in told:
            known = len(self.memory.known)
            self.memory.add(row, evaluation)
            aim = self._aims.pop(row, None)
            if aim is Aim.MOST:
                self._hits.append(evaluation.failed)
            elif aim is not None and aim in self._in_vain:
                more = 1.0 if evaluation.failed else _LITTLE
                news = len(self.memory.known) > known
                self._in_vain[aim] = 0.0 if news else self._in_vain[aim] + more
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
                if len(rows) < self._half or not labels[:, 0].any():
                    return None
            inputs = (
                self._with_words(rows, self.memory.said)
                if by == "words"
                else self._features.of(rows)
            )
            plain = sum(self.cases.sizes) + (WIDTH if by == "words" else 0)
            penalty, steps = self.manner.penalty, self.manner.steps
            self._models[by] = PooledPrediction(inputs, labels, told, penalty, steps, plain=plain)
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
            "in_vain": list(self._in_vain.values()),
            "hits": "".join("01"[hit] for hit in self._hits),
            "aims": [[list(row), str(aim)] for row, aim in self._aims.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.memory.restore(state)
        self.pool = unpacked_rows(state["pool"], self.cases.sizes)
        self._drafted = int(state["drafted"])
        self._owed = [Aim(one) for one in state["owed"]]
        told = map(float, state["in_vain"])
        self._in_vain = dict(zip(self._in_vain, told, strict=True))
        self._hits = deque((hit == "1" for hit in state["hits"]), _RECENT)
        self._aims = {tuple(map(int, row)): Aim(one) for row, one in state["aims"]}
        self._models.clear()
