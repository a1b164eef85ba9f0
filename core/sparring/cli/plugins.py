"""``sparring plugins``."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import click

from sparring.cli.terminal import plain
from sparring.discovery import catalog
from sparring.discovery.catalog import Listing
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, VALUES

_PATIENCE_S = 30.0


@dataclass(slots=True)
class Row:
    """One plugin, and what is wrong with it where that was looked for."""

    group: str
    name: str
    target: str
    package: str
    version: str
    problem: str | None = None


@click.command()
@click.option("--check", is_flag=True, help="Import each plugin, in a process of its own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(check: bool, as_json: bool) -> int:
    """List what is installed: from metadata alone, nothing is imported.

    With --check every plugin is imported; the exit code is 2 if one is broken.
    """
    rows = _rows()
    if check:
        with ThreadPoolExecutor(max_workers=4) as pool:
            problems = pool.map(_problem, rows)
        for row, problem in zip(rows, problems, strict=True):
            row.problem = row.problem or problem
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        _print(rows)
    return 2 if any(row.problem for row in rows) else 0


def _rows() -> list[Row]:
    rows: list[Row] = []
    for group in (*GROUPS, FUNCTIONS, HOOKS, *VALUES):
        listed = catalog.listings(group)
        for item in listed:
            owners = [other.package for other in listed if other.name == item.name]
            rows.append(Row(group, item.name, item.target, item.package, item.version,
                            _trouble(item, owners)))  # fmt: skip
    return rows


def _trouble(item: Listing, owners: list[str]) -> str | None:
    if len(owners) > 1:
        return f"the name is claimed by {' and '.join(owners)}"
    return catalog.mismatch(item)


def _print(rows: list[Row]) -> None:
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            click.echo(f"{group}")
        state = f"  BROKEN: {plain(row.problem)}" if row.problem else ""
        click.echo(f"  {row.name:22} {row.package} {row.version}  {row.target}{state}")


_PROBE = """
import sys
from importlib import import_module
from sparring.discovery import drivers, hooks
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, VALUES
group, name = sys.argv[1:3]
try:
    if group == FUNCTIONS:
        drivers.load_function(name)
    elif group in VALUES:
        drivers.load_value(group, name)
    elif group == HOOKS:
        problems = [p for p in hooks.load().problems if p.startswith(name + " ")]
        if problems:
            raise SystemExit(problems[0])
    else:
        drivers.load(GROUPS[group], name)
except Exception as err:
    raise SystemExit(str(err).replace(chr(10), " "))
"""


def _problem(row: Row) -> str | None:
    """Import a plugin in a child: one that hangs, exits or crashes is reported like any other."""
    command = [sys.executable, "-c", _PROBE, row.group, row.name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, errors="replace",
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"its import takes longer than {_PATIENCE_S:g} seconds"
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"its import ends the process with code {done.returncode}"
