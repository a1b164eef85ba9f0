"""The programs that run handlers, started as where nothing guards them."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sparring_connectors.alexa.hosting import hosts

RUNNERS = Path(hosts.__file__).parent / "runners"
BUSY = """exports.handler = () => { console.log(`busy ${process.pid}`); for (;;); };"""
PARENT = """
import json, subprocess, sys
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
runner = subprocess.Popen(["node", sys.argv[1]], **pipes)
def tell(line, until):
    runner.stdin.write(line.encode() + b"\\n")
    runner.stdin.flush()
    while not (said := runner.stdout.readline()).startswith(until):
        assert said
    return said
tell(sys.argv[2], b"m ")
print(tell('{"id": 1, "request": {}}', b"busy").split()[1].decode(), flush=True)
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.skipif(sys.platform == "win32", reason="asks for processes as POSIX does")
def test_a_busy_handler_that_nothing_guards_ends_with_whoever_started_it(tmp_path: Path) -> None:
    file = tmp_path / "index.js"
    file.write_text(BUSY)
    start: dict[str, Any] = {"file": str(file), "folder": str(tmp_path), "root": str(tmp_path), "store": {},
             "function": "handler", "seed": None, "now": None, "network": "allow", "timeout": 60,
             "service": None, "coverage": False, "guarded": False, "mark": "m "}  # fmt: skip
    command = [sys.executable, "-c", PARENT, str(RUNNERS / "node_runner.js"), json.dumps(start)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True)
    until = time.monotonic() + 60
    while is_running(int(done.stdout)):
        assert time.monotonic() < until, "the handler outlives its parent"
        time.sleep(0.05)


def is_running(number: int) -> bool:
    """Whether there is a process of that number that is no zombie."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(number)], capture_output=True, check=False
    )
    return not state.stdout.strip().startswith(b"Z")
