"""``sparring study``."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, cast

import click

from sparring.cli.output import plain, plain_lines, shown
from sparring.documents.reading import read_document
from sparring.engine.exit_codes import ERRORS, INTERRUPTED, NOTHING, PASSED
from sparring.errors import SparringError
from sparring.model.verdict import Outcome
from sparring.store import StoredRun
from sparring.suite.environment import Redactor
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.options import (
    execution_options,
    execution_use,
    is_in_process,
    require_known,
)
from sparring_plugins.language.quantities import plural
from sparring_plugins.study import result as numbers
from sparring_plugins.study.conduct import Prepared, prepare, results_of, write
from sparring_plugins.study.plan import Cell, find_plan, refuse_address
from sparring_plugins.study.result import FEW_SEEDS, StudyResult
from sparring_plugins.study.series import Interrupted, PlaysCells, Series, gone, is_over, only_one
from sparring_plugins.trust.options import may_be_untrusted

HELP_SECTION = "measure"

_REST = 10
"""How many times as long as measuring took a study plays before it is measured again."""


class _ResultsFolder(click.Path):
    """The folder of studies, which can be no address."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See `click.ParamType.convert`."""
        try:
            refuse_address(str(value))
        except ValueError as err:
            self.fail(str(err), param, ctx)
        return super().convert(value, param, ctx)


@click.command()
@click.argument("study", required=False)
@click.option("--dry-run", is_flag=True, help="Say what would be played; play nothing.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Runs side by side.")
@click.option("--seeds", metavar="RANGE", help="Replace the seeds, as in 1-3.")
@click.option("--cases", type=click.IntRange(min=1), help="Replace the budget of cases of a run.")
@click.option(
    "--results", type=_ResultsFolder(path_type=Path), metavar="FOLDER",
    help="Where studies are stored (else the study's key 'results').",
)  # fmt: skip
@execution_options
@click.option("--no-play", is_flag=True, help="Only write tables of what is played already.")
@may_be_untrusted
def study(
    study: str | None,
    dry_run: bool,
    jobs: int | None,
    seeds: str | None,
    cases: int | None,
    results: Path | None,
    no_play: bool,
    executor: str | None,
    workers: int | None,
) -> int:
    """Compare strategies: play each on each app with each seed; write tables and figures.

    STUDY is a study file, or a folder with a study.yaml (else the one here). Started again, it goes
    on where it was stopped. Each run is an ordinary run in the study's folder. Exit codes: 0 done,
    2 configuration, 3 some runs could not be played, 5 nothing is played yet, 130 interrupted.
    """
    prepared = prepare(study, _changes(study, jobs, seeds, cases), results)
    for line in _describe_plan(prepared):
        click.echo(line)
    if dry_run:
        return PASSED
    running = RunningTables(prepared)
    execution = execution_use(executor, workers, prepared.plan.execution)
    require_known(execution)
    series = Series(prepared.cells, prepared.plan.jobs, running.tell, _workers(prepared, execution))
    with only_one(prepared.folder):
        if not no_play:
            for line in _left_out(series):
                click.echo(line, err=True)
            try:
                series.play()
            except Interrupted:
                click.echo("interrupted: start it again to go on; --no-play compares what is there",
                           err=True)  # fmt: skip
                return INTERRUPTED
        if not any(map(is_over, prepared.cells)):
            click.echo("sparring: nothing was played, so that there is nothing to compare",
                       err=True)  # fmt: skip
            return ERRORS if series.failed else NOTHING
        result = results_of(prepared, series.failed, click.echo, execution)
        written = write(result, prepared.folder)
    for line in _table(result):
        click.echo(line)
    for message in [*result.warnings, *result.missing]:
        click.echo(f"warning: {plain(message)}", err=True)
    for path in written:
        click.echo(f"wrote {shown(path)}")
    return ERRORS if series.failed else PASSED


def _workers(
    prepared: Prepared, execution: ExecutionUse
) -> Callable[[], AbstractAsyncContextManager[PlaysCells | None]] | None:
    """What opens the workers that play the runs; `None` if this process starts them."""
    if is_in_process(execution):
        return None
    from sparring_plugins.study.remote_cells import cells_on_workers

    inputs = {cell.suite: list(prepared.of(cell).run.inputs) for cell in reversed(prepared.cells)}
    return partial(cells_on_workers, prepared.cells, inputs, execution)


def _left_out(series: Series) -> Iterator[str]:
    """Leave out what cannot be played, as its app is not there, and say so."""
    left = [cell for cell in series.cells if not is_over(cell)]
    for app, why in gone(left).items():
        cells = [cell for cell in left if cell.app == app]
        reason = plain(Redactor().message(why), 400)
        for cell in cells:
            series.leave_out(cell, f"its app cannot be reached: {reason}")
        left_out = f"{plural(len(cells), 'run')} of it not played"
        yield f"sparring: {plain(app)} cannot be reached, {left_out}: {reason}"


