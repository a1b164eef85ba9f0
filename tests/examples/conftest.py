"""The examples' packages, and the pizzeria's server as a process."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.servers.example_server import EXAMPLES, serving

sys.path[:0] = [str(EXAMPLES / name) for name in ("pizzeria", "assistant", "support", "study")]

Serve = Callable[..., str]


@pytest.fixture(scope="session")
def pizzeria() -> Path:
    """The folder of the example."""
    return EXAMPLES / "pizzeria"


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    """The servers that a test started; closing it stops them, and sees that they stop cleanly."""
    with ExitStack() as started:
        yield started


@pytest.fixture
def serve(servers: ExitStack) -> Serve:
    """Start the pizzeria's server with options, as a process; returns its address."""
    return lambda *options: servers.enter_context(serving("pizzeria", *options))
