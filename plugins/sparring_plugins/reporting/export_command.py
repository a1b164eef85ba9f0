"""``sparring export``: test cases and results in the forms of other tools."""

from pathlib import Path

import click

from sparring.cli.output import shown
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run
from sparring_plugins.reporting.parquet_export import export_run
from sparring_plugins.web.export.command import playwright

HELP_SECTION = "write"


@click.group()
def export() -> None:
    """Write test cases as Playwright tests, or a stored run as Parquet."""


export.add_command(playwright)


@export.command()
@click.argument("run", default="last")
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path, file_okay=False),
    help="Where the files are written (else the folder 'parquet' of the run).",
)  # fmt: skip
@arguments.salvage_option
@arguments.runs_option
def parquet(run: str, output: Path | None, runs: Path | None) -> int:
    """Write a stored run as Parquet: cases, turns and verdicts, to be asked with SQL.

    RUN is a stored run: an id, a folder, or 'last' (the default).
    """
    stored = find_run(run, runs or Path("runs"))
    written = export_run(stored, output or stored.folder / "parquet")
    for path, count in written.items():
        click.echo(f"wrote {shown(path)}: {count:,} row{'' if count == 1 else 's'}")
    return 0
