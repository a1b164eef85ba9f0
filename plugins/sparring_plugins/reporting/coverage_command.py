"""``sparring coverage``."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import click

from sparring.cli.output import plain, shown
from sparring.engine.exit_codes import FAILED, NOTHING, PASSED
from sparring.errors import ConfigurationError
from sparring.store import StoredRun
from sparring_plugins.language.text import one_line
from sparring_plugins.output import arguments
from sparring_plugins.output.files import safe_cell, written_whole
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.reporting.exercised import KINDS, Exercised, Item, exercised_by

HELP_SECTION = "look"

# A library of rules may have five hundred that never apply to a bot.
_MOST_LINES = 200
_FIELDS = ("kind", "scenario", "name", "exercised", "tried", "undecided", "state")


@click.command()
@arguments.run_argument
@click.option("--all", "everything", is_flag=True, help="List what was exercised, too.")
@click.option(
    "-o", "--output", "output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
    help="Also write everything to a file: .json or .csv.",
)  # fmt: skip
@click.option(
    "--fail-under", type=click.FloatRange(0, 100), metavar="PERCENT",
    help="Exit with 1 if less of the checks, goals, outputs or scenarios was exercised.",
)  # fmt: skip
@arguments.salvage_option
@arguments.runs_option
def coverage(
    run: str, everything: bool, output: Path | None, fail_under: float | None, runs: Path | None
) -> int:
    """List the checks, goals and outputs that a run never exercised.

    RUN is an id, a folder or 'last'. A check is exercised if it passed or failed at least once, a
    goal if it was met, an output if it had a value. What was never exercised says nothing about
    the app, although nothing failed. The exit code is 0 unless --fail-under asks for more, and 5
    if the run has no judged case.
    """
    suffix = output.suffix.lower() if output else ""
    if suffix not in ("", ".json", ".csv"):
        raise ConfigurationError(f"-o {output}: expected a file that ends in .json or .csv")
    stored = find_run(run, runs or Path("runs"))
    exercised = exercised_by(stored)
    for line in _lines(stored, exercised, everything):
        click.echo(line)
    if output is not None:
        with written_whole(output) as file:
            (_write_csv if suffix == ".csv" else _write_json)(file, stored, exercised)
        click.echo(f"wrote {shown(output)}")
    if not stored.cases:
        return NOTHING
    return _gate(exercised, fail_under)


def _lines(stored: StoredRun, exercised: Exercised, everything: bool) -> Iterator[str]:
    yield f"{plain(stored.manifest.name)}  {plain(stored.manifest.id)}"
    for kind, part, whole in exercised.counts():
        several, verb = KINDS[kind]
        yield f"{several:<10} {part:,} of {whole:,} {verb} ({_percent(part, whole)})"
    items = exercised.items() if everything else exercised.unexercised()
    if not items:
        yield "nothing was left out" if stored.cases else "no conversation was judged"
        return
    yield ""
    if not everything:
        yield "never exercised:"
    for item in items[:_MOST_LINES]:
        owner = f"{plain(item.owner)}: " if item.owner else ""
        yield f"  {item.kind:<8} {owner}{plain(one_line(item.name, 120))}  ({plain(item.words)})"
    if len(items) > _MOST_LINES:
        yield f"  and {len(items) - _MOST_LINES:,} more; -o FILE writes all of them"


def _percent(part: int, whole: int) -> str:
    """A share rounded down, so that 100 % is never said of less."""
    return f"{100 * part // whole} %"


def _gate(exercised: Exercised, fail_under: float | None) -> int:
    if fail_under is None:
        return PASSED
    code = PASSED
    for kind, part, whole in exercised.counts():
        # Compared before any rounding: 999 of 1,000 is not enough for 100.
        if 100 * part < fail_under * whole:
            limit = f"{fail_under:g} % are wanted"
            click.echo(f"too few {KINDS[kind][0]}: {_percent(part, whole)}, {limit}")
            code = FAILED
    return code


def _row(item: Item) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "scenario": item.owner,
        "name": item.name,
        "exercised": item.exercised,
        "tried": item.tried,
        "undecided": item.undecided,
        "state": "exercised" if item.exercised else item.words,
    }


def _write_json(file: TextIO, stored: StoredRun, exercised: Exercised) -> None:
    counts = {
        KINDS[kind][0]: {"exercised": part, "all": whole}
        for kind, part, whole in exercised.counts()
    }
    rows = [_row(item) for item in exercised.items()]
    data = {"schema_version": 1, "run": stored.manifest.id, "counts": counts, "items": rows}
    json.dump(data, file, ensure_ascii=False, indent=1)
    file.write("\n")


def _write_csv(file: TextIO, _stored: StoredRun, exercised: Exercised) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_FIELDS)
    for item in exercised.items():
        row = _row(item)
        writer.writerow([safe_cell(str(row[name])) for name in _FIELDS])
