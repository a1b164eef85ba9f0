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
@click.option("--check", is_flag=True, help="Import each plugin, in other processes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(check: bool, as_json: bool) -> int:
    """List what is installed: from metadata alone, nothing is imported.

    With --check every plugin is imported; the exit code is 2 if one is broken.
    """
    rows = _rows()
    if check:
        with ThreadPoolExecutor(max_workers=4) as pool:
            list(pool.map(_check, _by_package(rows)))
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
import os, sys
from sparring.discovery import drivers, hooks
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, VALUES
said = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a plugin prints is no answer
broken = None
for plugin in sys.argv[1:]:
    group, name = plugin.split("=", 1)
    try:
        if group == FUNCTIONS:
            drivers.load_function(name)
        elif group in VALUES:
            drivers.load_value(group, name)
        elif group == HOOKS:
            problems = [p for p in hooks.load().problems if p.startswith(name + " ")]
            if problems:
                raise ImportError(problems[0])
        else:
            drivers.load(GROUPS[group], name)
    except Exception as err:
        broken = str(err).replace(chr(10), " ")
    else:
        print(plugin, file=said, flush=True)
sys.exit(broken)
"""


def _by_package(rows: list[Row]) -> list[list[Row]]:
    packages: dict[str, list[Row]] = {}
    for row in rows:
        packages.setdefault(row.package, []).append(row)
    return list(packages.values())


def _check(rows: list[Row]) -> None:
    """Import the plugins of a package: all in one process, and alone those that fail there.

    Starting a process takes longer than importing most plugins; what a process of all did not
    come to, because one hung, ended it or is broken, is tried by itself.
    """
    imported, _ = _imported(rows)
    for row in rows:
        if f"{row.group}={row.name}" not in imported:
            row.problem = row.problem or _imported([row])[1]


def _imported(rows: list[Row]) -> tuple[set[str], str | None]:
    """What a child could import, and the last problem that it had; it may hang or crash."""
    plugins = [f"{row.group}={row.name}" for row in rows]
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, *plugins], capture_output=True, text=True,
            timeout=_PATIENCE_S, errors="replace", stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return set(), f"its import takes longer than {_PATIENCE_S:g} seconds"
    imported = set(done.stdout.splitlines())
    if done.returncode == 0 and imported >= {*plugins}:
        return imported, None
    lines = done.stderr.strip().splitlines()
    return imported, (
        lines[-1] if lines else f"its import ends the process with code {done.returncode}"
    )
