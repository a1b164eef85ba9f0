"""The options ``--executor`` and ``--workers`` of commands that play or judge cases."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from sparring.interfaces.plugin import UseOf
from sparring.suite.model import ExecutionUse
from sparring.suite.reading import LoadedSuite, load_part, load_suite


def execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, as its parameters `executor` and `workers`."""
    command = click.option(
        "--workers", type=click.IntRange(1, 10_000), metavar="N",
        help="Processes that play (--executor processes, if the suite names none).",
    )(command)  # fmt: skip
    return click.option(
        "--executor", metavar="NAME",
        help="Who plays: local, processes or dask; or the address of a scheduler of Dask.",
    )(command)  # fmt: skip


def load_executed(
    path: Path, changes: Mapping[str, Any], *, written: Mapping[str, Any] | None = None
) -> LoadedSuite:
    """Load a suite with the options' changes; with workers alone, `local` becomes `processes`."""
    changes = dict(changes)
    if "execution.workers" in changes and "execution.use" not in changes:
        workers = changes.pop("execution.workers")
        use = load_suite(path, changes, written=written).suite.execution.use
        changes["execution.use"] = "processes" if use == "local" else use
        changes["execution.workers"] = workers
    return load_suite(path, changes, written=written)


def execution_changes(executor: str | None, workers: int | None) -> dict[str, Any]:
    """Return what the options replace in a suite, by dotted key."""
    changes: dict[str, Any] = {}
    if executor is not None and "://" in executor:
        changes["execution.use"] = "dask"
        changes["execution.address"] = executor
    elif executor is not None:
        changes["execution.use"] = executor
    if workers is not None:
        changes["execution.workers"] = workers
    return changes


def require_known(execution: ExecutionUse) -> None:
    """Raise PluginError if no executor has this name, before anything is played."""
    load_part(UseOf("sparring.executors"), execution.use)


def is_in_process(execution: ExecutionUse) -> bool:
    """Whether this process does everything itself, and nothing says otherwise."""
    return execution.use == "local" and execution.workers is None


def execution_use(
    executor: str | None, workers: int | None, written: ExecutionUse | None = None
) -> ExecutionUse:
    """Return who does the work of a command: `written` in a file, changed by the options."""
    use = written or ExecutionUse(use="local")
    changes = {
        key.removeprefix("execution."): value
        for key, value in execution_changes(executor, workers).items()
    }
    if workers is not None and executor is None and use.use == "local":
        changes["use"] = "processes"
    return ExecutionUse.model_validate(use.model_dump(exclude_unset=True) | changes)