def _changes(
    study: str | None, jobs: int | None, seeds: str | None, cases: int | None
) -> dict[str, Any]:
    """What the command line replaces in the study file."""
    changes: dict[str, Any] = {}
    if jobs is not None:
        changes["jobs"] = jobs
    if seeds is not None:
        changes["seeds"] = seeds
    if cases is not None:
        changes["budget"] = {**_budget(study), "cases": cases}
    return changes


def _budget(study: str | None) -> dict[str, Any]:
    """The budget as a study file has it."""
    data: Any = read_document(find_plan(study)).data
    budget = cast("dict[str, Any]", data).get("budget") if isinstance(data, dict) else None
    return cast("dict[str, Any]", budget) if isinstance(budget, dict) else {}


def _describe_plan(prepared: Prepared) -> Iterator[str]:
    plan, cells = prepared.plan, prepared.cells
    apps = list(dict.fromkeys(cell.app for cell in cells))
    expected = [n for cell in cells if (n := prepared.of(cell).expected) is not None]
    size = "no budget of cases" if len(expected) < len(cells) else f"{sum(expected):,} cases"
    number = len(plan.strategies)
    yield (
        f"{plain(plan.name)}: {number} {'strategy' if number == 1 else 'strategies'} x "
        f"{plural(len(apps), 'app')} x {plural(len(plan.seeds), 'seed')} = "
        f"{plural(len(cells), 'run')}, {size}"
    )
    for (app, strategy), checked in prepared.checked.items():
        cases = "open-ended" if checked.expected is None else f"{checked.expected:,} cases a run"
        yield f"  {plain(app)} / {plain(strategy)}: {cases}"
    over = sum(prepared.is_over(cell) for cell in cells)
    yield f"  {over} of {plural(len(cells), 'run')} are over; stored in {shown(prepared.folder)}"


class RunningTables:
    """Writes the tables of a study while it plays, from the runs that are over.

    Measuring clusters all failures, which takes a minute for some thousands: it is done again only
    after ten times as long as it took, so that a study takes at most a tenth longer.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._not_before = 0.0

    def tell(self, cell: Cell, outcome: "StoredRun | str", over: int, of: int) -> None:
        """Say how a run went; write the tables if it is time."""
        _tell(cell, outcome, over, of)
        began = monotonic()
        if over == of or began < self._not_before or not self._is_comparable():
            return
        try:
            write(results_of(self._prepared, {}, lambda _: None), self._prepared.folder)
        except SparringError as err:  # told at the end, where nothing else is lost by it
            click.echo(f"warning: no tables yet: {plain(str(err))}", err=True)
        self._not_before = monotonic() + _REST * (monotonic() - began)

    def _is_comparable(self) -> bool:
        """Whether some app has a run of each strategy."""
        over: dict[str, set[str]] = {}
        for cell in self._prepared.cells:
            if is_over(cell):
                over.setdefault(cell.app, set()).add(cell.strategy)
        every = {cell.strategy for cell in self._prepared.cells}
        return every in over.values()


def _tell(cell: Cell, outcome: "StoredRun | str", over: int, of: int) -> None:
    place = f"[{over:>{len(str(of))}}/{of}] {plain(cell.name)}"
    if isinstance(outcome, str):
        click.echo(f"{place}: not played: {plain(Redactor().message(outcome), 600)}", err=True)
        return
    summary = outcome.summary
    cases = summary.usage.cases if summary else 0
    failed = summary.cases.get(Outcome.FAIL, 0) if summary else 0
    seconds = summary.usage.seconds if summary else 0.0
    click.echo(f"{place}: {plural(cases, 'case')}, {failed:,} failed, {seconds:,.0f} s")


def _table(result: StudyResult) -> Iterator[str]:
    """The measures that matter most, for the terminal."""
    names = ("failures", "distinct", "kinds", "effective_kinds", "coverage", "generated")
    base = result.baselines[0]
    for app in result.apps:
        heads = ["strategy", "failures", "distinct", f"x {base}", "A12", "p", "kinds",
                 "effective", "clusters", "generated"]  # fmt: skip
        rows = [heads]
        for row in (comparison for comparison in result.rows if comparison.app == app):
            said = [numbers.spread(name, row.values.get(name)) for name in names]
            comparison = result.versus(app, row.strategy, base, "distinct")
            compared = [numbers.ratio(comparison), numbers.effect_size(comparison),
                        numbers.probability(comparison.p if comparison else None)]  # fmt: skip
            rows.append([row.strategy, *said[:2], *compared, *said[2:]])
        yield ""
        yield plain(app)
        yield from _align(rows)
    yield ""
    yield "Means ± standard deviations of the runs. distinct: failures with no two utterances alike"
    yield f"({plain(result.likeness)}, {result.threshold:g}). x, A12, p: distinct ones against"
    yield f"{plain(base)}. clusters: the share of them found. generated: requests put into words."
    if len(result.seeds) < FEW_SEEDS:
        few = plural(len(result.seeds), "seed")
        yield f"With {few} no difference can be significant at 0.01; it takes {FEW_SEEDS} at least."


def _align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        others = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        (line,) = plain_lines("  ".join([row[0].ljust(widths[0]), *others]).rstrip())
        yield f"  {line}"
