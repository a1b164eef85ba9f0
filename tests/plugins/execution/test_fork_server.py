"""Workers of this machine are forked, and have what this process has now."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.core.engine.conftest import Play

from sparring.model.events import TurnTaken
from sparring.store import StoredRun
from sparring_plugins.execution import fork_server
from sparring_plugins.execution.fork_server import start_fork_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fork server is there, whatever variables of other tests it was started with."""
    start_fork_server()
    monkeypatch.setattr(fork_server, "_started_with", dict(os.environ))
    assert start_fork_server()


@pytest.mark.thorough
def test_a_forked_worker_has_the_variables_of_now(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_app.py").write_text(
        "import multiprocessing, os\n"
        "def answer(text):\n"
        "    server = multiprocessing.parent_process()\n"
        "    return f\"{os.environ['SET_LATER']} {server is not None} {os.getppid()}\"\n"
    )
    monkeypatch.setenv("SET_LATER", "here")
    done = play(
        cases=1,
        app={"use": "python", "target": "own_app:answer"},
        execution={"use": "processes", "workers": 1},
    )
    assert done.folder
    turns = [each for each in StoredRun(done.folder).events() if isinstance(each, TurnTaken)]
    assert turns[0].turn.observation
    word, is_child, parent = turns[0].turn.observation.text.split()
    assert (word, is_child) == ("here", "True")
    assert int(parent) != os.getpid()  # the fork server's


def test_a_variable_that_is_gone_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "_started_with", {**os.environ, "REMOVED_SINCE": "secret"})
    assert not start_fork_server()


def test_other_systems_start_workers_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not start_fork_server()


def test_files_of_a_run_are_listed_in_all_folders(tmp_path: Path) -> None:
    from sparring_plugins.execution.worker_session import list_files

    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("one.json", "a/two.png", "a/b/three.txt", "a/.four.json.new"):
        (tmp_path / name).write_text(name)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    files = list_files(tmp_path)
    assert sorted(files) == ["a/b/three.txt", "a/two.png", "one.json"]
    before = files["one.json"]
    (tmp_path / "one.json").write_text("longer than before")
    assert list_files(tmp_path)["one.json"] != before
    shutil.rmtree(tmp_path / "a")
    assert sorted(list_files(tmp_path)) == ["one.json"]
