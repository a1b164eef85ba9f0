"""``sparring bless-pictures``: take the pictures of a run as what pages should look like."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click

from sparring.errors import ConfigurationError, Problem
from sparring.store import StoredRun
from sparring_plugins.output import arguments
from sparring_plugins.output.stored_runs import find_run

HELP_SECTION = "write"


@click.command("bless-pictures")
@arguments.run_argument
@click.option("--case", "cases", multiple=True, help="Only cases whose id begins so; repeatable.")
@arguments.runs_option
def bless_pictures(run: str, cases: tuple[str, ...], runs: Path | None) -> int:
    """Bless the pictures of a run: the oracle `looks` compares later runs with them.

    RUN is an id, a folder or 'last'. Look at the report first: what is blessed counts as right.
    """
    from sparring_plugins.web.looks import LooksConfig, blessed_path, points

    stored = find_run(run, runs or Path("runs"), played=True)
    config = LooksConfig.model_validate(_settings(stored))
    folder = Path(stored.manifest.suite_path or "suite.yaml").parent / config.folder
    counts = {"new": 0, "changed": 0, "as before": 0, "without a picture": 0}
    for judged in stored.judged():
        trace = judged.trace
        if cases and not any(trace.case.id.startswith(begin) for begin in cases):
            continue
        for point in points(trace, config.at):
            path = blessed_path(folder, trace, point)
            state = bless_picture(stored.folder, point.view.screenshot, path)
            counts[state] += 1
            if state in ("new", "changed"):
                click.echo(f"{state:8} {path}")
    if not any(counts.values()):
        wanted = f" that begins with {', '.join(cases)}" if cases else ""
        raise ConfigurationError(f"the run {stored.manifest.id} has no page of a case{wanted}")
    click.echo(", ".join(f"{count} {state}" for state, count in counts.items() if count))
    if counts["without a picture"]:
        click.echo("pictures are taken with `screenshots: every` in the suite's `app`", err=True)
    return 1 if counts["without a picture"] else 0


def _settings(stored: StoredRun) -> dict[str, Any]:
    """Return the settings of the suite's oracle `looks`; raises ConfigurationError without one."""
    for use in _oracles(stored):
        if use.get("use") == "looks":
            return {k: v for k, v in use.items() if k in ("folder", "at")}
    problem = "the suite has no oracle 'looks', which says what is compared, and where it lies"
    raise ConfigurationError(Problem(problem, stored.manifest.suite_path))


def _oracles(stored: StoredRun) -> Iterator[dict[str, Any]]:
    oracles: Any = (stored.manifest.suite or {}).get("oracles")
    for use in cast("list[Any]", oracles) if isinstance(oracles, list | tuple) else ():
        yield cast("dict[str, Any]", use) if isinstance(use, dict) else {"use": use}


def bless_picture(run: Path, screenshot: str | None, path: Path) -> str:
    """Copy a picture of a run to `path`, and return whether that is new, changed or as before."""
    relative = Path(screenshot or "")
    source = run / relative
    is_inside = bool(relative.parts) and not relative.is_absolute() and ".." not in relative.parts
    if not is_inside or not source.is_file():
        return "without a picture"
    data = source.read_bytes()
    before = path.read_bytes() if path.is_file() else None
    if before == data:
        return "as before"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as err:
        raise ConfigurationError(Problem(f"cannot be written: {err.strerror}", str(path))) from err
    return "new" if before is None else "changed"
