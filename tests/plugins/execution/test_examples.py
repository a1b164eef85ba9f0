"""Every example that plays without a key: the same verdicts, whoever plays its cases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.servers.example_server import EXAMPLES, serving

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome, Owner
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

LEARNS = frozenset({"skills/star-porch", "skills/tea-corner", "skills/window-garden"})
"""What `--shard` refuses: their strategies learn from verdicts."""

COMPLETE = frozenset({0, 1, 3, 4})
"""Exit codes of runs that played what they should; 4: there are more cases than the budget lets."""


@contextmanager
def served(name: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    server, variable = SUITES[name]
    if not server:
        yield
        return
    with serving(server) as url:
        patch.setenv(variable, url)
        yield


def run(name: str, runs: Path, *options: str) -> int:
    """Run a suite and return the exit code; its address is the same for all who play it."""
    arguments = ["run", str(EXAMPLES / name), "--runs", str(runs), "--set", "reporters=[]"]
    return invoke([*arguments, "--set", "confirm=false", "--budget", "cases=24", *options])


def play(name: str, runs: Path, *options: str) -> StoredRun:
    """Run a suite to its end, and return what is stored."""
    assert run(name, runs, *options) in COMPLETE
    return find_run("last", runs)


Verdicts = dict[str, list[tuple[str, str, Outcome | None]]]


def verdicts(run: StoredRun) -> Verdicts:
    """What a run says of each case, without reasons, whose texts may hold times.

    None stands for what nobody can say because the machine was busy: `answers_quickly` of a
    conversation that waited for the processor is the environment's.
    """
    return {
        judged.trace.case.id: [
            (v.oracle, v.check, None if v.owner is Owner.ENVIRONMENT else v.outcome)
            for v in judged.verdicts
        ]
        for judged in run.judged()
    }


def differences(there: Verdicts, local: Verdicts) -> list[str]:
    """Name the checks that one run decides and another one decides otherwise."""
    assert there.keys() == local.keys()
    return [
        f"{case_id}: {oracle} / {check}: {outcome} and {other}"
        for case_id in local
        for (oracle, check, outcome), (_, _, other) in zip(
            there[case_id], local[case_id], strict=True
        )
        if outcome is not other and None not in (outcome, other)
    ]


@pytest.mark.parametrize("name", SUITES)
def test_an_example_has_the_same_verdicts_whoever_plays_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    with served(name, monkeypatch):
        local = verdicts(play(name, tmp_path / "local"))
        assert len(local) > 1
        for workers in (1, 2, 4):
            there = play(name, tmp_path / f"w{workers}", "--workers", str(workers))
            assert differences(verdicts(there), local) == [], workers
        if name in LEARNS:
            assert run(name, tmp_path / "shard", "--shard", "1/3") == 2
            assert "the strategy learns from verdicts" in capsys.readouterr().err
            assert not (tmp_path / "shard").exists()
            return
        parts = [play(name, tmp_path / f"s{k}", "--shard", f"{k}/3").folder for k in (1, 2, 3)]
        suite = ["--suite", str(EXAMPLES / name), "--runs", str(tmp_path / "merged")]
        assert invoke(["merge", *map(os.fspath, parts), *suite]) in COMPLETE
        assert differences(verdicts(find_run("last", tmp_path / "merged")), local) == []
