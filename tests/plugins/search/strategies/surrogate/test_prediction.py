"""What trees add to the regressions: failures whose reasons only act together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.search.strategies.surrogate.memory import FloatArray
from sparring_plugins.search.strategies.surrogate.prediction import Logistic, PooledPrediction

PENALTY, STEPS = 0.3, 40
SEPARATED = 0.95


def cases(number: int, seed: int, width: int = 12) -> tuple[FloatArray, FloatArray]:
    """Inputs of 0 and 1 with a last one of 1, and whether one but not both of two is there."""
    inputs = np.random.default_rng(seed).integers(0, 2, (number, width)).astype(np.float32)
    inputs[:, -1] = 1
    failed = (inputs[:, 0] != inputs[:, 1]).astype(np.float32)
    return inputs, failed


def separated(model: Logistic, inputs: FloatArray, failed: FloatArray) -> float:
    """How often a case that fails is thought likelier to fail than one that does not."""
    chances = model.predicted(inputs)[:, 0]
    bad, good = chances[failed > 0], chances[failed == 0]
    return float((bad[:, None] > good[None]).mean())


def fitted(
    kind: type[Logistic], inputs: FloatArray, labels: FloatArray, plain: int = 12
) -> Logistic:
    told = np.ones_like(labels)
    if kind is Logistic:
        return Logistic(inputs, labels, told, PENALTY, STEPS)
    return PooledPrediction(inputs, labels, told, PENALTY, STEPS, plain=plain)


def test_reasons_that_only_act_together_are_found() -> None:
    inputs, failed = cases(300, 1)
    unseen, truth = cases(200, 2)
    alone = fitted(Logistic, inputs, failed[:, None])
    pooled = fitted(PooledPrediction, inputs, failed[:, None])
    assert separated(alone, unseen, truth) < SEPARATED
    assert separated(pooled, unseen, truth) > SEPARATED


@given(st.integers(4, 60), st.integers(0, 1_000))
def test_chances_stay_chances_and_other_labels_are_the_regressions(number: int, seed: int) -> None:
    inputs, failed = cases(number, seed)
    labels = np.stack([failed, 1 - failed, inputs[:, 2]], axis=1)
    pooled = fitted(PooledPrediction, inputs, labels).predicted(inputs)
    alone = fitted(Logistic, inputs, labels).predicted(inputs)
    assert pooled.shape == alone.shape
    assert np.isfinite(pooled).all()
    assert ((pooled >= 0) & (pooled <= 1)).all()
    assert np.array_equal(pooled[:, 1:], alone[:, 1:])


@pytest.mark.parametrize("outcome", [0, 1])
def test_where_all_end_alike_the_regression_is_left_alone(outcome: int) -> None:
    inputs, _ = cases(50, 3)
    labels = np.full((50, 1), outcome, np.float32)
    pooled = fitted(PooledPrediction, inputs, labels).predicted(inputs)
    assert np.array_equal(pooled, fitted(Logistic, inputs, labels).predicted(inputs))


def test_what_is_not_plain_is_not_shown_to_trees() -> None:
    inputs, failed = cases(300, 4)
    hidden = fitted(PooledPrediction, inputs[:, ::-1], failed[:, None], plain=10)
    shown = fitted(PooledPrediction, inputs[:, ::-1], failed[:, None], plain=12)
    assert separated(hidden, inputs[:, ::-1], failed) < separated(shown, inputs[:, ::-1], failed)


def test_the_same_cases_give_the_same_chances() -> None:
    inputs, failed = cases(200, 5)
    first, again = (fitted(PooledPrediction, inputs, failed[:, None]) for _ in range(2))
    assert np.array_equal(first.predicted(inputs), again.predicted(inputs))
