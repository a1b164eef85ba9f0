"""The search of the strategy `surrogate` over one scenario, batch by batch or case by case."""

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
from sparring_plugins.search.strategies.scenario_search import (
    Evaluated,
    ScenarioSearch,
    dump_evaluation,
    load_evaluation,
    pack_rows,
    unpack_rows,
)
from sparring_plugins.search.strategies.surrogate.acquisition import (
    Acquisition,
    CaseObjective,
    RankedCandidates,
    candidates,
    mix_candidates,
)
from sparring_plugins.search.strategies.surrogate.cause_guide import CauseGuide
from sparring_plugins.search.strategies.surrogate.harvest import harvested
from sparring_plugins.search.strategies.surrogate.memory import (
    WIDTH,
    FailureClasses,
    FloatArray,
    Memory,
    word_features,
    word_vector,
)
from sparring_plugins.search.strategies.surrogate.prediction import (
    Features,
    Logistic,
    PooledPrediction,
)
from sparring_plugins.search.strategies.surrogate.root_causes import CauseModel

# The constants were chosen by single runs on six assistants. Runs with other seeds differ by as
# much as most settings do, so finer tuning says nothing (docs/explanation/search-measurements.md).
_POOL = 1_500
"""The number of candidates with known words that are kept for later batches."""

_KEPT = 300
"""The same in a search for root causes, whose drafts are for what is unexplained just now."""

_HARVEST_DRAFTS = 2
"""A search for root causes reads so many times fewer of its most promising candidates."""

_PLENTY = 6
"""New failure classes among the last hundred cases with which none has to be looked for."""

_PATIENCE = 25.0
"""Consecutive cases for an objective that fail in known classes, until a third as many are played.

A case that passes says less about whether there are other classes: it counts as `_LITTLE`."""

_LITTLE = 0.15

_LEAST = 0.1
"""The least share of cases for new failure classes, however long looking for them stagnates."""

_ENOUGH = 4
"""Failures among half of the first cases that suffice to start learning."""

_RECENT = 60
"""The number of last cases predicted to fail by which the quality of predictions is judged."""

_PARENTS, _CHILDREN = 100, 0.25
"""How many candidates have children that are candidates too, and the share of these."""

_COMPARED = 3_000
"""The number of last texts that candidates are compared with."""

_FAR, _TOO_NEAR = 0.6, 0.95
"""The similarity of words up to which a text is new, and from which on it is old."""


@dataclass(frozen=True)
class SurrogateSettings:
    """The parameters of the search; see the strategy's settings."""

    batch: int
    first: int
    candidates: int
    read: int
    explore: float
    rarity: float
    spread: float
    kinds: float
    causes: bool = False
    limit: int = 10
    share: float = 0.6
    effort: int = 15
    stop_after: int = 0
    neighbours: float = 0.3
    penalty: float = 0.3
    steps: int = 40
    power: float = 4.0


