"""Testers side by side: means over apps, with confidence intervals over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

from sparring_plugins.study.comparison.curves import MEASURES, Measured, by_tester
from sparring_plugins.study.statistics.curves import Point, band
from sparring_plugins.study.statistics.intervals import Interval, difference_interval, mean_interval


@dataclass(frozen=True, slots=True)
class TesterRow:
    """A tester's value of one measure at the end: a share in [0, 1], or a number of problems.

    `interval` is over seeds, None where there is one seed; `better` is the difference to the first
    tester, with its interval. `values` has the value of each seed.
    """

    tester: str
    values: tuple[float, ...]
    mean: float
    interval: Interval | None
    better: float | None
    better_interval: Interval | None
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure over all apps: `apps` have it; with `counts`, values are numbers, not shares."""

    measure: str
    apps: int
    turns: int
    counts: bool
    rows: tuple[TesterRow, ...]


def compared(found: Sequence[Measured], turns: int, *, confidence: float = 0.95) -> list[Compared]:
    """Every measure over all apps, after each of so many turns."""
    made: list[Compared] = []
    for measure in MEASURES:
        mine = [one for one in found if one.measure == measure]
        if mine:
            made.append(_compared(measure, mine, turns, confidence))
    return made


def _compared(measure: str, found: Sequence[Measured], turns: int, confidence: float) -> Compared:
    counts = measure == "problems"
    rows: list[TesterRow] = []
    first: list[float] | None = None
    for tester, curves in _by_seed(found, turns, counts=counts).items():
        values = [curve[-1] for curve in curves]
        mean = sum(values) / len(values)
        interval = mean_interval(values, confidence=confidence)
        better = better_interval = None
        if first is not None:
            better = mean - sum(first) / len(first)
            better_interval = difference_interval(values, first, confidence=confidence)
        first = first if first is not None else values
        points = tuple(band([curve[1:] for curve in curves], confidence=confidence, most=25))
        rows.append(
            TesterRow(tester, tuple(values), mean, interval, better, better_interval, points)
        )
    return Compared(measure, len(found), turns, counts, tuple(rows))


def _by_seed(
    found: Sequence[Measured], turns: int, *, counts: bool
) -> dict[str, list[list[float]]]:
    """For each tester a curve per seed: the mean share over its apps, or the sum of problems."""
    seeds: dict[str, dict[str, list[list[float]]]] = {}
    for one in found:
        whole = len(one.whole)
        for tester, curves in by_tester(one.curves).items():
            for curve in curves:
                values = [n if counts else n / whole for n in curve.counts(turns)]
                seeds.setdefault(tester, {}).setdefault(curve.series.seed, []).append(values)
    return {
        tester: [_over_apps(each, counts=counts) for each in of_seed.values()]
        for tester, of_seed in seeds.items()
    }


def _over_apps(curves: Sequence[Sequence[float]], *, counts: bool) -> list[float]:
    sums = [float(sum(values)) for values in zip(*curves, strict=True)]
    return sums if counts else [value / len(curves) for value in sums]
