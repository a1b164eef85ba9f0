"""Runs at an address: brought there, fetched elsewhere, and never lost if it cannot be reached."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.core.engine.conftest import fake_suite

from sparring.cli.app import invoke
from sparring.engine.exit_codes import NOT_STORED
from sparring.errors import ConfigurationError, MissingExtra
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.judging.calibration.file_loading import load_calibration
from sparring_plugins.output.remote_runs import RemoteRuns, local_copy

fsspec: Any = pytest.importorskip("fsspec")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite; what this machine has copied is in its folder ``cache``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def write_suite(folder: Path, runs: str, **changes: Any) -> None:
    suite = {**fake_suite(3, **changes), "runs": runs}
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite), encoding="utf-8")


def only_run(store: Path) -> Path:
    (manifest,) = store.glob("*/run.json")
    return manifest.parent


def test_a_run_is_at_its_address_and_is_read_by_another_machine(
    machine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = machine / "store"
    write_suite(machine, store.as_uri())
    assert invoke(["run"]) == 0
    run = only_run(store)
    assert len(list(StoredRun(run).judged())) == 3
    shutil.rmtree(machine / "cache")  # another machine has nothing of it
    capfd.readouterr()
    assert invoke(["show", "last", "--runs", store.as_uri()]) == 0
    assert "3 cases: 3 pass" in capfd.readouterr().out
    assert invoke(["show", run.name, "--runs", store.as_uri()]) == 0
    assert invoke(["show", "nothing", "--runs", store.as_uri()]) == 2
    assert run.name in capfd.readouterr().err


def test_a_run_is_gone_on_with_elsewhere(machine: Path) -> None:
    store = machine / "store"
    write_suite(machine, store.as_uri())
    assert invoke(["run", "--budget", "cases=1"]) == 4
    shutil.rmtree(machine / "cache")
    assert invoke(["run", "--resume", "last"]) == 0
    assert len(list(StoredRun(only_run(store)).judged())) == 3


def test_a_store_in_memory_holds_runs(machine: Path) -> None:
    assert invoke_with(machine, "memory://runs-of-test") == 0
    files = fsspec.filesystem("memory").find("/runs-of-test")
    assert sorted(Path(file).name for file in files) == ["log.jsonl", "run.json"]


def invoke_with(machine: Path, address: str) -> int:
    write_suite(machine, "runs")
    return invoke(["run", "--runs", address])


def test_a_store_that_cannot_be_reached_keeps_the_run_here(
    machine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (machine / "file").write_text("no folder")
    address = (machine / "file").as_uri()
    assert invoke_with(machine, address) == NOT_STORED
    assert "cannot be reached" in capfd.readouterr().err
    copy = only_run(Path(next((machine / "cache" / "sparring" / "runs").iterdir())))
    assert len(list(StoredRun(copy).judged())) == 3
    (machine / "file").unlink()
    assert invoke(["show", "last", "--runs", address]) == 0
    assert only_run(machine / "file").name == copy.name  # the next command has brought it


def test_a_log_that_is_being_written_waits_until_it_has_grown(machine: Path) -> None:
    runs = RemoteRuns((machine / "store").as_uri(), machine / "copy")
    run = machine / "copy" / "a"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    log, there = run / "log.jsonl", machine / "store" / "a" / "log.jsonl"
    for text, whole, expected in (
        ("x" * 100, False, 100),
        ("x" * 120, False, 100),
        ("x" * 150, False, 150),
        ("x" * 151, True, 151),
    ):
        log.write_text(text)
        runs.push(whole=whole)
        assert there.stat().st_size == expected


def test_files_of_an_address_stay_in_their_folder(machine: Path) -> None:
    store = machine / "store"
    (store / "a").mkdir(parents=True)
    (store / "a" / "run.json").write_text("{}")
    (store / "..bad").mkdir()
    (store / "..bad" / "run.json").write_text("{}")
    runs = RemoteRuns(store.as_uri(), machine / "copy")
    runs.fetch_manifests()
    assert [path.name for path in (machine / "copy").iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("nosuch://x", ConfigurationError, "nosuch"),
        ("s4://bucket", ConfigurationError, "s4"),
    ],
)
def test_unknown_addresses_are_refused(
    address: str, error: type[Exception], message: str, machine: Path
) -> None:
    with pytest.raises(error, match=message):
        local_copy(address)
    write_suite(machine, address)
    with pytest.raises(error, match=message):
        load_suite(machine / "suite.yaml")
    assert invoke(["run"]) == 2


def test_a_library_that_is_missing_is_named(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def need(_protocol: str) -> Any:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec, "get_filesystem_class", need)
    with pytest.raises(MissingExtra, match="Install s3fs"):
        local_copy("s3://bucket/runs")


def test_to_check_a_suite_no_address_is_opened(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(address: str) -> Any:
        raise OSError(f"{address} was opened")

    monkeypatch.setattr(fsspec, "url_to_fs", opened)
    write_suite(machine, "memory://runs-of-test")
    assert invoke(["run"]) == NOT_STORED
    assert invoke(["validate"]) == 0  # nor is what the run left here uploaded


def test_the_viewer_fetches_the_runs_of_an_address(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = machine / "store"
    write_suite(machine, store.as_uri())
    assert invoke(["run"]) == 0
    shutil.rmtree(machine / "cache")
    served: list[Path] = []

    def serve(folder: Path, **_settings: Any) -> Any:
        served.append(folder)
        raise ConfigurationError("ended")

    monkeypatch.setattr("sparring_plugins.viewer.application.viewer_application", serve)
    assert invoke(["view", store.as_uri(), "--no-open"]) == 2
    assert len(list(StoredRun(only_run(served[0])).judged())) == 3


def test_a_calibration_is_stored_at_its_address(machine: Path) -> None:
    judge = {"role": "judge", "use": "judge.keywords"}
    file = machine / "judges.yaml"
    data = {"name": "a", "judges": [judge], "examples": [], "runs": (machine / "store").as_uri()}
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    assert Path(load_calibration(file).file.runs).is_relative_to(machine / "cache")
    file.write_text(yaml.safe_dump({**data, "runs": "nosuch://x"}), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="nosuch"):
        load_calibration(file)
