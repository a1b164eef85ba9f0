"""Failure rates corrected for the errors that a judge was measured to make, with intervals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, variance


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """A judge's answers to examples that are known to be failures, or not.

    `caught` of the failures were judged failures and `missed` were not; `cleared` of the others
    were judged right, `blamed` were judged failures.
    """

    caught: int
    missed: int
    cleared: int
    blamed: int

    @classmethod
    def of(
        cls, confusion: Mapping[str, Mapping[str, int]], failing: Collection[str]
    ) -> "JudgeErrors":
        """Count the errors in a table of answers by what is right; `failing` are failures."""
        counts = {(True, True): 0, (True, False): 0, (False, False): 0, (False, True): 0}
        for expected, answers in confusion.items():
            for answer, count in answers.items():
                counts[expected in failing, answer in failing] += count
        return cls(
            caught=counts[True, True],
            missed=counts[True, False],
            cleared=counts[False, False],
            blamed=counts[False, True],
        )

    @property
    def failures(self) -> int:
        """The number of failures among the examples."""
        return self.caught + self.missed

    @property
    def others(self) -> int:
        """The number of examples that are no failures."""
        return self.cleared + self.blamed


@dataclass(frozen=True, slots=True)
class Rate:
    """A share and its interval."""

    value: float
    low: float
    high: float


def rogan_gladen(failed: int, judged: int, errors: JudgeErrors, level: float = 0.95) -> Rate | None:
    """Return the true share of failures if a judge found `failed` of `judged` cases to fail.

    The estimator of Rogan and Gladen (1978) with the interval of Lang and Reiczigel (2014). Returns
    None if the examples have no failures, or nothing but failures, or if the judge tells them
    apart no better than chance.
    """
    if not judged or not errors.failures or not errors.others:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    tested = judged + z * z
    share = (failed + z * z / 2) / tested
    positives, negatives = errors.failures + 2, errors.others + 2
    sensitivity, specificity = (errors.caught + 1) / positives, (errors.cleared + 1) / negatives
    power = sensitivity + specificity - 1
    if power <= 0:
        return None
    rate = (share + specificity - 1) / power
    of_sensitivity = sensitivity * (1 - sensitivity) / positives
    of_specificity = specificity * (1 - specificity) / negatives
    shift = 2 * z * z * (rate * of_sensitivity - (1 - rate) * of_specificity)
    spread = sqrt(
        share * (1 - share) / tested
        + rate * rate * of_sensitivity
        + (1 - rate) ** 2 * of_specificity
    ) / abs(power)
    plain = failed / judged
    own = errors.caught / errors.failures + errors.cleared / errors.others - 1
    value = (plain + errors.cleared / errors.others - 1) / own if own > 0 else rate
    low, high = _clip(rate + shift - z * spread), _clip(rate + shift + z * spread)
    return Rate(min(high, max(low, _clip(value))), low, high)


def prediction_powered(
    judged: Sequence[bool], labelled: Sequence[tuple[bool, bool]], level: float = 0.95
) -> Rate | None:
    """Return the true share of failures among cases of the same kind as some labelled ones.

    `judged` are its answers for cases without labels, `labelled` pairs of its answer and the
    truth. Prediction-powered inference of a mean (Angelopoulos and others 2023): the share that
    the judge found and its mean error, each with its own variance. Returns None if there are fewer
    than two of either.
    """
    if len(judged) < 2 or len(labelled) < 2:
        return None
    answers = [float(failed) for failed in judged]
    errors = [float(true) - float(failed) for failed, true in labelled]
    value = fmean(answers) + fmean(errors)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    spread = z * sqrt(variance(answers) / len(answers) + variance(errors) / len(errors))
    return Rate(_clip(value), _clip(value - spread), _clip(value + spread))


def _clip(share: float) -> float:
    return min(1.0, max(0.0, share))
