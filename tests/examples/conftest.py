"""The examples' packages, and the pizzeria's server as a process."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PIZZERIA = Path(__file__).parents[2] / "examples" / "pizzeria"
ASSISTANT = PIZZERIA.parent / "assistant"
SUPPORT = PIZZERIA.parent / "support"
STUDY = PIZZERIA.parent / "study"
sys.path[:0] = [str(PIZZERIA), str(ASSISTANT), str(SUPPORT), str(STUDY)]

Serve = Callable[..., str]


@pytest.fixture(scope="session")
def pizzeria() -> Path:
    """The folder of the example."""
    return PIZZERIA


def stop(servers: list[subprocess.Popen[str]]) -> None:
    """Stop servers, and see that they stop cleanly."""
    while servers:
        process = servers.pop()
        process.terminate()
        process.communicate(timeout=10)
        assert process.returncode == 0, "the server does not stop cleanly"


@pytest.fixture
def servers() -> Iterator[list[subprocess.Popen[str]]]:
    """The processes of the servers that a test started."""
    started: list[subprocess.Popen[str]] = []
    yield started
    stop(started)


@pytest.fixture
def serve(servers: list[subprocess.Popen[str]]) -> Serve:
    """Start the example's server with options, as a process; returns its address."""

    def _serve(*options: str) -> str:
        process = subprocess.Popen(
            [sys.executable, str(PIZZERIA / "server.py"), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        servers.append(process)
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], 30)
        assert ready, "the server said nothing for 30 seconds"
        return process.stdout.readline().split()[-1]

    return _serve
