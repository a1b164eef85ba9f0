"""Holds this process to what a suite from a stranger may do, whatever part does it.

What `suite_policy` finds in the text of a suite is refused with its place. Here is the second
line: Python reports each file, connection and program to an audit hook before it is opened, also
those of redirects, of names that resolve to this machine, and of links made after the check.
"""

import os
import re
import shutil
import site
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from sparring_plugins.trust.addresses import is_listed, why_not_public
from sparring_plugins.trust.suite_policy import FLAG, words

_STARTS = frozenset(
    {"os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.startfile", "pty.spawn"}
)
_WRITES = frozenset(
    {
        "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate",
        "os.chmod", "os.chown", "shutil.rmtree", "shutil.move", "shutil.copyfile",
    }
)  # fmt: skip
_CREATES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OWN_WORKER = re.compile(r"sparring_plugins\.[\w.]+")


class Forbidden(PermissionError):
    """Something that a suite from a stranger may not do."""

    def __init__(self, what: str) -> None:
        super().__init__(1, f"forbidden ({FLAG}): {what}")


@dataclass(slots=True)
class Confinement:
    """What is allowed while it is active."""

    readable: tuple[str, ...]
    writable: tuple[str, ...]
    addresses: Collection[str]
    active: bool = True
    #: What was refused, once each.
    refused: list[str] = field(default_factory=list[str])

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise Forbidden for an event that is not allowed."""
        if not self.active:
            return
        check = _CHECKS.get(event)
        if check is None:
            return
        what = check(self, arguments)
        if what is None:
            return
        if what not in self.refused:
            self.refused.append(what)
        raise Forbidden(what)

    def opened(self, arguments: tuple[Any, ...]) -> str | None:
        """Check ``open``: path, mode, flags."""
        path, _, flags = arguments
        if isinstance(path, int) or path is None:
            return None
        writes = isinstance(flags, int) and bool(flags & _CREATES)
        return self._outside(path, "writing" if writes else "reading")

    def changed(self, arguments: tuple[Any, ...]) -> str | None:
        """Check what changes files: each argument that is a path."""
        paths: list[Any] = [
            item for item in arguments if isinstance(item, (str, bytes, os.PathLike))
        ]
        refusals = (self._outside(path, "changing") for path in paths)
        return next((what for what in refusals if what), None)

    def made(self, arguments: tuple[Any, ...]) -> str | None:
        """Check ``os.mkdir``, which changes nothing if the folder is there."""
        return None if os.path.isdir(arguments[0]) else self.changed(arguments[:1])  # noqa: PTH112

    def connected(self, arguments: tuple[Any, ...]) -> str | None:
        """Check ``socket.connect``: the socket, and an address that is resolved already."""
        address = arguments[1]
        if not isinstance(address, tuple):
            return f"connecting to the local socket {address!r}"
        parts = cast("tuple[Any, ...]", address)
        host, port = str(parts[0]), int(parts[1])
        if is_listed(host, port, self.addresses):
            return None
        why = why_not_public(host)
        return f"connecting to {host}:{port}, {why}" if why else None

    def started(self, arguments: tuple[Any, ...]) -> str | None:
        """Check ``subprocess.Popen``: only our own workers, which judge, may be started."""
        command = arguments[1]
        if isinstance(command, (list, tuple)):
            parts = [str(part) for part in command]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            module = parts[parts.index("-m") + 1] if "-m" in parts[:-1] else ""
            if parts[0] == sys.executable and _OWN_WORKER.fullmatch(module):
                return None
        return f"starting the program {arguments[0]!r}"

    def starts(self, arguments: tuple[Any, ...]) -> str | None:
        """Check all other ways of starting a program."""
        return f"starting a program {str(arguments)[:80]}"

    def _outside(self, path: Any, doing: str) -> str | None:
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (OSError, ValueError):
            return None
        allowed = self.readable if doing == "reading" else self.writable
        if any(real == place or real.startswith(place + os.sep) for place in allowed):
            return None
        return f"{doing} {real}, which is not in the suite's folder"


_CHECKS: dict[str, Callable[[Confinement, tuple[Any, ...]], str | None]] = {
    "open": Confinement.opened,
    "os.mkdir": Confinement.made,
    "socket.connect": Confinement.connected,
    "socket.sendto": Confinement.connected,
    "subprocess.Popen": Confinement.started,
    **dict.fromkeys(_STARTS, Confinement.starts),
    **dict.fromkeys(_WRITES, Confinement.changed),
}

_CURRENT: list[Confinement] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _CURRENT:
        _CURRENT[-1].audit(event, arguments)


_installed: list[bool] = []


@contextmanager
def confined(
    folders: Collection[Path], variables: Collection[str], addresses: Collection[str]
) -> Generator[Confinement]:
    """Allow nothing but what a stranger's suite may do, in the whole process.

    `folders` are the suite's, and what the user named on the command line. The environment loses
    every variable that is neither in `variables` nor needed by the machine.
    """
    if not _installed:
        sys.addaudithook(_hook)  # which stays as long as the process, and does nothing outside
        _installed.append(True)
    temporary = tempfile.mkdtemp(prefix="sparring-")  # /tmp itself holds files of others
    before, tempfile.tempdir = tempfile.tempdir, temporary
    own = tuple(os.path.realpath(str(folder)) for folder in (*folders, temporary))
    confinement = Confinement(
        readable=(*own, *_libraries(), *words()["readable"]), writable=own, addresses=addresses
    )
    names = {*variables, *words()["environment"]}
    hidden = {
        name: value
        for name, value in os.environ.items()
        if name not in names and not name.startswith(("LC_", "XDG_", "COVERAGE_", "COV_"))
    }
    for name in hidden:
        del os.environ[name]
    _CURRENT.append(confinement)
    try:
        yield confinement
    finally:
        confinement.active = False
        _CURRENT.remove(confinement)
        os.environ.update(hidden)
        tempfile.tempdir = before
        shutil.rmtree(temporary, ignore_errors=True)


def _libraries() -> tuple[str, ...]:
    """Where Python and what is installed lie."""
    specs = filter(None, map(find_spec, ("sparring", "sparring_plugins", "sparring_connectors")))
    packages = [place for spec in specs for place in spec.submodule_search_locations or ()]
    places = {
        sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values(),
        *site.getsitepackages(), *packages,
    }  # fmt: skip
    return tuple(sorted({os.path.realpath(place) for place in places if place}))
