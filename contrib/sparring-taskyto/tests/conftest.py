"""A Taskyto server for each test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from taskyto_server import TaskytoServer, serving


@pytest.fixture
def taskyto() -> Iterator[TaskytoServer]:
    """A cinema's chatbot."""
    with serving() as server:
        yield server
