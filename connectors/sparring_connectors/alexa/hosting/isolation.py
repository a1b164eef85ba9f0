"""Which isolation this machine has for handlers, and how a handler's command is put into it.

A handler is code of somebody else. With isolation it is started by a small program (`guard.py`) in
Linux namespaces: it sees no process but its own, no file of the user's but its skill and its
libraries, writes nowhere but into memory, and with `network: cut` has a loopback of its own and no
other network. Bubblewrap makes the namespaces if it is installed, since it works on some systems
that refuse them to everybody else; or the kernel is asked directly.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from sparring_connectors.alexa.config import IsolationChoice

Mode = Literal["bubblewrap", "namespaces", "none"]

GUARD = Path(__file__).parent / "runners" / "guard.py"
MOST_PROCESSES = 512
_KERNEL_SETTINGS = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")
_PROBE_S = 20.0
_TEMPORARY_BYTES = 512 << 20
#: Folders in which other programs leave their files and sockets (agents, buses, containers).
_SHARED = ("/tmp", "/var/tmp", "/run", "/dev/shm")


@dataclass(frozen=True, slots=True)
class Isolation:
    """How handlers are kept apart here; `why` says why not better, if they are not."""

    mode: Mode
    why: str = ""

    @property
    def is_guarded(self) -> bool:
        """Whether `guard.py` starts the handlers: it needs Linux."""
        return sys.platform == "linux"

    def describe(self) -> str:
        """Return a sentence for people on what handlers can do."""
        if self.mode != "none":
            by = "bubblewrap" if self.mode == "bubblewrap" else "Linux namespaces"
            return f"handlers of skills are isolated by {by}"
        return (
            f"handlers of skills run WITHOUT isolation ({self.why}): they can read and write your "
            "files, see and end your processes, read the keys in their environment, and get past "
            "'network: cut'; test only skills that you trust"
        )


@cache
def find_isolation(choice: IsolationChoice) -> Isolation:
    """Find out what this machine has, by trying it once.

    `required` and `auto` take the best; other choices are tried alone. If that does not work, the
    mode is ``none``, and `why` holds the reason.
    """
    if choice == "none":
        return Isolation("none", "the suite says 'isolation: none'")
    if sys.platform != "linux":
        return Isolation("none", f"there are no namespaces on {sys.platform}")
    reasons: list[str] = []
    modes: tuple[Mode, ...] = ("bubblewrap", "namespaces")
    for mode in modes:
        if choice in (mode, "auto", "required"):
            trouble = _try_mode(mode)
            if trouble is None:
                return Isolation(mode)
            reasons.append(f"{mode}: {trouble}")
    return Isolation("none", "; ".join(reasons))


def _try_mode(mode: Mode) -> str | None:
    """Set everything up without a handler; why that does not work, None if it does."""
    if mode == "bubblewrap" and shutil.which("bwrap") is None:
        return "the program bwrap is not installed"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with closing(ours), closing(theirs):
        box = Box(mode, Path("/"), (), 1 << 30, cut=True)
        command = box.command((), theirs.fileno(), probe=True)
        try:
            ended = subprocess.run(
                command, pass_fds=[theirs.fileno()], capture_output=True, timeout=_PROBE_S,
                env={"PATH": os.environ.get("PATH", os.defpath)}, stdin=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as err:
            return str(err)
        theirs.close()
        reason = read_message(ours).get("failed")
    if ended.returncode == 0:
        return None
    printed = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return str(reason or (printed[-1] if printed else f"exit code {ended.returncode}"))[:200]


def read_message(channel: socket.socket) -> dict[str, Any]:
    """Return what the guard has sent last of all; nothing if it sent nothing."""
    channel.setblocking(False)
    message: dict[str, Any] = {}
    try:
        while data := channel.recv(4096):
            message |= json.loads(data)
    except (OSError, ValueError):
        pass
    return message


@dataclass(frozen=True, slots=True)
class Box:
    """What is around one handler: its mode, its working folder, what it may read, its limits.

    `readable` are paths that stay visible where everything else of the user's is covered.
    """

    mode: Mode
    folder: Path
    readable: tuple[Path, ...]
    memory: int
    cut: bool

    @property
    def has_own_network(self) -> bool:
        """Whether the loopback is private, too."""
        return self.cut and self.mode != "none"

    def command(
        self, command: Sequence[str], channel: int, *, probe: bool = False
    ) -> tuple[str, ...]:
        """Return the command that runs `command` in the box."""
        covered = _list_hidden_folders()
        kept = self._kept(covered)
        spec = {
            "mode": self.mode,
            "folder": str(self.folder),
            "covered": covered,
            "kept": kept,
            "cut": self.has_own_network,
            "memory": self.memory,
            "processes": MOST_PROCESSES,
            "channel": channel,
            "probe": probe,
        }
        guard = (sys.executable, "-I", "-S", str(GUARD), json.dumps(spec), *command)
        if self.mode != "bubblewrap":
            return guard
        return (*_bubblewrap(covered, kept, cut=self.cut), *guard)

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment in the box, in which temporary files have their usual place."""
        if self.mode == "none":
            return dict(inherited)
        others = {key: value for key, value in inherited.items() if key not in ("TEMP", "TMP")}
        return {**others, "TMPDIR": "/tmp"}

    def _kept(self, covered: Sequence[str]) -> list[str]:
        """What of `readable` and of our own Python lies in folders that are covered."""
        named = (GUARD.parent, *self.readable, *_interpreter(Path(sys.executable)), *_resolver())
        # Covered folders are real ones: /home may be a link. The last part may stay a link.
        paths = {path.parent.resolve() / path.name for path in named if path.exists()}
        hidden = {Path(place) for place in covered}
        nearest = {path: _nearest(path, hidden | paths) for path in paths}
        return sorted(
            str(path) for path, above in nearest.items() if above in hidden or path in hidden
        )


