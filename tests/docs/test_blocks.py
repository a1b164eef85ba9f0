"""Every code block of README and docs is run or checked.

A YAML or Python block whose first line is ``# file: PATH`` is written to an empty folder that
belongs to the page; ``console`` blocks are then run there, command by command, in the order of
the page: ``$ `` begins a command, a comment ``# exit 1`` at its end says with which code it ends
(else 0). Lines of output are not compared, except those that begin with ``> ``: their text must
be in the output. Blocks of other kinds are parsed.

The commands of README go through the shell. Elsewhere a plain ``sparring ...`` is played by a
process forked from one that has imported it (see `WarmSparring`), all else by the shell. ``pip
install -e`` of the folder's package registers it for the later commands of its page alone.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml
from tests.servers.warm_sparring import WarmSparring

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "contrib").rglob("*.md")),
         *sorted((ROOT / "examples").rglob("*.md"))]  # fmt: skip
_BLOCK = re.compile(r"^```([\w-]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\A# file: (\S+)\n")
_KINDS = {
    "yaml",
    "python",
    "console",
    "text",
    "toml",
    "json",
    "mermaid",
    "csv",
    "xml",
    "html",
    "sh",
    "groovy",
}
PATIENCE_S = 120


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], text[: match.start()].count("\n") + 1)
        for match in _BLOCK.finditer(text)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_are_sound(page: Path) -> None:
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        assert block.kind in _KINDS, f"{where}: a block of kind {block.kind!r}"
        if block.kind == "yaml":
            list(yaml.safe_load_all(block.text))
        elif block.kind == "python":
            compile(block.text, where, "exec")


@dataclass
class Shell:
    """Runs commands in a folder; `groups` are the processes that may have left others behind."""

    folder: Path
    environment: dict[str, str]
    warm: WarmSparring | None
    groups: list[int] = field(default_factory=list[int])

    def run(self, command: str, folder: Path) -> tuple[int, str]:
        """The exit code of a command, and its output."""
        words = shlex.split(command)
        if words[:3] == ["pip", "install", "-e"]:
            command = self._install(folder)
        if self.warm is not None and words[0] == "sparring" and _is_plain(command):
            output = self.folder.with_name(f"{self.folder.name}.output")
            code = self.warm.run(words[1:], folder, output, PATIENCE_S)
            self.groups.append(self.warm.started[-1])
            return code, output.read_text("utf-8")
        process = subprocess.Popen(command, shell=True, cwd=folder, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
        self.groups.append(process.pid)
        output_of, _ = process.communicate(timeout=PATIENCE_S)
        return process.returncode, output_of

    def _install(self, folder: Path) -> str:
        """Let later commands find the package in `folder`, and return the command that installs it.

        Its metadata go beside the page's folder, not into the environment that runs the tests: other
        pages must not find it, and nothing is downloaded. A process that was forked would not see it.
        """
        self.warm = None
        metadata = self.folder.with_name(f"{self.folder.name}.installed")
        found = [str(metadata), str(folder), self.environment.get("PYTHONPATH", "")]
        path = os.pathsep.join(entry for entry in found if entry)
        self.environment = {**self.environment, "PYTHONPATH": path}
        command = [Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--offline",
                   "--no-deps", "--no-build-isolation", "--python", sys.executable,
                   "--target", metadata, "-e", "."]  # fmt: skip
        return shlex.join(map(str, command))

    def close(self) -> None:
        """End what a page left running in the background."""
        for group in self.groups:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)


def _is_plain(command: str) -> bool:
    """Whether nothing of a command is the shell's business but quotes."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    return not set("$`*?~\\") & set(command) and not any(
        set(word) <= set("|&;<>()") for word in words
    )


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """What commands find: no colours, this Sparring, and its programs."""
    found = {**os.environ, "CI": "true", "NO_COLOR": "1", "SPARRING_SOURCE": str(ROOT)}
    found["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{found['PATH']}"
    return found


@pytest.fixture(scope="session")
def warm(environment: dict[str, str]) -> Iterator[WarmSparring]:
    with WarmSparring(environment) as sparring:
        yield sparring


SLOW_PAGES = {
    "docs/how-to/calibrate-gui-agents.md",  # the tests of `calibrate` measure the same agents
    "docs/how-to/can-i-trust-this-judge.md",  # as do those of its judges
    "docs/how-to/rasa-and-taskyto.md",  # the tests of both formats convert the same
    "docs/how-to/find-what-your-suite-misses.md",  # plays a suite against many mutants
    "docs/tutorials/find-what-breaks-your-assistant.md",  # a whole search
    "docs/tutorials/simulated-users.md",  # many conversations; the pizzeria's tests play the same
    "docs/tutorials/test-your-skill.md",  # the tests of the example skills play the same
    "docs/tutorials/test-a-web-page.md",  # many browsers; the shop's tests play the same
    "docs/how-to/web-scripts.md",  # and the tests of scripts
    "docs/reference/browser.md",  # and the connector's own
    "docs/contributing/add-a-part.md",  # installs a package; `tests/contract` does so with each kind
    "docs/tutorials/first-test.md",  # the starters' tests play the same suite
    "docs/tutorials/first-connector.md",  # a package is installed; the tests of `contrib` do so
    "docs/how-to/websocket.md",  # the connector's tests speak to the same kinds of servers
    "docs/how-to/describe-your-space.md",  # searches; the tests of spaces draft from the same material
    "docs/how-to/judge-answers-by-fitness.md",  # a search; the tests of fitness judge the same
    "docs/how-to/interaction-styles.md",  # many conversations; the tests of styles speak the same
    "docs/explanation/method-sensei.md",  # the tests of SENSEI's formats read the same
}
"""Pages whose commands take most of a minute; `make thorough` plays them."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.thorough] if _name(page) in SLOW_PAGES else [])
        for page in PAGES
        if any(block.kind == "console" for block in blocks(page))
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_commands_of_a_page_do_what_it_says(
    page: Path, tmp_path: Path, environment: dict[str, str], warm: WarmSparring
) -> None:
    shell = Shell(tmp_path, environment, None if page.name == "README.md" else warm)
    ports = served_ports(page.read_text(encoding="utf-8"))
    try:
        for block in blocks(page):
            where = f"{page.relative_to(ROOT)}:{block.line}"
            text = _with_ports(block.text, ports)
            named = _FILE.match(text)
            if named:
                target = tmp_path / named[1]
                assert tmp_path in target.resolve().parents
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text[named.end() :], encoding="utf-8")
            elif block.kind == "console":
                _run(text, tmp_path, shell, where)
    finally:
        shell.close()


_SERVED = re.compile(r"""(?:--port |"127\.0\.0\.1", )(\d{4,5})\b""")


def served_ports(text: str) -> dict[str, str]:
    """A free port for each that a page serves at: two checkouts are tested side by side."""
    ports: dict[str, str] = {}
    for port in _SERVED.findall(text):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            ports.setdefault(port, str(taken.getsockname()[1]))
    return ports


def _with_ports(text: str, ports: dict[str, str]) -> str:
    for port, free in ports.items():
        text = re.sub(rf"(?<!\d){port}(?!\d)", free, text)
    return text


def test_a_page_is_served_where_nothing_else_is() -> None:
    ports = served_ports('Server(("127.0.0.1", 8643), Bar)\n$ bot --port 8137 &\nport: 8642')
    assert list(ports) == ["8643", "8137"]
    assert _with_ports("port: 8643, 18643", ports) == f"port: {ports['8643']}, 18643"


def _run(text: str, folder: Path, shell: Shell, where: str) -> None:
    output = ""
    for line in text.splitlines():
        if line.startswith("$ "):
            command, _, comment = line[2:].partition("  # ")
            expected = int(comment.split()[1]) if comment.startswith("exit ") else 0
            words = shlex.split(command)
            if words[0] == "cd":
                folder = folder / words[1]
                continue
            code, output = shell.run(command, folder)
            assert code == expected, f"{where}: {command}\n{output}"
        elif line.startswith("> "):
            assert line[2:].strip() in output, f"{where}: {line}\n{output}"
