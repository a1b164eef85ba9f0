"""An app whose cases fail at known rates, each play by its own seed, and a suite of it."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

FAKES = "sparring.testing.fakes:"

APP = '''
import os
from contextlib import asynccontextmanager
from random import Random

from sparring.errors import AppCrash
from sparring.interfaces.app_connector import AppConnector, AppSession
from sparring.interfaces.plugin import PluginConfig
from sparring.model.talk import Observation, act_text


class Config(PluginConfig):
    rates: dict[str, float] = {}
    otherwise: float = 0.0


class Unsteady(AppConnector[Config]):
    """Crashes at the last line, at the rate of the case's parameter `n`, by the play's seed."""

    Config = Config

    @asynccontextmanager
    async def open(self, case):
        rate = self.config.rates.get(str(case.params.get("n")), self.config.otherwise)
        yield Session(Random(case.seed).random() < rate)


class Session(AppSession):
    def __init__(self, crashes):
        self.crashes = crashes

    async def send(self, act):
        if act_text(act) == "pay" and self.crashes:
            raise AppCrash("no price")
        return Observation(text=f"You said {act_text(act)}.")
'''

WriteSuite = Callable[..., Path]


@pytest.fixture
def unsteady(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WriteSuite]:
    """Writes a suite: ``unsteady({1: 0.3}, cases=[1, 2], repeats=10)``."""
    (tmp_path / "unsteady_app.py").write_text(APP, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    def write(
        rates: dict[int, float] | None = None, cases: Sequence[int] = (1, 2, 3), **changes: Any
    ) -> Path:
        path = tmp_path / "suite.yaml"
        data = {
            "name": "unsteady",
            "app": {
                "use": "unsteady_app:Unsteady",
                "rates": {str(number): rate for number, rate in (rates or {}).items()},
            },
            "agent": {"use": f"{FAKES}FakePlayer", "lines": ["order", "pay"]},
            "strategy": {"use": f"{FAKES}FakeStrategy", "params": [{"n": n} for n in cases]},
            "oracles": ["generic-failures"],
            "reporters": ["console"],
            "concurrency": 1,
            **changes,
        }
        path.write_text(yaml.safe_dump(data), encoding="utf-8")
        return path

    yield write
    sys.modules.pop("unsteady_app", None)
