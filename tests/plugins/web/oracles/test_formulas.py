"""The paper's consistency, to four digits."""

import pytest

from sparring_plugins.web.repeated_runs import (
    THREE_SIGMA,
    Sigmas,
    StepDecision,
    consistency,
    deviation,
    proposition,
    relative_errors,
    sigma_level,
)

LLAMA = Sigmas(readiness=0.029807545, navigator=0.014214106, assertion=0.06870104)
QWEN = Sigmas(readiness=0.065140091, navigator=0.0, assertion=0.043187707)
NAVIGATION = StepDecision("navigation", strict_navigation=False)
STRICT_ASSERTION = StepDecision("assertion")
ASSERTION = StepDecision("assertion", strict_assertion=False)


@pytest.mark.parametrize(
    ("steps", "sigmas", "value"),
    [
        ([NAVIGATION] * 2 + [STRICT_ASSERTION], LLAMA, 0.9810),
        ([NAVIGATION] * 5 + [STRICT_ASSERTION], LLAMA, 0.9763),
        ([NAVIGATION] * 8 + [STRICT_ASSERTION], LLAMA, 0.9747),
        ([NAVIGATION] * 2 + [ASSERTION], LLAMA, 0.9352),
        ([NAVIGATION] * 4 + [STRICT_ASSERTION], LLAMA, 0.9773),
        ([NAVIGATION] * 8 + [ASSERTION], QWEN, 0.9904),
        ([StepDecision("navigation")] * 5 + [STRICT_ASSERTION], Sigmas(), 1.0),
        ([], Sigmas(), 1.0),
    ],
)
def test_the_published_values(steps: list[StepDecision], sigmas: Sigmas, value: float) -> None:
    found = consistency(steps, sigmas)
    assert found is not None
    assert round(found, 4) == value


def test_without_the_sigma_of_an_agent_that_was_asked_it_is_not_known() -> None:
    assert consistency([NAVIGATION], Sigmas(readiness=0.1, assertion=0.1)) is None


def test_three_sigma() -> None:
    assert round(THREE_SIGMA, 4) == 0.9332
    assert round(deviation(THREE_SIGMA), 4) == 0.2497
    assert sigma_level(THREE_SIGMA) == pytest.approx(3.0)
    assert (sigma_level(1.0), sigma_level(0.0)) == (6.0, 0.0)
    assert sigma_level(0.5) == pytest.approx(1.5)


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_a_probability_lies_between_0_and_1(p: float) -> None:
    with pytest.raises(ValueError, match=r"a probability lies in \[0, 1\]"):
        deviation(p)


@pytest.mark.parametrize(
    ("steps", "sigmas", "which"),
    [
        ([StepDecision("navigation"), STRICT_ASSERTION], Sigmas(), "3"),
        ([NAVIGATION, ASSERTION], LLAMA, "2"),
        ([NAVIGATION], Sigmas(navigator=0.3), "none"),
        ([NAVIGATION], Sigmas(), "none"),
    ],
)
def test_which_proposition_applies(steps: list[StepDecision], sigmas: Sigmas, which: str) -> None:
    assert proposition(steps, sigmas) == which


def test_relative_errors_with_and_without_signs() -> None:
    errors = relative_errors([(0.9, 1.0), (1.0, 0.8), (0.5, 0.0)])
    assert errors is not None
    assert errors.signed == pytest.approx((-0.1 + 0.25) / 2)
    assert errors.absolute == pytest.approx((0.1 + 0.25) / 2)
    assert relative_errors([]) is None
