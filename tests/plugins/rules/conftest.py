"""A bench to judge conversations on."""

from pathlib import Path

import pytest

from .judging import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Writes rules to files and judges conversations by them."""
    return Bench(tmp_path)
