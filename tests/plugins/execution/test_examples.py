"""Every example that plays without a key: the same verdicts, whoever plays its cases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.cli.app import invoke
from sparring.store import StoredRun, find_run

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

SUITES: dict[str, tuple[str, str]] = {
    "skills/star-porch": ("", ""),
    "skills/tea-corner": ("", ""),
    "skills/window-garden": ("", ""),
    "library": ("library", "LIBRARY_URL"),
    "clinic": ("clinic", "CLINIC_URL"),
    "workshop": ("workshop", "WORKSHOP_URL"),
    "pizzeria": ("pizzeria", "PIZZERIA_URL"),
    "support": ("support", "LINNET_URL"),
    "shop": ("shop", "SHOP_URL"),
}
"""Suites, each with the server that it needs, and the variable that says where that is."""

LEARNS = frozenset({"support"})
"""What cannot be sharded."""


@contextmanager
def served(name: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    server, variable = SUITES[name]
    if not server:
        yield
        return
    with serving(server) as url:
        patch.setenv(variable, url)
        yield


def play(name: str, runs: Path, *options: str) -> StoredRun:
    """Run a suite; its address is the same for all who play it."""
    arguments = ["run", str(EXAMPLES / name), "--runs", str(runs), "--set", "reporters=[]"]
    code = invoke([*arguments, "--set", "confirm=false", "--budget", "cases=24", *options])
    assert code in (0, 1, 3)
    return find_run("last", runs)


def verdicts(run: StoredRun) -> Any:
    """What a run says of each case: texts of reasons may hold times."""
    return {
        judged.trace.case.id: [
            (verdict.oracle, verdict.check, verdict.outcome) for verdict in judged.verdicts
        ]
        for judged in run.judged()
    }


@pytest.mark.parametrize("name", SUITES)
def test_an_example_has_the_same_verdicts_whoever_plays_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    with served(name, monkeypatch):
        local = verdicts(play(name, tmp_path / "local"))
        assert len(local) > 1
        for workers in (1, 2, 4):
            there = play(name, tmp_path / f"w{workers}", "--workers", str(workers))
            assert verdicts(there) == local, workers
        if name in LEARNS:
            return
        parts = [play(name, tmp_path / f"s{k}", "--shard", f"{k}/3").folder for k in (1, 2, 3)]
        suite = ["--suite", str(EXAMPLES / name), "--runs", str(tmp_path / "merged")]
        assert invoke(["merge", *map(os.fspath, parts), *suite]) in (0, 1, 3)
        assert verdicts(find_run("last", tmp_path / "merged")) == local
