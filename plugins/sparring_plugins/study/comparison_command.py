"""``sparring compare-testers``."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from sparring.cli.output import plain_lines, shown
from sparring.errors import ConfigurationError
from sparring_plugins.language.quantities import plural
from sparring_plugins.output import arguments
from sparring_plugins.output.files import safe_cell, written_whole
from sparring_plugins.study.comparison_curves import Measured, loaded, measured
from sparring_plugins.study.comparison_page import (
    TITLES,
    Compared,
    compared,
    curve_rows,
    gain,
    page,
    summary_rows,
    value,
)

HELP_SECTION = "look"


@click.command("compare-testers")
@click.argument(
    "names", nargs=-1, required=True, metavar="RUN...", shell_complete=arguments.run_names
)
@click.option("--turns", type=click.IntRange(1, 100_000),
              help="Compare after this many turns of each app (else the most of any).")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True,
              help="Of the intervals.")  # fmt: skip
@click.option("-o", "--output", "folder", metavar="FOLDER", default="comparison",
              show_default=True, type=click.Path(path_type=Path, file_okay=False),
              help="Where page and tables are written.")  # fmt: skip
@arguments.runs_option
def compare_testers(
    names: tuple[str, ...], turns: int | None, confidence: float, folder: Path, runs: Path | None
) -> int:
    """Compare testers by their runs: coverage and problems over turns, with intervals over seeds.

    RUN is an id or a folder, or TESTER=RUN; else a tester is called by the agent that played. Runs
    of one tester with different seeds are its repetitions. Writes a page with figures and two
    tables (CSV).
    """
    series = loaded(names, runs or Path("runs"))
    measurements = measured(series)
    if not measurements:
        raise ConfigurationError("the app said nothing in these runs: there is nothing to compare")
    most = (
        turns
        or max(len(curve.steps) - 1 for measurement in measurements for curve in measurement.curves)
        or 1
    )
    sums = compared(measurements, most, confidence=confidence)
    for line in _table(sums):
        click.echo(line)
    for path in _write_files(folder, names, measurements, sums, confidence):
        click.echo(f"wrote {shown(path)}")
    return 0


def _table(sums: Sequence[Compared]) -> Iterator[str]:
    testers = [row.tester for row in sums[0].rows]
    apps = max(comparison.apps for comparison in sums)
    yield f"after {plural(sums[0].turns, 'turn')} of {plural(apps, 'app')}"
    rows = [["", *testers]]
    for comparison in sums:
        cells = [value(comparison, row) for row in comparison.rows]
        rows.append([TITLES[comparison.measure], *cells])
        gains = [gain(comparison, row) for row in comparison.rows]
        if any(gains):
            rows.append(["", *gains])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield from plain_lines("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())


def _write_files(
    folder: Path,
    names: Sequence[str],
    measurements: Sequence[Measured],
    sums: Sequence[Compared],
    confidence: float,
) -> Iterator[Path]:
    html = folder / "compare.html"
    with written_whole(html) as file:
        file.write(page(sums, names, confidence))
    yield html
    turns = sums[0].turns
    tables = {"curves.csv": curve_rows(measurements, turns), "summary.csv": summary_rows(sums)}
    for name, rows in tables.items():
        yield _csv(folder / name, rows)


def _csv(path: Path, rows: Iterable[Sequence[str]]) -> Path:
    with written_whole(path) as file:
        csv.writer(file).writerows([safe_cell(cell) for cell in row] for row in rows)
    return path
