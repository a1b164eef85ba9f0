"""Two sets of repeated runs compared: Mann-Whitney U, Vargha-Delaney A12, words for effects."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.study.statistics.scipy_access import numbers, scipy_stats

_EFFECTS = ((0.71, "large"), (0.64, "medium"), (0.56, "small"))
"""From which A12 on an effect is called so (Vargha and Delaney 2000)."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one set of values compares with another.

    `a12` is how likely a value of the first is larger than one of the second, ties counting half:
    0.5 for no difference, 1 where all are larger. `p` is that of the two-sided Mann-Whitney U test,
    exact where both sets are small and without ties. `effect` is a word for `a12`: negligible,
    small, medium or large, in either direction.
    """

    u: float
    p: float
    a12: float
    effect: str


def compared(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare two independent sets of values; raises ValueError where one is empty."""
    one, other = numbers(first), numbers(second)
    found = scipy_stats().mannwhitneyu(one, other, alternative="two-sided", method="auto")
    u = float(found.statistic)
    a12 = u / (len(one) * len(other))
    p = float(found.pvalue)
    if len({*one, *other}) == 1:  # all equal: the test has no variance to divide by
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
