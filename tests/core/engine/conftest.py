"""A suite of fakes, played in process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

Play = Callable[..., RunResult]

FAKES = "sparring.testing.fakes:"


def fake_suite(cases: int = 6, **changes: Any) -> dict[str, Any]:
    """The data of a suite in which `cases` cases are played by fakes."""
    return {
        "name": "fakes",
        "app": {"use": f"{FAKES}FakeConnector"},
        "agent": {"use": f"{FAKES}FakePlayer", "lines": ["hello", "bye"]},
        "strategy": {"use": f"{FAKES}FakeStrategy", "params": [{"n": n} for n in range(cases)]},
        "oracles": [{"use": f"{FAKES}FakeOracle"}],
        "reporters": [],
        **changes,
    }


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run a suite given as keyword arguments; `resume` takes a folder."""

    def _play(
        resume: Path | None = None,
        select: tuple[str, ...] = (),
        retry_errors: bool = False,
        **changes: Any,
    ) -> RunResult:
        path = tmp_path / "suite.yaml"
        path.write_text(yaml.safe_dump(fake_suite(**changes)), encoding="utf-8")
        stored = StoredRun(resume) if resume else None
        return conduct(load_suite(path), RunOptions(stored, select, retry_errors=retry_errors))

    return _play
