"""Runs the skills of `attacking_skills` against a machine that has something to lose.

``python -m tests.security.skill_attacks [isolation]`` prints a table of what each attack reached.
"""

import asyncio
import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sparring.errors import SparringError
from sparring.model.case import Case
from sparring.model.talk import Listen
from sparring.testing.fakes import FakeContext
from sparring_connectors.alexa.connector import AlexaConnector

SKILLS = Path(__file__).parent / "attacking_skills"
Outcomes = dict[str, tuple[str, str]]
"""For each attack: ``escaped`` or ``held``, and what it reached or why not."""

NETWORK = ("other_host", "loopback", "datagram", "unix_socket", "abstract_socket")
SECRETS = ("parent_environment", "own_environment", "other_processes", "inherited_files",
           "read_secret", "read_memory")  # fmt: skip
WRITING = ("write_home", "write_beside", "write_skill", "write_temporary", "write_shared_memory",
           "delete", "write_kernel_setting", "write_cgroup", "block_device")  # fmt: skip
CONTROL = ("kill_victim", "kill_parent", "ptrace_attach", "remount", "nested_namespaces",
           "host_name", "shared_segment", "daemons")  # fmt: skip
#: Each of these may cost the handler its process, and so has one of its own.
GREED = ("unmount", "memory", "memory_of_children", "many_processes", "disk")
PYTHON = (*NETWORK, *SECRETS, *WRITING, *CONTROL, *GREED)
_NO_NODE = {"inherited_files", "abstract_socket", "write_cgroup", "block_device", "ptrace_attach", "host_name",
            "shared_segment", "unmount", "memory_of_children", "many_processes",
            "disk"}  # fmt: skip
NODE = ("shell", *(name for name in PYTHON if name not in _NO_NODE))
OF_LANGUAGE = {"python": PYTHON, "node": NODE}

KEY = "sk-planted-0f7d1c55"


