"""The process that workers of this machine are forked from, so that modules are imported once.

A worker that starts by itself imports Dask and Sparring, which takes 1.5 s of processor time: 24 s
for 16 workers. The fork server imports them once, while this process imports Dask as well. It never
has threads of ours, so that forking it is safe.
"""

import os
import sys
from importlib import import_module
from multiprocessing import get_context
from typing import Any

_OURS = ("sparring", "sparring_plugins", "sparring_connectors")
"""Packages whose modules may be imported ahead: importing them starts no thread."""

_started_with: dict[str, str] | None = None
"""The environment of this process when the fork server was started; `None` if there is none."""


def start_fork_server() -> bool:
    """Start the process that workers are forked from, if it is not there; returns whether it is.

    Workers of the fork server inherit its environment, to which `Nanny` adds what was set since.
    A variable that was removed since would still be there: then they start by themselves.
    """
    global _started_with
    if sys.platform != "linux":  # macOS: system libraries break in forked processes
        return False
    if _started_with is not None and not _started_with.keys() <= os.environ.keys():
        return False
    if _started_with is None:
        get_context("forkserver").set_forkserver_preload(["distributed", *_modules_in_use()])
        _started_with = dict(os.environ)
    server: Any = import_module("multiprocessing.forkserver")
    server.ensure_running()
    return True


def _modules_in_use() -> list[str]:
    """The modules of Sparring that this process has imported: workers need the same."""
    return [name for name in sys.modules if name.partition(".")[0] in _OURS]


def keep_preloaded_modules() -> None:
    """Have Dask leave the modules to import as they are.

    It would have this process import whatever it may use, such as pandas, to have them preloaded.
    """
    utils: Any = import_module("distributed.utils")
    utils._forkserver_preload_set = True  # another version may not read it: it costs a second then
