"""What a study found, as it is stored (``study.json``) and shown."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sparring.model.base import SCHEMA_VERSION, Value
from sparring_plugins.language.quantities import duration, money

Unit = Literal["count", "share", "seconds", "usd"]


class Measure(Value):
    """One thing that is measured of every run; `better` says which end is.

    `about` says in a sentence what it is.
    """

    name: str
    title: str
    unit: Unit = "count"
    better: Literal["more", "fewer", "neither"] = "more"
    about: str = ""


MEASURES = (
    Measure(name="tests", title="tests", better="neither", about="Cases that were judged."),
    Measure(name="failures", title="failures",
            about="Cases in which a gating check failed that the app owns."),
    Measure(name="failure_ratio", title="failure ratio", unit="share",
            about="Failures divided by tests."),
    Measure(name="distinct", title="distinct failures",
            about="Failures of which no two have utterances as alike as the threshold."),
    Measure(name="kinds", title="kinds", about="Different kinds of failures, as oracles tell."),
    Measure(name="effective_kinds", title="effective kinds",
            about="The exponential of the entropy of kinds over all failures."),
    Measure(name="coverage", title="cluster coverage", unit="share",
            about="Share of the clusters of all strategies' failures of which one was found."),
    Measure(name="failing_interactions", title="failing interactions", unit="share",
            about="Share of the interactions of features that are in a failed case."),
    Measure(name="interactions", title="interactions tried", unit="share",
            about="Share of the interactions of features that are in any case that was judged."),
    Measure(name="archive", title="archive coverage", unit="share",
            about="Share of the cells, over the features that the study names, with a failure."),
    Measure(name="generated", title="generation calls", better="fewer",
            about="How many cases were put into words, to be played or to be refused."),
    Measure(name="refused", title="refused", better="neither",
            about="Proposed cases that were not played, as duplicates of others."),
    Measure(name="first_failure", title="first failure", better="fewer",
            about="The number of the first test that failed; one more than all if none did."),
    Measure(name="skipped", title="not decided", better="fewer",
            about="Cases that ended in an error or inconclusive."),
    Measure(name="seconds", title="time", unit="seconds", better="fewer",
            about="How long the run took; runs side by side slow each other down."),
    Measure(name="cost", title="cost", unit="usd", better="fewer",
            about="What its language models cost, in US dollars; unknown if a price is."),
)  # fmt: skip
"""All measures, in the order of tables."""

COMPARED = ("distinct", "failures", "kinds", "effective_kinds", "coverage", "failing_interactions")
"""The measures by which strategies are compared with a baseline."""

FEW_SEEDS = 5
"""With fewer runs of each strategy no difference can be significant at 0.01."""

EFFECT_RUNS = 3
"""Of two and two runs, A12 is 0, 0.25, 0.5, 0.75 or 1: that of equal strategies is often large."""

BY_NAME = {one.name: one for one in MEASURES}


class RunRow(Value):
    """One run with its measures; None if something could not be measured."""

    app: str
    strategy: str
    seed: int
    run: str
    values: dict[str, float | None]
    classes: dict[str, int] = {}


class Spread(Value):
    """A measure over the runs of a strategy on an app; the interval is that of the mean."""

    mean: float
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int


class Row(Value):
    """A strategy on an app: its measures, and its classes of failures (mean number per run)."""

    app: str
    strategy: str
    seeds: tuple[int, ...]
    values: dict[str, Spread]
    classes: dict[str, float] = {}
    pooled_coverage: float | None = None


class Versus(Value):
    """A strategy compared with a baseline in one measure on one app.

    `ratio` is that of the means with its interval; `a12`, `effect` and the two-sided `p` of the
    Mann-Whitney U test are of the runs; `p_adjusted` is corrected for all comparisons with the
    baseline by the measure. With fewer than `EFFECT_RUNS` runs of either there is no effect size.
    """

    app: str
    strategy: str
    baseline: str
    measure: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    a12: float | None
    effect: str
    p: float
    p_adjusted: float | None = None


class CurvePoint(Value):
    """A point of a convergence curve: the mean over runs after `test` tests, and its interval."""

    test: int
    mean: float
    low: float
    high: float


class Curve(Value):
    """How a measure grew with the tests."""

    app: str
    strategy: str
    measure: str
    points: tuple[CurvePoint, ...]


class StudyResult(Value):
    """A study. `missing` names runs that are not played to their end, or could not be played."""

    schema_version: int = SCHEMA_VERSION
    name: str
    description: str = ""
    created: datetime
    apps: tuple[str, ...]
    strategies: tuple[str, ...]
    baselines: tuple[str, ...]
    seeds: tuple[int, ...]
    budget: str = ""
    threshold: float
    likeness: str
    strength: int
    archive: tuple[str, ...] = ()
    confidence: float
    clusters: dict[str, str] = Field(default={}, description="by app, the k of each repetition")
    runs: tuple[RunRow, ...] = ()
    rows: tuple[Row, ...] = ()
    comparisons: tuple[Versus, ...] = ()
    curves: tuple[Curve, ...] = ()
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    versions: dict[str, str] = {}

    def row(self, app: str, strategy: str) -> Row | None:
        """The row of a strategy on an app."""
        return next((r for r in self.rows if (r.app, r.strategy) == (app, strategy)), None)

    def versus(self, app: str, strategy: str, baseline: str, measure: str) -> Versus | None:
        """One comparison."""
        wanted = (app, strategy, baseline, measure)
        return next(
            (
                comparison
                for comparison in self.comparisons
                if (comparison.app, comparison.strategy, comparison.baseline, comparison.measure)
                == wanted
            ),
            None,
        )


# Numbers of a study as people read them.


def number(measure: str, value: float | None) -> str:
    """A value of a measure: a percentage, a count, or a count with a decimal."""
    if value is None:
        return "–"
    match BY_NAME[measure].unit:
        case "share":
            return f"{100 * value:.1f} %"
        case "usd":
            return money(value)
        case "seconds":
            return duration(value)
        case "count":
            pass
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def spread(measure: str, value: Spread | None) -> str:
    """A mean with its standard deviation."""
    if value is None:
        return "–"
    shown = number(measure, value.mean)
    if not value.sd:
        return shown
    unit = BY_NAME[measure].unit
    if unit == "share":
        return f"{100 * value.mean:.1f} ± {100 * value.sd:.1f} %"
    if unit != "count":
        return f"{shown} ± {number(measure, value.sd)}"
    return f"{shown} ± {value.sd:,.1f}" if value.sd < 10 else f"{shown} ± {value.sd:,.0f}"


def interval(measure: str, value: Spread | None) -> str:
    """The interval of a mean."""
    if value is None or value.low is None or value.high is None or value.low == value.high:
        return ""
    return f"{number(measure, value.low)} to {number(measure, value.high)}"


def effect_size(value: Versus | None) -> str:
    """An A12; a dash if there are too few runs for one."""
    return "–" if value is None or value.a12 is None else f"{value.a12:.2f}"


def ratio(value: Versus | None) -> str:
    """How many times as much."""
    return "–" if value is None or value.ratio is None else f"{value.ratio:.2f}"


def ratio_range(value: Versus | None) -> str:
    """The interval of a ratio."""
    if value is None or value.low is None or value.high is None:
        return "–"
    return f"{value.low:.2f} to {value.high:.2f}"


def probability(p: float | None) -> str:
    """A p value."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def classes(result: StudyResult, app: str, most: int) -> list[str]:
    """The most frequent classes of failures on an app, over all strategies."""
    sums: dict[str, float] = {}
    for row in result.rows:
        if row.app == app:
            for name, count in row.classes.items():
                sums[name] = sums.get(name, 0.0) + count
    return sorted(sums, key=lambda name: (-sums[name], name))[:most]
