"""Workers and schedulers that go away in the middle of a run."""

import os
import random
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from sparring.engine.exit_codes import INCOMPLETE
from sparring.engine.session import RunResult
from sparring.model.events import CaseJudged
from sparring.model.run import Stop
from sparring.model.verdict import Outcome
from sparring.store import StoredRun

from .conftest import Cluster, Play, end, view, wait_for

CASES = 24


@pytest.fixture(autouse=True)
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(Path(__file__).parent / "parts.py", tmp_path / "chaos_parts.py")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def own_cluster() -> Generator[Cluster]:
    cluster = Cluster(2)
    yield cluster
    cluster.close()


def slow_suite(folder: Path) -> dict[str, Any]:
    marks = folder / "marks"
    marks.mkdir(exist_ok=True)
    return {
        "cases": CASES,
        "app": {"use": "chaos_parts:App", "delay_s": 0.15, "marks": str(marks)},
        "agent": {"use": "chaos_parts:Painter", "lines": ["hello", "bye"]},
        "oracles": [{"use": "chaos_parts:Odd"}],
        "budget": {"cases": CASES},
    }


def later(marks: Path, number: int, action: Callable[[], None]) -> threading.Thread:
    """Do something as soon as so many cases have been begun."""

    def act() -> None:
        wait_for(lambda: len(list(marks.iterdir())) >= number)
        action()

    thread = threading.Thread(target=act)
    thread.start()
    return thread


def each_once(done: RunResult) -> None:
    assert done.folder
    events = StoredRun(done.folder).events()
    counts = Counter(event.trace.case.id for event in events if isinstance(event, CaseJudged))
    assert len(counts) == CASES
    assert set(counts.values()) == {1}


def lose_a_worker(play: Play, cluster: Cluster, folder: Path, after: int) -> None:
    suite = slow_suite(folder)

    def replace() -> None:
        end(cluster.workers.pop(0))
        cluster.workers.append(cluster.worker())

    thread = later(folder / "marks", after, replace)
    done = play(**suite, execution={"use": "dask", "address": cluster.address})
    thread.join()
    each_once(done)
    assert done.summary.stopped is Stop.COMPLETE
    assert view(done) == view(play(**suite, execution="local"))


@pytest.mark.thorough
def test_the_cases_of_a_killed_worker_are_played_again(
    play: Play, own_cluster: Cluster, tmp_path: Path
) -> None:
    lose_a_worker(play, own_cluster, tmp_path, after=5)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(20))
def test_workers_are_killed_at_any_moment(
    seed: int, play: Play, own_cluster: Cluster, tmp_path: Path
) -> None:
    lose_a_worker(play, own_cluster, tmp_path, after=random.Random(seed).randrange(CASES))


def lose_the_scheduler(play: Play, cluster: Cluster, folder: Path, after: int) -> None:
    suite = slow_suite(folder)
    thread = later(folder / "marks", after, lambda: cluster.scheduler.send_signal(signal.SIGKILL))
    done = play(**suite, execution={"use": "dask", "address": cluster.address})
    thread.join()
    assert done.exit_code in (INCOMPLETE, 1)  # 1 if some of what was judged failed
    assert done.summary.stopped is Stop.LOST
    assert "scheduler" in done.summary.reason
    assert done.folder
    verdicts = [verdict for case in StoredRun(done.folder).judged() for verdict in case.verdicts]
    assert [v.reason for v in verdicts if v.outcome is Outcome.ERROR and v.owner is not None] == []
    rest = play(**suite, resume=done.folder, execution="local")
    each_once(rest)
    assert view(rest) == view(play(**suite, execution="local"))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_a_run_that_lost_its_scheduler_is_resumed_by_any_executor(
    seed: int, play: Play, own_cluster: Cluster, tmp_path: Path
) -> None:
    after = random.Random(seed).randrange(1, CASES - 8)
    lose_the_scheduler(play, own_cluster, tmp_path, after)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(5))
def test_a_stopped_worker_is_replaced(seed: int, play: Play, tmp_path: Path) -> None:
    suite = slow_suite(tmp_path)

    def stop() -> None:
        mark = random.Random(seed).choice(sorted((tmp_path / "marks").iterdir()))
        os.kill(int(mark.name.split("-")[1]), signal.SIGSTOP)

    thread = later(tmp_path / "marks", random.Random(seed).randrange(1, CASES // 2), stop)
    execution = {"use": "processes", "workers": 2, "silent_s": 5}
    done = play(**suite, execution=execution)
    thread.join()
    each_once(done)
    assert view(done) == view(play(**suite, execution="local"))
