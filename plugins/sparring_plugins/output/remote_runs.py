"""Runs in an object store or on a server: `runs:` and ``--runs`` may be an address.

A log grows line by line and is synced per case, which no object store can do. A run is therefore
written to a folder of this machine, the copy, and its files are brought to the address: while it
goes on whenever the log has grown by half, and all of them at its end. What another machine has
stored there is fetched when it is asked for. The library fsspec knows the addresses (``s3://…``, ``gs://…``,
``sftp://…``, ``file://…``, ``memory://…``); each kind of store needs a package of its own.
"""

import atexit
import json
import os
import re
import threading
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from sparring.cli.output import plain
from sparring.errors import ConfigurationError, MissingExtra, StorageError
from sparring.store.log import LOG, MANIFEST

_EVERY_S = 20.0
_GROWN = 1.5
_PUSHED = ".pushed.json"
"""The file in a run's folder that lists which files were uploaded, by time of change and size."""


class RemoteRuns:
    """The runs at an address, and their copy on this machine.

    The address is opened when a run is first fetched or uploaded: to check a suite, no server is
    asked and no password is needed. Raises ConfigurationError if no kind of store has such
    addresses, and MissingExtra.
    """

    def __init__(self, address: str, folder: Path) -> None:
        self.address = address
        self.folder = folder
        try:
            self._library: Any = import_module("fsspec")
        except ImportError as err:
            raise MissingExtra(
                f"runs at {plain(address)} need fsspec: pip install 'sparring[remote]'"
            ) from err
        try:
            for link in address.split("::"):  # such as simplecache::s3://bucket/runs
                self._library.get_filesystem_class(link.partition("://")[0])
        except ImportError as err:
            raise MissingExtra(f"runs at {plain(address)}: {plain(str(err))}") from err
        except Exception as err:  # each kind of store has its own
            raise ConfigurationError(f"runs: {plain(address)}: {plain(str(err))}") from err
        self._lock = threading.Lock()
        self._before = _manifests(folder)
        self.is_opened = False

    @cached_property
    def _store(self) -> tuple[Any, str]:
        """The file system of the address, and the folder there; raises StorageError."""
        try:
            files, home = self._library.url_to_fs(self.address)
        except Exception as err:  # each kind of store has its own
            raise self._not_reached(err) from err
        self.is_opened = True
        return files, str(home)

    def push_news(self, *, whole: bool = True) -> None:
        """Push if this command fetched runs, or stored any in the copy; raises StorageError."""
        if self.is_opened or _manifests(self.folder) != self._before:
            self.push(whole=whole)

    @property
    def _files(self) -> Any:
        return self._store[0]

    def _there(self, path: str) -> str:
        return f"{self._store[1].rstrip('/')}/{path}"

    def fetch_manifests(self) -> None:
        """Download the manifests of runs that this machine lacks; raises StorageError."""
        try:
            paths = self._files.glob(self._there(f"*/{MANIFEST}"))
        except FileNotFoundError:
            return
        except Exception as err:
            raise self._not_reached(err) from err
        for path in paths:
            name = str(path).rstrip("/").split("/")[-2]
            here = self.folder / name / MANIFEST
            if not here.is_file() and _is_plain(name):
                self._fetch(f"{name}/{MANIFEST}", here)
                _set_time(here)

    def fetch_all(self) -> None:
        """Download what this machine lacks of every run; raises StorageError."""
        self.fetch_manifests()
        for manifest in sorted(self.folder.glob(f"*/{MANIFEST}")):
            self.fetch_run(manifest.parent.name)

    def fetch_run(self, name: str) -> None:
        """Download the files of a run that this machine lacks; raises StorageError."""
        pushed = _read_pushed(self.folder / name)
        try:
            entries: dict[str, Any] = self._files.find(self._there(name), detail=True)
        except FileNotFoundError:
            return
        except Exception as err:
            raise self._not_reached(err) from err
        for path, facts in entries.items():
            inside = str(path).rpartition(f"/{name}/")[2]
            here = (self.folder / name / inside).resolve()
            if not here.is_relative_to((self.folder / name).resolve()) or inside == _PUSHED:
                continue
            is_newer_here = here.is_file() and pushed.get(inside) != _state(here)
            if not here.is_file() or (here.stat().st_size != facts["size"] and not is_newer_here):
                self._fetch(f"{name}/{inside}", here)
                pushed[inside] = _state(here)
        _write_pushed(self.folder / name, pushed)

    def _fetch(self, path: str, here: Path) -> None:
        here.parent.mkdir(parents=True, exist_ok=True)
        fresh = here.with_name(f".{here.name}.new")
        try:
            self._files.get_file(self._there(path), str(fresh))
        except Exception as err:
            raise self._not_reached(err) from err
        fresh.replace(here)

    def push(self, *, whole: bool = True) -> None:
        """Upload what is new on this machine; raises StorageError.

        Without `whole`, a log that is being written waits until it has grown by half.
        """
        with self._lock:
            for manifest in sorted(self.folder.glob(f"*/{MANIFEST}")):
                self._push_run(manifest.parent, whole=whole)

    def _push_run(self, run: Path, *, whole: bool) -> None:
        pushed = _read_pushed(run)
        before = dict(pushed)
        for path in sorted(run.rglob("*")):
            name = path.relative_to(run).as_posix()
            if not path.is_file() or path.name == _PUSHED or path.suffix == ".new":
                continue
            state = _state(path)
            last = pushed.get(name)
            waits = name == LOG and not whole and last is not None and state[1] < _GROWN * last[1]
            if state == last or waits:
                continue
            there = self._there(f"{run.name}/{name}")
            try:
                self._files.makedirs(there.rpartition("/")[0], exist_ok=True)
                self._files.put_file(str(path), there)
            except Exception as err:
                raise self._not_reached(err) from err
            pushed[name] = state
        if pushed != before:
            _write_pushed(run, pushed)

    def _not_reached(self, err: Exception) -> StorageError:
        why = plain(str(err) or type(err).__name__)
        return StorageError(
            f"runs: {plain(self.address)} cannot be reached: {why}; "
            f"what was stored on this machine is in {self.folder}, and is uploaded next time"
        )