class SurrogateSearch(ScenarioSearch):
    """Predicts from the cases that were played which others fail, and in which class.

    Candidates are ranked by their values first. The words of the best of them are read, if the
    player can say them, and rank them again together with those read before (`pool`).
    """

    def __init__(self, cases: CaseSpace, seed: int, settings: SurrogateSettings) -> None:
        super().__init__(cases, seed)
        self.settings = settings
        self.memory = Memory(cases.sizes)
        self.pool: list[Indices] = []
        self._texts: dict[Indices, str] = {}
        self._features = Features(cases.sizes)
        self._parts: list[str] = []
        self._models: dict[str, Logistic] = {}
        self._drafted = -1
        self._objectives: dict[Indices, CaseObjective] = {}
        self._owed: list[CaseObjective] = []
        self._stagnation = {CaseObjective.CLASS: 0.0, CaseObjective.PAIRS: 0.0}
        self._hits: deque[bool] = deque(maxlen=_RECENT)
        self._recalled = True
        self.guide = (
            CauseGuide(cases, CauseModel(settings.effort), settings.limit, settings.share)
            if settings.causes
            else None
        )

    @property
    def batch(self) -> int:
        return self.settings.batch if self.learnt else self._half

    @property
    def learnt(self) -> bool:
        """Whether there are failures to learn from."""
        failed, played = self.memory.counts.total(), len(self.memory.played)
        wanted = self._half if failed >= _ENOUGH else self.settings.first
        return failed > 0 and played >= wanted

    @property
    def _half(self) -> int:
        return (self.settings.first + 1) // 2

    # proposing

    def drafts(self) -> list[Indices]:
        """Return candidates whose words are to be read before the next batch is proposed."""
        if not self.learnt or not self.settings.read:
            return []  # the first cases are chosen by their values: words may cost a model's call
        if self.guide is not None:
            return self._guided_drafts(self.guide)
        if self._drafted == len(self.memory.played):
            return []
        self._drafted = len(self.memory.played)
        pooled = {*self.pool}
        self.pool = [row for row in self.pool if row not in self.seen][:_POOL]
        self.pool += self._mix_candidates(self._by_values(pooled), self.settings.read)
        self._texts = {row: self._texts[row] for row in self.pool if row in self._texts}
        return [row for row in self.pool if row not in self._texts]

    def proposed(self, number: int, draw: Random) -> Sequence[Indices]:
        if self.guide is not None:
            return self._guided(self.guide, number, draw)
        if not self.learnt:
            return ()
        objectives = [
            self._owed.pop(0) if self._owed else self.draw_objective(draw) for _ in range(number)
        ]
        directed = [goal for goal in objectives if goal is not CaseObjective.CHANCE]
        ranked = iter(self.promising(directed))
        chosen: dict[Indices, CaseObjective] = {}
        for objective in objectives:
            if objective is not CaseObjective.CHANCE:
                chosen.update(islice(ranked, 1))
            elif (row := self.fresh.draw(self.seen, list(chosen))) is not None:
                chosen[row] = objective
        self._objectives.update(chosen)
        return list(chosen)

    def _recall_cases(self, guide: CauseGuide) -> None:
        """Count the cases of before a resumed run, whose texts are read again after `restore`."""
        if self._recalled:
            return
        self._recalled = True
        names = {number: name for name, number in self.memory.known.items()}
        for row, number in zip(self.memory.played, self.memory.classes, strict=True):
            guide.learn(row, self.memory.said.get(row, ""), names.get(number, ()))
        guide.recount(self.memory.played)

    def _guided_drafts(self, guide: CauseGuide) -> list[Indices]:
        self._recall_cases(guide)
        if self._drafted != len(self.memory.played):
            self._drafted = len(self.memory.played)
            draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}/drafts")
            drafts = guide.drafts(self.batch, self.memory.played, self.seen, draw)
            self.pool = [row for row in self.pool if row not in self.seen][-_KEPT:]
            if self.settings.read and self.learnt:
                by_values = self._by_values({*self.pool, *drafts})
                drafts += self._mix_candidates(by_values, self.settings.read // _HARVEST_DRAFTS)
            self.pool = list(dict.fromkeys([*self.pool, *drafts]))
            self._texts = {row: self._texts[row] for row in self.pool if row in self._texts}
        return [row for row in self.pool if row not in self._texts and row not in self.seen]

    def _guided(self, guide: CauseGuide, number: int, draw: Random) -> Sequence[Indices]:
        """Return the cases that a search for root causes plays next."""
        self._guided_drafts(guide)  # nobody asks for drafts of players that cannot preview
        said = {
            row: self._texts[row]
            for row in self.pool
            if row in self._texts and row not in self.seen
        }
        unsaid = [row for row in self.pool if row not in self._texts and row not in self.seen]
        chosen = (
            guide.choose(number, said, unsaid, self, draw)
            if self.learnt
            else guide.begin(number, unsaid)
        )
        self._objectives.update(chosen)
        return [row for row, _ in chosen]

    def nearness(self, rows: list[Indices]) -> FloatArray:
        """Return how near cases are to failing, as the regressions by values predict."""
        ranked = self._ranked_by_values(rows, self._model("plain")) if rows else None
        if ranked is None:
            return np.zeros(0, np.float32)
        near = dict(zip(ranked.rows, (ranked.failing + ranked.bad).tolist(), strict=True))
        return np.array([near[row] for row in rows], np.float32)

    def harvest(
        self,
        number: int,
        rows: Mapping[Indices, float],
        excluded: Container[Indices],
        draw: Random,
    ) -> dict[Indices, CaseObjective]:
        """Return the cases that likely fail in rare classes, or with pairs that never failed."""
        if self.guide is None or number <= 0 or not rows:
            return {}
        ranked = self._ranked_by_words(list(rows)) or self._ranked_by_values(
            list(rows), self._model("values")
        )
        classes = FailureClasses(ranked.parts, self.memory.shown(self._parts))
        return harvested(number, ranked, classes, self.guide.pairs, excluded, draw, rows)

    def draw_objective(self, draw: Random) -> CaseObjective:
        """Draw what the next case is for, by the shares.

        The more new failure classes appear by themselves, the less is spent on looking for them;
        the better the predictions, the fewer random cases are played.
        """
        point, settings = draw.random(), self.settings
        recent_classes = self.memory.news(self.settings.first)
        shares = {
            CaseObjective.CHANCE: settings.explore * self._measure_misses(),
            CaseObjective.CLASS: settings.kinds * max(_LEAST, 1 - recent_classes / _PLENTY),
            CaseObjective.CELL: settings.spread,
        }
        for objective, share in shares.items():
            if point < share:
                return objective
            point -= share
        return CaseObjective.MOST

    def _measure_misses(self) -> float:
        """Return how bad predictions are: 1 if at most half of the likeliest failed lately."""
        missed = self._hits.count(False)
        return min(1.0, 2 * (missed + 2) / (len(self._hits) + 4))

    def refused(self, row: Indices) -> None:
        """Owe a case of the same objective: what is likeliest to fail is refused most often."""
        objective = self._objectives.pop(row, None)
        if objective is not None and self.guide is None:
            self._owed.append(objective.owed)

    def promising(self, objectives: Sequence[CaseObjective]) -> list[tuple[Indices, CaseObjective]]:
        """Return new candidates in the order to play, with their objectives."""
        ranked = self._by_words() or self._by_values(())
        classes = FailureClasses(ranked.parts, self.memory.shown(self._parts))
        draw = Random(f"{self.seed}/{self.round}/aims")
        patience = {
            objective: max(_LEAST, exp(-((cases / _PATIENCE) ** 2)))
            for objective, cases in self._stagnation.items()
        }
        acquisition = Acquisition(ranked, classes, self.memory, self.cases.sizes, draw, patience)
        return acquisition.ordered(objectives)

    def _mix_candidates(self, ranked: RankedCandidates, number: int) -> list[Indices]:
        draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}/mixed")
        return mix_candidates(ranked, number, self.cases.sizes, draw)

    def _by_values(self, excluded: Container[Indices]) -> RankedCandidates:
        """Return new candidates without the known ones, the most promising by their values first.

        The best have children, which are candidates too: in a large space with few failures, random
        cases and neighbours of failures rarely come near what is likeliest to fail.
        """
        draw = Random(f"{self.seed}/{self.round}/{len(self.seen)}")
        settings, model = self.settings, self._model("values")
        children = int(_CHILDREN * settings.candidates) if model else 0
        number = settings.candidates - children
        failing = self.memory.failing()
        rows_made = candidates(self.cases, failing, self.seen, number, settings.neighbours, draw)
        rows = [row for row in rows_made if row not in excluded]
        ranked = self._ranked_by_values(rows, model)
        if not children:
            return ranked
        best = ranked.rows[:_PARENTS]
        rows_made = candidates(
            self.cases, (best, [1.0] * len(best)), self.seen, children, 1.0, draw
        )
        rows = list(dict.fromkeys([*rows, *(row for row in rows_made if row not in excluded)]))
        return self._ranked_by_values(rows, model)

    def _ranked_by_values(self, rows: list[Indices], model: Logistic | None) -> RankedCandidates:
        return self._rank(rows, self._features.of(rows) if rows else None, model)

    def _by_words(self) -> RankedCandidates | None:
        """Return the pool ranked by values and words; None if words are unknown."""
        ranked = self._ranked_by_words([row for row in self.pool if row not in self.seen])
        if ranked is not None:
            self.pool = self._mix_candidates(ranked, _POOL)
        return ranked

    def _ranked_by_words(self, rows: Sequence[Indices]) -> RankedCandidates | None:
        """Return those of the cases whose words are known, ranked; None if there are none."""
        rows = [row for row in rows if row in self._texts]
        model = self._model("words")
        if not rows or model is None:
            return None
        texts = [self._texts[row] for row in rows]
        return self._rank(rows, self._with_words(rows, self._texts), model, texts)

    def _rank(
        self,
        rows: list[Indices],
        inputs: FloatArray | None,
        model: Logistic | None,
        texts: Sequence[str] = (),
    ) -> RankedCandidates:
        if model is None or inputs is None:
            ones = np.ones(len(rows), np.float32)
            return RankedCandidates(
                rows, ones, np.zeros((len(rows), len(self._parts)), np.float32), ones, ones
            )
        chances = model.predicted(inputs)
        novelty = self._novelty(texts) if texts else np.ones(len(rows), np.float32)
        bad = 1 + len(self._parts)
        parts = chances[:, 1:bad]
        value = chances[:, 0] ** self.settings.power * novelty
        if self.settings.rarity:
            classes = FailureClasses(parts, self.memory.shown(self._parts))
            value = value * (1 + self.settings.rarity * classes.rarity())
        order = np.argsort(-value, kind="stable")
        return RankedCandidates(
            [rows[at] for at in order.tolist()],
            chances[order, 0],
            parts[order],
            chances[order, bad:].max(1),
            novelty[order],
        )

    def _novelty(self, texts: Sequence[str]) -> FloatArray:
        """Return how different each text is from those said before."""
        if not self.memory.said:
            return np.ones(len(texts), np.float32)
        said = np.array(
            [word_vector(text) for text in list(self.memory.said.values())[-_COMPARED:]]
        )
        similarity = (np.array([word_vector(text) for text in texts]) @ said.T).max(1)
        novelty: FloatArray = np.clip((_TOO_NEAR - similarity) / (_TOO_NEAR - _FAR), 0.02, 1)
        return novelty

    # learning

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        if self.guide is not None:
            self._recall_cases(self.guide)
        objectives = {row: self._objectives[row] for row, _ in evaluated if row in self._objectives}
        for row, evaluation in evaluated:
            classes_before = len(self.memory.known)
            self.memory.add(row, evaluation)
            objective = self._objectives.pop(row, None)
            if objective is CaseObjective.MOST:
                self._hits.append(evaluation.failed)
            elif objective is not None and objective in self._stagnation:
                step = 1.0 if evaluation.failed else _LITTLE
                news = len(self.memory.known) > classes_before
                self._stagnation[objective] = 0.0 if news else self._stagnation[objective] + step
        self._models.clear()
        if self.guide is not None:
            self._learn_causes(self.guide, evaluated, objectives)

    def _learn_causes(
        self,
        guide: CauseGuide,
        evaluated: Sequence[Evaluated],
        objectives: Mapping[Indices, CaseObjective],
    ) -> None:
        for row, evaluation in evaluated:
            news = guide.learn(row, self.memory.said.get(row, ""), evaluation.failure_class)
            if row in objectives:
                guide.yields.add(objectives[row], news=news)
        causes = len(guide.model.causes)
        guide.model.update()
        for _ in range(len(guide.model.causes) - causes):
            guide.yields.add(CaseObjective.ISOLATE, news=True)
        guide.recount(self.memory.played)
        since = len(self.memory.played) - guide.model.last_found
        if 0 < self.settings.stop_after <= since and not guide.model.open:
            self.exhausted = True

    def read(self, row: Indices, text: str) -> None:
        """Hear what a candidate would say, or a case that was proposed."""
        if row in self.seen:
            self.memory.read(row, text)
        else:
            self._texts[row] = text

    def _model(self, by: str) -> Logistic | None:
        """Return the regression by values or by words, fitted when first needed after learning.

        The one by ``plain`` values does without trees, which take longest.
        """
        if by not in self._models:
            self._parts = self.memory.parts()
            rows, labels, known_labels = self.memory.lesson(self._parts)
            if by == "words":
                is_said = [row in self.memory.said for row in rows]
                rows = [row for row, said in zip(rows, is_said, strict=True) if said]
                mask = np.array(is_said, dtype=bool)
                labels, known_labels = labels[mask], known_labels[mask]
                if len(rows) < self._half or not labels[:, 0].any():
                    return None
            inputs = (
                self._with_words(rows, self.memory.said)
                if by == "words"
                else self._features.of(rows)
            )
            plain = sum(self.cases.sizes) + (WIDTH if by == "words" else 0)
            lesson = (inputs, labels, known_labels, self.settings.penalty, self.settings.steps)
            self._models[by] = (
                Logistic(*lesson) if by == "plain" else PooledPrediction(*lesson, plain=plain)
            )
        return self._models[by]

    def _with_words(self, rows: Sequence[Indices], texts: Mapping[Indices, str]) -> FloatArray:
        said = np.array([word_features(texts[row]) for row in rows])
        return np.hstack([said, self._features.of(rows)])

    # saving

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            **self.memory.state(),
            "pool": pack_rows(self.pool, self.cases.sizes),
            "drafted": self._drafted,
            "owed": "".join(self._owed),
            "in_vain": list(self._stagnation.values()),
            "hits": "".join("01"[hit] for hit in self._hits),
            "aims": [[list(row), str(objective)] for row, objective in self._objectives.items()],
            "causes": self.guide.model.state() if self.guide is not None else None,
            "yields": self.guide.yields.state() if self.guide is not None else None,
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.memory.restore(state)
        self.pool = unpack_rows(state["pool"], self.cases.sizes)
        self._drafted = int(state["drafted"])
        self._owed = [CaseObjective(value) for value in state["owed"]]
        counts = map(float, state["in_vain"])
        self._stagnation = dict(zip(self._stagnation, counts, strict=True))
        self._hits = deque((hit == "1" for hit in state["hits"]), _RECENT)
        self._objectives = {
            tuple(map(int, row)): CaseObjective(value) for row, value in state["aims"]
        }
        self._models.clear()
        if self.guide is not None:
            self.guide.model.restore(state["causes"])
            self.guide.yields.restore(state.get("yields") or {})
            self._recalled = False


