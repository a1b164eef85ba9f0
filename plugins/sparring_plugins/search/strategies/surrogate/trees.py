"""Predicts failures by trees as well: they know of reasons that only act together."""

# pyright: reportMissingTypeStubs=false

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring_plugins.search.strategies.surrogate.prediction import Logistic
from sparring_plugins.search.strategies.surrogate.word_features import Numbers

_TREES = 40
_TRIED = 100
"""Inputs that each branch chooses from, as many as there are."""

_LEAF = 2
_SEEN = 3
"""Cases that an input has to be seen in: what is rarer is left to the regression."""

_CASES = 1_000
"""The last cases that trees learn from: they take longer than the regressions."""

_SURE = 0.01
"""How sure trees may be, so that they never overrule the regression."""


class PooledPrediction(Logistic):
    """Logistic regressions; the first label, whether a case fails, is pooled with trees.

    The trees (extremely randomised ones: Geurts, Ernst and Wehenkel 2006) see the first `plain`
    inputs. The two chances are pooled by the mean of their log odds, which over five assistants
    put more failures among the best sixty candidates than either of them.
    """

    def __init__(
        self,
        inputs: Numbers,
        labels: Numbers,
        told: Numbers,
        penalty: float,
        steps: int,
        *,
        plain: int,
    ) -> None:
        super().__init__(inputs, labels, told, penalty, steps)
        self._trees: Any = None
        inputs, failed = inputs[-_CASES:, :plain], labels[-_CASES:, 0] > 0
        self._seen = np.flatnonzero((inputs > 0).sum(0) >= _SEEN)
        if len(self._seen) and failed.any() and not failed.all():
            self._trees = _grown(inputs[:, self._seen], failed)

    def predicted(self, inputs: Numbers) -> Numbers:
        """How likely each label is."""
        chances = super().predicted(inputs)
        if self._trees is not None:
            told: Numbers = self._trees.predict_proba(inputs[:, self._seen])[:, 1]
            odds = (_log_odds(told) + _log_odds(chances[:, 0])) / 2
            chances[:, 0] = 1 / (1 + np.exp(-odds))
        return chances


def _grown(inputs: Numbers, failed: NDArray[np.bool_]) -> Any:
    from sklearn import ensemble

    trees: Any = ensemble.ExtraTreesClassifier
    tried = min(_TRIED, inputs.shape[1])
    made = trees(_TREES, max_features=tried, min_samples_leaf=_LEAF, random_state=0)
    return made.fit(inputs, failed)


def _log_odds(chances: Numbers) -> Numbers:
    sure = chances.clip(_SURE, 1 - _SURE)
    found: Numbers = np.log(sure / (1 - sure)).astype(np.float32)
    return found
