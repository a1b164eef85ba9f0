"""Runs that begin in one second get a folder each; an unreadable run is passed over."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.engine.session import new_place
from sparring.errors import StoredRunError
from sparring.model.run import Run
from sparring.store import RunLog, StoredRun, find_run

CREATED = datetime(2026, 1, 1, tzinfo=UTC)


def test_runs_that_begin_together_get_a_folder_each(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(lambda _: new_place(tmp_path / "runs", "pizzeria"), range(24)))
    assert len({folder for _, folder in places}) == 24
    assert all(folder.name == run_id for run_id, folder in places)


def test_a_run_leaves_the_log_of_another_as_it_is(tmp_path: Path) -> None:
    run = Run(id="r", name="r", created=CREATED, seed=0)
    with RunLog.create(tmp_path / "r", run):
        pass
    before = {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()}
    with pytest.raises(StoredRunError, match="File exists"):
        RunLog.create(tmp_path / "r", run)
    assert {path.name: path.read_bytes() for path in (tmp_path / "r").iterdir()} == before


def test_the_last_run_is_found_behind_an_unreadable_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RunLog.create(tmp_path / "good", Run(id="good", name="n", created=CREATED, seed=0)):
        pass
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text("{")
    found = find_run("last", tmp_path)
    assert isinstance(found, StoredRun)
    assert found.folder.name == "good"
    assert "torn" in caplog.text
