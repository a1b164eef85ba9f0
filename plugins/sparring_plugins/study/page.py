"""A study as one page that needs nothing but a browser, with figures drawn as inline SVG."""

import math
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from pathlib import Path

from sparring_plugins.output.html_page import render_page
from sparring_plugins.study import result as numbers
from sparring_plugins.study.result import (
    BY_NAME,
    COMPARED,
    FEW_SEEDS,
    MEASURES,
    Curve,
    Measure,
    Row,
    RunRow,
    StudyResult,
)

# A study's figures as plain geometry; the page draws them as inline SVG.

WIDTH, HEIGHT = 640, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 628.0, 14.0, 292.0
# Height of a strategy's row of dots, in units of the picture: two lines of labels fit.
_LANE = 34.0
_DOT_LEFT, _DOT_RIGHT = 190.0, 612.0
# "surrogate, goal: failures" fits beside the axis.
_MOST_LABEL = 26
STYLES = 8
"""How many strategies have a colour and a dash of their own; further ones share them."""

DOTTED = ("distinct", "coverage", "effective_kinds")
"""Measures of which every run is shown as a dot."""

GROWING = {"distinct": "Distinct failures", "failures": "Failures"}


@dataclass(frozen=True, slots=True)
class Line:
    """A strategy's curve: its points and the outline of its band, in SVG's notation."""

    label: str
    style: int
    points: str
    band: str
    title: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Growth:
    """How a measure grew with the tests, a line with a band per strategy."""

    title: str
    summary: str
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """A strategy in a dot plot: a dot per run, the mean, and its interval."""

    label: str
    style: int
    y: float
    dots: tuple[tuple[float, str], ...]
    mean: float
    low: float
    high: float
    title: str


@dataclass(frozen=True, slots=True)
class Dots:
    """A measure of all runs, a lane per strategy."""

    title: str
    summary: str
    lanes: tuple[Lane, ...]
    x_ticks: tuple[Tick, ...]
    height: float


def growths(result: StudyResult, app: str) -> Iterator[Growth]:
    """The convergence figures of an app."""
    for measure, title in GROWING.items():
        curves = [curve for curve in result.curves if (curve.app, curve.measure) == (app, measure)]
        curves = [curve for curve in curves if curve.points]
        if curves:
            yield _growth(result, title, measure, curves)


def _growth(result: StudyResult, title: str, measure: str, curves: Sequence[Curve]) -> Growth:
    last = max(curve.points[-1].test for curve in curves)
    top = _ceiling(max(point.high for curve in curves for point in curve.points))
    lines = tuple(_line(result, measure, curve, last, top) for curve in curves)
    ends = "; ".join(f"{line.label} {line.title}" for line in lines)
    return Growth(
        title=title,
        summary=f"mean over runs, with the {100 * result.confidence:g} % interval as a band. "
        f"At the end: {ends}",
        lines=lines,
        x_ticks=tuple(Tick(_x(at, last), f"{at:,.0f}") for at in axis_marks(last)),
        y_ticks=tuple(Tick(_y(at, top), f"{at:,g}") for at in axis_marks(top)),
    )


def _line(result: StudyResult, measure: str, curve: Curve, last: float, top: float) -> Line:
    zero = (_x(0, last), _y(0, top))
    mean = [zero, *((_x(point.test, last), _y(point.mean, top)) for point in curve.points)]
    high = [zero, *((_x(point.test, last), _y(point.high, top)) for point in curve.points)]
    low = [zero, *((_x(point.test, last), _y(point.low, top)) for point in curve.points)]
    return Line(
        label=curve.strategy,
        style=result.strategies.index(curve.strategy) % STYLES,
        points=_points(mean),
        band=_points([*high, *reversed(low)]),
        title=numbers.number(measure, curve.points[-1].mean),
    )


def dot_plots(result: StudyResult, app: str) -> Iterator[Dots]:
    """The figures of an app that show every run."""
    rows = [row for row in result.rows if row.app == app]
    for measure in DOTTED:
        with_it = [row for row in rows if measure in row.values]
        if with_it:
            yield _dots(result, measure, app, with_it)


