"""What a command says at its end, and with which code."""

import os
from pathlib import Path

import click

from sparring.cli.terminal import plain
from sparring.engine.tally import NOTHING
from sparring.suite.environment import Redactor


def finish(
    *,
    exit_code: int,
    reason: str,
    folder: Path | None,
    written: list[Path],
    warnings: list[str],
    problems: list[str],
    exit_zero: bool,
) -> int:
    """Print warnings, problems and the paths written; the exit code."""
    clean = Redactor()
    for message in warnings:
        click.echo(f"warning: {plain(clean.message(message))}", err=True)
    for message in problems:
        click.echo(f"problem: {plain(clean.message(message))}", err=True)
    if exit_code == NOTHING:
        click.echo(f"sparring: {plain(reason)}", err=True)
    for path in dict.fromkeys(written):
        click.echo(f"wrote {shown(path)}")
    if folder is not None:
        click.echo(f"run   {shown(folder)}")
    return 0 if exit_zero and exit_code in (1, 3, 4) else exit_code


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        relative = str(path)
    return plain(str(path) if relative.startswith(f"..{os.sep}..") else relative)
