"""Confidence intervals: of a share (Wilson), of a mean and of a difference (bootstrap)."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sparring_plugins.study.statistics.scipy_access import numbers, scipy_stats

RESAMPLES = 9_999
"""How often values are drawn again for a bootstrap."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, ends included; `confidence` in (0, 1)."""

    low: float
    high: float
    confidence: float = 0.95

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low:.3g} to {self.high:.3g}"


def share_interval(hits: int, of: int, *, confidence: float = 0.95) -> Interval:
    """The Wilson score interval of a share, such as of failed cases; raises ValueError."""
    if not 0 <= hits <= of or of < 1:
        raise ValueError(f"{hits} of {of} is no share")
    found = scipy_stats().binomtest(hits, of).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high), confidence)


def mean_interval(
    values: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """The bootstrap interval of a mean; None for a single value, which tells nothing of spread.

    Bias-corrected and accelerated (BCa) where that can be computed, else of percentiles; the same
    seed gives the same interval. Raises ValueError for no values and for what is no number.
    """
    found = numbers(values)
    return _bootstrap((found,), _mean, confidence, seed, paired=False)


def difference_interval(
    first: Sequence[float],
    second: Sequence[float],
    *,
    paired: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
) -> Interval | None:
    """The bootstrap interval of how much larger the mean of `first` is than that of `second`.

    With `paired`, values at the same place belong together (the same case, the same seed). None
    where one has a single value; raises ValueError.
    """
    one, other = numbers(first), numbers(second)
    if not paired:
        return _bootstrap((one, other), _difference, confidence, seed, paired=False)
    if len(one) != len(other):
        raise ValueError(f"{len(one)} and {len(other)} values are no pairs")
    return mean_interval(
        [a - b for a, b in zip(one, other, strict=True)], confidence=confidence, seed=seed
    )


def ratio_interval(
    first: Sequence[float], second: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """The bootstrap interval of the mean of `first` divided by that of `second`.

    None where one has a single value, and where the mean of `second` may be 0.
    """
    one, other = numbers(first), numbers(second)
    if min(other) <= 0:
        return None
    return _bootstrap((one, other), _ratio, confidence, seed, paired=False)


def _mean(values: Any, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def _difference(one: Any, other: Any, axis: int = -1) -> Any:
    return one.mean(axis=axis) - other.mean(axis=axis)


def _ratio(one: Any, other: Any, axis: int = -1) -> Any:
    return one.mean(axis=axis) / other.mean(axis=axis)


def _bootstrap(
    samples: tuple[list[float], ...],
    statistic: Callable[..., Any],
    confidence: float,
    seed: int,
    *,
    paired: bool,
) -> Interval | None:
    import numpy as np

    arrays = [np.asarray(sample) for sample in samples]
    if any(len(sample) < 2 for sample in samples):
        return None
    if all(len(set(sample)) == 1 for sample in samples):
        at = float(statistic(*arrays))
        return Interval(at, at, confidence)
    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a degenerate jackknife: the next method is taken
            found = scipy_stats().bootstrap(
                arrays,
                statistic,
                n_resamples=RESAMPLES,
                confidence_level=confidence,
                vectorized=True,
                paired=paired,
                method=method,
                rng=np.random.default_rng(seed),
            )
        low, high = (float(end) for end in found.confidence_interval)
        if isfinite(low) and isfinite(high):
            return Interval(low, high, confidence)
    return None
