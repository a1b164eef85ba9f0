"""A Rasa server for each test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from rasa_server import RasaServer, serving


@pytest.fixture
def rasa() -> Iterator[RasaServer]:
    """A hotel's assistant."""
    with serving() as server:
        yield server