def _dots(result: StudyResult, measure: str, app: str, rows: Sequence[Row]) -> Dots:
    runs = [run for run in result.runs if run.app == app]
    values = [value for run in runs if (value := run.values.get(measure)) is not None]
    share = BY_NAME[measure].unit == "share"
    top = 1.0 if share else _ceiling(max(values, default=1.0))
    lanes = tuple(
        _lane(result, measure, row, [run for run in runs if run.strategy == row.strategy], at, top)
        for at, row in enumerate(rows)
    )
    title = BY_NAME[measure].title
    return Dots(
        title=title[:1].upper() + title[1:],
        summary="a dot per run; the bar is the mean with its "
        f"{100 * result.confidence:g} % interval",
        lanes=lanes,
        x_ticks=tuple(
            Tick(_across(at, top), f"{100 * at:g} %" if share else f"{at:,g}")
            for at in axis_marks(top)
        ),
        height=_TOP + _LANE * len(lanes) + 30,
    )


def _lane(
    result: StudyResult, measure: str, row: Row, runs: Sequence[RunRow], at: int, top: float
) -> Lane:
    value = row.values[measure]
    points = [
        (run.seed, measured) for run in runs if (measured := run.values.get(measure)) is not None
    ]
    return Lane(
        label=_short(row.strategy),
        style=result.strategies.index(row.strategy) % STYLES,
        y=_TOP + _LANE * (at + 0.5),
        dots=tuple(
            (_across(measured, top), f"seed {seed}: {numbers.number(measure, measured)}")
            for seed, measured in points
        ),
        mean=_across(value.mean, top),
        low=_across(value.mean if value.low is None else value.low, top),
        high=_across(value.mean if value.high is None else value.high, top),
        title=f"{row.strategy}: {numbers.spread(measure, value)}",
    )


def _x(value: float, last: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * value / (last or 1), 1)


def _y(value: float, top: float) -> float:
    return round(_BOTTOM - (_BOTTOM - _TOP) * value / (top or 1), 1)


def _across(value: float, top: float) -> float:
    return round(_DOT_LEFT + (_DOT_RIGHT - _DOT_LEFT) * min(1.0, value / (top or 1)), 1)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _ceiling(value: float) -> float:
    """The next round number above."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((power * f for f in (1, 1.5, 2, 3, 4, 5, 6, 8) if power * f >= value), power * 10)


def axis_marks(top: float) -> list[float]:
    """Three to six marks from 0 to the top, whole numbers where that can be."""
    parts = next((parts for parts in (4, 5, 3, 2) if (top / parts).is_integer()), 4)
    return [top * part / parts for part in range(parts + 1)]


def _short(label: str) -> str:
    return label if len(label) <= _MOST_LABEL else f"{label[: _MOST_LABEL - 1]}…"


FILES = Path(__file__).with_name("page")


def page(result: StudyResult) -> str:
    """The page; everything in it that is not ours is text, never markup."""
    values = {
        "result": result,
        "created": result.created.astimezone(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "numbers": numbers,
        "compared": COMPARED,
        "by_name": BY_NAME,
        "few_seeds": FEW_SEEDS,
        "width": WIDTH,
        "height": HEIGHT,
        "shown": partial(_list_shown_measures, result),
        "best": partial(_best, result),
        "versus": partial(_versus, result),
        "growths": partial(growths, result),
        "dot_plots": partial(dot_plots, result),
    }
    return render_page(FILES, "page.html.jinja", values)


def _list_shown_measures(result: StudyResult, app: str) -> Sequence[Measure]:
    """The measures of which some strategy has a value on an app."""
    rows = [row for row in result.rows if row.app == app]
    return [measure for measure in MEASURES if any(measure.name in row.values for row in rows)]


def _best(result: StudyResult, app: str, measure: Measure) -> Set[str]:
    """The strategies that are best by a measure on an app; none if it has no better end."""
    means = {
        row.strategy: row.values[measure.name].mean
        for row in result.rows
        if row.app == app and measure.name in row.values
    }
    if measure.better == "neither" or len(set(means.values())) < 2:
        return frozenset()
    most = (max if measure.better == "more" else min)(means.values())
    return {name for name, value in means.items() if value == most}


def _versus(result: StudyResult, app: str, baseline: str) -> list[str]:
    """The strategies that are compared with a baseline on an app."""
    strategies = (comparison.strategy for comparison in result.comparisons
             if (comparison.app, comparison.baseline) == (app, baseline))  # fmt: skip
    return list(dict.fromkeys(strategies))
