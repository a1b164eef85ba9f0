"""``sparring tables``."""

from pathlib import Path

import click

from sparring.cli.output import plain, shown
from sparring.discovery import catalog, drivers
from sparring.discovery.groups import TABLES
from sparring.documents.checking import nearest
from sparring.engine.exit_codes import NOTHING
from sparring.errors import ConfigurationError, Problem, SparringError
from sparring_plugins.sensei.tables.model import FORMATS, DataTable, TableMaker

HELP_SECTION = "measure"


@click.command()
@click.argument("name", required=False)
@click.option("--data", type=click.Path(path_type=Path), help="The folder of the published data.")
@click.option("--only", multiple=True, help="A table by its name; may be repeated.")
@click.option(
    "--format", "kind", type=click.Choice(list(FORMATS)), default="text", show_default=True
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="A file.")
def tables(
    name: str | None, data: Path | None, only: tuple[str, ...], kind: str, output: Path | None
) -> int:
    """Compute a publication's tables again from its raw data.

    NAME is the publication's; without it all that can be computed are listed. Each cell says
    where it comes from: the raw data, a result stored with them, or a person's judgement that
    the data do not hold.
    """
    if name is None:
        _list()
        return 0
    maker: TableMaker = drivers.load_value(TABLES, name, TableMaker)
    if data is None:
        raise ConfigurationError(f"--data names the folder of the data of: {maker.about}")
    if not data.is_dir():
        raise ConfigurationError(Problem("there is no such folder", str(data)))
    data_tables = _choose_tables(list(maker.make(data)), only)
    if not data_tables:
        click.echo(f"sparring: no table can be computed from {shown(data)}", err=True)
        return NOTHING
    text = FORMATS[kind](data_tables)
    if output is None:
        click.echo(text, nl=False)
        return 0
    output.write_text(text, encoding="utf-8")
    click.echo(f"wrote {shown(output)}")
    return 0


def _list() -> None:
    names = catalog.names(TABLES)
    for name in names:
        try:
            about = drivers.load_value(TABLES, name, TableMaker).about
        except SparringError as err:
            about = f"BROKEN: {err}"
        click.echo(f"{plain(name):16} {plain(about)}")
    if not names:
        click.echo("no installed package computes tables", err=True)


def _choose_tables(data_tables: list[DataTable], only: tuple[str, ...]) -> list[DataTable]:
    names = [table.name for table in data_tables]
    for name in only:
        if name not in names:
            raise ConfigurationError(f"there is no table {name!r}.{nearest(name, names)}")
    return [table for table in data_tables if not only or table.name in only]