def _list_hidden_folders() -> list[str]:
    """The folders that are replaced by empty ones: the home, temporary files, sockets."""
    places = {*map(Path, _SHARED), Path(tempfile.gettempdir()), _home()}
    real = {str(place.resolve()) for place in places if place.is_dir()}
    return sorted(real - {"/"})


def _home() -> Path:
    """The user's home; the root folder, which is never covered, if there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _nearest(path: Path, places: Set[Path]) -> Path | None:
    """The innermost of some places that holds a path; what is shown with it needs no more."""
    return next((place for place in path.parents if place in places), None)


def _bubblewrap(covered: Sequence[str], kept: Sequence[str], *, cut: bool) -> Iterator[str]:
    """The command line of bubblewrap up to the program that it starts."""
    yield from (shutil.which("bwrap") or "bwrap", "--unshare-user", "--unshare-ipc")
    yield from ("--unshare-pid", "--as-pid-1", "--unshare-uts", "--unshare-cgroup-try")
    if cut:
        yield "--unshare-net"
    yield from ("--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/")
    yield from ("--dev", "/dev", "--proc", "/proc")
    # The machine's own root may set these even without any capability; bubblewrap leaves them.
    for path in _KERNEL_SETTINGS:
        if Path(path).exists():
            yield from ("--ro-bind", path, path)
    for path in sorted({*covered, *kept}, key=lambda path: path.count("/")):
        if path in kept:
            yield from ("--ro-bind", path, path)
        else:
            yield from ("--size", str(_TEMPORARY_BYTES), "--perms", "0777", "--tmpfs", path)


# What a handler has to read.


def readable_paths(
    program: str, skill: Path, handler: Path, more: Iterable[Path]
) -> tuple[Path, ...]:
    """What has to stay visible for a skill: itself, its libraries, its interpreter.

    Nothing is started to find that out: a Python that lies in the skill is the skill's code, too.
    """
    paths = {skill.resolve(), handler.resolve(), *(path.resolve() for path in more)}
    found = shutil.which(program)
    if found is not None:
        paths.update(_interpreter(Path(found)))
    paths.update(_node_modules(handler.resolve()))
    return tuple(sorted(paths))


def _interpreter(program: Path) -> Iterator[Path]:
    """The folders of an interpreter, of a virtual environment and of what that is based on."""
    for step in _links(program.absolute()):
        yield step
        prefix = step.parent.parent
        if _is_prefix(prefix):
            yield prefix
            yield from _base(prefix / "pyvenv.cfg")


def _links(path: Path) -> Iterator[Path]:
    """A path, and what it links to, step by step."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    yield path.resolve()


def _base(config: Path) -> Iterator[Path]:
    """The installation that a virtual environment says it is made from."""
    try:
        lines = config.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        key, _, value = line.partition("=")
        home = Path(value.strip())
        if key.strip() == "home" and home.is_absolute() and (home / "python3").exists():
            prefix = home.resolve().parent
            if _is_prefix(prefix):
                yield prefix


def _is_prefix(folder: Path) -> bool:
    """Whether a folder can be shown as an installation: never the home, nor what holds it.

    ``~/bin/python`` must not show everything in ``~``.
    """
    home = _home().resolve()
    return folder.resolve() != home and folder.resolve() not in home.parents


def _node_modules(folder: Path) -> Iterator[Path]:
    """The packages that Node finds from a folder, above it too, and the ones they link to."""
    for place in (folder, *folder.parents):
        modules = place / "node_modules"
        if not modules.is_dir():
            continue
        yield modules
        # A workspace's packages are links: node_modules/texts -> ../packages/texts.
        for entry in (*modules.glob("*"), *modules.glob("@*/*")):
            if entry.is_symlink() and entry.is_dir() and _is_prefix(entry.resolve()):
                yield entry.resolve()


def _resolver() -> Iterator[Path]:
    """Files by which names of hosts are found, which often are links into /run."""
    for name in ("resolv.conf", "hosts", "localtime"):
        path = Path("/etc", name)
        if path.is_symlink():
            yield path.resolve()
