"""A disk that is full, over quota or read-only: an exit code of its own, and nothing is lost."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.core.engine.conftest import FAKES, fake_suite

from sparring.cli.app import invoke
from sparring.engine.exit_codes import NOT_STORED
from sparring.model.events import ProblemNoted
from sparring.store import RunLog, StoredRun
from sparring.testing.conversations import EPOCH, stored_run
from sparring.testing.fakes import FakeConnector

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc/self/fd")

CASES = 6
WORDS = {
    errno.ENOSPC: "No space left on device",
    errno.EDQUOT: "quota exceeded",
    errno.EROFS: "Read-only file system",
    errno.EIO: "Input/output error",
}


class Recording(FakeConnector):
    """An app whose connector keeps something on a disk that is full."""

    def open(self, case: Any) -> Any:
        """Fail as a full disk does."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "recording.wav")


class FullDisk:
    """Fails each write into files of these names from the `after`-th one on."""

    def __init__(self, number: int, names: tuple[str, ...], after: int, part: bool = False) -> None:
        self.number = number
        self.names = names
        self.left = after
        self.part = part

    def _fails(self, descriptor: int) -> bool:
        if not str(Path(f"/proc/self/fd/{descriptor}").readlink()).endswith(self.names):
            return False
        self.left -= 1
        return self.left < 0

    def _error(self) -> OSError:
        return OSError(self.number, os.strerror(self.number))

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """Let `os.write` and `os.fsync` fail; with `part`, half of the first write gets through."""
        write, fsync = os.write, os.fsync

        def full_write(descriptor: int, data: Any) -> int:
            if self._fails(descriptor):
                if self.part and self.left == -1:
                    return write(descriptor, bytes(data)[: len(data) // 2])
                raise self._error()
            return write(descriptor, data)

        def full_fsync(descriptor: int) -> None:
            if self._fails(descriptor):
                raise self._error()
            fsync(descriptor)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", full_write)
            patch.setattr(os, "fsync", full_fsync)
            yield


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    data = fake_suite(cases=CASES, concurrency=2, agent={"use": f"{FAKES}FakePlayer"})
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def verdicts(folder: Path) -> dict[str, list[str]]:
    judged = StoredRun(folder).judged()
    return {one.trace.case.id: [v.model_dump_json() for v in one.verdicts] for one in judged}


def _moments() -> list[Any]:
    """Every write and sync of a run's log: three of them in the sample."""
    moments: list[Any] = []
    for number in WORDS:
        for after in range(40):
            is_sample = (number, after) in {
                (errno.ENOSPC, 0), (errno.ENOSPC, 5), (errno.EDQUOT, 9), (errno.EROFS, 20),
                (errno.EIO, 14),
            }  # fmt: skip
            marks = [] if is_sample else [pytest.mark.thorough]
            moments.append(pytest.param(number, after, marks=marks))
    return moments


@pytest.mark.parametrize(("number", "after"), _moments())
def test_a_log_that_cannot_be_written_ends_the_run_which_can_be_resumed(
    number: int, after: int, suite: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runs = str(tmp_path / "runs")
    disk = FullDisk(number, ("log.jsonl",), after, part=after % 2 == 0)
    with disk.mounted():
        code = invoke(["run", str(suite), "--runs", runs])
    said = capfd.readouterr().err.replace("\n", " ")
    if disk.left >= 0:
        assert code == 0, "the run was over before"
        return
    assert code == NOT_STORED
    assert said.startswith("sparring: ")
    assert WORDS[number].lower() in said.lower()
    assert "internal error" not in said
    (folder,) = (tmp_path / "runs").iterdir()
    assert f"sparring run --resume {folder}" in said
    known = verdicts(folder)
    assert all("pass" in line for lines in known.values() for line in lines), "nothing is blamed"
    assert invoke(["run", "--resume", str(folder)]) == 0
    assert len(verdicts(folder)) == CASES
    assert known.items() <= verdicts(folder).items()


@pytest.mark.parametrize("number", WORDS)
@pytest.mark.parametrize("command", ["run", "check", "resume"])
def test_a_folder_that_cannot_be_written_is_named(
    command: str,
    number: int,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    runs = tmp_path / "runs"
    assert invoke(["run", str(suite), "--runs", str(runs), "--budget", "cases=2"]) == 4
    (folder,) = runs.iterdir()
    log = (folder / "log.jsonl").read_bytes()

    def refuse(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_WRONLY or flags & os.O_RDWR:
            raise OSError(number, os.strerror(number))
        return open_(path, flags, *more, **named)

    open_ = os.open
    commands = {
        "run": ["run", str(suite), "--runs", str(tmp_path / "others")],
        "check": ["check", str(folder), "--runs", str(tmp_path / "others")],
        "resume": ["run", "--resume", str(folder)],
    }
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        code = invoke(commands[command])
    assert code == NOT_STORED
    said = capfd.readouterr().err.replace("\n", " ")
    assert WORDS[number].lower() in said.lower()
    assert (folder / "log.jsonl").read_bytes() == log
    assert not list((tmp_path / "others").glob("*/*")), "nothing is left of a run that never began"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize(
    ("reporter", "file"),
    [("html", "report.html"), ("junit", "junit.xml"), ("csv", "results.csv"),
     ("jsonl", "results.jsonl")],
)  # fmt: skip
def test_a_report_that_cannot_be_written_is_no_internal_error(
    reporter: str,
    file: str,
    number: int,
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    opened = os.open

    def refuse(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if file in str(path) and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(number, os.strerror(number))
        return opened(path, flags, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        _refuse_opening(patch, file, number)
        code = invoke(["run", str(suite), "--runs", str(tmp_path / "runs"),
                       "--set", f"reporters=[{reporter}]"])  # fmt: skip
    said = capfd.readouterr().err.replace("\n", " ")
    assert code == NOT_STORED
    assert f"{file} cannot be written: {os.strerror(number)}" in said
    (folder,) = (tmp_path / "runs").iterdir()
    assert StoredRun(folder).summary is not None, "the run is whole; only its report is missing"
    assert invoke(["report", str(folder), "--use", reporter]) == 0


def _refuse_opening(patch: pytest.MonkeyPatch, file: str, number: int) -> None:
    """Let files of this name fail to open, however they are opened."""
    opened = Path.open

    def refuse(self: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
        if file in self.name and mode != "r":
            raise OSError(number, os.strerror(number))
        return opened(self, mode, *more, **named)

    patch.setattr(Path, "open", refuse)


def test_what_was_failed_by_the_app_stays_failed_without_its_report(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        _refuse_opening(patch, "junit.xml", errno.ENOSPC)
        code = invoke(["run", str(suite), "--runs", str(tmp_path / "runs"), "-o", "x/junit.xml",
                       "--set", f"oracles=[{{use: {FAKES}FakeOracle, judges: fail}}]"])  # fmt: skip
    assert code == 1
    assert "junit.xml cannot be written: No space left on device" in (
        capfd.readouterr().err.replace("\n", " ")
    )


def test_a_part_that_cannot_write_is_the_environments(suite: Path, tmp_path: Path) -> None:
    app = f"{{use: '{__name__}:Recording'}}"
    code = invoke(["run", str(suite), "--runs", str(tmp_path / "runs"), "--set", f"app={app}"])
    assert code == 3
    (folder,) = (tmp_path / "runs").iterdir()
    owners = {i.owner.value for one in StoredRun(folder).judged() for i in one.trace.incidents}
    assert owners == {"environment"}


def test_nothing_more_is_written_after_a_write_that_failed(tmp_path: Path) -> None:
    """A line that is lost must not be followed by smaller ones that still fit."""
    run = stored_run(tmp_path / "run", [])
    before = run.log.read_bytes()
    log = RunLog.reopen(run.folder)
    note = ProblemNoted(at=EPOCH, source="test", message="x")
    with FullDisk(errno.ENOSPC, ("log.jsonl",), 0).mounted(), pytest.raises(OSError, match="space"):
        log.append_event(note)
    with pytest.raises(OSError, match="space"):
        log.append_event(note)
    log.close()
    assert run.log.read_bytes() == before
