"""A study from its file to its tables."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from sparring.documents.checking import nearest
from sparring.documents.reading import Document
from sparring.errors import ConfigurationError, StoredRunError
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.options import is_in_process
from sparring_plugins.language.text import visible
from sparring_plugins.search.diversity import require_sklearn, text_embedding
from sparring_plugins.study import result as numbers
from sparring_plugins.study.figures import write_figures
from sparring_plugins.study.measures import (
    AppMeasured,
    Embedded,
    RunOutcome,
    measure_app,
    outcome_of,
)
from sparring_plugins.study.page import page
from sparring_plugins.study.plan import (
    Cell,
    Checked,
    StudyPlan,
    cells_of,
    check_cells,
    find_plan,
    load_plan,
    slug,
)
from sparring_plugins.study.result import COMPARED, MEASURES, StudyResult
from sparring_plugins.study.series import is_over, require_unchanged, stored_run
from sparring_plugins.study.statistics import scipy_stats
from sparring_plugins.study.summary import summed

# A study's tables as files: CSV for programs, LaTeX for papers.

# A cell "=HYPERLINK(…)", as an app may answer, would be run by a spreadsheet.
_FORMULA = re.compile(r"^\s*[=+\-@]")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "[": "{[}", "]": "{]}", "<": r"\textless{}", ">": r"\textgreater{}", "±": r"$\pm$", "–": "--",
}  # fmt: skip
_IN_LATEX = ("failures", "distinct", "failure_ratio", "kinds", "effective_kinds", "coverage",
             "generated", "seconds", "cost")  # fmt: skip
# The classes that matter stand first; a run may have hundreds that occurred once.
_CLASSES = 15

Table = Iterable[Sequence[object]]


def write_all(result: StudyResult, folder: Path) -> list[Path]:
    """Write every table; the files written."""
    tables = {
        "runs.csv": _text(_runs(result)),
        "summary.csv": _text(_summary(result)),
        "comparisons.csv": _text(_comparisons(result)),
        "classes.csv": _text(_class_rows(result)),
        "convergence.csv": _text(_convergence(result)),
        "tables.tex": latex(result),
        "study.json": result.model_dump_json(indent=1) + "\n",
    }
    return [write_whole(folder / name, text) for name, text in tables.items()]


def write_whole(path: Path, text: str) -> Path:
    """Write a file in one go; its path."""
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(text, encoding="utf-8", newline="")
    temporary.replace(path)
    return path


def _text(table: Table) -> str:
    file = StringIO()
    writer = csv.writer(file)
    for row in table:
        writer.writerow([_cell(value) for value in row])
    return file.getvalue()


def _cell(value: object) -> object:
    """A value for a cell: a text never looks like a formula to a spreadsheet."""
    if value is None:
        return ""
    if isinstance(value, float):
        return int(value) if value.is_integer() else repr(round(value, 6))
    if isinstance(value, str):
        shown = visible(value).replace("\n", " ")
        return f"'{shown}" if _FORMULA.match(shown) else shown
    return value


def _runs(result: StudyResult) -> Table:
    yield ["app", "strategy", "seed", *(measure.name for measure in MEASURES), "run"]
    for run in result.runs:
        values = [run.values.get(measure.name) for measure in MEASURES]
        yield [run.app, run.strategy, run.seed, *values, run.run]


def _summary(result: StudyResult) -> Table:
    yield ["app", "strategy", "measure", "runs", "mean", "sd", "low", "high"]
    for row in result.rows:
        for name, mean in row.values.items():
            yield [row.app, row.strategy, name, mean.runs, mean.mean, mean.sd, mean.low, mean.high]
        if row.pooled_coverage is not None:
            pooled = row.pooled_coverage
            yield [row.app, row.strategy, "pooled_coverage", len(row.seeds), pooled, "", "", ""]


def _comparisons(result: StudyResult) -> Table:
    yield ["app", "strategy", "baseline", "measure", "ratio", "low", "high", "a12", "effect", "p",
           "p_adjusted"]  # fmt: skip
    for comparison in result.comparisons:
        yield [comparison.app, comparison.strategy, comparison.baseline, comparison.measure,
               comparison.ratio, comparison.low, comparison.high, comparison.a12,
               comparison.effect, comparison.p, comparison.p_adjusted]  # fmt: skip


def _class_rows(result: StudyResult) -> Table:
    yield ["app", "strategy", "class", "failures_per_run"]
    for row in result.rows:
        for name, count in row.classes.items():
            yield [row.app, row.strategy, name, count]


def _convergence(result: StudyResult) -> Table:
    yield ["app", "strategy", "measure", "test", "mean", "low", "high"]
    for curve in result.curves:
        for point in curve.points:
            yield [
                curve.app,
                curve.strategy,
                curve.measure,
                point.test,
                point.mean,
                point.low,
                point.high,
            ]


def latex(result: StudyResult) -> str:
    """The tables for a paper, with booktabs: measures, comparisons, classes of failures."""
    parts = ["% Needs \\usepackage{booktabs}"]
    for app in result.apps:
        parts += _measures(result, app)
        for baseline in result.baselines:
            parts += _against(result, app, baseline)
        parts += _classes(result, app)
    return "\n".join(parts) + "\n"


def _measures(result: StudyResult, app: str) -> Iterator[str]:
    titles = [measure.title for measure in MEASURES if measure.name in _IN_LATEX]
    names = [measure.name for measure in MEASURES if measure.name in _IN_LATEX]
    rows = [
        [row.strategy, *(numbers.spread(name, row.values.get(name)) for name in names)]
        for row in result.rows
        if row.app == app
    ]
    caption = f"{app}: means and standard deviations over {len(result.seeds)} runs"
    yield from _tabular(caption, f"{app} measures", ["strategy", *titles], rows)


def _against(result: StudyResult, app: str, baseline: str) -> Iterator[str]:
    rows = [
        [
            comparison.strategy, comparison.measure.replace("_", " "), numbers.ratio(comparison),
            numbers.ratio_range(comparison), numbers.effect_size(comparison), comparison.effect,
            numbers.probability(comparison.p_adjusted),
        ]
        for comparison in result.comparisons
        if (comparison.app, comparison.baseline) == (app, baseline)
        and comparison.measure in COMPARED
    ]  # fmt: skip
    if rows:
        heads = ["strategy", "measure", "ratio", f"{100 * result.confidence:g} % interval", "A12",
                 "effect", "p (corrected)"]  # fmt: skip
        caption = f"{app}: compared with {baseline}"
        yield from _tabular(caption, f"{app} against {baseline}", heads, rows)


def _classes(result: StudyResult, app: str) -> Iterator[str]:
    rows = [row for row in result.rows if row.app == app]
    listed = [
        [name, *(f"{row.classes.get(name, 0.0):.1f}" for row in rows)]
        for name in numbers.classes(result, app, _CLASSES)
    ]
    if listed:
        heads = ["class of failure", *(row.strategy for row in rows)]
        caption = f"{app}: classes of failures, mean number per run"
        yield from _tabular(caption, f"{app} classes", heads, listed)


def _tabular(
    caption: str, name: str, heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> Iterator[str]:
    yield ""
    yield "\\begin{table}\n  \\centering"
    yield f"  \\caption{{{_tex(caption)}}}"
    yield f"  \\label{{tab:{slug(name)}}}"
    yield f"  \\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}"
    yield "    \\toprule"
    yield f"    {' & '.join(map(_tex, heads))} \\\\"
    yield "    \\midrule"
    for row in rows:
        yield f"    {' & '.join(map(_tex, row))} \\\\"
    yield "    \\bottomrule\n  \\end{tabular}\n\\end{table}"


def _tex(text: str) -> str:
    return "".join(
        _LATEX.get(character, character) for character in visible(text).replace("\n", " ")
    )


PAGE = "report.html"
_VECTORS = "vectors.npz"


@dataclass(frozen=True)
class Prepared:
    """A study whose file and whose runs are known to be right."""

    plan: StudyPlan
    document: Document
    folder: Path
    cells: Sequence[Cell]
    checked: Mapping[tuple[str, str], Checked]

    def of(self, cell: Cell) -> Checked:
        """What is known of a cell's strategy on its app."""
        return self.checked[cell.app, cell.strategy]

    def is_over(self, cell: Cell) -> bool:
        """Whether a cell is played to its end."""
        return is_over(cell)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What parts warned of while they were built."""
        warnings = (warning for checked in self.checked.values() for warning in checked.warnings)
        return tuple(dict.fromkeys(warnings))


def prepare(named_plan: str | None, changes: Mapping[str, Any], results: Path | None) -> Prepared:
    """Read a study and check all its runs; nothing is played.

    Raises ConfigurationError, PluginError; also if what is stored was made by another study.
    """
    path = find_plan(named_plan)
    plan, document = load_plan(path, changes)
    here = path.absolute().parent
    folder = (results.absolute() if results else here / plan.results) / slug(plan.name)
    cells = cells_of(plan, here, folder)
    checked = check_cells(cells, document)
    for cell in cells:
        require_unchanged(cell, checked[cell.app, cell.strategy].manifest(cell.seed))
    _require_features(plan, document, checked)
    scipy_stats()
    require_sklearn()
    text_embedding(plan.likeness)
    return Prepared(plan, document, folder, cells, checked)


def _require_features(
    plan: StudyPlan, document: Document, checked: Mapping[tuple[str, str], Checked]
) -> None:
    """Refuse an archive over what is no feature of any app; raises ConfigurationError."""
    spaces = [space for one in checked.values() for space in one.cases.values()]
    names = sorted({name for space in spaces for name in space.names})
    problems = [
        document.problem(f"no app has a feature {name!r}.{nearest(name, names)}", ("archive", at))
        for at, name in enumerate(plan.archive)
        if name not in names
    ]
    if problems:
        raise ConfigurationError(*problems)


def results_of(
    prepared: Prepared,
    failed: Mapping[str, str],
    note: Callable[[str], None],
    execution: ExecutionUse | None = None,
) -> StudyResult:
    """Measure the runs that are over, and compare their strategies; raises MissingExtra.

    The workers of an `execution` make the vectors of what failures say, if these are many.
    """
    plan = prepared.plan
    how = text_embedding(plan.likeness)
    embedded = Embedded(how, prepared.folder / f"{slug(how.name)}-{_VECTORS}")
    outcomes, missing = _outcomes(prepared, failed)
    if execution is not None and not is_in_process(execution):
        from sparring_plugins.study.remote_cells import embed_on_workers

        runs = (run for of_app in outcomes.values() for run in of_app)
        texts = (failure.text for run in runs for failure in run.failures)
        embed_on_workers(embedded, texts, prepared.folder, execution)
    apps: dict[str, AppMeasured] = {}
    for app, of_app in outcomes.items():
        failures = sum(len(outcome.failures) for outcome in of_app)
        note(f"measuring {app}: {failures:,} failures, {how.name} ...")
        spaces = next(prepared.of(cell).cases for cell in prepared.cells if cell.app == app)
        apps[app] = measure_app(of_app, spaces, embedded, plan)
    embedded.store()
    clean = Redactor()
    return summed(
        plan,
        apps,
        likeness=how.name,
        missing=[clean.message(message) for message in missing],
        warnings=[clean.message(warning) for warning in prepared.warnings],
    )


def _outcomes(
    prepared: Prepared, failed: Mapping[str, str]
) -> tuple[dict[str, list[RunOutcome]], list[str]]:
    """The runs that are over by their apps, and why others are missing."""
    missing = [f"{name}: {why}" for name, why in failed.items()]
    outcomes: dict[str, list[RunOutcome]] = {}
    for cell in prepared.cells:
        of_app = outcomes.setdefault(cell.app, [])
        outcome = _outcome(cell, prepared.of(cell))
        if isinstance(outcome, RunOutcome):
            of_app.append(outcome)
        elif cell.name not in failed:
            missing.append(outcome)
    return outcomes, missing


def _outcome(cell: Cell, checked: Checked) -> RunOutcome | str:
    """A run that is over; why there is none else."""
    run: StoredRun | None = stored_run(cell)
    if run is None:
        return f"{cell.name}: not played"
    if not is_over(cell):
        return f"{cell.name}: not played to its end"
    try:
        return outcome_of(cell, run, checked.cases, checked.budget)
    except StoredRunError as err:
        return f"{cell.name}: {err}"


def write(result: StudyResult, folder: Path) -> list[Path]:
    """Write the page, all tables and the figures; returns the page, the tables and the folder."""
    drawn = write_whole(folder / PAGE, Redactor().text(page(result)))
    figures = write_figures(result, folder)
    return [drawn, *write_all(result, folder), *([figures[0].parent] if figures else [])]
