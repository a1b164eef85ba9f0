"""Starts a handler away from everything else, and ends all that it started; for Linux alone.

Sparring starts this program with an environment that holds no keys. It stands alone: only the
standard library. Its first argument is JSON, the rest is the command of the handler:

- ``mode``: ``namespaces`` makes namespaces of its own for users, processes, mounts, IPC, names and,
  if ``cut``, the network; with ``bubblewrap`` it was started in such; with ``none`` there are none.
- ``covered``: folders that are replaced by empty ones in memory; ``kept``: paths below them that
  are shown nevertheless. Everything else can be read and not written.
- ``cut``: the network is private; a socket that listens on its loopback goes out over `channel`.
- ``memory``, ``processes``: bytes and processes that the handler and its children may have.
- ``channel``: a socket for messages to Sparring; when its other end closes, everything ends here.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time

TYPE_CHECKING = (
    False  # a process for each conversation: importing `typing` costs a third of its start
)
if TYPE_CHECKING:
    from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong,
                       ctypes.c_char_p]  # fmt: skip
LIBC.syscall.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint,
                         ctypes.c_void_p, ctypes.c_size_t]  # fmt: skip

# From linux/sched.h, linux/mount.h, linux/prctl.h, linux/sockios.h, linux/if.h.
NEW_MOUNTS, NEW_CGROUPS, NEW_NAMES, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SETUID, NO_DEVICES, NO_EXECUTION, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
DEATH_SIGNAL, DUMPABLE, BOUNDING_DROP, SUBREAPER, NO_NEW_PRIVILEGES = 1, 4, 24, 36, 38
SET_FLAGS, FLAG_UP = 0x8914, 1

TEMPORARY_BYTES = 512 << 20
"""What the folder for temporary files holds, as in Lambda."""
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
#: The parts of /proc through which the machine's own root could set something.
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs")
LOOK_S = 0.2
"""Seconds between two looks at memory and processes."""


def main() -> int:
    """Set everything up, run the command, return its exit code."""
    spec = json.loads(sys.argv[1])
    channel = socket.socket(fileno=spec["channel"])
    channel.set_inheritable(False)
    try:
        if spec["mode"] == "namespaces":
            enter_namespaces(spec)
            hide_files(spec)
        listener = listen(spec) if spec["cut"] else None
        if spec["mode"] == "none":
            prctl(SUBREAPER, 1)
        else:
            give_up_rights()
    except OSError as err:
        channel.send(json.dumps({"failed": f"{err}"}).encode())
        return 1
    os.chdir(spec["folder"])
    message = json.dumps({"port": listener.getsockname()[1] if listener else None}).encode()
    socket.send_fds(channel, [message], [listener.fileno()] if listener else [])
    if listener:
        listener.close()
    return 0 if spec.get("probe") else supervise(spec, channel)


def checked(result: int, what: str) -> None:
    """Raise the error of a call to the C library that failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def prctl(option: int, value: int) -> None:
    """Set an option of this process."""
    checked(LIBC.prctl(option, value, 0, 0, 0), f"prctl {option}")


# Namespaces


def enter_namespaces(spec: Any) -> None:
    """Go on as the first process of namespaces; the process that was started waits for it."""
    user, group = os.getuid(), os.getgid()
    wanted = NEW_USERS | NEW_MOUNTS | NEW_PROCESSES | NEW_IPC | NEW_NAMES | NEW_CGROUPS
    checked(LIBC.unshare(wanted | (NEW_NETWORK if spec["cut"] else 0)), "unshare")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{user} {user} 1")
    write("/proc/self/gid_map", f"{group} {group} 1")
    alive, witness = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(witness)
        prctl(DEATH_SIGNAL, signal.SIGKILL)
        if select.select([alive], [], [], 0)[0]:  # the parent had ended before it was asked for
            os._exit(1)
        os.close(alive)
        return
    os.close(alive)
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    for descriptor in (0, 1, 2, spec["channel"]):
        os.close(descriptor)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def write(path: str, text: str) -> None:
    """Write to a file of the kernel in one go."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    except OSError as err:
        raise OSError(err.errno, f"{path}: {err.strerror}") from err
    finally:
        os.close(descriptor)


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Attach a file system, a folder or a file at `target`, with flags of the kernel's."""
    arguments = [text.encode() if text else None for text in (source, target, kind)]
    checked(LIBC.mount(*arguments, flags, data.encode() or None), f"mount {target}")


def set_flags(path: str, add: int, remove: int = 0, *, deep: bool = False) -> None:
    """Set flags of a mount, or of all below it: one call that leaves no mount out."""
    flags = struct.pack("=QQQQ", add, remove, 0, 0)
    buffer = ctypes.create_string_buffer(flags, len(flags))
    where = AT_RECURSIVE if deep else 0
    checked(LIBC.syscall(MOUNT_SETATTR, AT_FDCWD, path.encode(), where, buffer, len(flags)),
            f"mount_setattr {path}")  # fmt: skip


