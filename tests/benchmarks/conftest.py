"""Whole processes, measured by the operating system."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Cost:
    """What a finished process used: processor seconds, peak memory in MiB."""

    cpu_s: float
    peak_mib: float
    code: int
    out: str


Measure = Callable[..., Cost]

_CHILD = """
import json, os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 2**20, done.returncode,
                  done.stdout[-4000:]]))
"""


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Run a command line of Python's in the test's folder, which is importable, and measure it."""

    def run(*arguments: str, **variables: str) -> Cost:
        path = f"{HERE}{os.pathsep}{tmp_path}"
        environment = {**os.environ, "PYTHONPATH": path, "CI": "true", **variables}
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, sys.executable, *arguments],
            capture_output=True, text=True, cwd=tmp_path, env=environment, check=True,
        )  # fmt: skip
        return Cost(*json.loads(done.stdout))

    return run
