"""A study's tables as files: CSV for programs, LaTeX for papers."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path

from sparring_plugins.language.visible import visible
from sparring_plugins.study import numbers
from sparring_plugins.study.result import COMPARED, MEASURES, StudyResult

_FORMULA = re.compile(r"^\s*[=+\-@]")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "[": "{[}", "]": "{]}", "<": r"\textless{}", ">": r"\textgreater{}", "±": r"$\pm$", "–": "--",
}  # fmt: skip
_IN_LATEX = ("failures", "distinct", "failure_ratio", "kinds", "effective_kinds", "coverage",
             "generated")  # fmt: skip
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
    yield ["app", "strategy", "seed", *(one.name for one in MEASURES), "run"]
    for run in result.runs:
        values = [run.values.get(one.name) for one in MEASURES]
        yield [run.app, run.strategy, run.seed, *values, run.run]


def _summary(result: StudyResult) -> Table:
    yield ["app", "strategy", "measure", "runs", "mean", "sd", "low", "high"]
    for row in result.rows:
        for name, one in row.values.items():
            yield [row.app, row.strategy, name, one.runs, one.mean, one.sd, one.low, one.high]
        if row.pooled_coverage is not None:
            pooled = row.pooled_coverage
            yield [row.app, row.strategy, "pooled_coverage", len(row.seeds), pooled, "", "", ""]


def _comparisons(result: StudyResult) -> Table:
    yield ["app", "strategy", "baseline", "measure", "ratio", "low", "high", "a12", "effect", "p",
           "p_adjusted"]  # fmt: skip
    for one in result.comparisons:
        yield [one.app, one.strategy, one.baseline, one.measure, one.ratio, one.low, one.high,
               one.a12, one.effect, one.p, one.p_adjusted]  # fmt: skip


def _class_rows(result: StudyResult) -> Table:
    yield ["app", "strategy", "class", "failures_per_run"]
    for row in result.rows:
        for name, count in row.classes.items():
            yield [row.app, row.strategy, name, count]


def _convergence(result: StudyResult) -> Table:
    yield ["app", "strategy", "measure", "test", "mean", "low", "high"]
    for curve in result.curves:
        for one in curve.points:
            yield [curve.app, curve.strategy, curve.measure, one.test, one.mean, one.low, one.high]


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
    titles = [one.title for one in MEASURES if one.name in _IN_LATEX]
    names = [one.name for one in MEASURES if one.name in _IN_LATEX]
    rows = [
        [row.strategy, *(numbers.spread(name, row.values.get(name)) for name in names)]
        for row in result.rows
        if row.app == app
    ]
    caption = f"{app}: means and standard deviations over {len(result.seeds)} runs"
    yield from _tabular(caption, ["strategy", *titles], rows)


def _against(result: StudyResult, app: str, baseline: str) -> Iterator[str]:
    rows = [
        [
            one.strategy, one.measure.replace("_", " "), numbers.ratio(one),
            numbers.ratio_range(one), f"{one.a12:.2f}", one.effect,
            numbers.probability(one.p_adjusted),
        ]
        for one in result.comparisons
        if one.app == app and one.baseline == baseline and one.measure in COMPARED
    ]  # fmt: skip
    if rows:
        heads = ["strategy", "measure", "ratio", f"{100 * result.confidence:g} % interval", "A12",
                 "effect", "p (corrected)"]  # fmt: skip
        yield from _tabular(f"{app}: compared with {baseline}", heads, rows)


def _classes(result: StudyResult, app: str) -> Iterator[str]:
    rows = [row for row in result.rows if row.app == app]
    listed = [
        [name, *(f"{row.classes.get(name, 0.0):.1f}" for row in rows)]
        for name in numbers.classes(result, app, _CLASSES)
    ]
    if listed:
        heads = ["class of failure", *(row.strategy for row in rows)]
        yield from _tabular(f"{app}: classes of failures, mean number per run", heads, listed)


def _tabular(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield ""
    yield "\\begin{table}\n  \\centering"
    yield f"  \\caption{{{_tex(caption)}}}"
    yield f"  \\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}"
    yield "    \\toprule"
    yield f"    {' & '.join(map(_tex, heads))} \\\\"
    yield "    \\midrule"
    for row in rows:
        yield f"    {' & '.join(map(_tex, row))} \\\\"
    yield "    \\bottomrule\n  \\end{tabular}\n\\end{table}"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(one, one) for one in visible(text).replace("\n", " "))
