"""Stored runs as Parquet."""

import json
from pathlib import Path

import pytest

from sparring.cli.app import invoke
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.testing.conversations import stored_run, trace_of
from sparring_plugins.reporting import export_command
from sparring_plugins.reporting.export_command import COLUMNS, export_run

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    folder = tmp_path / "run"
    failing = Verdict(
        oracle="rules", check="total", outcome=Outcome.FAIL, owner=Owner.APP, score=0.25,
        reason="12 ≠ 13", details={"shown": [12, 13]},
    )  # fmt: skip
    traces = [trace_of([("hello", f"hi {n}"), ("bye", None)], n=n) for n in range(7)]
    return stored_run(folder, traces, lambda trace: (failing,), concluded=(failing,))


def rows(folder: Path, kind: str) -> list[dict[str, object]]:
    return parquet.read_table(folder / f"{kind}.parquet").to_pylist()


@pytest.mark.parametrize("at_once", [1, 3, 5_000])
def test_every_case_turn_and_verdict_is_a_row(
    at_once: int, run: StoredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_command, "_ROWS", at_once)
    counts = export_run(run, tmp_path / "out")
    judged = list(run.judged())
    cases, turns, verdicts = (rows(tmp_path / "out", kind) for kind in COLUMNS)
    assert [row["case_id"] for row in cases] == [event.trace.case.id for event in judged]
    assert [json.loads(str(row["params"])) for row in cases] == [
        event.trace.case.params for event in judged
    ]
    assert len(turns) == sum(len(event.trace.turns) for event in judged)
    assert len(verdicts) == sum(len(event.verdicts) for event in judged) + len(run.concluded)
    assert sorted(counts.values()) == sorted([len(cases), len(turns), len(verdicts)])
    assert list(cases[0]) == list(COLUMNS["cases"])


def test_the_command_names_its_files(run: StoredRun, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["export", "parquet", str(run.folder)]) == 0
    said = capsys.readouterr().out
    assert all(f"{kind}.parquet" in said for kind in COLUMNS)
    assert rows(run.folder / "parquet", "cases")


def test_where_it_cannot_write_it_says_so(
    run: StoredRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert invoke(["export", "parquet", str(run.folder), "-o", str(tmp_path / "file" / "x")]) == 2
    assert "cannot be written" in capsys.readouterr().err
