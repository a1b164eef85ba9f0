"""The consistency of a test case, from the standard deviations of the agents behind its steps.

Salva and Taguelmimt, Sections 4 and 5. An agent that is right with probability p has the standard
deviation sqrt(p(1-p)), at most 0.5; what is decided by plain rules has none. A step then counts
1 - 2 sigma for each agent that had a part in it, and a test case the mean of its steps. Opening
the first page counts in neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

#: The share of right answers at three sigma, with the usual shift of 1.5: 66,807 faults a million.
THREE_SIGMA = NormalDist().cdf(1.5)
_HIGHEST = 6.0


def deviation(p: float) -> float:
    """The standard deviation of an agent that is right with probability `p` in [0, 1]."""
    if not 0 <= p <= 1:
        raise ValueError(f"a probability lies in [0, 1], not {p}")
    return sqrt(p * (1 - p))


def sigma_level(p: float) -> float:
    """The Six-Sigma level of a share of right answers: 3 for 0.9332; never over 6 or below 0."""
    if p <= 0:
        return 0.0
    if p >= 1:
        return _HIGHEST
    return min(_HIGHEST, max(0.0, NormalDist().inv_cdf(p) + 1.5))


@dataclass(frozen=True)
class Sigmas:
    """The agents' standard deviations; None where they were never measured."""

    readiness: float | None = None
    navigator: float | None = None
    assertion: float | None = None


@dataclass(frozen=True)
class Deciding:
    """Who decided a step: for each agent that had a part, whether it went by plain rules."""

    kind: Literal["navigation", "assertion"]
    strict_readiness: bool = True
    strict_navigation: bool = True
    strict_assertion: bool = True


def step_consistency(step: Deciding, sigmas: Sigmas) -> float | None:
    """s_r times s_n of a navigation step, s_a of an assertion; None where a sigma is needed."""
    if step.kind == "assertion":
        return _factor(step.strict_assertion, sigmas.assertion)
    readiness = _factor(step.strict_readiness, sigmas.readiness)
    navigation = _factor(step.strict_navigation, sigmas.navigator)
    return None if readiness is None or navigation is None else readiness * navigation


def _factor(strict: bool, sigma: float | None) -> float | None:
    if strict:
        return 1.0
    return None if sigma is None else 1 - 2 * sigma


def consistency(steps: Sequence[Deciding], sigmas: Sigmas) -> float | None:
    """The mean over the steps of a test case; 1 for none; None where a sigma is not known."""
    values = [step_consistency(step, sigmas) for step in steps]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return sum(known) / len(known) if known else 1.0


Proposition = Literal["3", "2", "none"]


def proposition(steps: Sequence[Deciding], sigmas: Sigmas) -> Proposition:
    """Which of the paper's propositions says that a fail may be trusted.

    Proposition 3 where plain rules decided everything; 2 where each agent that was asked is
    within three sigma; else none.
    """
    asked: set[float | None] = set()
    for step in steps:
        if step.kind == "assertion":
            asked |= set() if step.strict_assertion else {sigmas.assertion}
            continue
        asked |= set() if step.strict_readiness else {sigmas.readiness}
        asked |= set() if step.strict_navigation else {sigmas.navigator}
    if not asked:
        return "3"
    limit = deviation(THREE_SIGMA)
    return "2" if all(sigma is not None and sigma <= limit for sigma in asked) else "none"


@dataclass(frozen=True)
class RelativeErrors:
    """Mean relative errors of predictions: with their signs, and without."""

    signed: float
    absolute: float


def relative_errors(pairs: Sequence[tuple[float, float]]) -> RelativeErrors | None:
    """MRE of (predicted, observed) pairs; observed values of 0 are left out; None for none."""
    errors = [(predicted - observed) / observed for predicted, observed in pairs if observed]
    if not errors:
        return None
    return RelativeErrors(
        signed=sum(errors) / len(errors), absolute=sum(map(abs, errors)) / len(errors)
    )
