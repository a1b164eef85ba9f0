"""Workers for commands that do more than play cases once: judge, confirm, calibrate, mutate."""

import os
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sparring.errors import ConfigurationError
from sparring.interfaces.executor import Executor
from sparring.suite.building import SuiteContext
from sparring.suite.model import ExecutionUse
from sparring_plugins.execution.bundle import Bundle, bundle_of
from sparring_plugins.execution.cluster_executor import ClusterExecutor, SessionPlan
from sparring_plugins.execution.local import require_no_workers
from sparring_plugins.execution.workers import FindsModel, Workers


@asynccontextmanager
async def open_workers(
    context: SuiteContext,
    execution: ExecutionUse,
    concurrency: int,
    make_plan: Callable[[], SessionPlan],
    find_model: FindsModel | None = None,
) -> AsyncGenerator[Workers | None]:
    """Yield the workers that an execution names; `None` if this process does everything itself.

    `find_model` answers workers' questions to language models (`context.llm` if left out). Raises
    ConfigurationError if the workers cannot be reached, or differ from this process.
    """
    if execution.use == "local":
        require_no_workers(execution)
        yield None
        return
    executor = context.part(Executor[Any], execution)
    if not isinstance(executor, ClusterExecutor):
        raise ConfigurationError(
            f"execution: the executor {execution.use!r} can only play cases; use local, "
            "processes or dask for this command"
        )
    try:
        yield await executor.open_session(
            execution, concurrency, make_plan, find_model or context.llm
        )
    finally:
        await executor.close()


def bundle_of_files(base_dir: Path, files: Iterable[Path]) -> Bundle:
    """Return a bundle of files and of the Python files in a folder.

    Files outside of the folder are not sent: workers must have them. Raises ConfigurationError.
    """
    home = base_dir.resolve()
    names: dict[str, str] = {}
    for file in files:
        path = file.resolve()
        inside = path.is_relative_to(home)
        names[path.relative_to(home).as_posix() if inside else str(path)] = ""
    return bundle_of(home, None, names)


def common_folder(paths: Iterable[Path]) -> Path:
    """Return the deepest folder that holds all of these folders."""
    return Path(os.path.commonpath([str(path.resolve()) for path in paths]))
