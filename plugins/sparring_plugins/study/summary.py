"""Summaries of strategies from the measures of all runs: means, comparisons, curves."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from platform import python_version
from statistics import stdev

import sparring
from sparring_plugins.study.measures import AppMeasured, Measured
from sparring_plugins.study.plan import StudyPlan
from sparring_plugins.study.result import (
    COMPARED,
    EFFECT_RUNS,
    MEASURES,
    Curve,
    CurvePoint,
    Row,
    RunRow,
    Spread,
    StudyResult,
    Versus,
)
from sparring_plugins.study.statistics import (
    adjusted,
    band,
    compared,
    mean_interval,
    ratio_interval,
)

# An oracle that names each failure by its text has a class a case.
_MOST_CLASSES = 1_000


def summed(
    plan: StudyPlan,
    apps: Mapping[str, AppMeasured],
    *,
    likeness: str,
    missing: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> StudyResult:
    """All that a study found, from the runs that are over."""
    labels = tuple(strategy.label for strategy in plan.strategies)
    groups = {
        (app, label): [run for run in measured.runs if run.outcome.cell.strategy == label]
        for app, measured in apps.items()
        for label in labels
    }
    played = {key: runs for key, runs in groups.items() if runs}
    budget = plan.budget.model_dump(exclude_none=True) if plan.budget else {}
    return StudyResult(
        name=plan.name,
        description=plan.description,
        created=datetime.now(UTC),
        apps=tuple(apps),
        strategies=labels,
        baselines=plan.compared_with,
        seeds=plan.seeds,
        budget=", ".join(f"{value:g} {name}" for name, value in budget.items()),
        threshold=plan.threshold,
        likeness=likeness,
        strength=plan.strength,
        archive=plan.archive,
        confidence=plan.confidence,
        clusters={app: _clusters(measured) for app, measured in apps.items()},
        runs=tuple(_run(run) for measured in apps.values() for run in measured.runs),
        rows=tuple(_row(app, label, runs, apps[app], plan)
                   for (app, label), runs in played.items()),
        comparisons=tuple(_comparisons(played, plan)),
        curves=tuple(_curves(played, plan)),
        missing=tuple(missing),
        warnings=tuple(warnings),
        versions={"sparring": sparring.__version__, "python": python_version()},
    )  # fmt: skip


def _clusters(measured: AppMeasured) -> str:
    return ", ".join(
        f"{clustering.k} ({clustering.silhouette:.2f})" for clustering in measured.clusterings
    )


def _run(measured: Measured) -> RunRow:
    cell = measured.outcome.cell
    return RunRow(
        app=cell.app,
        strategy=cell.strategy,
        seed=cell.seed,
        run=str(cell.folder),
        values=dict(measured.values),
        classes=dict(measured.classes),
    )


def _row(
    app: str, label: str, runs: Sequence[Measured], measured: AppMeasured, plan: StudyPlan
) -> Row:
    values = {
        measure.name: _spread(known, plan.confidence)
        for measure in MEASURES
        if (known := _known(runs, measure.name))
    }
    names = list(dict.fromkeys(name for run in runs for name in run.classes))
    classes = {name: sum(run.classes.get(name, 0) for run in runs) / len(runs) for name in names}
    most = sorted(classes.items(), key=lambda item: (-item[1], item[0]))[:_MOST_CLASSES]
    return Row(
        app=app,
        strategy=label,
        seeds=tuple(run.outcome.cell.seed for run in runs),
        values=values,
        classes=dict(most),
        pooled_coverage=measured.pooled_coverage(label),
    )


def _known(runs: Sequence[Measured], measure: str) -> list[float]:
    return [value for run in runs if (value := run.values.get(measure)) is not None]


def _spread(values: Sequence[float], confidence: float) -> Spread:
    interval = mean_interval(values, confidence=confidence)
    return Spread(
        mean=sum(values) / len(values),
        sd=stdev(values) if len(values) > 1 else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        runs=len(values),
    )


def _comparisons(
    groups: Mapping[tuple[str, str], Sequence[Measured]], plan: StudyPlan
) -> Iterator[Versus]:
    """Every strategy against every baseline; p corrected within an app, baseline and measure."""
    apps = list(dict.fromkeys(app for app, _ in groups))
    for app in apps:
        for baseline in plan.compared_with:
            for measure in COMPARED:
                comparisons = [
                    comparison
                    for (where, label), runs in groups.items()
                    if where == app and label != baseline
                    and (comparison := _versus(app, label, runs, baseline, groups, measure, plan))
                ]  # fmt: skip
                for comparison, p in zip(
                    comparisons, adjusted([comparison.p for comparison in comparisons]), strict=True
                ):
                    yield comparison.model_copy(update={"p_adjusted": p})


def _versus(
    app: str,
    label: str,
    runs: Sequence[Measured],
    baseline: str,
    groups: Mapping[tuple[str, str], Sequence[Measured]],
    measure: str,
    plan: StudyPlan,
) -> Versus | None:
    ours = _known(runs, measure)
    theirs = _known(groups.get((app, baseline), ()), measure)
    if not ours or not theirs:
        return None
    comparison = compared(ours, theirs)
    has_effect = min(len(ours), len(theirs)) >= EFFECT_RUNS
    base = sum(theirs) / len(theirs)
    interval = ratio_interval(ours, theirs, confidence=plan.confidence) if base else None
    return Versus(
        app=app,
        strategy=label,
        baseline=baseline,
        measure=measure,
        ratio=sum(ours) / len(ours) / base if base else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        a12=comparison.a12 if has_effect else None,
        effect=comparison.effect if has_effect else "",
        p=comparison.p,
    )


def _curves(
    groups: Mapping[tuple[str, str], Sequence[Measured]], plan: StudyPlan
) -> Iterator[Curve]:
    for (app, label), runs in groups.items():
        grown = {
            "distinct": [run.outcome.curve(list(run.distinct)) for run in runs],
            "failures": [
                run.outcome.curve([failure.test for failure in run.outcome.failures])
                for run in runs
            ],
        }
        for measure, curves in grown.items():
            points = band(curves, confidence=plan.confidence)
            yield Curve(
                app=app,
                strategy=label,
                measure=measure,
                points=tuple(
                    CurvePoint(test=point.x, mean=point.mean, low=point.low, high=point.high)
                    for point in points
                ),
            )
