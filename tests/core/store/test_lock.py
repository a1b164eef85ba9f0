"""One process at a time writes a run."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.core.engine.conftest import fake_suite

from sparring.cli.app import invoke
from sparring.errors import StoredRunError
from sparring.store import RunLog, StoredRun
from sparring.testing.conversations import stored_run, trace_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")

HOLDER = """
import sys
from pathlib import Path
from sparring.store import RunLog
log = RunLog.reopen(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return stored_run(tmp_path / "run", [trace_of([("hello", "hi")])]).folder


def held(run: Path) -> "subprocess.Popen[str]":
    """A process that holds the run until its standard input ends."""
    command = [sys.executable, "-c", HOLDER, str(run)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_refused_and_the_first_is_named(run: Path) -> None:
    process = held(run)
    before = (run / "log.jsonl").read_bytes()
    named = f"process {process.pid}" if sys.platform == "linux" else "another process"
    try:
        with pytest.raises(StoredRunError, match=f"is being written by {named}"):
            RunLog.reopen(run)
    finally:
        process.communicate()
    assert (run / "log.jsonl").read_bytes() == before
    RunLog.reopen(run).close()


def test_a_lock_is_gone_with_its_process(run: Path) -> None:
    process = held(run)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    RunLog.reopen(run).close()


def test_a_torn_line_of_the_writer_is_not_cut_off_by_another(run: Path) -> None:
    log = RunLog.reopen(run)
    with (run / "log.jsonl").open("ab") as file:
        file.write(b'{"kind":"case_st')
    with pytest.raises(StoredRunError, match="is being written by"):
        RunLog.reopen(run)
    assert (run / "log.jsonl").read_bytes().endswith(b'{"kind":"case_st')
    log.close()


def test_reading_a_run_meanwhile_does_not_end_the_lock(run: Path) -> None:
    log = RunLog.reopen(run)
    assert list(StoredRun(run).events())
    with pytest.raises(StoredRunError, match="is being written by"):
        RunLog.reopen(run)
    log.close()


def test_the_same_run_is_not_resumed_twice(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two ``run --resume`` once paid for 44 cases twice."""
    suite = tmp_path / "suite.yaml"
    suite.write_text(yaml.safe_dump(fake_suite(cases=6)), encoding="utf-8")
    runs = str(tmp_path / "runs")
    assert invoke(["run", str(suite), "--runs", runs, "--budget", "cases=2"]) == 4
    (folder,) = (tmp_path / "runs").iterdir()
    log = RunLog.reopen(folder)
    capfd.readouterr()
    assert invoke(["run", "--resume", "last", "--runs", runs]) == 2
    assert f"process {os.getpid()}" in capfd.readouterr().err or sys.platform != "linux"
    log.close()
    assert len(StoredRun(folder).case_ids) == 2
    assert invoke(["run", "--resume", "last", "--runs", runs, "--budget", "cases=6"]) == 0


def test_without_locks_a_run_goes_on_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import fcntl

    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    suite = tmp_path / "suite.yaml"
    suite.write_text(yaml.safe_dump(fake_suite(cases=1)), encoding="utf-8")
    assert invoke(["run", str(suite), "--runs", str(tmp_path / "runs")]) == 0
    assert "has no locks (No locks available)" in capfd.readouterr().err.replace("\n", " ")
