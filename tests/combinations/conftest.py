"""Suites of any player, app, strategy and oracles, played in process."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.store import StoredRun
from sparring.suite.reading import load_suite

FAKES = "sparring.testing.fakes:"

#: What fakes are told, so that there is something to combine.
FAKE_SETTINGS: dict[str, dict[str, Any]] = {
    f"{FAKES}FakeConnector": {"replies": ["Which size?", "That is $12.50.", "Anything else?"]},
    f"{FAKES}FakePlayer": {
        "lines": ["Hello", "A {size} one, please", "Thank you"],
        "space": {
            "scenarios": [
                {
                    "name": "order",
                    "variables": [
                        {"name": "size", "domain": ["small", "large"], "selector": "forward()"},
                        {"name": "extra", "domain": ["olives", None]},
                    ],
                },
                {"name": "opening hours"},
            ]
        },
    },
}

Play = Callable[..., tuple[RunResult, StoredRun]]


@pytest.fixture
def part(installed_settings: Callable[[str, str], Mapping[str, Any]]) -> Callable[..., Any]:
    """The entry of a suite for a part: a fake by its import path, any other by its name."""

    def _part(group: str, name: str, /, **more: Any) -> dict[str, Any]:
        fake = name.startswith(FAKES)
        settings = FAKE_SETTINGS.get(name, {}) if fake else installed_settings(group, name)
        return {"use": name, **settings, **more}

    return _part


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Runs a suite given as keyword arguments; the result, and the run as it is stored."""

    def _play(**suite: Any) -> tuple[RunResult, StoredRun]:
        path = tmp_path / "suite.yaml"
        data = {"name": "matrix", "budget": {"cases": 8}, **suite}
        path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
        conducted = conduct(load_suite(path), RunOptions())
        assert conducted.folder is not None
        return conducted, StoredRun(conducted.folder)

    return _play
