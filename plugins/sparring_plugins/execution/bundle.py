"""A suite as workers get it: its files with their SHA-256, under one name made from both."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path, PurePosixPath
from shutil import rmtree

from sparring.errors import ConfigurationError

_MOST_BYTES = 200_000_000
_MOST_CODE_FILES = 2_000
_PASSED_OVER = frozenset({"runs", "node_modules", "__pycache__", "venv"})


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a suite: `digests` by path, and the content of those below its folder.

    Paths are relative to the suite's folder `base_dir`, with slashes; those outside of it are
    absolute, and are not sent: a worker must have them already.
    """

    base_dir: str
    suite: str
    digests: dict[str, str]
    contents: dict[str, bytes] = field(repr=False)

    @property
    def name(self) -> str:
        """The SHA-256 of all paths and digests."""
        return digest_of("\n".join(f"{p} {d}" for p, d in sorted(self.digests.items())).encode())

    def place(self) -> Path:
        """Return the suite's folder on this machine: itself if it is the same here, or a copy.

        Raises ConfigurationError if a file outside of the folder is missing or differs.
        """
        here = Path(self.base_dir)
        outside = [path for path in self.digests if path not in self.contents]
        wrong = [path for path in outside if not is_same(Path(path), self.digests[path])]
        if wrong:
            raise ConfigurationError(
                f"the suite uses {wrong[0]}, outside of its folder, and this worker has no such "
                "file, or another one; put it into the suite's folder, or there on each worker"
            )
        if all(is_same(here / path, self.digests[path]) for path in self.contents):
            return here
        return self._unpacked()

    def _unpacked(self) -> Path:
        owner = os.getuid() if hasattr(os, "getuid") else 0
        home = Path(tempfile.gettempdir()) / f"sparring-bundles-{owner}"
        home.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and home.stat().st_uid != owner:  # somebody else's: a trap
            home = Path(tempfile.mkdtemp(prefix="sparring-bundles-"))
        folder = home / self.name
        if all(is_same(folder / path, self.digests[path]) for path in self.contents):
            return folder
        fresh = Path(tempfile.mkdtemp(dir=home))
        write_files(self.contents, fresh)
        try:
            fresh.replace(folder)
        except OSError:  # another process of this machine was faster, or the copy was changed
            if all(is_same(folder / path, self.digests[path]) for path in self.contents):
                rmtree(fresh, ignore_errors=True)
                return folder
            return fresh
        return folder


def bundle_of(base_dir: Path, suite: Path | None, inputs: Mapping[str, str]) -> Bundle:
    """Return the bundle of a suite: what a run's manifest lists, and the Python files beside it.

    Without a suite, it has the `inputs` and the Python files of `base_dir`. Raises
    ConfigurationError if a file cannot be read, or all together are too large.
    """
    name_of_suite = "" if suite is None else suite.name
    paths = [name_of_suite] if suite is not None and suite.is_file() else []
    paths += [*inputs, *_code_below(base_dir)]
    digests: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    size = 0
    for name in dict.fromkeys(paths):
        data = _read(base_dir / name)
        digests[name] = digest_of(data)
        if not PurePosixPath(name).is_absolute() and not Path(name).is_absolute():
            contents[name] = data
            size += len(data)
    if size > _MOST_BYTES:
        raise ConfigurationError(
            f"the suite's files have {size:,} bytes, more than the {_MOST_BYTES:,} that workers get"
        )
    return Bundle(str(base_dir.absolute()), name_of_suite, digests, contents)


def _code_below(folder: Path) -> list[str]:
    """The Python files in a suite's folder: apps, parts and rules may be written in it."""
    paths: list[str] = []
    for place, folders, files in os.walk(folder):
        hidden = [name for name in folders if name.startswith(".") or name in _PASSED_OVER]
        for name in hidden:
            folders.remove(name)
        paths += [
            (Path(place) / name).relative_to(folder).as_posix()
            for name in files
            if name.endswith(".py")
        ]
        if len(paths) > _MOST_CODE_FILES:  # the suite lies at the root of something else
            return []
    return sorted(paths)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as err:
        raise ConfigurationError(f"{path} cannot be sent to workers: {err.strerror}") from err


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return sha256(data).hexdigest()


def is_same(path: Path, digest: str) -> bool:
    """Return whether a file is there and has a digest."""
    try:
        return digest_of(path.read_bytes()) == digest
    except OSError:
        return False


def read_files(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder by their paths, which are relative to it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def write_files(contents: Mapping[str, bytes], folder: Path) -> None:
    """Write files below a folder, each whole or not at all.

    Raises ConfigurationError for a path that leads out of the folder.
    """
    if not contents:  # most cases leave no file, and resolving the folder costs half a millisecond
        return
    home = folder.resolve()
    for name, data in contents.items():
        path = (home / name).resolve()
        if not path.is_relative_to(home) or path == home:
            raise ConfigurationError(f"{name!r} leads out of {folder}: it is not written")
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_bytes(data)
        fresh.replace(path)
