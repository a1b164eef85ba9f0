"""A comparison of explorers as a page and as tables: means over apps, intervals over seeds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring_plugins.language.text import one_line
from sparring_plugins.output.html_page import render_page
from sparring_plugins.study.comparison_curves import MEASURES, Measured, by_tester
from sparring_plugins.study.page import HEIGHT, STYLES, WIDTH, Growth, Line, Tick
from sparring_plugins.study.statistics import (
    Interval,
    Point,
    band,
    difference_interval,
    mean_interval,
)

# Testers side by side: means over apps, with confidence intervals over seeds.


@dataclass(frozen=True, slots=True)
class TesterRow:
    """A tester's value of one measure at the end: a share in [0, 1], or a number of problems.

    `interval` is over seeds, None if there is one seed; `better` is the difference to the first
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


def compared(
    measurements: Sequence[Measured], turns: int, *, confidence: float = 0.95
) -> list[Compared]:
    """Every measure over all apps, after each of so many turns."""
    comparisons: list[Compared] = []
    for measure in MEASURES:
        mine = [measurement for measurement in measurements if measurement.measure == measure]
        if mine:
            comparisons.append(_compare(measure, mine, turns, confidence))
    return comparisons


def _compare(
    measure: str, measurements: Sequence[Measured], turns: int, confidence: float
) -> Compared:
    counts = measure == "problems"
    rows: list[TesterRow] = []
    first: list[float] | None = None
    for tester, curves in _by_seed(measurements, turns, counts=counts).items():
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
    return Compared(measure, len(measurements), turns, counts, tuple(rows))


def _by_seed(
    measurements: Sequence[Measured], turns: int, *, counts: bool
) -> dict[str, list[list[float]]]:
    """For each tester a curve per seed: the mean share over its apps, or the sum of problems."""
    seeds: dict[str, dict[str, list[list[float]]]] = {}
    for measurement in measurements:
        whole = len(measurement.whole)
        for tester, curves in by_tester(measurement.curves).items():
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


FILES = Path(__file__).with_name("page")
TITLES = {
    "sentences": "Sentence states",
    "semantic": "Semantic states",
    "intents": "Intents",
    "slots": "Slots",
    "samples": "Sample utterances",
    "handlers": "Handlers",
    "lines": "Lines",
    "problems": "Problems",
}
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 628.0, 14.0, 292.0


def page(comparisons: Sequence[Compared], named: Sequence[str], confidence: float) -> str:
    """The page; what is not ours in it is text, never markup."""
    values = {
        "found": comparisons,
        "figures": [(growth(comparison), comparison) for comparison in comparisons],
        "named": [one_line(name, 200) for name in named],
        "testers": [one_line(row.tester, 80) for row in comparisons[0].rows] if comparisons else [],
        "percent": f"{100 * confidence:g}",
        "width": WIDTH,
        "height": HEIGHT,
        "titles": TITLES,
        "value": value,
        "gain": gain,
    }
    return render_page(FILES, "compare.html.jinja", values)


def growth(comparison: Compared) -> Growth:
    """How a measure grew with the turns: a line with a band per tester."""
    top = max((point.high for row in comparison.rows for point in row.points), default=1.0)
    top = max(1.0, top) if comparison.counts else min(1.0, max(0.1, top))
    best = max(comparison.rows, key=lambda row: row.mean)
    lines = [_line(number, row, comparison, top) for number, row in enumerate(comparison.rows)]
    steps = sorted({round(comparison.turns * share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)})
    return Growth(
        title=f"{TITLES[comparison.measure]}. ",
        summary=f"after {comparison.turns} turns {one_line(best.tester, 80)} is ahead with "
        f"{_number(comparison, best.mean)}",
        lines=tuple(lines),
        x_ticks=tuple(Tick(round(_x(step, comparison.turns), 1), str(step)) for step in steps),
        y_ticks=tuple(
            Tick(round(_y(share), 1), _number(comparison, top * share)) for share in (0.0, 0.5, 1.0)
        ),
    )


def _line(number: int, row: TesterRow, comparison: Compared, top: float) -> Line:
    def at(x: int, height: float) -> str:
        return f"{_x(x, comparison.turns):.1f},{_y(height / top):.1f}"

    upper = [at(point.x, point.high) for point in row.points]
    lower = [at(point.x, point.low) for point in reversed(row.points)]
    return Line(
        label=one_line(row.tester, 80),
        style=number % STYLES,
        points=" ".join(at(point.x, point.mean) for point in row.points),
        band=" ".join([*upper, *lower]),
        title=value(comparison, row),
    )


def _x(turn: int, turns: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * turn / max(1, turns)


def _y(share: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * share


def _number(comparison: Compared, number: float) -> str:
    return f"{number:.1f}" if comparison.counts else f"{100 * number:.1f} %"


def value(comparison: Compared, row: TesterRow) -> str:
    """A mean with its interval, in words."""
    return _number(comparison, row.mean) + _between(comparison, row.interval)


def gain(comparison: Compared, row: TesterRow) -> str:
    """The difference to the first tester; empty for that one."""
    if row.better is None:
        return ""
    sign = "+" if row.better >= 0 else "-"
    shown = _number(comparison, abs(row.better))
    return f"{sign}{shown}{_between(comparison, row.better_interval)}"


def _between(comparison: Compared, interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f" ({_number(comparison, interval.low)} to {_number(comparison, interval.high)})"


def curve_rows(measurements: Sequence[Measured], turns: int) -> Iterator[list[str]]:
    """Every curve as cells: a row per app, measure, tester, seed and turn."""
    yield ["app", "measure", "tester", "seed", "turn", "count", "whole", "share"]
    for measurement in measurements:
        whole = len(measurement.whole)
        for curve in measurement.curves:
            series = curve.series
            for turn, count in enumerate(curve.counts(turns)):
                yield [
                    *(measurement.app, measurement.measure, series.tester, series.seed, str(turn)),
                    *(str(count), str(whole), f"{count / whole:.4f}"),
                ]


def summary_rows(comparisons: Sequence[Compared]) -> Iterator[list[str]]:
    """The values at the end as cells: a row per measure and tester."""
    yield [
        *("measure", "apps", "turns", "tester", "seeds", "mean", "low", "high"),
        *("difference", "difference_low", "difference_high"),
    ]
    for comparison in comparisons:
        for row in comparison.rows:
            yield [
                *(
                    comparison.measure,
                    str(comparison.apps),
                    str(comparison.turns),
                    row.tester,
                    str(len(row.values)),
                ),
                *(f"{row.mean:.4f}", *_ends(row.interval)),
                *("" if row.better is None else f"{row.better:.4f}", *_ends(row.better_interval)),
            ]


def _ends(interval: Interval | None) -> tuple[str, str]:
    return ("", "") if interval is None else (f"{interval.low:.4f}", f"{interval.high:.4f}")
