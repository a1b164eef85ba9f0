"""Every code block of README and docs is run or checked.

A YAML or Python block whose first line is ``# file: PATH`` is written to an empty folder that
belongs to the page; ``console`` blocks are then run there, command by command, in the order of
the page: ``$ `` begins a command, a comment ``# exit 1`` at its end says with which code it ends
(else 0). Lines of output are not compared, except those that begin with ``> ``: their text must
be in the output. Blocks of other kinds are parsed.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

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
}


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int


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


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(block.kind == "console" for block in blocks(page))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_the_commands_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "CI": "true", "NO_COLOR": "1", "SPARRING_SOURCE": str(ROOT)}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    groups: list[int] = []
    try:
        for block in blocks(page):
            where = f"{page.relative_to(ROOT)}:{block.line}"
            named = _FILE.match(block.text)
            if named:
                target = tmp_path / named[1]
                assert tmp_path in target.resolve().parents
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text[named.end() :], encoding="utf-8")
            elif block.kind == "console":
                _run(block.text, tmp_path, environment, where, groups)
    finally:
        _stop(groups)


def _run(
    text: str, folder: Path, environment: dict[str, str], where: str, groups: list[int]
) -> None:
    output = ""
    for line in text.splitlines():
        if line.startswith("$ "):
            command, _, comment = line[2:].partition("  # ")
            expected = int(comment.split()[1]) if comment.startswith("exit ") else 0
            words = shlex.split(command)
            if words[0] == "cd":
                folder = folder / words[1]
                continue
            process = subprocess.Popen(command, shell=True, cwd=folder, env=environment, text=True,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
            groups.append(process.pid)
            output, _ = process.communicate(timeout=120)
            assert process.returncode == expected, f"{where}: {command}\n{output}"
        elif line.startswith("> "):
            assert line[2:].strip() in output, f"{where}: {line}\n{output}"


def _stop(groups: list[int]) -> None:
    """End what a page left running in the background."""
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
