"""Curves of repeated runs as one curve with a band."""

# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.study.statistics.intervals import mean_interval


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
        found = mean_interval(values, confidence=confidence, seed=seed)
        low, high = (found.low, found.high) if found else (mean, mean)
        points.append(Point(x, mean, low, high, len(values)))
    return points