_AIMED = 3
"""The number of batches that are ordered by objective, because some cases are refused."""


class SteadySurrogateSearch(SurrogateSearch):
    """Predicts anew whenever as many cases as a batch has have ended.

    Reading several hundred drafts and fitting two regressions after each case would cost as many
    times as much as the batch is large. In between, the candidates ranked last (`ranking`) are used
    up.
    """

    def __init__(self, cases: CaseSpace, seed: int, settings: SurrogateSettings) -> None:
        super().__init__(cases, seed, settings)
        self.ranking: list[Indices] = []
        self._ranked_for: list[CaseObjective] = []
        self._ended: list[Evaluated] = []

    def learn(self, evaluated: Sequence[Evaluated]) -> None:
        self._ended += evaluated
        if len(self._ended) >= self.batch:
            super().learn(self._ended)
            self._ended, self.ranking, self._ranked_for = [], [], []

    def drafts(self) -> list[Indices]:
        if self.guide is None and not self._left():
            self._drafted = -1  # they have all been asked, or refused: others are wanted
        return super().drafts()

    def promising(self, objectives: Sequence[CaseObjective]) -> list[tuple[Indices, CaseObjective]]:
        if not self._left():
            draw = Random(f"{self.seed}/{self.round}/lots")
            objectives = [self.draw_objective(draw) for _ in range(_AIMED * self.batch)]
            ranked = super().promising(
                [objective for objective in objectives if objective is not CaseObjective.CHANCE]
            )
            self.ranking = [row for row, _ in ranked]
            self._ranked_for = [objective for _, objective in ranked]
        return self._by_objectives(objectives)

    def _by_objectives(
        self, objectives: Sequence[CaseObjective]
    ) -> list[tuple[Indices, CaseObjective]]:
        """Return for each objective the first candidate ranked for it, else the first one left."""
        left = self._left()
        chosen: list[tuple[Indices, CaseObjective]] = []
        for objective in objectives[: len(left)]:
            matching = (row for row in left if left[row].wanted is objective)
            row = next(matching, None) or next(iter(left))
            chosen.append((row, left.pop(row)))
        return chosen

    def _left(self) -> dict[Indices, CaseObjective]:
        """Return the ranked candidates that were not proposed yet, with their objectives."""
        ranked = zip(self.ranking, self._ranked_for, strict=True)
        return {row: objective for row, objective in ranked if row not in self.seen}

    def state(self) -> dict[str, JsonValue]:
        return {
            **super().state(),
            "ranking": pack_rows(self.ranking, self.cases.sizes),
            "lots": "".join(self._ranked_for),
            "ended": [[list(row), dump_evaluation(evaluation)] for row, evaluation in self._ended],
        }

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.ranking = unpack_rows(state["ranking"], self.cases.sizes)
        self._ranked_for = [CaseObjective(value) for value in state["lots"]]
        if len(self._ranked_for) != len(self.ranking):
            raise ValueError("it ranks other cases")
        self._ended = [
            (tuple(map(int, row)), load_evaluation(value)) for row, value in state["ended"]
        ]
