"""The library Dask as executors use it; imported when a run names one of them."""

import logging
from contextlib import suppress
from importlib import import_module
from typing import Any

from sparring.errors import MissingExtra

_KEPT: dict[str, int | str] = {
    "admin.low-level-log-length": 20,
    "diagnostics.computations.max-history": 1,
}
"""How much Dask keeps of what is over.

Of each connection it would keep the last 1,000 messages, with all cases and answers in them.
"""


def require_dask(settings: dict[str, int | str] | None = None) -> Any:
    """Import and return `distributed`; raises MissingExtra.

    `settings` are its own by their keys below ``distributed``, as ``scheduler.worker-ttl: 60s``.
    """
    try:
        distributed = import_module("distributed")
    except ImportError as err:
        name = err.name or "distributed"
        raise MissingExtra(f"{name} is not installed; pip install 'sparring[dask]'") from err
    for name in ("distributed", "tornado"):  # the run itself says which workers were lost
        logging.getLogger(name).setLevel(logging.CRITICAL)
    config: Any = import_module("dask.config")
    config.set({f"distributed.{key}": value for key, value in (_KEPT | (settings or {})).items()})
    return distributed


async def connected(distributed: Any, target: Any, **options: Any) -> Any:
    """Return a client of a scheduler; raises what connecting raises, with nothing left open."""
    client = distributed.Client(target, asynchronous=True, set_as_default=False, **options)
    try:
        return await client
    except BaseException:
        with suppress(Exception):
            await client.close()
        raise


def sent_by_value(module: Any) -> Any:
    """Have the functions of a module sent as code, so that a worker need not have the module."""
    cloudpickle: Any = import_module("cloudpickle")
    cloudpickle.register_pickle_by_value(module)
    return module


def forget_task_keys() -> None:
    """Clear the names of tasks that Dask remembers.

    It keeps the last 100,000 to spare splitting them again: 0.3 kB each, which would be all that
    grows in a run of that many tasks, each of which has a name of its own.
    """
    split: Any = import_module("dask.utils").key_split
    with suppress(AttributeError):  # another version may remember nothing
        split.cache_clear()