class Machine:
    """What the attacks are after: a key, files, processes, services of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = f"sparring-victim-{os.getpid()}-{folder.name}"
        self._stack = ExitStack()

    def __enter__(self) -> "Machine":
        enter = self._stack.enter_context
        self.home = self.folder / "home"
        self.suite = self.folder / "suite"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id_ed25519").write_text("PRIVATE KEY")
        self.suite.mkdir()
        (self.suite / "precious.txt").write_text("of the suite")
        shutil.copytree(SKILLS, self.suite / "skills")
        enter(patch.dict(os.environ, {"HOME": str(self.home), "SPARRING_TEST_API_KEY": KEY}))
        self.victims = [enter(self._process("victim", {"OPENAI_API_KEY": KEY})) for _ in range(2)]
        self.port = enter(_listening(socket.AF_INET, ("0.0.0.0", 0)))[1]
        self.udp_port = enter(_echoing())
        self.unix = enter(_listening(socket.AF_UNIX, str(self.folder / "socket")))
        self.abstract = enter(_listening(socket.AF_UNIX, "\0" + self.mark))
        self.shared_memory = Path("/dev/shm") / self.mark
        self.temporary = Path(tempfile.gettempdir()) / f"{self.mark}.txt"
        for path in (self.shared_memory, self.temporary):
            self._stack.callback(path.unlink, missing_ok=True)
        self.segment = enter(_segment())
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def targets(self, language: str, attacks: tuple[str, ...]) -> dict[str, Any]:
        """What the skill of a language is told."""
        return {
            "attacks": attacks,
            "key": [KEY[:9], KEY[9:]],  # in parts: it is not to be found in this very text
            "victim_mark": self.mark,
            "victims": [victim.pid for victim in self.victims],
            "sparring": os.getpid(),
            "port": self.port,
            "udp_port": self.udp_port,
            "unix": self.unix,
            "abstract": self.mark,
            "secret": str(self.home / ".ssh" / "id_ed25519"),
            "home": str(self.home),
            "beside": str(self.suite),
            "skill": str(self.suite / "skills" / language),
            "temporary": str(self.temporary),
            "shared_memory": str(self.shared_memory),
            "segment": self.segment,
            "daemon_mark": f"{self.mark}-daemon",
        }

    def attack(self, language: str, *attacks: str, **settings: Any) -> Outcomes:
        """Let a skill try attacks in one conversation; what it reached."""
        targets = json.dumps(self.targets(language, attacks))
        skill = {"folder": f"skills/{language}", "environment": {"TARGETS": targets}}
        answer = asyncio.run(self._converse(skill, settings))
        if isinstance(answer, SparringError):
            why = f"{type(answer).__name__}: {answer}"
            outcomes: Outcomes = dict.fromkeys(attacks, ("held", why))
        else:
            outcomes = {name: tuple(outcome) for name, outcome in json.loads(answer).items()}
        return self._verified(outcomes)

    def converse(self, language: str, **settings: Any) -> str | SparringError:
        """What is heard when a skill of the machine is opened."""
        return asyncio.run(self._converse({"folder": f"skills/{language}"}, settings))

    async def _converse(
        self, skill: dict[str, Any], settings: dict[str, Any]
    ) -> "str | SparringError":
        context = FakeContext(base_dir=self.suite)
        settings = {"network": "cut", "timeout_s": 60, **settings}
        connector = context.build(AlexaConnector, skill=skill, **settings)
        try:
            async with connector.open(Case.of("attack", {"n": 1}, run_seed=1)) as session:
                return (await session.send(Listen())).text
        except SparringError as err:
            return err
        finally:
            await context.close()
            self.warnings = context.warnings

    def _verified(self, outcomes: Outcomes) -> Outcomes:
        """Believe what is so on the machine, and not what the skill thinks it did."""
        outside = {
            "write_home": not (self.home / ".profile").exists(),
            "write_beside": not (self.suite / "planted.txt").exists(),
            "write_temporary": not self.temporary.exists(),
            "write_shared_memory": not self.shared_memory.exists(),
            "delete": (self.suite / "precious.txt").exists(),
            "kill_victim": self.victims[0].poll() is None,
            "daemons": not _running(f"{self.mark}-daemon"),
            "nested_namespaces": not (self.suite / "planted.txt").exists()
            and "PRIVATE KEY" not in outcomes.get("nested_namespaces", ("", ""))[1],
        }
        for name, is_whole in outside.items():
            if name in outcomes:
                outcomes[name] = ("held" if is_whole else "escaped", outcomes[name][1])
        return outcomes

    @contextmanager
    def _process(
        self, mark: str, environment: dict[str, str]
    ) -> "Iterator[subprocess.Popen[bytes]]":
        command = [sys.executable, "-S", "-c", "import time; time.sleep(600)", self.mark, mark]
        process = subprocess.Popen(command, env={**os.environ, **environment})
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def _running(mark: str) -> list[int]:
    """The processes whose command line has a mark; those that are ending get a moment."""
    pids: list[int] = []
    for _ in range(20):
        pids = [pid for pid in _pids() if mark.encode() in _command_line(pid)]
        if not pids:
            return []
        time.sleep(0.05)
    return pids


def end_daemons(machine: Machine) -> None:
    """End what an attack left behind."""
    for pid in _running(f"{machine.mark}-daemon"):
        os.kill(pid, 9)


def _pids() -> list[int]:
    return [int(place.name) for place in Path("/proc").glob("[0-9]*")]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def _listening(family: int, address: Any) -> Iterator[Any]:
    """A service that says hello; its address."""
    server = socket.socket(family)
    server.bind(address)
    server.listen(16)

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"hello\n")

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


@contextmanager
def _echoing() -> Iterator[int]:
    """A service that answers datagrams; its port."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("0.0.0.0", 0))
    port = server.getsockname()[1]

    def serve() -> None:
        while True:
            data, sender = server.recvfrom(100)
            if data == b"end":
                return
            server.sendto(b"hello", sender)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield port
    finally:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ending:
            ending.sendto(b"end", ("127.0.0.1", port))
        thread.join()
        server.close()


@contextmanager
def _segment() -> Iterator[int]:
    """A System V segment of shared memory; its key."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x53500000 + os.getpid() % 0xFFFF
    libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    number = libc.shmget(key, 4096, 0o1000 | 0o666)
    try:
        yield key
    finally:
        libc.shmctl(number, 0, None)


def main() -> None:
    """Print what every attack reaches with the settings that are given as JSON."""
    settings = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    languages = sys.argv[2:] or ["python", "node"]
    for language in languages:
        escaped = 0
        for name in OF_LANGUAGE[language]:
            with tempfile.TemporaryDirectory() as folder, Machine(Path(folder)) as machine:
                began = time.monotonic()
                outcome, why = machine.attack(language, name, **settings)[name]
                end_daemons(machine)
            escaped += outcome == "escaped"
            print(f"{language:7}{name:22}{outcome:9}{time.monotonic() - began:5.1f} s  {why[:130]}",
                  flush=True)  # fmt: skip
        print(f"{language}: {escaped} of {len(OF_LANGUAGE[language])} escaped", flush=True)


if __name__ == "__main__":
    main()
