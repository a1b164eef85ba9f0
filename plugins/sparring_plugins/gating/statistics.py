"""Exact tests and intervals for a gate.

All are sums over a binomial or a hypergeometric distribution, so that no library is needed that
takes a second to be imported.
"""

from array import array
from collections.abc import Iterable, Mapping
from math import exp, lgamma, log, sqrt
from random import Random
from statistics import NormalDist
from typing import TypeVar

Interval = tuple[float, float]

_KeyT = TypeVar("_KeyT")
_DRAWS = 2_000_000
"""Values that one bootstrap draws at most: about half a second."""

# A gate shows two digits of a rate: the ends of an interval are steady to these.
_RESAMPLES = 2_000
# With fewer the 2.5 % at each end are a dozen draws.
_FEWEST_RESAMPLES = 500
_MOST_DRAWN_FROM = _DRAWS // _FEWEST_RESAMPLES


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval | None:
    """Return the score interval of a share (E. B. Wilson, JASA 22, 1927); `None` of nothing.

    (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = successes / n. It stays in
    [0, 1] and has a width also if all succeed. `n` need not be whole: what is not
    independent may count as less than one.
    """
    if n <= 0:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = successes / n
    middle = p + z * z / (2 * n)
    spread = z * sqrt(max(0.0, p * (1 - p)) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def at_most(k: int, n: int, p: float) -> float:
    """Return P(X ≤ k) of a binomial variable of `n` trials with probability `p`."""
    if k >= n:
        return 1.0
    if k < 0:
        return 0.0
    if p <= 0 or p >= 1:
        return float(p <= 0)
    if k > n // 2:  # the shorter tail: fewer terms, and less is lost by subtracting
        return max(0.0, 1 - _sum(range(k + 1, n + 1), n, p))
    return min(1.0, _sum(range(k + 1), n, p))


def at_least(k: int, n: int, p: float) -> float:
    """Return P(X ≥ k) of a binomial variable of `n` trials with probability `p`."""
    return at_most(n - k, n, 1 - p)


def _sum(values: range, n: int, p: float) -> float:
    return sum(exp(log_choose(n, k) + k * log(p) + (n - k) * log(1 - p)) for k in values)


def log_choose(n: int, k: int) -> float:
    """Return the logarithm of the number of ways to choose `k` of `n`."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def mcnemar(worse: int, better: int) -> float:
    """Return the exact two-sided p of McNemar's test for pairs of which so many changed.

    Under the null hypothesis each of the `worse` + `better` changed pairs falls to either side
    with probability 1/2 (Q. McNemar, Psychometrika 12, 1947).
    """
    return min(1.0, 2 * at_most(min(worse, better), worse + better, 0.5))


def less_often(before: tuple[int, int], after: tuple[int, int]) -> float:
    """Return the one-sided p of Fisher's exact test that `after` succeeds less often.

    Both are (successes, trials); small if so few successes after are unlikely with equal rates.
    """
    (first, n_first), (second, n_second) = before, after
    successes, whole = first + second, n_first + n_second
    lowest = max(0, successes - n_first)
    ways = log_choose(whole, successes)
    terms = (
        exp(log_choose(n_second, k) + log_choose(n_first, successes - k) - ways)
        for k in range(lowest, second + 1)
    )
    return min(1.0, sum(terms))


def holm(
    p_values: Mapping[_KeyT, float], counts: Mapping[_KeyT, int] | None = None
) -> dict[_KeyT, float]:
    """Return p-values adjusted for their number (S. Holm, Scand. J. Statist. 6, 1979).

    `counts` is how many tests have each of them, one if it is left out. Of tests with the same p
    the first one decides: the others have a smaller factor, and none may be below it.
    """
    adjusted: dict[_KeyT, float] = {}
    highest, left = 0.0, sum(counts.values()) if counts else len(p_values)
    for key in sorted(p_values, key=lambda key: p_values[key]):
        highest = max(highest, min(1.0, left * p_values[key]))
        adjusted[key] = highest
        left -= counts[key] if counts else 1
    return adjusted


class RunningMean:
    """The mean of values that are added one by one, in constant memory, and its interval."""

    def __init__(self) -> None:
        self._first = array("d")  # as many as a bootstrap draws from
        self._squares = (
            0.0  # of the differences from the mean (B. P. Welford, Technometrics 4, 1962)
        )
        self.count = 0
        self.mean = 0.0
        self.is_anything = False

    def add(self, value: float) -> None:
        """Add a value."""
        self.count += 1
        off = value - self.mean
        self.mean += off / self.count
        self._squares += off * (value - self.mean)
        self.is_anything = self.is_anything or bool(value)
        if self.count <= _MOST_DRAWN_FROM:
            self._first.append(value)

    def interval(self, confidence: float = 0.95, *, seed: int = 0) -> Interval | None:
        """Return the percentile bootstrap interval of the mean; `None` of fewer than two values.

        Of more than a few thousand values, of which the mean is as good as normal, it is that of
        the normal distribution, which takes no drawing.
        """
        n = self.count
        if n < 2:
            return None
        if n > _MOST_DRAWN_FROM:
            deviation = sqrt(self._squares / (n - 1))
            reach = NormalDist().inv_cdf((1 + confidence) / 2) * deviation / sqrt(n)
            return self.mean - reach, self.mean + reach
        draw = Random(seed)
        number = min(_RESAMPLES, _DRAWS // n)
        means = sorted(sum(draw.choices(self._first, k=n)) / n for _ in range(number))
        left_out = int((1 - confidence) / 2 * number)
        return means[left_out], means[number - 1 - left_out]


def mean_interval(
    values: Iterable[float], confidence: float = 0.95, *, seed: int = 0
) -> Interval | None:
    """Return the interval of a mean, see `RunningMean.interval`."""
    mean = RunningMean()
    for value in values:
        mean.add(value)
    return mean.interval(confidence, seed=seed)


def spent_by(share: float, alpha: float) -> float:
    """Return how much of `alpha` a sequential test may have spent at a `share` of its trials.

    The spending function of Pocock's kind by Lan and DeMets (Biometrika 70, 1983),
    alpha · ln(1 + (e - 1) · t): what looks at all shares spend adds up to `alpha`.
    """
    return alpha * log(1 + (exp(1) - 1) * min(1.0, max(0.0, share)))
