"""Finding stored runs, also at an address."""

from contextlib import suppress
from pathlib import Path

from sparring.errors import ConfigurationError, StoredRunError
from sparring.store import StoredRun
from sparring.store import find_run as find_here
from sparring.suite.reading import load_suite
from sparring_plugins.output import arguments
from sparring_plugins.output.remote_runs import remote_runs


def runs_of_suite(suite: str | None) -> Path:
    """Return the folder of runs of the suite that is named or found here, else ``runs``."""
    try:
        loaded = load_suite(arguments.suite_path(suite))
    except ConfigurationError:  # it may need an environment that is gone
        return Path("runs")
    return loaded.base_dir / loaded.suite.runs


def find_run(name: str, runs: Path, *, played: bool = False) -> StoredRun:
    """Return the run in a folder, or of an id in the folder of runs, or the ``last`` one there.

    See `sparring.store.find_run`. If the runs are at an address, what is missing here is fetched.
    """
    remote = remote_runs(runs)
    if remote is None:
        return find_here(name, runs, played=played)
    stored = None
    if name != "last":  # which may be newer at the address
        with suppress(StoredRunError):
            stored = find_here(name, runs, played=played)
    if stored is None:
        remote.fetch_manifests()
        stored = find_here(name, runs, played=played)
    if stored.folder.parent == runs:
        remote.fetch_run(stored.folder.name)
    return StoredRun(stored.folder)