def hide_files(spec: Any) -> None:
    """Make the tree of files read-only; cover folders; show what is kept below them."""
    mount(None, "/", None, RECURSIVE | PRIVATE)
    kept = {path: os.open(path, os.O_PATH) for path in spec["kept"] if os.path.lexists(path)}
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in DEVICES
               if os.path.exists(f"/dev/{name}")}  # fmt: skip
    set_flags("/", READ_ONLY | NO_SETUID | NO_DEVICES, deep=True)
    mount("proc", "/proc", "proc", NO_SETUID | NO_DEVICES | NO_EXECUTION)
    for name in KERNEL_SETTINGS:
        path = f"/proc/{name}"
        if os.path.exists(path):
            mount(path, path, None, BIND)
            mount(None, path, None, BIND | REMOUNT | READ_ONLY | NO_SETUID | NO_DEVICES)
    make_devices(devices)
    for path in sorted({*spec["covered"], *kept}, key=lambda path: path.count("/")):
        if path in kept:
            attach(kept[path], path)
        else:
            os.makedirs(path, exist_ok=True)  # an outer one may have covered it already
            cover(path)
    for descriptor in (*kept.values(), *devices.values()):
        os.close(descriptor)


def cover(path: str) -> None:
    """Put an empty folder, in memory, in the place of one."""
    flags = NO_SETUID | NO_DEVICES
    mount("tmpfs", path, "tmpfs", flags, f"size={TEMPORARY_BYTES},nr_inodes=100000,mode=0777")


def attach(descriptor: int, path: str) -> None:
    """Show what a descriptor stands for at its old path; folders on the way are made."""
    is_folder = os.path.isdir(f"/proc/self/fd/{descriptor}")
    if not os.path.lexists(path):
        os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
        if not is_folder:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    mount(f"/proc/self/fd/{descriptor}", path, None, BIND | RECURSIVE)


def make_devices(devices: dict[str, int]) -> None:
    """Replace /dev by the few devices that every program may need."""
    cover("/dev")
    for name, descriptor in devices.items():
        attach(descriptor, f"/dev/{name}")
        set_flags(f"/dev/{name}", 0, NO_DEVICES)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"/dev/{name}")
    os.mkdir("/dev/shm")


def listen(spec: Any) -> socket.socket:
    """A socket on the private loopback, on which Sparring serves what stands for Alexa."""
    if spec["mode"] == "namespaces":  # bubblewrap does it by itself
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            fcntl.ioctl(link, SET_FLAGS, struct.pack("16sH14x", b"lo", FLAG_UP))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    return listener


def give_up_rights() -> None:
    """Keep no capability, and no way to get one back."""
    for capability in range(64):
        if LIBC.prctl(BOUNDING_DROP, capability, 0, 0, 0) < 0:
            if ctypes.get_errno() == errno.EPERM:  # bubblewrap has dropped all of them
                break
            continue  # EINVAL: this kernel has no such capability
    header = ctypes.create_string_buffer(struct.pack("=II", 0x20080522, 0))
    nothing = ctypes.create_string_buffer(24)
    checked(LIBC.capset(header, nothing), "capset")
    prctl(NO_NEW_PRIVILEGES, 1)


# The handler


def supervise(spec: Any, channel: socket.socket) -> int:
    """Run the command; end it when it takes too much, and everything with it when it is over."""
    wake, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    # Without namespaces the whole machine's processes are looked through.
    pause_s = LOOK_S if spec["mode"] != "none" else 5 * LOOK_S
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, take_note)
    handler = start(spec, channel)
    prctl(DUMPABLE, 0)  # the handler may neither trace nor read this process
    empty = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(empty, descriptor)
    ended: dict[str, Any] = {}
    sources: list[Any] = [channel, wake]
    while not ended:
        ready = select.select(sources, [], [], pause_s)[0]
        if wake in ready:
            os.read(wake, 4096)
        if channel in ready:
            break  # Sparring has gone, or wants an end
        code = reap(handler)
        why = excess(spec)
        if code is not None:
            ended = {"code": code}
        elif why:
            ended = {"code": -signal.SIGKILL, "why": why}
    if ended:
        channel.send(json.dumps({"ended": ended}).encode())
    end_descendants()
    return 0


def take_note(number: int, frame: Any) -> None:
    """Do nothing: that a signal has a handler is what wakes the loop."""


def start(spec: Any, channel: socket.socket) -> int:
    """Start the handler; its process."""
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        bound = spec["memory"] if most == resource.RLIM_INFINITY else min(most, spec["memory"])
        resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))
        os.execvp(sys.argv[2], sys.argv[2:])
    except OSError as err:
        channel.send(json.dumps({"missing": err.strerror}).encode())
    finally:
        os._exit(127)


def reap(handler: int) -> int | None:
    """Collect processes that ended; the handler's exit code if it is one of them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == handler:
            code = os.waitstatus_to_exitcode(status)


def descendants() -> dict[int, int]:
    """The processes that the handler has, and is, each with its resident bytes."""
    parents: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            sizes[int(entry)] = int(fields[21]) * resource.getpagesize()
    own = {os.getpid()}
    size = 0
    while len(own) > size:
        size = len(own)
        own |= {pid for pid, parent in parents.items() if parent in own}
    return {pid: sizes.get(pid, 0) for pid in own - {os.getpid()}}


def excess(spec: Any) -> str:
    """What the handler and its children have too much of; nothing if they have not."""
    running = descendants()
    if len(running) > spec["processes"]:
        return f"more than {spec['processes']} processes"
    if sum(running.values()) > spec["memory"]:
        return f"more than {spec['memory'] >> 20} MiB of memory"
    return ""


def end_descendants() -> None:
    """Kill until none is left; what is forked meanwhile is found in the next round."""
    for _ in range(200):
        running = descendants()
        if not running:
            return
        for pid in running:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        reap(0)
        time.sleep(0.005)


if __name__ == "__main__":
    sys.exit(main())
