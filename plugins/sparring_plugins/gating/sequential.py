"""A test that looks at a rate several times: when it looks, and how unlikely it then has to be."""

from functools import lru_cache
from itertools import takewhile
from math import exp, log

from sparring_plugins.gating.statistics import at_most, log_choose, spent_by

# Three plays, all alike, leave more than half of all rates possible: a look then says nothing.
_FIRST_LOOK = 5
_NEGLIGIBLE = 1e-15
"""Probabilities below are left out of sums over paths: all of them stay far below any level."""

Levels = tuple[float, float]
"""The p value at which a rate is too low, and the one at which it is high enough."""


def next_look(trials: int, most: int) -> int:
    """Return after how many trials the look that follows the one after `trials` (0: none) is.

    The first is after five trials, and each has half as many trials more.
    """
    return min(most, max(_FIRST_LOOK, trials + max(1, trials // 2)))


def levels_after(trials: int, most: int, rate: float, alpha: float) -> Levels:
    """Return the levels of the last look that `trials` reach, of at most `most` trials.

    A check that passes with probability `rate` is called too low at any of the looks with
    probability `alpha` at most, and one that passes less often is called high enough as rarely.
    Both are 0, at which nothing is decided, before the first look.
    """
    low, high = _levels(most, rate, alpha), _levels(most, 1 - rate, alpha)
    reached = sum(1 for _ in takewhile(lambda look: look <= trials, _looks(most)))
    return (low[reached - 1], high[reached - 1]) if reached else (0.0, 0.0)


@lru_cache(maxsize=64)
def _looks(most: int) -> tuple[int, ...]:
    looks = [next_look(0, most)]
    while looks[-1] < most:
        looks.append(next_look(looks[-1], most))
    return tuple(looks)


@lru_cache(maxsize=64)
def _levels(most: int, p: float, alpha: float) -> tuple[float, ...]:
    """Return the level of each look: the p value of the largest count that is still too small.

    Exact group-sequential bounds: `paths` has the probability of each number of successes that no
    look before has stopped. A look stops the smallest numbers, as long as all that was stopped
    is at most what the spending function allows by then. What a look cannot spend, because counts
    are whole, is left to the next; the last look may spend all that is left.
    """
    if not 0 < p < 1:
        return (0.0,) * len(_looks(most))
    levels: list[float] = []
    paths, before, spent = {0: 1.0}, 0, 0.0
    for look in _looks(most):
        paths = _further(paths, look - before, p)
        for successes in sorted(paths):
            if spent + paths[successes] > spent_by(look / most, alpha):
                break
            spent += paths.pop(successes)
        # Smaller numbers have only checks that a look before has stopped already, and that went on
        # because of another check of the same case.
        bound = min(paths, default=look + 1) - 1
        levels.append(at_most(bound, look, p))
        before = look
    return tuple(levels)


def _further(paths: dict[int, float], trials: int, p: float) -> dict[int, float]:
    """Return the probabilities of all numbers of successes after this many further trials."""
    logs = ((k, log_choose(trials, k) + k * log(p) + (trials - k) * log(1 - p))
            for k in range(trials + 1))  # fmt: skip
    steps = [(k, exp(value)) for k, value in logs if value > log(_NEGLIGIBLE)]
    sums: dict[int, float] = {}
    for successes, probability in paths.items():
        for k, step in steps:
            sums[successes + k] = sums.get(successes + k, 0.0) + probability * step
    return {number: total for number, total in sums.items() if total > _NEGLIGIBLE}
