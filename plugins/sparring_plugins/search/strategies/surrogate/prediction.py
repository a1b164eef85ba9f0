"""Predict failures and the parts of their classes: logistic regressions, pooled with trees.

Trees find reasons that only act together, which regressions over values and pairs miss.
"""

# pyright: reportMissingTypeStubs=false

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring_plugins.search.strategies.surrogate.memory import FloatArray, PairNumbers, starts

# A pair is an input of the model; with more of them several share one place.
_MOST_PAIRS = 3_000
_PAIR = np.float32(0.7)
"""The weight of a pair of values beside a value: less, so that simple reasons win."""


class Features:
    """Cases as numbers: one for each value they have, and for each pair of values."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._first = starts(sizes)
        self._numbers = PairNumbers(sizes)
        self._singles = sum(sizes)
        self._pairs = min(self._numbers.total, _MOST_PAIRS)
        self._shared = self._numbers.total > _MOST_PAIRS

    def of(self, rows: Sequence[Sequence[int]]) -> FloatArray:
        """Return a row of numbers for each case; the last is 1."""
        table = np.array(rows, dtype=np.intp)
        inputs = np.zeros((len(table), self._singles + self._pairs + 1), np.float32)
        at = np.arange(len(table))[:, None]
        inputs[at, table + self._first] = 1
        if self._pairs:
            places = self._numbers.of(table)
            if self._shared:  # multiplicative hashing
                places = (places * 2_654_435_761 % 4_294_967_296) % self._pairs
            inputs[at, self._singles + places] = _PAIR
        inputs[:, -1] = 1
        return inputs


class Logistic:
    """Logistic regressions over the same inputs, one for each label, fitted together.

    Penalised by the squares of the weights; fitted from zero by Nesterov's accelerated gradient, so
    that the same cases give the same predictions whatever came before. `known` is 1 for each label
    that is known of a case, and 0 for others, which are not learnt from.
    """

    def __init__(
        self, inputs: FloatArray, labels: FloatArray, known: FloatArray, penalty: float, steps: int
    ) -> None:
        count = np.float32(len(inputs))
        share = np.clip((labels * known).sum(0) / np.maximum(known.sum(0), 1), 0.01, 0.99)
        weights: FloatArray = np.zeros((inputs.shape[1], labels.shape[1]), np.float32)
        weights[-1] = np.log(share / (1 - share))
        rate = np.float32(1 / (0.25 * _spread(inputs) + penalty / float(count)))
        decay = np.float32(penalty) / count
        ahead: FloatArray = weights
        pace = 1.0
        for _ in range(steps):
            off = known * (_sigmoid(inputs @ ahead) - labels)
            slope = inputs.T @ off / count + decay * ahead
            further: FloatArray = (ahead - rate * slope).astype(np.float32)
            next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
            push = np.float32((pace - 1) / next_pace)
            ahead = (further + push * (further - weights)).astype(np.float32)
            weights, pace = further, next_pace
        self._weights = weights

    def predicted(self, inputs: FloatArray) -> FloatArray:
        """Return the probability of each label."""
        return _sigmoid(inputs @ self._weights)


def _spread(inputs: FloatArray) -> float:
    """Bound the largest eigenvalue of the inputs' covariance from above, by power iteration."""
    vector = np.ones(inputs.shape[1], np.float32)
    for _ in range(8):
        vector = inputs.T @ (inputs @ vector)
        vector /= np.linalg.norm(vector) + np.float32(1e-12)
    return 1.2 * float(np.linalg.norm(inputs @ vector) ** 2) / len(inputs)


def _sigmoid(values: FloatArray) -> FloatArray:
    probabilities: FloatArray = (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
    return probabilities


_TREES = 40
_TRIED = 100
"""The number of inputs that each branch chooses from, at most."""

# A leaf of one case remembers noise.
_LEAF = 2
_SEEN = 3
"""The least number of cases with an input: rarer inputs are left to the regression."""

_CASES = 1_000
"""The number of last cases that trees learn from: they take longer than the regressions."""

_SURE = 0.01
"""The bound on the trees' certainty, so that they never overrule the regression."""


class PooledPrediction(Logistic):
    """Logistic regressions; the first label, whether a case fails, is pooled with trees.

    The trees (extremely randomised: Geurts, Ernst and Wehenkel 2006) see the first `plain` inputs.
    The two chances are pooled by the mean of their log odds. Over five assistants this put more
    failures among the best sixty candidates than either of them.
    """

    def __init__(
        self,
        inputs: FloatArray,
        labels: FloatArray,
        known: FloatArray,
        penalty: float,
        steps: int,
        *,
        plain: int,
    ) -> None:
        super().__init__(inputs, labels, known, penalty, steps)
        self._trees: Any = None
        inputs, failed = inputs[-_CASES:, :plain], labels[-_CASES:, 0] > 0
        self._seen = np.flatnonzero((inputs > 0).sum(0) >= _SEEN)
        if len(self._seen) and failed.any() and not failed.all():
            self._trees = _grow_trees(inputs[:, self._seen], failed)

    def predicted(self, inputs: FloatArray) -> FloatArray:
        """Return the probability of each label."""
        chances = super().predicted(inputs)
        if self._trees is not None:
            tree_chances: FloatArray = self._trees.predict_proba(inputs[:, self._seen])[:, 1]
            odds = (_log_odds(tree_chances) + _log_odds(chances[:, 0])) / 2
            chances[:, 0] = 1 / (1 + np.exp(-odds))
        return chances


def _grow_trees(inputs: FloatArray, failed: NDArray[np.bool_]) -> Any:
    from sklearn import ensemble

    trees: Any = ensemble.ExtraTreesClassifier
    inputs_tried = min(_TRIED, inputs.shape[1])
    forest = trees(_TREES, max_features=inputs_tried, min_samples_leaf=_LEAF, random_state=0)
    return forest.fit(inputs, failed)


def _log_odds(chances: FloatArray) -> FloatArray:
    bounded = chances.clip(_SURE, 1 - _SURE)
    odds: FloatArray = np.log(bounded / (1 - bounded)).astype(np.float32)
    return odds
