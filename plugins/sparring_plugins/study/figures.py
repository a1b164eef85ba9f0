"""A study's figures as files for papers: SVG and PDF, drawn by matplotlib."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from sparring.errors import MissingExtra
from sparring_plugins.language.text import visible
from sparring_plugins.study.page import DOTTED, GROWING
from sparring_plugins.study.plan import slug
from sparring_plugins.study.result import BY_NAME, Curve, Row, StudyResult

# matplotlib's own types are wide: what it draws on is Any here.
# pyright: reportUnknownMemberType=false

FOLDER = "figures"

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31")
"""Told apart by people who are colour-blind (Okabe and Ito 2008); then they begin again."""

_DASHES = ("-", "--", "-.", ":")
"""Besides colours, for prints without them."""

_SIZE = (5.0, 3.0)
"""Inches; a column of a two-column paper is about 3.4 wide, and takes it at two thirds."""


def write_figures(result: StudyResult, folder: Path) -> list[Path]:
    """Write every figure in both formats; returns the files written, none without matplotlib.

    For each app: how distinct failures and failures grew with the tests, with the interval of the
    mean as a band, and every run's distinct failures, cluster coverage and effective kinds. The
    same study gives the same bytes.
    """
    try:
        draw = _Drawing()
    except MissingExtra:  # the study can be read without them
        return []
    target = folder / FOLDER
    target.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for app in result.apps:
        for measure, title in GROWING.items():
            curves = [each for each in result.curves if (each.app, each.measure) == (app, measure)]
            if any(curve.points for curve in curves):
                figure = draw.growth(result, title, curves)
                written += draw.save(figure, target / slug(f"{app} {measure} growth"))
        rows = [row for row in result.rows if row.app == app]
        for measure in DOTTED:
            with_it = [row for row in rows if measure in row.values]
            if with_it:
                figure = draw.dots(result, measure, with_it)
                written += draw.save(figure, target / slug(f"{app} {measure}"))
    return written


class _Drawing:
    """Draws with matplotlib and no screen; raises MissingExtra."""

    def __init__(self) -> None:
        try:
            import matplotlib
            from matplotlib.figure import Figure
        except ImportError as err:
            raise MissingExtra(
                "matplotlib is not installed: pip install 'sparring[study]'"
            ) from err
        self._figure: Any = Figure
        self._settings: Any = matplotlib.rc_context

    def growth(self, result: StudyResult, title: str, curves: Sequence[Curve]) -> Any:
        """How a measure grew with the tests."""
        figure, axes = self._axes()
        for curve in curves:
            at = result.strategies.index(curve.strategy)
            tests = [0, *(point.test for point in curve.points)]
            style = {"color": _COLOURS[at % len(_COLOURS)], "linestyle": _DASHES[at % len(_DASHES)]}
            mean = [0.0, *(point.mean for point in curve.points)]
            axes.plot(tests, mean, label=_text(curve.strategy), linewidth=1.5, **style)
            low = [0.0, *(point.low for point in curve.points)]
            high = [0.0, *(point.high for point in curve.points)]
            axes.fill_between(tests, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.set_xlabel("tests")
        axes.set_ylabel(title.lower())
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
        return figure

    def dots(self, result: StudyResult, measure: str, rows: Sequence[Row]) -> Any:
        """A dot per run, and the mean of each strategy with its interval."""
        figure, axes = self._axes()
        for at, row in enumerate(rows):
            colour = _COLOURS[result.strategies.index(row.strategy) % len(_COLOURS)]
            values = [
                value
                for run in result.runs
                if (run.app, run.strategy) == (row.app, row.strategy)
                and (value := run.values.get(measure)) is not None
            ]
            mean = row.values[measure]
            axes.plot(values, [at] * len(values), "o", color=colour, alpha=0.5, markersize=5)
            axes.plot([mean.mean], [at], "|", color=colour, markersize=18, markeredgewidth=2)
            if mean.low is not None and mean.high is not None:
                axes.plot([mean.low, mean.high], [at, at], color=colour, linewidth=1.5)
        axes.set_yticks(range(len(rows)), [_text(row.strategy) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(left=0)
        unit = BY_NAME[measure].unit
        axes.set_xlabel(BY_NAME[measure].title)
        if unit == "share":
            axes.xaxis.set_major_formatter(_percent)
        return figure

    def _axes(self) -> tuple[Any, Any]:
        figure = self._figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        axes.spines[["top", "right"]].set_visible(False)
        return figure, axes

    def save(self, figure: Any, path: Path) -> list[Path]:
        """Write a figure as SVG and PDF, without the time, each in one go."""
        written: list[Path] = []
        with self._settings({"svg.hashsalt": "sparring", "pdf.fonttype": 42, "text.usetex": False}):
            for kind, metadata in (("svg", {"Date": None}), ("pdf", {"CreationDate": None})):
                data = BytesIO()
                figure.savefig(data, format=kind, metadata=metadata)
                file = path.with_name(f"{path.name}.{kind}")
                temporary = file.with_name(f"{file.name}.new")
                temporary.write_bytes(data.getvalue())
                written.append(temporary.replace(file))
        return written


def _percent(value: float, _: object) -> str:
    """A mark on the axis of a share."""
    return f"{100 * value:g} %"


def _text(name: str) -> str:
    """A name as matplotlib is to write it: a dollar sign would begin a formula."""
    return visible(name).replace("$", r"\$")
