"""The options ``--executor`` and ``--workers`` of commands that play or judge cases."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import click

from sparring.discovery import catalog
from sparring.documents.reading import read_document
from sparring.interfaces.plugin import UseOf
from sparring.suite.model import ExecutionUse
from sparring.suite.reading import LoadedSuite, find_suite, load_part, load_suite


def execution_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, as its parameters `executor` and `workers`."""
    command = click.option(
        "--workers", type=click.IntRange(1, 10_000), metavar="N",
        help="Worker processes; implies --executor processes if no executor is named.",
    )(command)  # fmt: skip
    return click.option(
        "--executor", metavar="NAME", shell_complete=_executor_names,
        help="Where to run: local, processes, dask, or the address of a Dask scheduler.",
    )(command)  # fmt: skip


def _executor_names(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The installed executors whose names begin so, for the shell to complete."""
    return [name for name in catalog.names("sparring.executors") if name.startswith(begun)]


def load_executed(
    path: Path, changes: Mapping[str, Any], *, written: Mapping[str, Any] | None = None
) -> LoadedSuite:
    """Load a suite with the options' changes.

    With workers alone, `local` becomes `processes`. An executor other than the suite's gets none
    of the settings that are only for that one, such as the address of a scheduler.
    """
    changes = dict(changes)
    if "execution.use" in changes:
        changes = _drop_settings(path, changes, written)
    elif "execution.workers" in changes:
        workers = changes.pop("execution.workers")
        use = load_suite(path, changes, written=written).suite.execution.use
        changes["execution.use"] = "processes" if use == "local" else use
        changes["execution.workers"] = workers
    return load_suite(path, changes, written=written)


def _drop_settings(
    path: Path, changes: dict[str, Any], written: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Add to the changes that another executor than the suite's gets only what is for any."""
    if written is None:
        written = read_document(find_suite(path) if path.is_dir() else path).data
    executor = changes["execution.use"]
    execution: Any = written.get("execution") if isinstance(written, dict) else None
    if not isinstance(execution, dict) or cast("Any", execution).get("use") == executor:
        return changes
    return {"execution": _general(cast("dict[str, Any]", execution), executor), **changes}


def _general(execution: Mapping[str, Any], executor: str) -> dict[str, Any]:
    """Return the keys of an execution that also apply to another executor."""
    keys = ExecutionUse.model_fields.keys() - ({"workers"} if executor == "local" else set())
    return {key: value for key, value in execution.items() if key in keys}


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
    """Whether this process does everything itself."""
    return execution.use == "local" and execution.workers is None


def execution_use(
    executor: str | None, workers: int | None, written: ExecutionUse | None = None
) -> ExecutionUse:
    """Return who does the work of a command: `written` in a file, changed by the options.

    As in `load_executed`, another executor gets none of the settings of the one in the file.
    """
    use = written or ExecutionUse(use="local")
    changes = {
        key.removeprefix("execution."): value
        for key, value in execution_changes(executor, workers).items()
    }
    if workers is not None and executor is None and use.use == "local":
        changes["use"] = "processes"
    settings = use.model_dump(exclude_unset=True)
    if changes.get("use", use.use) != use.use:
        settings = _general(settings, changes["use"])
    return ExecutionUse.model_validate(settings | changes)
