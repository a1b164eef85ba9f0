"""Statistics of repeated runs: confidence intervals, comparisons of two sets, curves with bands.

scipy is optional and takes more than a second to import, so it is imported when it is needed.
"""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from typing import Any

from sparring.errors import MissingExtra


def scipy_stats() -> Any:
    """The module ``scipy.stats``; raises MissingExtra."""
    if find_spec("scipy") is None:
        raise MissingExtra("statistics need scipy: pip install 'sparring[statistics]'")
    from scipy import stats

    return stats


def numbers(values: Sequence[float], least: int = 1) -> list[float]:
    """Values as plain floats; raises ValueError for too few, and for what is no finite number."""
    floats = [float(value) for value in values]
    if len(floats) < least:
        raise ValueError(f"at least {least} values are needed, found {len(floats)}")
    if not all(map(isfinite, floats)):
        raise ValueError("all values must be finite numbers")
    return floats


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


def mean_interval(
    values: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """The bootstrap interval of a mean; None for a single value, which tells nothing of spread.

    Bias-corrected and accelerated (BCa) if that can be computed, else of percentiles; the same
    seed gives the same interval. Raises ValueError for no values and for what is no number.
    """
    sample = numbers(values)
    return _bootstrap((sample,), _mean, confidence, seed, paired=False)


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
    ours, theirs = numbers(first), numbers(second)
    if not paired:
        return _bootstrap((ours, theirs), _difference, confidence, seed, paired=False)
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} and {len(theirs)} values are no pairs")
    return mean_interval(
        [a - b for a, b in zip(ours, theirs, strict=True)], confidence=confidence, seed=seed
    )


def ratio_interval(
    first: Sequence[float], second: Sequence[float], *, confidence: float = 0.95, seed: int = 0
) -> Interval | None:
    """The bootstrap interval of the mean of `first` divided by that of `second`.

    None if one has a single value, or if the mean of `second` may be 0.
    """
    ours, theirs = numbers(first), numbers(second)
    if min(theirs) <= 0:
        return None
    return _bootstrap((ours, theirs), _ratio, confidence, seed, paired=False)


def _mean(values: Any, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def _difference(ours: Any, theirs: Any, axis: int = -1) -> Any:
    return ours.mean(axis=axis) - theirs.mean(axis=axis)


def _ratio(ours: Any, theirs: Any, axis: int = -1) -> Any:
    return ours.mean(axis=axis) / theirs.mean(axis=axis)


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
            result = scipy_stats().bootstrap(
                arrays,
                statistic,
                n_resamples=RESAMPLES,
                confidence_level=confidence,
                vectorized=True,
                paired=paired,
                method=method,
                rng=np.random.default_rng(seed),
            )
        low, high = (float(end) for end in result.confidence_interval)
        if isfinite(low) and isfinite(high):
            return Interval(low, high, confidence)
    return None


# Two sets of repeated runs compared: Mann-Whitney U, Vargha-Delaney A12, words for effects.


_EFFECTS = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
"""From which A12 on an effect is called so (Vargha and Delaney 2000)."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one set of values compares with another.

    `a12` is how likely a value of the first is larger than one of the second, ties counting half:
    0.5 for no difference, 1 if all are larger. `p` is that of the two-sided Mann-Whitney U test,
    exact if both sets are small and without ties. `effect` is a word for `a12`: negligible,
    small, medium or large, in either direction.
    """

    u: float
    p: float
    a12: float
    effect: str


def compared(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare two independent sets of values; raises ValueError if one is empty."""
    ours, theirs = numbers(first), numbers(second)
    test = scipy_stats().mannwhitneyu(ours, theirs, alternative="two-sided", method="auto")
    u = float(test.statistic)
    a12 = u / (len(ours) * len(theirs))
    p = float(test.pvalue)
    if len({*ours, *theirs}) == 1:  # all equal: the test has no variance to divide by
        p = 1.0
    return Comparison(u=u, p=p, a12=a12, effect=effect_of(a12))


def effect_of(a12: float) -> str:
    """The word for an A12, of whichever direction."""
    size = max(a12, 1 - a12)
    return next((word for least, word in _EFFECTS if size >= least - 1e-12), "negligible")


def adjusted(ps: Sequence[float]) -> list[float]:
    """The p values of several comparisons, corrected for their number (Benjamini-Hochberg)."""
    if not ps:
        return []
    return [float(p) for p in scipy_stats().false_discovery_control(numbers(ps), method="bh")]


# Curves of repeated runs as one curve with a band.


@dataclass(frozen=True, slots=True)
class Point:
    """Where a curve is at `x`: the mean over runs, and the ends of its interval."""

    x: int
    mean: float
    low: float
    high: float
    runs: int


def positions(last: int, most: int = 50) -> list[int]:
    """Where to look at a curve over tests 1 to `last`: at most `most` places, the last included."""
    if last <= most:
        return list(range(1, last + 1))
    return sorted({round(last * step / most) for step in range(1, most + 1)})


def band(
    curves: Sequence[Sequence[float]],
    *,
    confidence: float = 0.95,
    seed: int = 0,
    most: int = 50,
) -> list[Point]:
    """The mean of several runs over their tests, with its bootstrap interval.

    `curves[run][i]` is the value after test i + 1. A run that ended early keeps its last value, as
    it would find no more. Where there is one run, the band has no width.
    """
    used = [curve for curve in curves if curve]
    points: list[Point] = []
    for x in positions(max(map(len, used), default=0), most):
        values = [float(curve[min(x, len(curve)) - 1]) for curve in used]
        mean = sum(values) / len(values)
        interval = mean_interval(values, confidence=confidence, seed=seed)
        low, high = (interval.low, interval.high) if interval else (mean, mean)
        points.append(Point(x, mean, low, high, len(values)))
    return points
