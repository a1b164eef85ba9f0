"""Predicts failures, and the parts of their kinds."""

from collections.abc import Sequence

import numpy as np

from sparring_plugins.search.strategies.surrogate.pairs import PairNumbers, starts
from sparring_plugins.search.strategies.surrogate.word_features import Numbers

_MOST_PAIRS = 3_000
_PAIR = np.float32(0.7)
"""What a pair of values weighs beside a value: a little less, so that simple reasons win."""


class Features:
    """Cases as numbers: one for each value they have, and for each pair of values."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._first = starts(sizes)
        self._numbers = PairNumbers(sizes)
        self._singles = sum(sizes)
        self._pairs = min(self._numbers.total, _MOST_PAIRS)
        self._shared = self._numbers.total > _MOST_PAIRS

    def of(self, rows: Sequence[Sequence[int]]) -> Numbers:
        """A line of numbers for each case; the last is 1."""
        table = np.array(rows, dtype=np.intp)
        made = np.zeros((len(table), self._singles + self._pairs + 1), np.float32)
        at = np.arange(len(table))[:, None]
        made[at, table + self._first] = 1
        if self._pairs:
            places = self._numbers.of(table)
            if self._shared:  # multiplicative hashing
                places = (places * 2_654_435_761 % 4_294_967_296) % self._pairs
            made[at, self._singles + places] = _PAIR
        made[:, -1] = 1
        return made


class Logistic:
    """Logistic regressions over the same inputs, one for each label, fitted together.

    Penalised by the squares of the weights; fitted from nothing by Nesterov's accelerated
    gradient, so that the same cases give the same predictions whatever came before. `told` is 1
    for each label that is known of a case, and 0 for others: these are not learnt from.
    """

    def __init__(
        self, inputs: Numbers, labels: Numbers, told: Numbers, penalty: float, steps: int
    ) -> None:
        count = np.float32(len(inputs))
        share = np.clip((labels * told).sum(0) / np.maximum(told.sum(0), 1), 0.01, 0.99)
        weights: Numbers = np.zeros((inputs.shape[1], labels.shape[1]), np.float32)
        weights[-1] = np.log(share / (1 - share))
        rate = np.float32(1 / (0.25 * _spread(inputs) + penalty / float(count)))
        decay = np.float32(penalty) / count
        ahead: Numbers = weights
        pace = 1.0
        for _ in range(steps):
            off = told * (_sigmoid(inputs @ ahead) - labels)
            slope = inputs.T @ off / count + decay * ahead
            further: Numbers = (ahead - rate * slope).astype(np.float32)
            next_pace = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
            push = np.float32((pace - 1) / next_pace)
            ahead = (further + push * (further - weights)).astype(np.float32)
            weights, pace = further, next_pace
        self._weights = weights

    def predicted(self, inputs: Numbers) -> Numbers:
        """How likely each label is."""
        return _sigmoid(inputs @ self._weights)


def _spread(inputs: Numbers) -> float:
    """The largest eigenvalue of the inputs' covariance, from above, by power iteration."""
    vector = np.ones(inputs.shape[1], np.float32)
    for _ in range(8):
        vector = inputs.T @ (inputs @ vector)
        vector /= np.linalg.norm(vector) + np.float32(1e-12)
    return 1.2 * float(np.linalg.norm(inputs @ vector) ** 2) / len(inputs)


def _sigmoid(values: Numbers) -> Numbers:
    found: Numbers = (1 / (1 + np.exp(-np.clip(values, -30, 30)))).astype(np.float32)
    return found
