"""Runs of each kind are killed at any moment, go on, and end as if nothing had happened."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from tests.servers.example_server import EXAMPLES, serving

from sparring.model.events import CaseJudged
from sparring.store import StoredRun

from .conftest import FAKES, fake_suite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's"),
]

KILLS, BATCHES = 20, 10
"""Kills of a test, and tests of each of the five kinds of run: each ends well before pytest gives
up on a test, and they can be spread over processes."""

MOST_RESUMED = 20
"""Kills of one run before another is begun: a run that has ended cannot be killed."""


def suite_of(kind: str, folder: Path, url: str) -> list[str]:
    """What plays a small run of this kind: the arguments of ``sparring run``."""
    if kind == "voice":
        shutil.copytree(EXAMPLES / "skills" / "star-porch", folder / "skill")
        return [str(folder / "skill" / "suite.yaml"), "--budget", "cases=4"]
    if kind == "chat":
        return [str(EXAMPLES / "pizzeria"), "--budget", "cases=6", "--set", f"app.url={url}"]
    if kind == "search":
        return [str(EXAMPLES / "support"), "--budget", "cases=30", "--set", f"app.url={url}",
                "--set", "strategy={use: nsga2, population: 10}"]  # fmt: skip
    params = [{"n": n} for n in range(24)]
    strategy = "FakeSteadyStrategy" if kind == "learning" else "FakeStrategy"
    data: dict[str, Any] = fake_suite(
        app={"use": f"{FAKES}FakeConnector", "raises": {1: "crash"}, "delay_s": 0.01},
        strategy={"use": f"{FAKES}{strategy}", "params": params},
        concurrency=4,
    )
    (folder / "suite.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    return [str(folder / "suite.yaml")]


@pytest.fixture
def arguments(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    kind = request.param
    server = {"chat": "pizzeria", "search": "support"}.get(kind)
    if server is None:
        yield suite_of(kind, tmp_path, "")
        return
    with serving(server) as url:
        yield suite_of(kind, tmp_path, url)


def verdicts(folder: Path) -> dict[str, list[str]]:
    """The verdicts of a run, after checking that each case was judged once."""
    judged = [event for event in StoredRun(folder).events() if isinstance(event, CaseJudged)]
    ids = [event.trace.case.id for event in judged]
    assert len(ids) == len(set(ids)), "a case was counted twice"
    return {one.trace.case.id: [v.model_dump_json() for v in one.verdicts] for one in judged}


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize(
    "arguments", ["plain", "learning", "chat", "search", "voice"], indirect=True
)
def test_killed_runs_go_on_and_end_as_if_nothing_had_happened(
    arguments: list[str], batch: int, tmp_path: Path
) -> None:
    run = [sys.executable, "-m", "sparring", "run", *arguments, "--set", "reporters=[]"]
    whole = tmp_path / "whole"
    subprocess.run([*run, "--runs", str(whole)], check=False, capture_output=True, timeout=300)
    (reference,) = whole.iterdir()
    size = (reference / "log.jsonl").stat().st_size
    random, kills, runs = Random(batch), 0, 0
    while kills < KILLS:
        runs += 1
        folder = tmp_path / f"runs-{runs}"
        command = [*run, "--runs", str(folder)]
        for _ in range(MOST_RESUMED):
            target = _size(folder) + random.randint(1, max(2, size // MOST_RESUMED))
            if not _killed(command, folder, target):
                break
            kills += 1
            if next(folder.glob("*/run.json"), None) is not None and "--resume" not in command:
                command += ["--resume", "last"]
        ended = subprocess.run(command, check=False, capture_output=True, timeout=300)
        assert ended.returncode in (0, 1, 3, 4), ended.stderr.decode()
        (killed,) = [path.parent for path in folder.glob("*/run.json")]
        assert verdicts(killed) == verdicts(reference)
        shutil.rmtree(folder)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*/log.jsonl"))


def _killed(command: list[str], folder: Path, size: int) -> bool:
    """Kill a run once its log is of a size; false if it ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if _size(folder) >= size:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return True
        time.sleep(0.001)
    _, err = process.communicate()
    assert process.returncode in (0, 1, 3, 4), err.decode()
    return False
