"""``sparring schema``."""

import json
from pathlib import Path

import click

from sparring.cli.terminal import plain
from sparring_plugins.project.suite_schema import suite_schema


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it to a file.")
def schema(output: Path | None) -> int:
    """Print the JSON Schema of suite files, with every plugin that is installed.

    Editors complete by it: write '# yaml-language-server: $schema=suite.schema.json' on the
    first line of a suite.
    """
    found, problems = suite_schema()
    text = json.dumps(found, indent=2, sort_keys=False)
    for problem in problems:
        click.echo(f"warning: {plain(problem)}", err=True)
    if output is None:
        click.echo(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")
        click.echo(f"wrote {output}")
    return 0