def _is_plain(name: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name))


def _manifests(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the state of each run in a folder, by name: of its manifest and its log."""
    paths = (path for name in (MANIFEST, LOG) for path in folder.glob(f"*/{name}"))
    return {str(path.relative_to(folder)): _state(path) for path in paths}


def _state(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_size


def _read_pushed(run: Path) -> dict[str, tuple[int, int]]:
    try:
        data: dict[str, list[int]] = json.loads((run / _PUSHED).read_text(encoding="utf-8"))
        return {name: (int(state[0]), int(state[1])) for name, state in data.items()}
    except (OSError, ValueError, TypeError, IndexError, AttributeError):
        return {}


def _write_pushed(run: Path, pushed: dict[str, tuple[int, int]]) -> None:
    run.mkdir(parents=True, exist_ok=True)
    fresh = run / f"{_PUSHED}.new"
    fresh.write_text(json.dumps(pushed), encoding="utf-8")
    fresh.replace(run / _PUSHED)


def _set_time(manifest: Path) -> None:
    """Give a fetched manifest the time of its run, by which the last one is found."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        created = json.loads(manifest.read_text(encoding="utf-8"))["created"]
        seconds = datetime.fromisoformat(created).timestamp()
        os.utime(manifest, (seconds, seconds))


_open: dict[Path, RemoteRuns] = {}


def local_copy(address: str) -> str:
    """Return the folder on this machine with the copy of the runs at an address.

    What the command stores there is uploaded to the address. Raises ConfigurationError and
    MissingExtra.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    slug = re.sub(r"[^A-Za-z0-9]+", "-", address).strip("-")[-40:]
    digest = sha256(address.rstrip("/").encode()).hexdigest()[:10]
    folder = cache / "sparring" / "runs" / f"{slug}-{digest}"
    if folder not in _open:
        _open[folder] = RemoteRuns(address, folder)
        context = click.get_current_context(silent=True)
        if context is None:
            atexit.register(_open[folder].push_news)
        else:
            context.call_on_close(_Keeper(_open[folder]).end)
    return str(folder)


class _Keeper:
    """Uploads runs to their address during a command and at its end."""

    def __init__(self, runs: RemoteRuns) -> None:
        self._runs = runs
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ended.wait(_EVERY_S):
            with suppress(StorageError, OSError):  # tried again, and raised at the end
                self._runs.push_news(whole=False)

    def end(self) -> None:
        """Upload the rest; raises StorageError."""
        self._ended.set()
        self._thread.join()
        _open.pop(self._runs.folder, None)
        self._runs.push_news()


def remote_runs(folder: Path) -> RemoteRuns | None:
    """Return the runs whose copy is in a folder; `None` if it is no copy."""
    return _open.get(folder)
